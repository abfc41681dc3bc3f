import type { Language } from '../../platform/languages.ts'
import {
  subtractPaise,
  sumPaise,
  type Paise,
  paiseOf,
  splitInProportion,
  ZERO,
} from '../../platform/money.ts'
import type { Rail } from './rails.rules.ts'
import { largestOf } from '../../platform/lists.ts'
import { assert } from '../../platform/assert.ts'

/** `roomPaise` is what was owed beyond what the schedule takes: it stays due outside of the plan. */
export type FittedLine = Line & { roomPaise?: number }

export type Plan = {
  instituteId: number
  id: string
  studentId: string
  collectorCode: string
  state: PlanState
  /** Stopped for now by the institute; instalments wait. */
  isHeld: boolean
  /** Who holds it; null while nobody does, and where it was not kept. */
  heldBy: Holder | null
  /** Why it is locked, for people. */
  lockReason: string | null
  productName: string
  /** Messages to the family name it. */
  instituteName: string
  /** Part of the address of the plan's page. */
  instituteCode: string
  isCustom: boolean
  /** Made by the institute's default plan, whose length the payer may choose. */
  isDefault: boolean
  /** The family is written to in it. */
  language: Language
  createdAt: Date
  setUpAt: Date | null
  /** The prices that the schedule was last rebalanced against. */
  fittedTo: FittedLine[]
  fittedAt: Date
  /** What the student owes that no instalment takes. */
  outsidePaise: Paise
  /** A closed plan opens again until then if something comes back. */
  revivableUntil: Date | null
  /** The student has a newer plan, which takes whatever comes back. */
  isReplaced: boolean
}

/** Who stops debits for now: the school, or the payer on the family's page or in the UPI app. */
export type Holder = 'institute' | 'payer' | 'upi_app'

export type Mandate = {
  instituteId: number
  id: string
  planId: string
  provider: string
  accountId: string
  providerRef: string | null
  rail: Rail
  state: MandateState
  umrn: string | null
  upiReference: string | null
  capPaise: Paise
  startOn: string
  endOn: string
  /** The provider has to announce each debit to the payer's bank. */
  isAnnounced: boolean
  npciCategory: string | null
  redirectUrl: string | null
  createdAt: Date
  authorisedAt: Date | null
  /** When the provider is asked about it next; null once it is known. */
  nextCheckAt: Date | null
  checks: number
  /** The provider was told to debit nothing under it for now. */
  isPaused: boolean
  /** Fees of which the payer agreed to single charges beside the schedule. */
  chargeComponents: readonly string[]
  /** Since when the payer has it paused in the UPI app. */
  payerPausedAt: Date | null
}

export type Instalment = {
  instituteId: number
  planId: string
  id: string
  number: number
  state: InstalmentState
  isDownpayment: boolean
  dueOn: string
  /** The day it is to be presented; moves away from holidays and with every new try. */
  presentOn: string
  referenceId: string | null
  identifier: string | null
  lines: Line[]
  /** The lines as scheduled; `lines` is less while part of it was paid otherwise or the fee has fallen. */
  planned: Line[]
  /** Presentations made that count. */
  attempt: number
  bankReturns: number
  firstBankReturnAt: Date | null
  /** When the payer was notified of the next debit; null until then. */
  notifiedAt: Date | null
  /** The provider's name for what it told the payer's bank, and of which notice; null: nothing, or in vain. */
  announcedRef: string | null
  announcedFor: Date | null
  presentedOn: string | null
  returnCode: string | null
  /** How often the ERP was asked in vain for the presentation at hand. */
  fetchTries: number
  /** The order of the presentation that is out or stands. */
  orderId: string | null
  /** When the engine looks at it next; null when nothing happens by itself. */
  nextStepAt: Date | null
  /** The part of its payment that was refunded; another instalment takes that, as far as it is owed again. */
  refundedPaise: Paise
  /** A single charge on the mandate, such as a picnic; its fee was added to the student's. */
  isCharge: boolean
  /** What the family reads of a charge. */
  chargeReason: string | null
  /** The family does not want this charge debited: it stays due, and is paid otherwise. */
  stoppedAt: Date | null
  /** How what it brought reached the institute. */
  settlementId: string | null
  settlementUtr: string | null
}

/** Whether the provider was asked to announce the debit of which the family was notified. */
export function isAnnounced({ notifiedAt, announcedFor }: Instalment): boolean {
  return announcedFor !== null && announcedFor.getTime() === notifiedAt?.getTime()
}

/** Our name for one notice of a debit: a withdrawn one is another. At most 40 characters, as providers want it. */
export function noticeIdOf({ id, notifiedAt }: Pick<Instalment, 'id' | 'notifiedAt'>): string {
  return `${id}-${Math.floor((notifiedAt?.getTime() ?? 0) / 1_000).toString(36)}`
}

/** A plan with its newest mandate and its instalments in their order. */
export type LoadedPlan = { plan: Plan; mandate: Mandate | null; instalments: Instalment[] }

