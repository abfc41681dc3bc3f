import { assertNever } from '../../platform/assert.ts'
import { dayOf, isWorkingDay, type Holidays, addDays } from '../../platform/calendar.ts'
import type { Paise } from '../../platform/money.ts'
import {
  isAnnounced,
  isOpen,
  type Instalment,
  type LoadedPlan,
  type Mandate,
  type Plan,
  sumLines,
} from './plan.rules.ts'
import {
  firstDebitAfter,
  minutesBefore,
  nextWindow,
  presentationOn,
  workingDayFor,
  type FlexRules,
  type RailRules,
  noticeMoment,
} from './rails.rules.ts'

export type DebitRules = { rules: FlexRules; holidays: Holidays; now: Date }

/**
 * The way of one debit: the ERP is asked from 30 hours before the presentation, the amount is frozen and the payer told at
 * least 24 hours before, it is presented in the rail's window, and the bank's word decides what comes next. Each function
 * here looks at the plan, the instalment, the calendar and the moment, and says what to do and why; nothing else decides.
 */
export type DebitContext = {
  plan: Pick<Plan, 'state' | 'isHeld' | 'lockReason'> & Partial<Pick<Plan, 'revivableUntil' | 'heldBy'>>
  instalment: Instalment
  mandate: Pick<
    Mandate,
    'state' | 'rail' | 'capPaise' | 'startOn' | 'endOn' | 'authorisedAt' | 'isAnnounced'
  > | null
  /** Days on which another instalment of the mandate is to be presented. */
  takenDays: ReadonlySet<string>
  /** When the notice really left, null while it waits to be sent; without it, it left at its moment. */
  noticeLeftAt?: Date | null | undefined
} & DebitRules

/** One instalment of a plan, seen with everything its next step depends on. */
export function debitContextOf(
  file: LoadedPlan,
  instalment: Instalment,
  debitRules: DebitRules,
): DebitContext {
  const others = file.instalments.filter(one => one.id !== instalment.id && !one.isDownpayment)
  return {
    plan: file.plan,
    instalment,
    mandate: file.mandate,
    takenDays: new Set(
      others.filter(one => isOpen(one) || one.state === 'presented').map(one => one.presentOn),
    ),
    ...debitRules,
  }
}

export type Step =
  | { kind: 'wait'; until: Date }
  | { kind: 'fetch' }
  /** The provider is to tell the payer's bank. */
  | { kind: 'announce' }
  | { kind: 'present'; amountPaise: Paise }
  /** The day cannot be kept: another is set, and the way begins anew. */
  | { kind: 'move'; presentOn: string; why: string }
  /** Nothing happens by itself. */
  | { kind: 'rest'; why: string }

export function nextStep(context: DebitContext): Step {
  const { plan, instalment, mandate, rules, now } = context
  if (instalment.isDownpayment) return { kind: 'rest', why: 'a down payment is paid at set-up' }
  if (isTransferred(plan) && isWaiting(instalment)) return { kind: 'fetch' }
  if (instalment.state === 'waived') return stepToAskAgain(context)
  if (plan.state !== 'active') return { kind: 'rest', why: `the plan is ${plan.state}` }
  if (plan.isHeld) return { kind: 'rest', why: 'the plan is held' }
  if (mandate?.state !== 'active') return { kind: 'rest', why: 'there is no mandate to debit' }
  const rail = rules.rails[mandate.rail]
  switch (instalment.state) {
    case 'scheduled':
      return stepToNotice(context, rail)
    case 'skipped':
      return { kind: 'fetch' }
    case 'confirmed':
      if (mandate.isAnnounced && !isAnnounced(instalment) && now < announceableAt(instalment, rail))
        return isNotified(instalment, now)
          ? { kind: 'announce' }
          : { kind: 'wait', until: instalment.notifiedAt ?? now }
      return stepToPresentation(context, rail, now)
    case 'presented':
    case 'debited':
    case 'settled':
    case 'bounced':
    case 'reversed':
    case 'due':
    case 'covered':
    case 'cancelled':
      return { kind: 'rest', why: `the instalment is ${instalment.state}` }
    default:
      return assertNever(instalment.state)
  }
}

/** Its notice has left; one that is ready in the night leaves in the morning. */
export function isNotified({ notifiedAt }: Pick<Instalment, 'notifiedAt'>, now: Date): boolean {
  return notifiedAt !== null && notifiedAt <= now
}

/** Locked by the ERP's word, so the ERP's word may end it. */
export const TRANSFERRED = 'student_transferred'

function isTransferred({ state, lockReason }: DebitContext['plan']): boolean {
  return state === 'locked' && lockReason === TRANSFERRED
}

function isWaiting({ state }: Instalment): boolean {
  return state === 'scheduled' || state === 'skipped'
}

