import { assertNever } from '../../platform/assert.ts'
import { isWorkingDay } from '../../platform/calendar.ts'
import { firstDayFor, isTransferred, type DebitContext } from './debit.rules.ts'
import { minutesBefore, noticeMoment, presentationOn, type RailRules } from './rails.rules.ts'

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
      if (answer.actsAs === 'student_transferred')
        return { kind: 'lock_plan', code, message, askAgainAt: tomorrow }
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
