import { createHash } from 'node:crypto'
import { sumsOf } from '../../flex/plans/plan-events.ts'
import { formatDay } from '../../flex/notices/family.texts.ts'
import { presentationDay } from '../../flex/rules/debit.rules.ts'
import type { Instalment, Mandate, LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Rail } from '../../flex/rules/rails.rules.ts'
import { sumLines, totalsOf } from '../../flex/rules/schedule.rules.ts'
import type { DebitRules } from '../../flex/rules/debit.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { formatRupees, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import type { FlexWords } from './setup.texts.ts'
import { sayFee } from '../language.ts'
import { fill, type Language } from '../checkout/checkout.texts.ts'

export type FlexProblem = 'consent' | 'changed'

/** What the page of a plan shows, decided without touching anything. */
export type FlexScene = {
  institute: Institute
  file: LoadedPlan
  studentName: string
  /** The ways that every instalment fits, and what one debit may take at most. */
  offers: readonly { rail: Rail; capPaise: Paise }[]
  debitRules: DebitRules
  /** The newest payment of the down payment. */
  downPayment: Payment | null
  takesMandates: boolean
  problem: FlexProblem | undefined
  chosen: Rail | undefined
  /** The parent wants another way than the one begun. */
  isChoosing: boolean
  isStill: boolean
  isSandbox: boolean
  path: string
  language: Language
}

export type Face = {
  tone: 'unpaid' | 'paid' | 'failed' | 'expired' | 'cancelled'
  status: string
  say: string
  /** All of it, what is left, what is paid, or none. */
  figure?: 'all' | 'left' | 'paid'
  act?: 'pay' | 'agree' | 'go on'
  refreshSeconds?: number
}

type Head = Pick<FlexScene, 'institute' | 'file' | 'studentName' | 'isSandbox'>

export function headOf({ institute, file, studentName, isSandbox }: Head, words: FlexWords) {
  const branch = institute.branches.find(one => one.collectorCode === file.plan.collectorCode)
  return {
    t: words,
    institute: institute.name,
    branch: institute.branches.length > 1 ? branch?.name : undefined,
    heading: fill(words.heading, { who: studentName }),
    isSandbox,
  }
}

/** What a consent is about: when the dates or amounts change, it is asked for anew. */
export function fingerprint({ instalments }: LoadedPlan): string {
  const rows = instalments.map(({ dueOn, isDownpayment, lines }) => [dueOn, isDownpayment, lines])
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16)
}

/** A date that stays on one line. */
export function sayDay(day: string, language: Language): string {
  return formatDay(day, language).replaceAll(' ', '\u00a0')
}

export function downOf({ instalments }: LoadedPlan): {
  amountPaise: Paise
  isUnpaid: boolean
  isPaid: boolean
  orderId: string | null
} {
  const down = instalments.find(one => one.isDownpayment)
  return {
    amountPaise: down === undefined ? ZERO : sumLines(down.lines),
    isUnpaid: down?.state === 'scheduled',
    isPaid: down?.state === 'debited' || down?.state === 'settled',
    orderId: down?.orderId ?? null,
  }
}

/** Still to come by debit; one that bounced for good is not. */
function isToCome({ isDownpayment, state }: Instalment): boolean {
  return !isDownpayment && ['scheduled', 'confirmed', 'skipped', 'presented'].includes(state)
}

/** The large figure, and what it means. */
export function figureOf({ file, language }: FlexScene, face: Face, words: FlexWords) {
  const toCome = file.instalments.filter(isToCome)
  const days = toCome.map(({ dueOn }) => dueOn).toSorted()
  const day = (at: number): string => sayDay(days.at(at) ?? '', language)
  const left = sumPaise(toCome.map(({ lines }) => sumLines(lines)))
  const { totalPaise, paidPaise } = sumsOf(file)
  if (face.figure === undefined) return {}
  if (face.figure === 'paid' || toCome.length === 0)
    return { amount: formatRupees(paidPaise), meaning: words.paidSoFar }
  const spread =
    days.length === 1
      ? fill(words.spreadOne, { first: day(0) })
      : fill(words.spread, { count: String(days.length), first: day(0), last: day(-1) })
  if (face.figure === 'left') return { amount: formatRupees(left), meaning: fill(words.left, { spread }) }
  const down = downOf(file)
  const meaning = down.isUnpaid
    ? fill(words.spreadDown, { down: formatRupees(down.amountPaise), spread })
    : spread
  return { amount: formatRupees(totalPaise), meaning }
}