/** The fee may have fallen by mistake: before its day the ERP is asked once more, and while a plan that closed can open again. */
function stepToAskAgain({ plan, instalment, mandate, rules, now }: DebitContext): Step {
  const isOver = plan.state !== 'active' && plan.state !== 'closed'
  if (isOver || plan.isHeld || mandate?.state !== 'active')
    return { kind: 'rest', why: 'nothing of it is owed' }
  const at = presentationOn(instalment.presentOn, rules.rails[mandate.rail])
  const from = minutesBefore(at, rules.fetchFromMinutes)
  if (now < from) return { kind: 'wait', until: from }
  const isRevivable = plan.state === 'closed' && now < (plan.revivableUntil ?? now)
  const isInTime = isRevivable || now <= minutesBefore(at, rules.fetchUntilMinutes)
  return isInTime ? { kind: 'fetch' } : { kind: 'rest', why: 'nothing of it is owed' }
}

function stepToNotice(context: DebitContext, rail: RailRules): Step {
  const { instalment, mandate, rules, holidays, now } = context
  const { presentOn } = instalment
  if (mandate !== null && presentOn > mandate.endOn)
    return { kind: 'rest', why: 'the mandate ends before its day' }
  const at = presentationOn(presentOn, rail)
  if (now > minutesBefore(at, rules.fetchUntilMinutes)) {
    // Asked in vain so far: a last time, however late we wake, so that silence ends in a skip and never unseen.
    if (instalment.fetchTries > 0) return { kind: 'fetch' }
    const why = 'there was no time left to ask the ERP and give notice'
    return { kind: 'move', presentOn: firstDayFor(context, rail), why }
  }
  if (!isWorkingDay(presentOn, holidays))
    return { kind: 'move', presentOn: dayInstead(context, rail), why: 'its day has become a holiday' }
  const first = firstDebitDay(context, rail)
  if (presentOn < first)
    return { kind: 'move', presentOn: firstDayFor(context, rail, first), why: 'the mandate is too new' }
  const from = minutesBefore(at, rules.fetchFromMinutes)
  return now < from ? { kind: 'wait', until: from } : { kind: 'fetch' }
}

/** The moment that a debit is announced for; from then on it is presented, announced or not. */
export function announceableAt({ presentOn }: Instalment, rail: RailRules): Date {
  return presentationOn(presentOn, rail)
}

function stepToPresentation(context: DebitContext, rail: RailRules, now: Date): Step {
  const { instalment, mandate, rules, holidays } = context
  const notifiedAt = noticeGivenAt(context)
  const earliest = new Date(notifiedAt.getTime() + rules.noticeMinutes * 60_000)
  const planned = presentationOn(instalment.presentOn, rail)
  const from = new Date(Math.max(earliest.getTime(), planned.getTime(), now.getTime()))
  const at = nextWindow(from, rail, holidays)
  const latest = new Date(notifiedAt.getTime() + rules.noticeLastsMinutes * 60_000)
  const isLateNotice = earliest > planned && earliest > now
  const isSameDay = dayOf(at) === instalment.presentOn || (rail.daysBetween === 0 && !isLateNotice)
  // A mandate given since the notice cannot be debited at once, and none after its end.
  const isOutside =
    mandate !== null && (dayOf(at) > mandate.endOn || dayOf(at) < firstDebitDay(context, rail))
  if (!isSameDay || isOutside || at > latest) {
    const why = isLateNotice
      ? 'its notice did not leave 24 hours before'
      : 'the window of the day it was announced for has passed'
    return { kind: 'move', presentOn: firstDayFor(context, rail), why }
  }
  return now < at ? { kind: 'wait', until: at } : { kind: 'present', amountPaise: sumLines(instalment.lines) }
}

/** A mail server that is away, or a process that was killed, makes a notice leave later than it was to. */
function noticeGivenAt({ instalment, noticeLeftAt, now }: DebitContext): Date {
  const planned = instalment.notifiedAt ?? now
  const left = noticeLeftAt === undefined ? planned : (noticeLeftAt ?? now)
  return left > planned ? left : planned
}

/** The first working day that leaves time to ask the ERP and to give notice, and is no other instalment's. */
export function firstDayFor(context: DebitContext, rail: RailRules, notBefore?: string): string {
  for (let day = notBefore ?? dayOf(context.now); ; day = addDays(day, 1))
    if (isPossible(day, context, rail)) return day
}

function isPossible(day: string, context: DebitContext, rail: RailRules): boolean {
  const { rules, holidays, takenDays, now } = context
  const hasTime = minutesBefore(presentationOn(day, rail), rules.fetchUntilMinutes) >= now
  return hasTime && isWorkingDay(day, holidays) && !takenDays.has(day) && day >= firstDebitDay(context, rail)
}