type HasState = Pick<Instalment, 'state'>

/** Nothing of it is debited any more, and the student may have another. */
export function isPlanOver({ state }: Pick<Plan, 'state'>): boolean {
  return state === 'cancelled' || state === 'closed'
}

/** Set up, and not over. */
export function isPlanLive({ state }: Pick<Plan, 'state'>): boolean {
  return state === 'setup' || state === 'active' || state === 'locked'
}

/** A debit of it is out, and the bank has not said what became of it. */
export function isAtBank({ instalments }: Pick<LoadedPlan, 'instalments'>): boolean {
  return instalments.some(({ state }) => state === 'presented')
}

export function planStatus(
  file: Pick<LoadedPlan, 'instalments'> & { plan: Pick<Plan, 'state'> },
): PlanStatus {
  const { state } = file.plan
  return state === 'cancelled' && isAtBank(file) ? 'cancelling' : state
}

/** Can be debited, or is about to be. */
export function isMandateLive(mandate: Pick<Mandate, 'state'> | null): boolean {
  return mandate?.state === 'active' || mandate?.state === 'pending'
}

/** Whether the provider has to be told that the mandate of a plan is to rest, or to go on. */
export function isPauseDue({ plan, mandate }: Pick<LoadedPlan, 'plan' | 'mandate'>): boolean {
  if (mandate?.state !== 'active' || !isPlanLive(plan) || mandate.payerPausedAt !== null) return false
  return mandate.isPaused !== (plan.isHeld || plan.state === 'locked')
}

/** Still to be debited, and changeable: neither out at the bank nor over. */
export function isOpen({ state }: HasState): boolean {
  return ['scheduled', 'confirmed', 'skipped', 'bounced', 'reversed', 'due'].includes(state)
}

/** Ended by data, and not by a person: what it was for was paid otherwise, or the fee fell. */
export function isEndedByData({ state }: HasState): boolean {
  return state === 'covered' || state === 'waived'
}

/** Takes part in what is owed: set up and not over, or closed and still to be opened again. */
export function isPlanBalanced(plan: Plan, now: Date): boolean {
  return isPlanLive(plan) || isRevivable(plan, now)
}

export function isRevivable({ state, revivableUntil, isReplaced }: Plan, now: Date): boolean {
  return state === 'closed' && !isReplaced && revivableUntil !== null && now < revivableUntil
}

/** Its next debit is still ahead; one that came back for good stays due, and waits for the parent. */
export function isToCome({ state }: HasState): boolean {
  return state === 'scheduled' || state === 'confirmed' || state === 'skipped'
}

/** Nothing more is expected of it. */
export function isDone({ state }: HasState): boolean {
  return ['debited', 'settled', 'covered', 'waived', 'cancelled'].includes(state)
}

/** The next number of an instalment of the plan. */
export function nextNumber({ instalments }: Pick<LoadedPlan, 'instalments'>): number {
  return 1 + largestOf(instalments.map(one => one.number))
}

/** What the plan takes in all and what has come of it; money that came otherwise or went back is not the plan's. */
export function sumsOf({ instalments }: Pick<LoadedPlan, 'instalments'>): {
  totalPaise: Paise
  paidPaise: Paise
} {
  const sum = (wanted: (instalment: Instalment) => boolean): Paise =>
    sumPaise(instalments.filter(wanted).map(instalment => sumLines(instalment.lines)))
  const refunded = sumPaise(instalments.map(one => one.refundedPaise))
  return {
    totalPaise: subtractPaise(
      sum(one => !isEndedByData(one) && one.state !== 'cancelled'),
      refunded,
    ),
    paidPaise: subtractPaise(
      sum(({ state }) => state === 'debited' || state === 'settled'),
      refunded,
    ),
  }
}

/** What a message says of a charge; undefined for an instalment of the schedule. */
export function chargeTold({
  isCharge,
  lines,
  chargeReason,
}: Pick<Instalment, 'isCharge' | 'lines' | 'chargeReason'>): ToldCharge | undefined {
  const componentType = lines[0]?.componentType
  return isCharge && componentType !== undefined ? { componentType, reason: chargeReason ?? '' } : undefined
}

export type ToldCharge = { componentType: string; reason: string }

/** What is to be paid online beside a debit, because the mandate may not take it. */
export function onlineBeside(
  { instalments }: Pick<LoadedPlan, 'instalments'>,
  { dueOn, isCharge }: Pick<Instalment, 'dueOn' | 'isCharge'>,
): Paise {
  const beside = instalments.filter(
    one => one.state === 'due' && one.dueOn === dueOn && one.isCharge === isCharge && one.stoppedAt === null,
  )
  return sumPaise(beside.map(({ lines }) => sumLines(lines)))
}