export function nextOf(
  { instalments }: LoadedPlan,
  words: FlexWords,
  language: Language,
): string | undefined {
  const [next] = instalments
    .filter(one => isToCome(one) && one.state !== 'presented')
    .toSorted((one, other) => (one.presentOn < other.presentOn ? -1 : 1))
  if (next === undefined) return undefined
  const amount = formatRupees(sumLines(next.lines))
  return fill(words.next, { amount, day: sayDay(next.presentOn, language) })
}

type Row = {
  label: string
  note: string | undefined
  parts?: string[]
  amount: string
  tone: string | undefined
}

export function scheduleOf(scene: FlexScene, face: Face, words: FlexWords) {
  const { file, language } = scene
  const isOver = file.plan.state === 'cancelled'
  const counted = file.instalments.filter(({ state }) => isOver || state !== 'cancelled')
  const totals = totalsOf(counted.flatMap(({ lines }) => lines))
  const name = (componentType: string): string => sayFee(componentType, language)
  const components = [...totals].map(([component, amount]) => ({
    label: name(component),
    amount: formatRupees(amount),
  }))
  const days = previewDays(scene)
  const rows = file.instalments.map((instalment): Row => {
    const { isDownpayment, dueOn, lines } = instalment
    const row: Row = {
      label: isDownpayment ? words.atStart : sayDay(dueOn, language),
      note: noteOf(instalment, { scene, face, words, days: days.get(instalment.id) ?? [] }),
      amount: formatRupees(sumLines(lines)),
      tone: toneOf(instalment),
    }
    if (components.length === 1) return row
    const parts = lines.map(line => `${name(line.componentType)} ${formatRupees(line.amountPaise)}`)
    return { ...row, parts }
  })
  return {
    caption: components.length === 1 ? `${words.schedule}: ${components[0]?.label}` : words.schedule,
    rows,
    components: components.length === 1 ? [] : components,
    total: isOver ? undefined : formatRupees(sumsOf(file).totalPaise),
  }
}

function toneOf({ state }: Instalment): string | undefined {
  if (state === 'debited' || state === 'settled' || state === 'covered') return 'paid'
  return state === 'bounced' || state === 'reversed' ? 'failed' : undefined
}

type DebitDay = { rail: Rail; day: string }

/** On which day each instalment would be debited if it were set up today, on each rail. */
function previewDays({ file, offers, debitRules }: FlexScene): Map<string, DebitDay[]> {
  const { rules, holidays, now } = debitRules
  const days = new Map<string, DebitDay[]>()
  const toCome = file.instalments.filter(one => isToCome(one) && one.state !== 'presented')
  for (const { rail } of offers) {
    const takenDays = new Set<string>()
    for (const { id, dueOn } of toCome.toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))) {
      const terms = { setUpOn: dayOf(now), rail: rules.rails[rail], rules, holidays, takenDays }
      const day = presentationDay(dueOn, terms)
      takenDays.add(day)
      days.set(id, [...(days.get(id) ?? []), { rail, day }])
    }
  }
  return days
}

