import { createHash } from 'node:crypto'
import { presentationDay, type DebitRules } from '../../flex/rules/debit.rules.ts'
import { canStopCharge } from '../../flex/rules/charge.rules.ts'
import type { PlanLength } from '../../flex/plans/open-setup.service.ts'
import {
  chargeTold,
  sumLines,
  totalsOf,
  isOpen,
  sumsOf,
  type Instalment,
  type LoadedPlan,
  type Mandate,
} from '../../flex/rules/plan.rules.ts'
import type { Rail } from '../../flex/rules/rails.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { formatRupees, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import type { PlanSetupTexts } from '../texts/texts.ts'
import { feeName, feeNames } from '../../messages/texts/texts.ts'
import { schoolHead } from '../layout.ts'

export type SetupProblem = 'consent' | 'changed'

/** Everything the plan's set-up page depends on; describing it is pure. */
export type SetupPageData = {
  institute: Institute
  file: LoadedPlan
  studentName: string
  /** The rails whose limit every instalment fits, and the highest amount of one debit. */
  offers: readonly { rail: Rail; capPaise: Paise; registrationPaise?: Paise | undefined }[]
  debitRules: DebitRules
  /** The newest payment attempt of the down payment. */
  downPayment: Payment | null
  takesMandates: boolean
  lengths: readonly PlanLength[]
  /** Fees of which single charges are asked for. */
  chargeComponents: readonly string[]
  problem: SetupProblem | undefined
  chosen: Rail | undefined
  /** The parent wants another rail than the one started. */
  isChoosing: boolean
  isRefreshPaused: boolean
  isSandbox: boolean
  path: string
  language: Language
}

export type StatusBanner = {
  tone: 'unpaid' | 'paid' | 'failed' | 'expired' | 'cancelled'
  status: string
  say: string
  figure?: 'all' | 'left' | 'paid'
  act?: 'pay' | 'agree' | 'go on'
  refreshSeconds?: number
}

type Head = Pick<SetupPageData, 'institute' | 'file' | 'studentName' | 'isSandbox'>

export function headOf({ institute, file, studentName, isSandbox }: Head, texts: PlanSetupTexts) {
  const branch = institute.branches.find(one => one.collectorCode === file.plan.collectorCode)
  return {
    t: texts,
    ...schoolHead(institute),
    branch: institute.branches.length > 1 ? branch?.name : undefined,
    heading: fill(texts.heading, { who: studentName }),
    isSandbox,
  }
}

/** Identifies what was consented to: when dates or amounts change, consent is required again. */
export function fingerprint({ instalments }: LoadedPlan): string {
  const rows = instalments.map(({ dueOn, isDownpayment, lines }) => [dueOn, isDownpayment, lines])
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16)
}

