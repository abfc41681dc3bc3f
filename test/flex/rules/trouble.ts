import type { ErpAnswer, ErpDecision, DebitContext } from '../../../src/flex/rules/debit.rules.ts'
import type { Instalment, PlanState } from '../../../src/flex/rules/plan.rules.ts'
import { type Rail } from '../../../src/flex/rules/rails.rules.ts'
import { addDays, dayOf, startOfDay } from '../../../src/platform/calendar.ts'
import { paiseOf } from '../../../src/platform/money.ts'

/** What may go wrong around a plan, and what is written down of it: the words of flex-world.ts. */
export const SETUP = '2026-04-01'
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** A stretch of time, in days from set-up, with parts of days. */
export type Stretch = { from: number; days: number }

export type Trouble = {
  rail: Rail
  onHoliday: 'next' | 'previous'
  seed: number
  /** Due days after set-up. */
  dueAfter: readonly number[]
  /** Days after set-up on which banks are closed, and how long before that becomes known; null: from the start. */
  holidays: readonly { on: number; knownBefore: number | null }[]
  erp: readonly (Stretch & { word: ErpAnswer })[]
  /** What the bank answers, each as likely; null is paid. */
  bank: readonly (string | null)[]
  /** How long it takes at most to answer. */
  resultHours: number
  down: readonly Stretch[]
  holds: readonly Stretch[]
  /** When money comes otherwise, and takes a part of what stands announced. */
  payments: readonly number[]
  /** How long a mandate is good for. */
  mandateDays: number
  /** From this day on nothing is wrong any more. */
  calmFrom: number
}

export type Presentation = {
  id: string
  at: Date
  day: string
  amountPaise: number
  notice: { at: Date; amountPaise: number } | null
  isBankDay: boolean
  planState: PlanState
  isHeld: boolean
  setUpOn: string
  counted: number
  wasPaid: boolean
  lastReturn: { at: Date; code: string } | null
}

type Log = {
  presentations: Presentation[]
  asks: { id: string; askedAt: Date; answeredAt: Date; wasSkipped: boolean; next: ErpDecision['kind'] }[]
  reschedules: { presentOn: string; context: DebitContext }[]
  /** Debits set for another day after the bank's own trouble, and when it had such trouble first. */
  bankRetries: { firstAt: Date; presentOn: string }[]
  retries: { returnedAt: Date; at: Date; notifiedAt: Date | null }[]
  moves: { at: Date; before: Instalment }[]
  notices: { context: DebitContext; leavesAt: Date }[]
  waits: { at: Date; until: Date }[]
}

export function emptyLog(): Log {
  return {
    presentations: [],
    asks: [],
    reschedules: [],
    bankRetries: [],
    retries: [],
    moves: [],
    notices: [],
    waits: [],
  }
}

/** Sundays, and the second and fourth Saturday. */
export function isClosed(day: string): boolean {
  const { dayOfWeek, day: dayOfMonth } = Temporal.PlainDate.from(day)
  return dayOfWeek === 7 || (dayOfWeek === 6 && [2, 4].includes(Math.ceil(dayOfMonth / 7)))
}

/** The moment so many days after set-up began. */
export function dayAfter(days: number): Date {
  return new Date(startOfDay(SETUP).getTime() + Math.round(days * DAY_MS))
}

export function isCalm({ calmFrom }: Trouble, now: Date): boolean {
  return now >= dayAfter(calmFrom)
}

export function isUnderWay({ state }: Instalment): boolean {
  return ['scheduled', 'confirmed', 'presented'].includes(state)
}

export function knownHolidays({ holidays }: Trouble, now: Date): ReadonlySet<string> {
  const today = Math.floor((now.getTime() - startOfDay(SETUP).getTime()) / DAY_MS)
  const known = holidays.filter(({ on, knownBefore }) => knownBefore === null || on - knownBefore <= today)
  return new Set(known.map(({ on }) => addDays(SETUP, on)))
}

export function erpAt(trouble: Trouble, at: Date): ErpAnswer {
  const stretch = trouble.erp.find(one => isWithin(at, one))
  return stretch === undefined || isCalm(trouble, at) ? { kind: 'fresh' } : stretch.word
}

/** The moment itself, or when the process is up again. */
export function whenUp(trouble: Trouble, at: Date): Date {
  const down = trouble.down.find(one => isWithin(at, one))
  return down === undefined || isCalm(trouble, at) ? at : whenUp(trouble, dayAfter(down.from + down.days))
}

/** Not before the process is up, and the mail server may be away for some hours, or a day. */
export function sentAt(trouble: Trouble, leavesAt: Date, draw: (below: number) => number): Date {
  const isAway = !isCalm(trouble, leavesAt) && draw(8) < 1
  return whenUp(trouble, isAway ? new Date(leavesAt.getTime() + draw(30 * HOUR_MS)) : leavesAt)
}

function isWithin(at: Date, { from, days }: Stretch): boolean {
  return at >= dayAfter(from) && at < dayAfter(from + days)
}

export function mandateOf(
  { rail, mandateDays }: Trouble,
  { authorisedAt, isActive }: { authorisedAt: Date; isActive: boolean },
): DebitContext['mandate'] {
  const startOn = dayOf(authorisedAt)
  const endOn = addDays(startOn, mandateDays)
  const capPaise = paiseOf(15_000_00)
  return {
    state: isActive ? 'active' : 'cancelled',
    rail,
    capPaise,
    startOn,
    endOn,
    authorisedAt,
    isAnnounced: false,
  }
}

export function instalmentOf(index: number, dueOn: string): Instalment {
  return {
    instituteId: 1,
    planId: 'plan',
    id: `i${index}`,
    number: index + 1,
    state: 'scheduled',
    isDownpayment: false,
    dueOn,
    presentOn: dueOn,
    referenceId: null,
    identifier: null,
    lines: [
      { componentType: 'TUITION', amountPaise: paiseOf(10_000_00 + index) },
      { componentType: 'LAB', amountPaise: paiseOf(100_00) },
    ],
    planned: [],
    attempt: 0,
    bankReturns: 0,
    firstBankReturnAt: null,
    notifiedAt: null,
    announcedRef: null,
    announcedFor: null,
    presentedOn: null,
    returnCode: null,
    fetchTries: 0,
    nextStepAt: null,
    refundedPaise: paiseOf(0),
    settlementId: null,
    settlementUtr: null,
    orderId: null,
    isCharge: false,
    chargeReason: null,
    stoppedAt: null,
  }
}