/** Before the consent: the day of the debit where it is not the due date. After it: how it stands. */
function noteOf(
  { state, isDownpayment, dueOn, presentOn }: Instalment,
  { scene, face, words, days }: { scene: FlexScene; face: Face; words: FlexWords; days: DebitDay[] },
): string | undefined {
  const say = (day: string): string => sayDay(day, scene.language)
  if (isDownpayment) return state === 'scheduled' ? words.now : words.states[state]
  const isPlanned = state === 'scheduled' || state === 'confirmed'
  if (isPlanned && (face.act === 'agree' || face.act === 'pay')) {
    const [first, second] = days
    if (first === undefined || days.every(({ day }) => day === dueOn)) return undefined
    if (second === undefined || first.day === second.day)
      return fill(words.debitedOn, { day: say(first.day) })
    const on = (rail: Rail): string => say(days.find(one => one.rail === rail)?.day ?? dueOn)
    return fill(words.debitedOnBy, { upi: on('upi_autopay'), enach: on('enach') })
  }
  const { plan } = scene.file
  if (plan.state === 'draft' || plan.state === 'setup') return undefined
  const moved = isPlanned && presentOn !== dueOn ? fill(words.debitedOn, { day: say(presentOn) }) : undefined
  if (state === 'scheduled') return moved
  return [words.states[state], moved].filter(one => one !== undefined).join(', ')
}

/** The mandate that the payer has approved, as long as it stands. */
export function mandateOf(mandate: Mandate | null, words: FlexWords, language: Language) {
  const isApproved = mandate?.state === 'pending' && mandate.authorisedAt !== null
  if (mandate === null || !(mandate.state === 'active' || isApproved)) return null
  const { rail, umrn, upiReference, id } = mandate
  const number = rail === 'enach' ? umrn : upiReference
  return [
    { label: words.way, value: words.rails[rail] },
    { label: rail === 'enach' ? words.umrn : words.upiReference, value: number ?? id, isNumber: true },
    { label: words.atMost, value: formatRupees(mandate.capPaise) },
    { label: words.validUntil, value: sayDay(mandate.endOn, language) },
  ]
}

export function termsOf({ institute, offers, debitRules }: FlexScene, words: FlexWords): string[] {
  const { rules } = debitRules
  const highest = offers.reduce((most, { capPaise }) => (capPaise > most ? capPaise : most), ZERO)
  const first = rules.onHoliday === 'next' ? words.termSchedule : words.termScheduleBefore
  return [
    fill(first, { where: institute.name }),
    fill(words.termCap, { cap: formatRupees(highest) }),
    fill(words.termNotice, { hours: String(rules.noticeMinutes / 60) }),
  ]
}

export function formOf(scene: FlexScene, face: Face, words: FlexWords) {
  const { file, path, institute, offers } = scene
  const action = `${path}/mandate`
  if (face.act === undefined) return null
  if (face.act === 'pay') {
    const amount = formatRupees(downOf(file).amountPaise)
    return { action: `${path}/downpayment`, button: fill(words.payNow, { amount }) }
  }
  if (face.act === 'go on') return { action, button: words.goOn, goOn: true, anotherUrl: `${path}?choose=1` }
  const chosen = scene.chosen ?? file.mandate?.rail
  const isOffered = offers.some(({ rail }) => rail === chosen)
  const areCapsAlike = new Set(offers.map(({ capPaise }) => capPaise)).size === 1
  const { limitPaise } = scene.debitRules.rules.rails.upi_autopay
  return {
    action,
    button: words.toBank,
    seen: fingerprint(file),
    rails: offers.map(({ rail, capPaise }, index) => ({
      value: rail,
      label: words.rails[rail],
      hint: [
        rail === 'enach' ? words.enachHint : words.upiHint,
        areCapsAlike ? '' : fill(words.capHint, { cap: formatRupees(capPaise) }),
      ].join(' '),
      isChosen: isOffered ? rail === chosen : index === 0,
    })),
    upiTooSmall: offers.some(({ rail }) => rail === 'upi_autopay')
      ? undefined
      : fill(words.upiTooSmall, { limit: formatRupees(limitPaise) }),
    consent: fill(words.consent, { where: institute.name }),
    problem: scene.problem === 'consent' ? words.noConsent : undefined,
  }
}
