import type { TimelineEntryAnswer } from '../../../../../src/console/students/students.output.ts'
import type { TimelineEntry } from '../../../ui/detail.tsx'
import { formatMoment } from '../../../ui/when.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { headline as bareHeadline } from '../texts.ts'
import { amountOf } from './amounts.ts'

type Entry = TimelineEntryAnswer

/** Whatever is about money says how much. */
function headline(entry: Entry): ReturnType<typeof bareHeadline> {
  const { label, tone } = bareHeadline(entry)
  const amount = amountOf(entry)
  return { label: amount === undefined ? label : `${label}: ${formatRupees(amount)}`, tone }
}

/** What stands in several logs because of one thing that happened; the first says what it was. */
type Happening = readonly [Entry, ...Entry[]]

/** What the logs hold, newest first, each thing that happened once. */
export function toStory(entries: readonly Entry[]): TimelineEntry[] {
  const messages = entries.filter(isMessage).map((one): Happening => [one])
  const others = joinMoments(entries.filter(one => !isMessage(one)))
  const all = [...messages, ...others].toSorted(([one], [other]) => other.at.localeCompare(one.at))
  return joinRepeated(all).map(toEntry)
}

/** A message has its own moment: when it was sent. */
function isMessage({ kind }: Entry): boolean {
  return kind === 'message'
}

/** One transaction writes to several logs, each with its own look at the clock. */
const TOGETHER_MS = 1_000

function joinMoments(entries: readonly Entry[]): Happening[] {
  const moments: Happening[] = []
  for (const entry of entries) {
    const last = moments.at(-1)
    if (last !== undefined && Date.parse(last[0].at) - Date.parse(entry.at) <= TOGETHER_MS)
      moments[moments.length - 1] = [...last, entry]
    else moments.push([entry])
  }
  return moments.flatMap(splitActs)
}

const FIRST: readonly Entry['kind'][] = ['act', 'event', 'fetch', 'profile', 'fee', 'waiver', 'message']

/** Two acts in one moment are two things; the rest came of the nearer one. */
function splitActs(moment: Happening): Happening[] {
  const acts = moment.filter(({ kind }) => kind === 'act')
  if (acts.length > 1) {
    const rest = Map.groupBy(
      moment.filter(({ kind }) => kind !== 'act'),
      one => nearestOf(acts, one),
    )
    return acts.map((act): Happening => [act, ...(rest.get(act) ?? [])])
  }
  const [first, ...rest] = moment.toSorted(
    (one, other) => FIRST.indexOf(one.kind) - FIRST.indexOf(other.kind),
  )
  return first === undefined ? [] : [[first, ...rest]]
}

function nearestOf(acts: readonly Entry[], { at }: Entry): Entry | undefined {
  const distance = (act: Entry): number => Math.abs(Date.parse(act.at) - Date.parse(at))
  return acts.toSorted((one, other) => distance(one) - distance(other))[0]
}

type RepeatedEntry = { happening: Happening; since: string; count: number; raws: unknown[] }

/** An ERP that is asked every night and always says the same is one entry. */
function joinRepeated(all: readonly Happening[]): RepeatedEntry[] {
  const told: RepeatedEntry[] = []
  for (const happening of all) {
    const [entry] = happening
    const raws = happening.map(({ raw }) => raw)
    const last = told.at(-1)
    if (last !== undefined && isRepeated(last.happening, happening)) {
      last.since = entry.at
      last.count++
      last.raws.push(...raws)
    } else told.push({ happening, since: entry.at, count: 1, raws })
  }
  return told
}

function isRepeated([one, ...more]: Happening, [other, ...others]: Happening): boolean {
  const isAlone = more.length === 0 && others.length === 0
  return (
    isAlone &&
    one.kind === 'fetch' &&
    other.kind === 'fetch' &&
    one.what === other.what &&
    one.why === other.why
  )
}

function toEntry({ happening: [entry, ...rest], since, count, raws }: RepeatedEntry): TimelineEntry {
  const { label, tone } = headline(entry)
  const why = entry.why ?? rest.find(one => one.why !== undefined)?.why
  const more = rest
    .filter(one => !saysTheSame(entry, one))
    .map(one =>
      [headline(one).label, ...(one.why === undefined || one.why === why ? [] : [one.why])].join(': '),
    )
  return {
    id: entry.id,
    at: entry.at,
    title: count === 1 ? label : `${label}, ${count} times since ${formatMoment(since)}`,
    tone:
      tone === 'plain' ? (rest.map(one => headline(one).tone).find(one => one !== 'plain') ?? tone) : tone,
    by: entry.by,
    why,
    also: [...new Set(more)],
    raw: raws.length === 1 ? raws[0] : raws,
  }
}

/** The events that say no more than the act that caused them. */
function saysTheSame({ kind, what }: Entry, other: Entry): boolean {
  if (kind !== 'act' || other.kind !== 'event') return false
  if (/^(payment|cheque)\./.test(what)) return other.what.startsWith('direct.payment.')
  return what.startsWith('student.') && other.what.startsWith('masterdata.student.')
}
