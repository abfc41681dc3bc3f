import type { Rail } from './rails.rules.ts'

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

/** Given up before it was sent: no bank has seen it, so none has returned it. */
export const NEVER_SENT = 'abandoned'

const GROUPS: [codes: string, category: ReturnCategory, action: ReturnAction, message: string][] = [
  ['04 05', 'funds', 'again', 'The account did not have enough money.'],
  ['59 73', 'bank', 'again_uncounted', 'The bank could not process the debit.'],
  [NEVER_SENT, 'bank', 'again_uncounted', 'The debit never reached the bank.'],
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
