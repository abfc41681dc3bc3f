import { MATCHING } from '../../platform/limits.rules.ts'
import { lineKey, type KeyedLine, type StatementLine } from './lines.rules.ts'

type Line = Pick<StatementLine, 'day' | 'amountPaise' | 'text' | 'reference'>

export type Sifted<Own> = {
  /** How many a statement has in these words. */
  knownCount: number
  fresh: Own[]
  /** Lines that tell of the same movement on a statement of another format, in other words. */
  same: Own[]
  /** The day and amount of such a line, but both have a reference and not the same one: a person has to say. */
  doubtful: Own[]
}

type Steps<Result> = Generator<undefined, Result, undefined>

/** What becomes of the lines of a file, step by step: tens of thousands take a while, and requests come between. */
export function* siftSteps<Own extends KeyedLine>(
  lines: readonly Own[],
  { known, others }: { known: ReadonlySet<string>; others: readonly KeyedLine[] },
): Steps<Sifted<Own>> {
  const unknown: Own[] = []
  const keys = new Set<string>()
  for (const line of lines) {
    yield
    const key = lineKey(line)
    keys.add(key)
    if (!known.has(key)) unknown.push(line)
  }
  // A line that both files have in the same words is no other line's counterpart.
  const open: KeyedLine[] = []
  for (const line of others) {
    yield
    if (!keys.has(lineKey(line))) open.push(line)
  }
  return { knownCount: lines.length - unknown.length, ...(yield* siftUnknown(unknown, open)) }
}

/**
 * A bank words one booking differently in its CSV file and in MT940. Lines of a day and amount are paired one to one with
 * those that another format brought: first by a reference that both name, then where one of them names none. The third
 * booking of an amount is new when there were two, whatever they say.
 */
export function* siftUnknown<Own extends Line>(
  lines: readonly Own[],
  others: readonly Line[],
): Steps<Omit<Sifted<Own>, 'knownCount'>> {
  const ofOthers = yield* groupsOf(yield* describe(others))
  const fresh: Own[][] = []
  const same: Own[][] = []
  const doubtful: Own[][] = []
  for (const [key, group] of yield* groupsOf(yield* describe(lines))) {
    const left = yield* pairByReference(group, ofOthers.get(key) ?? [])
    const [unnamed, named] = parted(left.own)
    const [otherUnnamed, otherNamed] = parted(left.others)
    // One that names nothing may be any of the other format; one that names something, only one that does not.
    const likely = Math.min(unnamed.length, left.others.length)
    const freeOthers = Math.max(otherUnnamed.length - unnamed.length, 0)
    const alsoLikely = Math.min(named.length, freeOthers)
    const namedOthers = otherNamed.length - Math.max(likely - otherUnnamed.length, 0)
    const asked = alsoLikely + Math.min(named.length - alsoLikely, namedOthers)
    same.push(left.paired, unnamed.slice(0, likely), named.slice(0, alsoLikely))
    doubtful.push(named.slice(alsoLikely, asked))
    fresh.push(unnamed.slice(likely), named.slice(asked))
  }
  return { fresh: fresh.flat(), same: same.flat(), doubtful: doubtful.flat() }
}

function* groupsOf<One extends Line>(all: readonly Described<One>[]): Steps<Map<string, Described<One>[]>> {
  const groups = new Map<string, Described<One>[]>()
  for (const one of all) {
    yield
    groups.getOrInsertComputed(keyOf(one.line), () => []).push(one)
  }
  return groups
}

type Described<One> = { line: One; references: ReadonlySet<string> }

const keyOf = ({ day, amountPaise }: Line): string => `${day} ${amountPaise}`

/** Lines without a reference first, then the others. */
function parted<One>(some: readonly Described<One>[]): [One[], One[]] {
  const linesOf = (all: readonly Described<One>[]): One[] => all.map(({ line }) => line)
  return [
    linesOf(some.filter(one => one.references.size === 0)),
    linesOf(some.filter(one => one.references.size > 0)),
  ]
}

/** A UTR, the number of a cheque or of a UPI payment; with the letters before it, and without, since banks part them. */
function* describe<One extends Line>(lines: readonly One[]): Steps<Described<One>[]> {
  const named: Described<One>[] = []
  /** The day and amount whose lines have it; null for several. */
  const owners = new Map<string, string | null>()
  for (const line of lines) {
    yield
    const [key, references] = [keyOf(line), referencesIn(line)]
    named.push({ line, references })
    for (const reference of references)
      owners.set(reference, owners.getOrInsert(reference, key) === key ? key : null)
  }
  const described: Described<One>[] = []
  for (const { line, references } of named) {
    yield
    // A number in bookings of several days or amounts, such as an account's, identifies none of them.
    const own = [...references].filter(reference => owners.get(reference) !== null)
    described.push({ line, references: new Set(own) })
  }
  return described
}

function referencesIn({ day, reference, text }: Line): Set<string> {
  const words = `${reference ?? ''} ${text}`.toUpperCase().match(/[A-Z0-9]{6,}/g) ?? []
  const [year = '', month = '', date = ''] = day.split('-')
  const days = new Set([
    year + month + date,
    date + month + year,
    date + month + year.slice(2),
    year.slice(2) + month + date,
  ])
  const numbered = words.filter(word => /\d.*\d.*\d.*\d/.test(word))
  const numbers = numbered.flatMap(word => word.match(/\d{6,}/g) ?? [])
  const references = [...numbered, ...numbers].filter(word => !days.has(word))
  return new Set(references.slice(0, MATCHING.referencesPerLine))
}

/** Each with the first line that is left under one of its references. */
function* pairByReference<Own extends Line>(
  own: readonly Described<Own>[],
  others: readonly Described<Line>[],
): Steps<{ paired: Own[]; own: Described<Own>[]; others: Described<Line>[] }> {
  const byReference = new Map<string, Described<Line>[]>()
  for (const other of others) {
    yield
    for (const reference of other.references) byReference.getOrInsertComputed(reference, () => []).push(other)
  }
  const taken = new Set<Described<Line>>()
  /** Removes what it looks at from the list, so that a reference of many lines is gone through only once. */
  const takeUnder = (reference: string): boolean => {
    const named = byReference.get(reference) ?? []
    for (let other = named.pop(); other !== undefined; other = named.pop())
      if (!taken.has(other)) {
        taken.add(other)
        return true
      }
    return false
  }
  const paired: Own[] = []
  const left: Described<Own>[] = []
  for (const one of own) {
    yield
    if ([...one.references].some(takeUnder)) paired.push(one.line)
    else left.push(one)
  }
  return { paired, own: left, others: others.filter(other => !taken.has(other)) }
}