/** A date with non-breaking spaces. */
export function localDay(day: string, language: Language): string {
  return formatDayIn(day, language).replaceAll(' ', '\u00a0')
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

/** Still to be debited; one that bounced for good is not. */
function isToCome({ isDownpayment, state }: Instalment): boolean {
  return !isDownpayment && COMING.includes(state)
}

export const COMING: readonly Instalment['state'][] = ['scheduled', 'confirmed', 'skipped', 'presented']

/** The amount at the top of the page and its caption. */
export function figureOf({ file, language }: SetupPageData, banner: StatusBanner, texts: PlanSetupTexts) {
  const toCome = file.instalments.filter(isToCome)
  const days = toCome.map(({ dueOn }) => dueOn).toSorted()
  const day = (at: number): string => localDay(days.at(at) ?? '', language)
  const left = sumPaise(toCome.map(({ lines }) => sumLines(lines)))
  const { totalPaise, paidPaise } = sumsOf(file)
  if (banner.figure === undefined) return {}
  if (banner.figure === 'paid' || toCome.length === 0)
    return { amount: formatRupees(paidPaise), meaning: texts.paidSoFar }
  const spread =
    days.length === 1
      ? fill(texts.spreadOne, { first: day(0) })
      : fill(texts.spread, { count: String(days.length), first: day(0), last: day(-1) })
  if (banner.figure === 'left') return { amount: formatRupees(left), meaning: fill(texts.left, { spread }) }
  const down = downOf(file)
  const meaning = down.isUnpaid
    ? fill(texts.spreadDown, { down: formatRupees(down.amountPaise), spread })
    : spread
  return { amount: formatRupees(totalPaise), meaning }
}

/** Amounts that no debit takes: above the mandate, returned by the bank for good, or never part of the plan. */
export function payOnlineOf(
  { plan, instalments }: LoadedPlan,
  where: string,
  texts: PlanSetupTexts,
): string | undefined {
  if (plan.state === 'draft' || plan.state === 'setup' || plan.state === 'cancelled') return undefined
  const open = instalments.filter(one => isOpen(one) && !isToCome(one))
  const amount = sumPaise([plan.outsidePaise, ...open.map(({ lines }) => sumLines(lines))])
  return amount === 0 ? undefined : fill(texts.payOnline, { amount: formatRupees(amount), where })
}

export function nextOf(
  { instalments }: LoadedPlan,
  texts: PlanSetupTexts,
  language: Language,
): string | undefined {
  const [next] = instalments
    .filter(one => isToCome(one) && one.state !== 'presented')
    .toSorted((one, other) => (one.presentOn < other.presentOn ? -1 : 1))
  if (next === undefined) return undefined
  const amount = formatRupees(sumLines(next.lines))
  return fill(texts.next, { amount, day: localDay(next.presentOn, language) })
}

type Row = {
  label: string
  note: string | undefined
  parts?: string[]
  amount: string
  tone: string | undefined
}

export function scheduleOf(pageData: SetupPageData, banner: StatusBanner, texts: PlanSetupTexts) {
  const { file, language } = pageData
  const isOver = file.plan.state === 'cancelled'
  const counted = file.instalments.filter(({ state }) => isOver || state !== 'cancelled')
  const totals = totalsOf(counted.flatMap(({ lines }) => lines))
  const name = (componentType: string): string => feeName(componentType, language)
  const components = [...totals].map(([component, amount]) => ({
    label: name(component),
    amount: formatRupees(amount),
  }))
  const days = previewDays(pageData)
  const rows = file.instalments.map((instalment): Row => {
    const { isDownpayment, lines } = instalment
    const row: Row = {
      label: isDownpayment ? texts.atStart : localDay(shownDay(instalment, file, banner), language),
      note:
        chargeNote(instalment, texts, language) ??
        noteOf(instalment, { pageData, banner, texts, days: days.get(instalment.id) ?? [] }),
      amount: formatRupees(sumLines(lines)),
      tone: toneOf(instalment),
    }
    if (components.length === 1) return row
    const parts = lines.map(line => `${name(line.componentType)} ${formatRupees(line.amountPaise)}`)
    return { ...row, parts }
  })
  return {
    caption: components.length === 1 ? `${texts.schedule}: ${components[0]?.label}` : texts.schedule,
    rows,
    components: components.length === 1 ? [] : components,
    total: isOver ? undefined : formatRupees(sumsOf(file).totalPaise),
  }
}

/** The one day of a debit: when it is to be presented, or was. */
export function debitDay({ state, presentOn, presentedOn, dueOn, isDownpayment }: Instalment): string {
  if (isDownpayment) return dueOn
  return COMING.includes(state) ? presentOn : (presentedOn ?? dueOn)
}

/** Until the family has agreed, the day depends on the rail, and stands in the note. */
function shownDay(one: Instalment, { plan }: LoadedPlan, { act }: StatusBanner): string {
  return plan.state === 'draft' || (isPlanned(one) && act !== undefined) ? one.dueOn : debitDay(one)
}

function isPlanned({ state }: Instalment): boolean {
  return state === 'scheduled' || state === 'confirmed'
}

function toneOf({ state }: Instalment): string | undefined {
  if (state === 'debited' || state === 'settled' || state === 'covered') return 'paid'
  return state === 'bounced' || state === 'reversed' ? 'failed' : undefined
}

type DebitDay = { rail: Rail; day: string }

/** The debit day of each instalment on each rail if the plan were set up today. */
function previewDays({ file, offers, debitRules }: SetupPageData): Map<string, DebitDay[]> {
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

/** Before consent, the debit day where it differs from the due date; afterwards, the state. */
function noteOf(
  one: Instalment,
  {
    pageData,
    banner,
    texts,
    days,
  }: { pageData: SetupPageData; banner: StatusBanner; texts: PlanSetupTexts; days: DebitDay[] },
): string | undefined {
  const { state, isDownpayment, dueOn } = one
  const say = (day: string): string => localDay(day, pageData.language)
  if (isDownpayment) return state === 'scheduled' ? texts.now : texts.states[state]
  if (isPlanned(one) && (banner.act === 'agree' || banner.act === 'pay')) {
    const [first, second] = days
    if (first === undefined || days.every(({ day }) => day === dueOn)) return undefined
    if (second === undefined || first.day === second.day)
      return fill(texts.debitedOn, { day: say(first.day) })
    const on = (rail: Rail): string => say(days.find(one => one.rail === rail)?.day ?? dueOn)
    return fill(texts.debitedOnBy, { upi: on('upi_autopay'), enach: on('enach') })
  }
  const { plan } = pageData.file
  if (plan.state === 'draft' || plan.state === 'setup' || state === 'scheduled') return undefined
  return texts.states[state]
}

/** Null unless the payer has approved the mandate and it is still valid. */
export function mandateOf(mandate: Mandate | null, texts: PlanSetupTexts, language: Language) {
  const isApproved = mandate?.state === 'pending' && mandate.authorisedAt !== null
  if (mandate === null || !(mandate.state === 'active' || isApproved)) return null
  const { rail, umrn, upiReference, id } = mandate
  const number = rail === 'enach' ? umrn : upiReference
  return [
    { label: texts.way, value: texts.rails[rail] },
    { label: rail === 'enach' ? texts.umrn : texts.upiReference, value: number ?? id, isNumber: true },
    { label: texts.atMost, value: formatRupees(mandate.capPaise) },
    { label: texts.validUntil, value: localDay(mandate.endOn, language) },
    ...(mandate.chargeComponents.length === 0
      ? []
      : [{ label: texts.chargesAllowed, value: feeNames(mandate.chargeComponents, language) }]),
  ]
}

/** What a single charge is for, and where it stands. */
function chargeNote(one: Instalment, texts: PlanSetupTexts, language: Language): string | undefined {
  const charge = chargeTold(one)
  if (charge === undefined) return undefined
  const state = one.stoppedAt !== null && one.state === 'due' ? texts.chargeStopped : texts.states[one.state]
  const what = `${feeName(charge.componentType, language)}: ${charge.reason}`
  return one.state === 'scheduled' ? what : `${what} (${state})`
}

/** Single charges that the family can still stop, each with the button that does. */
export function stoppableOf(
  file: LoadedPlan,
  texts: PlanSetupTexts,
  { language, action }: { language: Language; action: string },
) {
  const charges = file.instalments.filter(one => canStopCharge(file, one))
  if (charges.length === 0) return null
  return {
    action,
    heading: texts.charges,
    say: texts.chargesSay,
    button: texts.stopCharge,
    charges: charges.map(one => ({
      id: one.id,
      say: fill(texts.chargeOn, {
        amount: formatRupees(sumLines(one.lines)),
        what: chargeTold(one)?.reason ?? '',
        day: localDay(one.presentOn, language),
      }),
    })),
  }
}

export function termsOf({ institute, offers, debitRules }: SetupPageData, texts: PlanSetupTexts): string[] {
  const { rules } = debitRules
  const highest = offers.reduce((most, { capPaise }) => (capPaise > most ? capPaise : most), ZERO)
  const first = rules.onHoliday === 'next' ? texts.termSchedule : texts.termScheduleBefore
  return [
    fill(first, { where: institute.name }),
    fill(texts.termCap, { cap: formatRupees(highest) }),
    fill(texts.termNotice, { hours: String(rules.noticeMinutes / 60) }),
  ]
}

export function formOf(pageData: SetupPageData, banner: StatusBanner, texts: PlanSetupTexts) {
  const { file, path, institute, offers } = pageData
  const action = `${path}/mandate`
  if (banner.act === undefined) return null
  if (banner.act === 'pay') {
    const amount = formatRupees(downOf(file).amountPaise)
    return { action: `${path}/downpayment`, button: fill(texts.payNow, { amount }) }
  }
  if (banner.act === 'go on')
    return { action, button: texts.goOn, goOn: true, anotherUrl: `${path}?choose=1` }
  const chosen = pageData.chosen ?? file.mandate?.rail
  const isOffered = offers.some(({ rail }) => rail === chosen)
  const areCapsAlike = new Set(offers.map(({ capPaise }) => capPaise)).size === 1
  const { limitPaise } = pageData.debitRules.rules.rails.upi_autopay
  return {
    action,
    button: texts.toBank,
    seen: fingerprint(file),
    rails: offers.map(({ rail, capPaise, registrationPaise }, index) => ({
      value: rail,
      label: texts.rails[rail],
      hint: [
        rail === 'enach' ? texts.enachHint : texts.upiHint,
        registrationPaise === undefined
          ? ''
          : fill(texts.registrationHint, { amount: formatRupees(registrationPaise) }),
        areCapsAlike ? '' : fill(texts.capHint, { cap: formatRupees(capPaise) }),
      ]
        .filter(part => part !== '')
        .join(' '),
      isChosen: isOffered ? rail === chosen : index === 0,
    })),
    upiTooSmall: offers.some(({ rail }) => rail === 'upi_autopay')
      ? undefined
      : fill(texts.upiTooSmall, { limit: formatRupees(limitPaise) }),
    charges: chargesAsked(pageData, texts),
    consent: fill(texts.consent, { where: institute.name }),
    problem: pageData.problem === 'consent' ? texts.noConsent : undefined,
  }
}

/** Each kind of charge has a box of its own, which nobody ticks for the family. */
function chargesAsked(
  { chargeComponents, institute, offers, debitRules, language }: SetupPageData,
  texts: PlanSetupTexts,
) {
  if (chargeComponents.length === 0) return null
  const highest = offers.reduce((most, { capPaise }) => (capPaise > most ? capPaise : most), ZERO)
  return {
    heading: texts.chargesHead,
    say: fill(texts.chargesAsk, {
      where: institute.name,
      cap: formatRupees(highest),
      hours: String(debitRules.rules.noticeMinutes / 60),
    }),
    kinds: chargeComponents.map(value => ({ value, label: feeName(value, language) })),
  }
}
