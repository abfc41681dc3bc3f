import { assert } from '../platform/assert.ts'
import { paiseOf, subtractPaise, ZERO, type Paise } from '../platform/money.ts'

export const ACCOUNT_CODES = [
  'provider_receivable',
  'institute_payable',
  'payer_clearing',
  'refunds',
  'disputes',
  'settlement_bank',
  'fees',
  'institute_settled',
] as const

export type Account = (typeof ACCOUNT_CODES)[number]

/** Assets and expenses grow by what they receive, liabilities and equity by what they send. */
type AccountType = 'asset' | 'expense' | 'liability' | 'equity'

/** The chart of accounts, in the order that money goes through them, with what a bursar would call them. */
export const CHART: Readonly<Record<Account, { type: AccountType; name: string; meaning: string }>> = {
  provider_receivable: {
    type: 'asset',
    name: 'Held by payment providers',
    meaning: 'Taken from payers and not yet paid out to the bank.',
  },
  institute_payable: {
    type: 'liability',
    name: 'Owed to the institute',
    meaning:
      'Collected for the institute and not yet settled. Below zero while its bank has money that is going back to payers.',
  },
  payer_clearing: {
    type: 'liability',
    name: 'Owed back to payers',
    meaning: 'Second payments for something paid already, until they have been given back.',
  },
  refunds: {
    type: 'liability',
    name: 'Refunds under way',
    meaning: 'Requested and not yet made.',
  },
  disputes: {
    type: 'liability',
    name: 'Held in disputes',
    meaning: 'Questioned by payers at their banks and not decided yet.',
  },
  settlement_bank: {
    type: 'asset',
    name: 'Paid out to the bank',
    meaning: 'What has reached the institute’s bank account, over all settlements.',
  },
  fees: {
    type: 'expense',
    name: 'Provider fees',
    meaning: 'What payment providers have kept of what they settled.',
  },
  institute_settled: {
    type: 'equity',
    name: 'Settled with the institute',
    meaning: 'What is no longer owed to it: always what reached the bank and the fees together.',
  },
}

/** Credits the source and debits the destination; always a positive amount. */
type Transfer = { source: Account; destination: Account; amountPaise: Paise }

type PostingKind =
  | 'payment_captured'
  | 'duplicate_captured'
  | 'refund_requested'
  | 'refund_processed'
  | 'refund_failed'
  | 'duplicate_refunded'
  | 'payment_returned'
  | 'dispute_opened'
  | 'dispute_closed'
  | 'settled'

export type Posting = { kind: PostingKind; reference: string; transfers: readonly Transfer[] }

/** What an account's name says stands in it: positive, unless more has left it than came. */
export function balanceOf(account: Account, sums: { receivedPaise: Paise; sentPaise: Paise }): Paise {
  const received = sums.receivedPaise - sums.sentPaise
  const { type } = CHART[account]
  return paiseOf(type === 'asset' || type === 'expense' ? received : 0 - received)
}

/** The payment that pays an order is the institute's; one for a paid order is still the payer's. */
export function captureOf(paymentId: string, amountPaise: Paise, isDuplicate: boolean): Posting {
  return {
    kind: isDuplicate ? 'duplicate_captured' : 'payment_captured',
    reference: paymentId,
    transfers: capture(isDuplicate ? 'payer_clearing' : 'institute_payable', amountPaise),
  }
}

const capture = (owedTo: Account, amountPaise: Paise): Transfer[] => [
  { source: owedTo, destination: 'provider_receivable', amountPaise },
]

export function refundRequestOf(refundId: string, amountPaise: Paise): Posting {
  return { kind: 'refund_requested', reference: refundId, transfers: refundRequest(amountPaise) }
}

const refundRequest = (amountPaise: Paise): Transfer[] => [
  { source: 'refunds', destination: 'institute_payable', amountPaise },
]

export function refundResultOf(refundId: string, amountPaise: Paise, isProcessed: boolean): Posting {
  if (!isProcessed)
    return { kind: 'refund_failed', reference: refundId, transfers: reverse(refundRequest(amountPaise)) }
  return {
    kind: 'refund_processed',
    reference: refundId,
    transfers: [{ source: 'provider_receivable', destination: 'refunds', amountPaise }],
  }
}

/** `twicePaise`: what of it had gone back before, so that the institute bears it. */
export function duplicateRefundOf(refundId: string, amountPaise: Paise, twicePaise = ZERO): Posting {
  const parts: [Account, Paise][] = [
    ['payer_clearing', subtractPaise(amountPaise, twicePaise)],
    ['institute_payable', twicePaise],
  ]
  const transfers = parts.flatMap(([account, paise]) => (paise > 0 ? reverse(capture(account, paise)) : []))
  return { kind: 'duplicate_refunded', reference: refundId, transfers }
}

const hold = (amountPaise: Paise): Transfer[] => [
  { source: 'disputes', destination: 'institute_payable', amountPaise },
]

/** What a payer disputes is the institute's again only when that is decided. */
export function disputeOf(disputeId: string, amountPaise: Paise): Posting {
  return { kind: 'dispute_opened', reference: disputeId, transfers: hold(amountPaise) }
}

/** Won or lost: what a lost one took is a return of its own. */
export function disputeEndOf(disputeId: string, heldPaise: Paise): Posting {
  return { kind: 'dispute_closed', reference: disputeId, transfers: reverse(hold(heldPaise)) }
}

/** The bank took money back, of a debit or by a lost dispute: we no longer owe it to the institute, nor does the provider owe it to us. */
export function returnOf(refundId: string, amountPaise: Paise): Posting {
  const transfers = reverse(capture('institute_payable', amountPaise))
  return { kind: 'payment_returned', reference: refundId, transfers }
}

/**
 * The provider pays out what it holds, less its fees, into the institute's account: its debt to us and ours to the
 * institute go down together. Refunds have left the receivable already, so they are in the net; where they outweigh the
 * payments, the bank pays the provider.
 */
export function settlementOf(
  settlementId: string,
  sums: { grossPaise: Paise; feePaise: Paise; refundPaise: Paise },
): Posting {
  const settled = sums.grossPaise - sums.refundPaise
  const transfers = [
    ...transferSigned('provider_receivable', 'settlement_bank', settled - sums.feePaise),
    ...transferSigned('provider_receivable', 'fees', sums.feePaise),
    ...transferSigned('institute_settled', 'institute_payable', settled),
  ]
  assert(transfers.length > 0, `the settlement ${settlementId} moves nothing`)
  return { kind: 'settled', reference: settlementId, transfers }
}

function transferSigned(source: Account, destination: Account, amount: number): Transfer[] {
  if (amount === 0) return []
  const transfers = [{ source, destination, amountPaise: paiseOf(Math.abs(amount)) }]
  return amount > 0 ? transfers : reverse(transfers)
}

function reverse(transfers: readonly Transfer[]): Transfer[] {
  return transfers.map(({ source, destination, amountPaise }) => ({
    source: destination,
    destination: source,
    amountPaise,
  }))
}
