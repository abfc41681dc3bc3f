import { assert } from '../platform/assert.ts'
import { paiseOf, type Paise } from '../platform/money.ts'

/**
 * Double entry. Debits are positive, credits negative, and a posting sums to zero.
 *
 *   provider_receivable   what the provider holds for us
 *   institute_payable     what we owe the institute
 *   payer_clearing        what we owe a payer back: money that paid for nothing
 *   refunds               refunds asked for and not yet made
 *   fees                  what the provider kept
 *   settlement_bank       what went through the institute's bank account
 */
export type Account =
  | 'payer_clearing'
  | 'provider_receivable'
  | 'institute_payable'
  | 'fees'
  | 'refunds'
  | 'settlement_bank'

type Entry = { account: Account; amountPaise: Paise }

type PostingKind =
  | 'payment_captured'
  | 'duplicate_captured'
  | 'refund_requested'
  | 'refund_processed'
  | 'refund_failed'
  | 'duplicate_refunded'
  | 'payment_returned'
  | 'settled'

export type Posting = { kind: PostingKind; reference: string; entries: readonly Entry[] }

const debit = (account: Account, amount: number): Entry => ({ account, amountPaise: paiseOf(amount) })
const credit = (account: Account, amount: number): Entry => ({ account, amountPaise: paiseOf(-amount) })

function posting(kind: PostingKind, reference: string, entries: readonly Entry[]): Posting {
  const used = entries.filter(entry => entry.amountPaise !== 0)
  const sum = used.reduce<number>((total, entry) => total + entry.amountPaise, 0)
  assert(sum === 0 && used.length >= 2, `${kind} of ${reference} does not balance`)
  return { kind, reference, entries: used }
}

/** The payment that pays an order is the institute's; one for a paid order is still the payer's. */
export function captureOf(paymentId: string, amount: Paise, isDuplicate: boolean): Posting {
  const owedTo = isDuplicate ? 'payer_clearing' : 'institute_payable'
  return posting(isDuplicate ? 'duplicate_captured' : 'payment_captured', paymentId, [
    debit('provider_receivable', amount),
    credit(owedTo, amount),
  ])
}

export function refundRequestOf(refundId: string, amount: Paise): Posting {
  return posting('refund_requested', refundId, [
    debit('institute_payable', amount),
    credit('refunds', amount),
  ])
}

export function refundResultOf(refundId: string, amount: Paise, isProcessed: boolean): Posting {
  return posting(isProcessed ? 'refund_processed' : 'refund_failed', refundId, [
    debit('refunds', amount),
    credit(isProcessed ? 'provider_receivable' : 'institute_payable', amount),
  ])
}

export function duplicateRefundOf(refundId: string, amount: Paise): Posting {
  return posting('duplicate_refunded', refundId, [
    debit('payer_clearing', amount),
    credit('provider_receivable', amount),
  ])
}

/** The bank took a debit back: we no longer owe it to the institute, nor does the provider owe it to us. */
export function returnOf(refundId: string, amount: Paise): Posting {
  return posting('payment_returned', refundId, [
    debit('institute_payable', amount),
    credit('provider_receivable', amount),
  ])
}

/**
 * The provider pays out what it holds, less its fees, into the institute's account: its debt to us and ours to the
 * institute go down together. Refunds have left the receivable already, so they are in the net.
 */
export function settlementOf(
  settlementId: string,
  sums: { grossPaise: Paise; feePaise: Paise; refundPaise: Paise },
): Posting {
  const payable = sums.grossPaise - sums.refundPaise
  const net = payable - sums.feePaise
  return posting('settled', settlementId, [
    debit('settlement_bank', net),
    debit('fees', sums.feePaise),
    credit('provider_receivable', payable),
    debit('institute_payable', payable),
    credit('settlement_bank', net),
    credit('fees', sums.feePaise),
  ])
}
