import { paiseOf, type Paise, formatRupees } from '../../platform/money.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { DisputeReport } from '../../providers/port.ts'

/**
 * The sandbox's bank. It keeps its own books and does what its pages, the sandbox API or a magic amount tell it. The
 * last two digits of an amount say how a payment that is told to succeed really goes, for tests that cannot click.
 */
export type BankState = 'open' | 'pending' | 'captured' | 'failed'
type BankOutcome = 'success' | 'failure' | 'pending'
type BankScript = 'plain' | 'fails' | 'stays_pending' | 'tells_twice' | 'tells_nothing' | 'tells_first'

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

/** A dispute in the bank's own books. */
export type BankDispute = {
  instituteId: number
  ref: string
  paymentRef: string
  amountPaise: Paise
  state: 'open' | 'won' | 'lost'
  reasonCode: string
  respondBy: Date
  openedAt: Date
  closedAt: Date | null
}

/** What the payer's bank does. The amount and the reason are of one that is opened. */
export type DisputeAct = {
  outcome: BankDispute['state']
  amountPaise: Paise | null
  reasonCode: string | null
}

/** What the bank keeps of a pay-out for a dispute that was lost: ₹100 and the tax on it. */
export const DISPUTE_FEE = paiseOf(118_00)

const ANSWER_WITHIN_MS = 7 * DAY_MS

/** The dispute as it is afterwards. One that is not open at the bank can be decided at once: some are told only then. */
export function actOnDispute(
  payment: Pick<BankPayment, 'instituteId' | 'ref' | 'state' | 'amountPaise'>,
  known: readonly BankDispute[],
  { outcome, amountPaise, reasonCode }: DisputeAct,
  made: { ref: string; at: Date },
): BankDispute {
  if (payment.state !== 'captured') throw conflict('Only a payment that was captured can be disputed.')
  const open = known.find(({ state }) => state === 'open')
  if (open !== undefined && outcome === 'open') throw conflict('The payer disputes this payment already.')
  if (open === undefined && known.length > 0 && outcome !== 'open')
    throw conflict('The bank has decided its dispute already.')
  const amount = amountPaise ?? payment.amountPaise
  if (amount > payment.amountPaise)
    throw badField('amount', `must be at most ${formatRupees(payment.amountPaise)}`)
  const { ref, at } = made
  const dispute = open ?? {
    instituteId: payment.instituteId,
    ref,
    paymentRef: payment.ref,
    amountPaise: amount,
    state: 'open',
    reasonCode: reasonCode ?? 'chargeback',
    respondBy: new Date(at.getTime() + ANSWER_WITHIN_MS),
    openedAt: at,
    closedAt: null,
  }
  return outcome === 'open' ? dispute : { ...dispute, state: outcome, closedAt: at }
}

export function reportOfDispute(dispute: BankDispute, paymentId: string): DisputeReport {
  const { instituteId, ref, state, amountPaise, reasonCode, respondBy, openedAt, closedAt } = dispute
  return {
    about: 'dispute',
    instituteId,
    paymentId,
    providerRef: ref,
    state,
    amountPaise,
    deductedPaise: state === 'lost' ? amountPaise : paiseOf(0),
    reasonCode,
    reason: 'The payer does not know this payment.',
    phase: 'chargeback',
    respondBy,
    at: closedAt ?? openedAt,
  }
}
