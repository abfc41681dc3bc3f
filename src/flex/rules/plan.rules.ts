import { assert } from '../../platform/assert.ts'
import type { Paise } from '../../platform/money.ts'
import type { Rail } from './rails.rules.ts'
import type { Line } from './schedule.rules.ts'

/** The nouns of Flex and their states. States are data: a move that is not in its table is our bug. */
export type PlanState = 'draft' | 'setup' | 'active' | 'locked' | 'cancelled' | 'closed'

const PLAN_MOVES: Record<PlanState, readonly PlanState[]> = {
  draft: ['setup', 'cancelled'],
  setup: ['active', 'locked', 'cancelled', 'closed'],
  active: ['locked', 'cancelled', 'closed'],
  locked: ['active', 'cancelled', 'closed'],
  cancelled: [],
  closed: [],
}

export type MandateState = 'pending' | 'active' | 'cancelled' | 'expired' | 'rejected'

const MANDATE_MOVES: Record<MandateState, readonly MandateState[]> = {
  pending: ['active', 'rejected', 'cancelled'],
  active: ['cancelled', 'expired'],
  cancelled: [],
  expired: [],
  rejected: [],
}

export type InstalmentState =
  | 'scheduled'
  | 'confirmed'
  | 'presented'
  | 'debited'
  | 'settled'
  | 'bounced'
  | 'skipped'
  | 'reversed'
  | 'covered'
  | 'waived'
  | 'cancelled'

const INSTALMENT_MOVES: Record<InstalmentState, readonly InstalmentState[]> = {
  // A notice that is withdrawn takes a confirmed one back; a down payment is debited without a presentation of ours.
  scheduled: ['confirmed', 'skipped', 'covered', 'waived', 'cancelled', 'bounced', 'debited'],
  confirmed: ['presented', 'scheduled', 'covered', 'waived', 'cancelled'],
  presented: ['debited', 'bounced', 'confirmed'],
  debited: ['settled', 'reversed'],
  settled: ['reversed'],
  bounced: ['scheduled', 'covered', 'waived', 'cancelled', 'debited'],
  skipped: ['scheduled', 'covered', 'waived', 'cancelled'],
  reversed: ['scheduled', 'covered', 'waived', 'cancelled'],
  covered: ['scheduled'],
  waived: ['scheduled'],
  cancelled: [],
}

export function assertPlanMove(from: PlanState, to: PlanState): void {
  assert(PLAN_MOVES[from].includes(to), `a plan cannot move from ${from} to ${to}`)
}

export function assertMandateMove(from: MandateState, to: MandateState): void {
  assert(MANDATE_MOVES[from].includes(to), `a mandate cannot move from ${from} to ${to}`)
}

export function assertInstalmentMove(from: InstalmentState, to: InstalmentState): void {
  assert(INSTALMENT_MOVES[from].includes(to), `an instalment cannot move from ${from} to ${to}`)
}

/** `roomPaise`, of a schedule of the ERP's: what was owed beyond what its rows took when they were taken over. */
export type FittedLine = Line & { roomPaise?: number }

export type Plan = {
  instituteId: number
  id: string
  studentId: string
  collectorCode: string
  state: PlanState
  /** Stopped for now by the institute; instalments wait. */
  isHeld: boolean
  /** Why it is locked, for people. */
  lockReason: string | null
  productName: string
  /** For messages to the family. */
  instituteName: string
  isCustom: boolean
  language: 'en' | 'hi'
  createdAt: Date
  setUpAt: Date | null
  /** The prices that the schedule was last fitted to. */
  fittedTo: FittedLine[]
  fittedAt: Date
}

export type Mandate = {
  instituteId: number
  id: string
  planId: string
  provider: string
  providerRef: string | null
  rail: Rail
  state: MandateState
  umrn: string | null
  upiReference: string | null
  capPaise: Paise
  startOn: string
  endOn: string
  npciCategory: string | null
  redirectUrl: string | null
  createdAt: Date
  authorisedAt: Date | null
  /** When the provider is asked about it next; null once it is known. */
  nextCheckAt: Date | null
  checks: number
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
  /** Presentations made that count. */
  attempt: number
  bankReturns: number
  firstBankReturnAt: Date | null
  /** When the payer was told of the debit that is next; null until then. */
  notifiedAt: Date | null
  presentedOn: string | null
  returnCode: string | null
  /** How often the ERP was asked in vain for the presentation at hand. */
  fetchTries: number
  /** The order of the presentation that is out or stands. */
  orderId: string | null
  /** When the engine looks at it next; null when nothing happens by itself. */
  nextStepAt: Date | null
}

/** A plan with everything that belongs to it, instalments in their order. */
export type LoadedPlan = { plan: Plan; mandate: Mandate | null; instalments: Instalment[] }

/** Still to be debited, and changeable: neither out at the bank nor over. */
export function isOpen({ state }: { state: InstalmentState }): boolean {
  return ['scheduled', 'confirmed', 'skipped', 'bounced', 'reversed'].includes(state)
}

/** Above what the mandate may take: the parent pays it online, and no bank has seen it. */
export function isDueOnline({ state, orderId, isDownpayment }: Instalment): boolean {
  return state === 'bounced' && orderId === null && !isDownpayment
}

/** Its next debit is still ahead; one that came back for good stays due, and waits for the parent. */
export function isToCome({ state }: { state: InstalmentState }): boolean {
  return state === 'scheduled' || state === 'confirmed' || state === 'skipped'
}

/** Nothing more is expected of it. */
export function isDone({ state }: { state: InstalmentState }): boolean {
  return ['debited', 'settled', 'covered', 'waived', 'cancelled'].includes(state)
}