/** What may follow what. States change nowhere but through `transition`, so what is not in these tables cannot happen. */
export const TRANSITIONS = {
  plan: {
    draft: ['setup', 'cancelled'],
    setup: ['active', 'locked', 'cancelled', 'closed'],
    active: ['locked', 'cancelled', 'closed'],
    locked: ['active', 'cancelled', 'closed'],
    cancelled: [],
    // Something came back: a fee, a payment that was cancelled, a debit that the bank returned late.
    closed: ['active'],
  },
  mandate: {
    pending: ['active', 'rejected', 'cancelled'],
    active: ['cancelled', 'expired'],
    cancelled: [],
    expired: [],
    rejected: [],
  },
  instalment: {
    // A down payment is debited without a presentation of ours.
    scheduled: ['confirmed', 'skipped', 'due', 'covered', 'waived', 'cancelled', 'debited'],
    // Back to scheduled when its notice is withdrawn.
    confirmed: ['presented', 'scheduled', 'covered', 'waived', 'cancelled'],
    presented: ['debited', 'bounced', 'confirmed'],
    debited: ['settled', 'reversed'],
    settled: ['reversed'],
    bounced: ['scheduled', 'covered', 'waived', 'cancelled', 'debited'],
    skipped: ['scheduled', 'covered', 'waived', 'cancelled'],
    reversed: ['scheduled', 'covered', 'waived', 'cancelled'],
    // Above what the mandate may take, or without a mandate: the parent pays it online.
    due: ['scheduled', 'covered', 'waived', 'cancelled'],
    covered: ['scheduled'],
    waived: ['scheduled'],
    cancelled: [],
  },
} as const

type Tables = typeof TRANSITIONS
export type Noun = keyof Tables
export type StateOf<N extends Noun> = keyof Tables[N] & string

export type PlanState = StateOf<'plan'>
/** A plan that is cancelled while a debit is at the bank waits for its result; people and the API see it as `cancelling`. */
export type PlanStatus = PlanState | 'cancelling'
export type MandateState = StateOf<'mandate'>
export type InstalmentState = StateOf<'instalment'>

export function statesOf<N extends Noun>(noun: N): StateOf<N>[] {
  return Object.keys(TRANSITIONS[noun]) as StateOf<N>[]
}

export const PLAN_STATUSES: PlanStatus[] = [...statesOf('plan'), 'cancelling']

/** The state that follows; a transition that is not in the table is a bug of ours and throws. */
export function transition<N extends Noun>(noun: N, from: StateOf<N>, to: StateOf<N>): StateOf<N> {
  const table: Record<string, readonly string[]> = TRANSITIONS[noun]
  assert(table[from]?.includes(to) === true, `a ${noun} cannot go from ${from} to ${to}`)
  return to
}

/** What a student owes, or an instalment takes, of one fee component. */
export type Line = { componentType: string; amountPaise: Paise }

export function sumLines(lines: readonly Line[]): Paise {
  return sumPaise(lines.map(line => line.amountPaise))
}

/** Sums lines by component. */
export function totalsOf(lines: readonly Line[]): Map<string, Paise> {
  const totals = new Map<string, Paise>()
  for (const { componentType, amountPaise } of lines)
    totals.set(componentType, paiseOf((totals.get(componentType) ?? ZERO) + amountPaise))
  return totals
}

/** A component of which nothing is taken is no line: an order has none of them. */
export function linesFrom(totals: Iterable<readonly [string, Paise]>): Line[] {
  return [...totals]
    .filter(([, amountPaise]) => amountPaise > 0)
    .map(([componentType, amountPaise]) => ({ componentType, amountPaise }))
}

export function isSameMoney(one: readonly Line[], other: readonly Line[]): boolean {
  const before = linesFrom(totalsOf(one))
  const after = totalsOf(other)
  return (
    before.length === linesFrom(after).length &&
    before.every(line => after.get(line.componentType) === line.amountPaise)
  )
}

/** Splits lines at a limit: the part under it, in proportion to each, and the rest. */
export function splitAt(lines: readonly Line[], most: Paise): { taken: Line[]; rest: Line[] } {
  if (sumLines(lines) <= most) return { taken: [...lines], rest: [] }
  const parts = splitInProportion(
    most,
    lines.map(line => line.amountPaise),
  )
  const part = (index: number): Paise => parts[index] ?? ZERO
  return {
    taken: linesFrom(lines.map(({ componentType }, index) => [componentType, part(index)])),
    rest: linesFrom(
      lines.map(({ componentType, amountPaise }, index) => [
        componentType,
        subtractPaise(amountPaise, part(index)),
      ]),
    ),
  }
}

/** What is left of some lines when others are taken off them. */
export function withoutLines(lines: readonly Line[], taken: readonly Line[]): Line[] {
  const less = totalsOf(taken)
  return linesFrom(
    [...totalsOf(lines)].map(([type, amount]): [string, Paise] => {
      return [type, paiseOf(Math.max(amount - (less.get(type) ?? ZERO), 0))]
    }),
  )
}

export function addLines(lines: readonly Line[], more: readonly Line[]): Line[] {
  return linesFrom(totalsOf([...lines, ...more]))
}