/** Finds another day when the one that was set has become a holiday. */
function dayInstead(context: DebitContext, rail: RailRules): string {
  const { instalment, rules, holidays } = context
  const wanted = workingDayFor(instalment.presentOn, rules, holidays)
  return isPossible(wanted, context, rail) ? wanted : firstDayFor(context, rail, instalment.presentOn)
}

/** The mandate's own first day: a new one, given in the place of one that ended, cannot be debited at once either. */
function firstDebitDay({ mandate, holidays, now }: DebitContext, rail: RailRules): string {
  if (mandate === null) return dayOf(now)
  const { startOn, authorisedAt } = mandate
  const first = authorisedAt === null ? startOn : firstDebitAfter(dayOf(authorisedAt), rail, holidays)
  return first < startOn ? startOn : first
}

/** The day a due date is presented on: a working day, not before the mandate can be debited, and no other's. */
export function presentationDay(
  dueOn: string,
  {
    setUpOn,
    rail,
    rules,
    holidays,
    takenDays,
  }: {
    setUpOn: string
    rail: RailRules
    rules: FlexRules
    holidays: Holidays
    takenDays: ReadonlySet<string>
  },
): string {
  const first = firstDebitAfter(setUpOn, rail, holidays)
  const wanted = workingDayFor(dueOn, rules, holidays)
  let day = wanted < first ? workingDayFor(first, { onHoliday: 'next' }, holidays) : wanted
  while (takenDays.has(day)) day = workingDayFor(addDays(day, 1), { onHoliday: 'next' }, holidays)
  return day
}

/** What one debit may take: the rest, when a fee rose above it, is for the parent to pay online. */
export function mostPerDebit(rail: RailRules, mandate: Pick<Mandate, 'capPaise'>): Paise {
  return mandate.capPaise < rail.limitPaise ? mandate.capPaise : rail.limitPaise
}

/** What the ERP said, as far as it matters here. */
export type ErpAnswer =
  | { kind: 'fresh' }
  | { kind: 'refused'; code: string; actsAs: string; message: string }
  | { kind: 'unavailable'; message: string }

export type ErpDecision =
  /** The amount is frozen, and the notice leaves at that moment. */
  | { kind: 'confirm'; notifyAt: Date }
  /** Solved after a skip, or answered too late for the notice: a new day, and the way begins anew. */
  | { kind: 'reschedule'; presentOn: string }
  | { kind: 'ask_again'; at: Date }
  | { kind: 'skip'; code: string; message: string; askAgainAt: Date }
  | { kind: 'cancel_plan'; code: string; message: string }
  /** Stays locked until a later 200, asked for every day, or the institute's resume. */
  | { kind: 'lock_plan'; code: string; message: string; askAgainAt: Date }

/** A student who was marked as dropped here: the same as an ERP that says so. */
export const DROPPED = {
  code: 'student_discontinued',
  message: 'The student was marked as dropped.',
} as const

const ASK_AGAIN_MINUTES = [5, 10, 20, 40]
const DAY_MINUTES = 24 * 60

export function afterFetch(context: DebitContext, rail: RailRules, answer: ErpAnswer): ErpDecision {
  const { instalment, rules, now } = context
  const planned = presentationOn(instalment.presentOn, rail)
  const tomorrow = new Date(now.getTime() + DAY_MINUTES * 60_000)
  switch (answer.kind) {
    case 'fresh': {
      const { presentOn, state } = instalment
      const latest = minutesBefore(planned, rules.noticeMinutes)
      const isInTime = now <= latest
      const isDayKept = isInTime && isWorkingDay(presentOn, context.holidays)
      return isTransferred(context.plan) || state === 'skipped' || !isDayKept
        ? { kind: 'reschedule', presentOn: firstDayFor(context, rail, presentOn) }
        : { kind: 'confirm', notifyAt: noticeMoment(now, latest) }
    }
    case 'refused': {
      const { code, message } = answer
      if (answer.actsAs === 'student_discontinued') return { kind: 'cancel_plan', code, message }
      if (answer.actsAs === TRANSFERRED) return { kind: 'lock_plan', code, message, askAgainAt: tomorrow }
      return { kind: 'skip', code, message, askAgainAt: tomorrow }
    }
    case 'unavailable': {
      const waitMinutes = ASK_AGAIN_MINUTES[instalment.fetchTries] ?? 60
      const at = new Date(now.getTime() + waitMinutes * 60_000)
      const last = minutesBefore(planned, rules.fetchUntilMinutes)
      if (instalment.state === 'scheduled' && now < last)
        return { kind: 'ask_again', at: at < last ? at : last }
      return { kind: 'skip', code: 'unavailable', message: answer.message, askAgainAt: tomorrow }
    }
    default:
      return assertNever(answer)
  }
}
