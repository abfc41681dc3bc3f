import { ABANDONED } from '../../payments/payments.rules.ts'
import { type Rail, nextWindow, presentationOn, type FlexRules, type RailRules } from './rails.rules.ts'
import { addDays, dayOf, startOfDay, type Holidays } from '../../platform/calendar.ts'
import { assertNever } from '../../platform/assert.ts'
import { firstDayFor, type DebitContext } from './debit.rules.ts'

/** Why a bank returned a debit, and what that asks of us. NPCI's numbering; 01 is "account closed". */
export type ReturnCategory = 'funds' | 'bank' | 'limit' | 'mandate' | 'account' | 'payer' | 'duplicate'

export type ReturnAction =
  /** Presented again, and it counts. */
  | 'again'
  /** Presented again, and it does not: the bank's own trouble. */
  | 'again_uncounted'
  /** Not a return at all yet. */
  | 'wait'
  /** A person decides. */
  | 'stop'
  /** The mandate is over; a new one is asked for. */
  | 'mandate_ended'
  /** Perhaps debited already: the books are compared, and it is never tried again by itself. */
  | 'reconcile'

export type ReturnMeaning = { category: ReturnCategory; action: ReturnAction; message: string }

const GROUPS: [codes: string, category: ReturnCategory, action: ReturnAction, message: string][] = [
  ['04 05', 'funds', 'again', 'The account did not have enough money.'],
  ['59 73', 'bank', 'again_uncounted', 'The bank could not process the debit.'],
  // Given up before it was sent: no bank has seen it, so none has returned it.
  [ABANDONED, 'bank', 'again_uncounted', 'The debit never reached the bank.'],
  ['98', 'bank', 'wait', 'The bank has not decided yet.'],
  ['15 26 27 57 58', 'limit', 'stop', 'The debit is above a limit of the bank or the mandate.'],
  ['08 12 14 21 28 29 61', 'mandate', 'mandate_ended', 'The bank no longer has a valid mandate.'],
  [
    '01 02 11 53 54 60 68',
    'account',
    'mandate_ended',
    'The account is closed or cannot be debited any more.',
  ],
  ['06 07 17 69 70', 'payer', 'stop', 'The payment was stopped by the payer or by law.'],
  ['13 31', 'duplicate', 'reconcile', 'The bank takes it for a repeat of an earlier debit.'],
  // UPI has codes of its own; those that the sandbox and most banks use.
  ['Z9', 'funds', 'again', 'The account did not have enough money.'],
  ['U28 U30 U67 U88', 'bank', 'again', 'The bank could not process the debit.'],
  ['U54 Z6 Z8', 'limit', 'stop', 'The debit is above a limit of the bank or the mandate.'],
  ['QA QB VM', 'mandate', 'mandate_ended', 'The mandate was revoked or has ended.'],
]

const MEANINGS = new Map<string, ReturnMeaning>(
  GROUPS.flatMap(([codes, category, action, message]) =>
    codes.split(' ').map((code): [string, ReturnMeaning] => [code, { category, action, message }]),
  ),
)

const UNKNOWN: ReturnMeaning = {
  category: 'payer',
  action: 'stop',
  message: 'The bank returned the debit for a reason that a person has to look at.',
}

export function meaningOf(code: string): ReturnMeaning {
  return MEANINGS.get(code) ?? UNKNOWN
}

/** The codes the sandbox knows for a rail, for its pages and tests. */
export function codesOf(rail: Rail): string[] {
  const isOfRail = rail === 'enach' ? /^\d/ : /^[A-Z]/
  return [...MEANINGS.keys()].filter(code => isOfRail.test(code))
}

export type NpciCategory = 'account_not_active' | 'bank_kyc_pending' | 'customer_revoked' | 'mandate_error'

/** How the event of an ended mandate names the cause. */
export function npciCategory(code: string): NpciCategory {
  if (code === '68') return 'bank_kyc_pending'
  if (meaningOf(code).category === 'account') return 'account_not_active'
  return ['29', '61', 'QA', 'VM'].includes(code) ? 'customer_revoked' : 'mandate_error'
}

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

type RetryRules = { rail: RailRules; rules: FlexRules; holidays: Holidays }

function retryAfter(tried: Date, notifiedAt: Date, { rail, rules, holidays }: RetryRules): Date | null {
  const minute = minuteOf(tried)
  const current = rail.windows.find(({ from, to }) => minute >= from && minute < to)
  const after = current === undefined ? tried : new Date(tried.getTime() + (current.to - minute) * 60_000)
  const at = nextWindow(after, rail, holidays)
  const latest = notifiedAt.getTime() + rules.noticeLastsMinutes * 60_000
  return at.getTime() <= latest ? at : null
}

/** The last day on which a debit may be tried under its notice, however late the bank answers: what the notice has to say. */
export function lastTryOn(presentOn: string, notifiedAt: Date, retrying: RetryRules): string {
  const { rail } = retrying
  if (rail.daysBetween > 0 || rail.presentations === 1) return presentOn
  let last = presentationOn(presentOn, rail)
  for (let at: Date | null = last; at !== null; at = retryAfter(at, notifiedAt, retrying)) last = at
  return dayOf(last)
}

function minuteOf(moment: Date): number {
  return Math.floor((moment.getTime() - startOfDay(dayOf(moment)).getTime()) / 60_000)
}
