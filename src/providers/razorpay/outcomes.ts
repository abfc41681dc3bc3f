import { assertNever } from '../../platform/assert.ts'
import type { PaymentOutcome, RefundOutcome } from '../port.ts'
import type * as shapes from './shapes.ts'

/** How links, payments and refunds stand, in our words; without I/O. */
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
        ...(payment.feePaise === null ? {} : { feePaise: payment.feePaise }),
        mode: payment.method,
        transactionId: payment.bankReference ?? payment.id,
        providerPaymentId: payment.id,
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
