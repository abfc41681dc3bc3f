import { paiseOf, type Paise } from '../../platform/money.ts'

/**
 * The sandbox's bank. It keeps its own books and does what its pages, the sandbox API or a magic amount tell it. The
 * last two digits of an amount say how a payment that is told to succeed really goes, for tests that cannot click.
 */
export type BankState = 'open' | 'pending' | 'captured' | 'failed'
export type BankOutcome = 'success' | 'failure' | 'pending'
export type BankScript = 'plain' | 'fails' | 'stays_pending' | 'tells_twice' | 'tells_nothing' | 'tells_first'

const MAGIC: Record<number, BankScript> = {
  91: 'fails',
  92: 'stays_pending',
  93: 'tells_twice',
  94: 'tells_nothing',
  95: 'tells_first',
}

export function scriptOf(amount: Paise): BankScript {
  return MAGIC[amount % 100] ?? 'plain'
}

/** What the bank makes of the payer's word, or null when it is too late for it. */
function bankMove(state: BankState, outcome: BankOutcome, script: BankScript): BankState | null {
  if (state === 'captured' || state === 'failed') return null
  if (outcome === 'failure' || (outcome === 'success' && script === 'fails')) return 'failed'
  // Once pending, the bank's own later word decides, whatever the magic amount said first.
  if (outcome === 'success') return script === 'stays_pending' && state === 'open' ? 'pending' : 'captured'
  return state === 'open' ? 'pending' : null
}

const BANK_STATES: readonly BankState[] = ['open', 'pending', 'captured', 'failed']

/** The same as a table, for the bank that does not look before it moves: from each state that can move to the next. */
export function bankMoves(outcome: BankOutcome, script: BankScript): { from: BankState; to: BankState }[] {
  return BANK_STATES.flatMap(from => {
    const to = bankMove(from, outcome, script)
    return to === null ? [] : [{ from, to }]
  })
}

/** UPI and debits under mandates are free, net banking has a flat fee, cards cost one per cent rounded to the paisa. */
export function feeOf(mode: string, amount: Paise): Paise {
  if (mode === 'card') return paiseOf(Math.round(amount / 100))
  return paiseOf(mode === 'netbanking' ? Math.min(1_500, amount) : 0)
}

export const FAILURES: Record<string, string> = {
  payer_cancelled: 'The payment was cancelled before it was completed.',
  insufficient_funds: 'The account did not have enough money.',
  bank_declined: 'The bank declined the payment.',
}

/** A payment in the bank's own books. */
export type BankPayment = {
  instituteId: number
  ref: string
  paymentId: string
  collectorCode: string
  amountPaise: Paise
  state: BankState
  mode: string
  failureCode: string | null
  transactionId: string | null
  returnUrl: string
  /** Set for a debit under a mandate: the payer has nothing to do. */
  mandateRef: string | null
  capturedAt: Date | null
}

/** What the payer does at the bank. */
export type BankAct = { outcome: BankOutcome; mode?: string | undefined; failureCode?: string | undefined }
