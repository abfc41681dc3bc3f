import { assertNever } from '../../platform/assert.ts'
import { unavailable } from '../../platform/errors.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import type {
  PaymentOutcome,
  PaymentReport,
  RefundOutcome,
  RefundReport,
  Report,
  SettlementItem,
  SettlementReport,
} from '../port.ts'
import * as shapes from './shapes.ts'

/** What Razorpay says, in our words; without I/O. */

/**
 * An event about something that does not carry our ids says nothing to us: the account may serve others too. That
 * loses no payment: whether an attempt inherits its link's notes is not documented, and the link's own event follows.
 */
export function reportsOf(event: shapes.Event): Report[] {
  switch (event.name) {
    case 'payment_link.paid':
    case 'payment_link.expired':
    case 'payment_link.cancelled':
      return present(reportOfLink(event))
    case 'payment.captured':
    case 'payment.failed':
      return present(reportOfPayment(event))
    case 'refund.processed':
    case 'refund.failed':
      return present(reportOfRefund(event))
    default:
      return []
  }
}

function reportOfLink(event: shapes.Event): PaymentReport | null {
  const link = shapes.readLink(event.entity('payment_link'), 'payload.payment_link.entity')
  const { instituteId } = link.notes
  if (instituteId === null || link.referenceId === '') return null
  const outcome =
    event.name === 'payment_link.paid'
      ? outcomeOfPayment(shapes.readPayment(event.entity('payment'), 'payload.payment.entity'))
      : outcomeOfLink(link.status)
  return { about: 'payment', instituteId, paymentId: link.referenceId, providerRef: link.id, outcome }
}

function reportOfPayment(event: shapes.Event): PaymentReport | null {
  const payment = shapes.readPayment(event.entity('payment'), 'payload.payment.entity')
  const { instituteId, paymentId } = payment.notes
  if (instituteId === null || paymentId === null) return null
  return {
    about: 'payment',
    instituteId,
    paymentId,
    providerRef: payment.id,
    outcome: outcomeOfPayment(payment),
  }
}

function reportOfRefund(event: shapes.Event): RefundReport | null {
  const refund = shapes.readRefund(event.entity('refund'), 'payload.refund.entity')
  const { instituteId } = refund.notes
  const refundId = refund.notes.refundId ?? refund.receipt
  if (instituteId === null || refundId === null) return null
  const outcome = outcomeOfRefund(refund, event.createdAt)
  return { about: 'refund', instituteId, refundId, providerRef: refund.id, outcome }
}

function present<T>(value: T | null): T[] {
  return value === null ? [] : [value]
}

export function outcomeOfLink(status: shapes.LinkStatus): PaymentOutcome {
  switch (status) {
    case 'created':
      return { kind: 'open' }
    case 'partially_paid':
    case 'paid':
      return { kind: 'pending' }
    case 'expired':
      return { kind: 'failed', code: 'expired', message: 'The time to pay ran out.' }
    case 'cancelled':
      return { kind: 'failed', code: 'cancelled', message: 'The payment was cancelled.' }
    default:
      return assertNever(status)
  }
}

/** Razorpay tells no moment of capture; the attempt's own is the same however often and wherever it is read. */
export function outcomeOfPayment(payment: shapes.RazorpayPayment): PaymentOutcome {
  switch (payment.status) {
    case 'created':
    case 'authorized':
      return { kind: 'pending' }
    case 'captured':
    case 'refunded':
      return {
        kind: 'captured',
        amountPaise: payment.amountPaise,
        mode: payment.method,
        transactionId: payment.bankReference ?? payment.id,
        capturedAt: payment.createdAt,
      }
    case 'failed':
      return { kind: 'failed', ...payment.error }
    default:
      return assertNever(payment.status)
  }
}

/** Razorpay often calls a refund processed before the bank gave it a number; until then its own number stands in. */
export function outcomeOfRefund(refund: shapes.RazorpayRefund, processedAt: Date): RefundOutcome {
  switch (refund.status) {
    case 'pending':
      return { kind: 'pending' }
    case 'processed':
      return { kind: 'processed', utr: refund.bankReference ?? refund.id, processedAt }
    case 'failed':
      return { kind: 'failed', message: 'Razorpay could not make this refund.' }
    default:
      return assertNever(refund.status)
  }
}

/** Items of an account that belongs to no institute of ours. */
const NOBODY = 0

/**
 * Items under their UTR and institute. All the reports under one UTR add up to what reached the bank, so nothing is
 * left out: items without our notes, and Razorpay's own adjustments and transfers, stand under institute 0, money in
 * as a payment and money out as a refund. A pay-out whose UTR is not told yet stands under its settlement id.
 */
export function groupByPayout(items: readonly shapes.ReconItem[]): SettlementReport[] {
  const settled = items.filter(item => item.isSettled)
  const utrs = new Map(
    settled.flatMap(item =>
      item.settlementUtr === null ? [] : [[item.settlementId, item.settlementUtr] as const],
    ),
  )
  const groups = new Map<string, { report: SettlementReport; items: SettlementItem[] }>()
  for (const item of settled) {
    const utr = item.settlementUtr ?? utrs.get(item.settlementId) ?? item.settlementId
    const { instituteId, ...entry } = attribute(item)
    const key = `${instituteId} ${utr}`
    const group = groups.get(key) ?? newGroup(instituteId, utr, item.settledAt)
    group.items.push(entry)
    groups.set(key, group)
  }
  return [...groups.values()].map(group => group.report)
}

function newGroup(
  instituteId: number,
  utr: string,
  settledAt: Date,
): { report: SettlementReport; items: SettlementItem[] } {
  const items: SettlementItem[] = []
  return { report: { instituteId, utr, settledAt, items }, items }
}

function attribute(item: shapes.ReconItem): SettlementItem & { instituteId: number } {
  const { notes } = item
  const isIncoming = item.type === 'payment' || (item.type !== 'refund' && item.creditPaise > item.debitPaise)
  const ourId = item.type === 'refund' ? notes.refundId : (notes.paymentId ?? item.orderReceipt)
  const isOurs = item.type === 'payment' || item.type === 'refund'
  return {
    instituteId: isOurs && ourId !== null ? (notes.instituteId ?? NOBODY) : NOBODY,
    kind: isIncoming ? 'payment' : 'refund',
    ourId: isOurs ? (ourId ?? '') : '',
    providerRef: item.entityId,
    amountPaise: item.amountPaise,
    feePaise: feeOf(item, isIncoming),
  }
}

/**
 * What was kept back, taken from the money that moved. In Razorpay's figures the tax stands inside the fee already,
 * and on some plans fees are billed apart and nothing is kept back: this is right in each case.
 */
function feeOf(item: shapes.ReconItem, isIncoming: boolean): Paise {
  const moved = isIncoming ? item.creditPaise - item.debitPaise : item.debitPaise - item.creditPaise
  const fee = isIncoming ? item.amountPaise - moved : moved - item.amountPaise
  if (fee < 0) throw unavailable(`Razorpay's figures for ${item.entityId} do not add up.`)
  return paiseOf(fee)
}
