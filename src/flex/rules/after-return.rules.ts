import { assertNever } from '../../platform/assert.ts'
import { dayOf, startOfDay, type Holidays } from '../../platform/calendar.ts'
import { firstDayFor, type DebitContext } from './debit.rules.ts'
import { addDays, nextWindow, presentationOn, type FlexRules, type RailRules } from './rails.rules.ts'
import { meaningOf, type ReturnMeaning } from './returns.rules.ts'

/** What becomes of an instalment that the bank returned. */
export type AfterReturn = { meaning: ReturnMeaning } &
  /** The instalment goes the whole way again, with a new notice. */
  (
    | { kind: 'schedule'; presentOn: string; counts: boolean }
    /** It is presented again in the next window of the same notice. */
    | { kind: 'retry'; at: Date }
    | { kind: 'wait' }
    /** Stays due; the parent pays it online or a person decides. */
    | { kind: 'stop' }
    | { kind: 'mandate_ended' }
  )

/** What follows a return. `attempt` counts the presentation that was just returned. */
export function afterReturn(context: DebitContext, rail: RailRules, code: string): AfterReturn {
  const meaning = meaningOf(code)
  const isPlanOver = context.plan.state === 'cancelled' || context.plan.state === 'closed'
  if (isPlanOver && meaning.action.startsWith('again')) return { meaning, kind: 'stop' }
  switch (meaning.action) {
    case 'wait':
      return { meaning, kind: 'wait' }
    case 'mandate_ended':
      return { meaning, kind: 'mandate_ended' }
    case 'stop':
    case 'reconcile':
      return { meaning, kind: 'stop' }
    case 'again_uncounted': {
      const presentOn = dayAfterReturn(context, rail)
      return mayBankTryAgain(context, presentOn)
        ? { meaning, kind: 'schedule', presentOn, counts: false }
        : { meaning, kind: 'stop' }
    }
    case 'again': {
      if (context.instalment.attempt >= rail.presentations) return { meaning, kind: 'stop' }
      // A notice does not outlive a hold, a lock or its mandate.
      if (rail.daysBetween > 0 || !isRunning(context))
        return { meaning, kind: 'schedule', presentOn: dayAfterReturn(context, rail), counts: true }
      const at = retryWithinNotice(context, rail)
      return at === null ? { meaning, kind: 'stop' } : { meaning, kind: 'retry', at }
    }
    default:
      return assertNever(meaning.action)
  }
}

function isRunning({ plan, mandate }: DebitContext): boolean {
  return plan.state === 'active' && !plan.isHeld && mandate?.state === 'active'
}

/** `bankReturns` are those before the one at hand: so many times it was presented again for them. */
function mayBankTryAgain({ instalment, rules, now }: DebitContext, presentOn: string): boolean {
  const { times, days } = rules.bankReturns
  const since = dayOf(instalment.firstBankReturnAt ?? now)
  return instalment.bankReturns < times && presentOn <= addDays(since, days)
}

function dayAfterReturn(context: DebitContext, rail: RailRules): string {
  return firstDayFor(context, rail, addDays(dayOf(context.now), Math.max(rail.daysBetween, 1)))
}

/** A window other than the one it failed in, within 48 hours of the notice. */
function retryWithinNotice({ instalment, rules, holidays, now }: DebitContext, rail: RailRules): Date | null {
  return retryAfter(now, instalment.notifiedAt ?? now, { rail, rules, holidays })
}

type Retrying = { rail: RailRules; rules: FlexRules; holidays: Holidays }

function retryAfter(tried: Date, notifiedAt: Date, { rail, rules, holidays }: Retrying): Date | null {
  const minute = minuteOf(tried)
  const current = rail.windows.find(({ from, to }) => minute >= from && minute < to)
  const after = current === undefined ? tried : new Date(tried.getTime() + (current.to - minute) * 60_000)
  const at = nextWindow(after, rail, holidays)
  const latest = notifiedAt.getTime() + rules.noticeLastsMinutes * 60_000
  return at.getTime() <= latest ? at : null
}

/** The last day on which a debit may be tried under its notice, however late the bank answers: what the notice has to say. */
export function lastTryOn(presentOn: string, notifiedAt: Date, retrying: Retrying): string {
  const { rail } = retrying
  if (rail.daysBetween > 0 || rail.presentations === 1) return presentOn
  let last = presentationOn(presentOn, rail)
  for (let at: Date | null = last; at !== null; at = retryAfter(at, notifiedAt, retrying)) last = at
  return dayOf(last)
}

function minuteOf(moment: Date): number {
  return Math.floor((moment.getTime() - startOfDay(dayOf(moment)).getTime()) / 60_000)
}
