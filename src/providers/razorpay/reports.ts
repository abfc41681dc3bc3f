import type { PaymentReport, RefundReport, Report } from '../port.ts'
import { outcomeOfDebit, reportOfExpiredLink, reportOfRegistration } from './mandate-reports.ts'
import { readToken } from './mandate-shapes.ts'
import { outcomeOfLink, outcomeOfPayment, outcomeOfRefund } from './outcomes.ts'
import { railOf } from './return-codes.rules.ts'
import * as shapes from './shapes.ts'

/** What Razorpay says, in our words; without I/O. */

/** The events that are read, and which of their entities carries our notes. */
const OWNED: Record<string, string> = {
  'payment_link.paid': 'payment_link',
  'payment_link.expired': 'payment_link',
  'payment_link.cancelled': 'payment_link',
  'payment.authorized': 'payment',
  'payment.captured': 'payment',
  'payment.failed': 'payment',
  'refund.processed': 'refund',
  'refund.failed': 'refund',
  'invoice.paid': 'payment',
  'invoice.expired': 'invoice',
}

/**
 * An event about something that does not carry our ids says nothing to us: the account may serve others too. That
 * loses no payment: whether an attempt inherits its link's notes is not documented, and the link's own event follows.
 */
export function reportsOf(event: shapes.Event): Report[] {
  const kind = OWNED[event.name]
  // Looked at before anything else: what others do on the account may be in any currency and shape.
  if (kind !== undefined && !shapes.isOurs(event.entity(kind))) return []
  switch (event.name) {
    case 'payment_link.paid':
    case 'payment_link.expired':
    case 'payment_link.cancelled':
      return present(reportOfLink(event))
    case 'payment.authorized':
      return present(reportOfRegistration(readPayment(event)))
    case 'payment.captured':
    case 'payment.failed':
      return present(reportOfPayment(readPayment(event)))
    case 'invoice.paid':
      return present(reportOfRegistration(readPayment(event)))
    case 'invoice.expired':
      return present(reportOfExpiredLink(event))
    case 'token.confirmed':
    case 'token.rejected':
    case 'token.paused':
    case 'token.cancelled':
      // It names neither customer nor mandate, and may be late: the mandate that has the token is asked about.
      return [
        {
          about: 'mandate_change',
          providerRef: readToken(event.entity('token'), 'payload.token.entity').id,
        },
      ]
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

function readPayment(event: shapes.Event): shapes.RazorpayPayment {
  return shapes.readPayment(event.entity('payment'), 'payload.payment.entity')
}

/** A payment of ours is an attempt on a link, a debit under a mandate, or the registration of one. */
function reportOfPayment(payment: shapes.RazorpayPayment): Report | null {
  const { instituteId, paymentId, mandateId } = payment.notes
  if (mandateId !== null) return reportOfRegistration(payment)
  if (instituteId === null || paymentId === null) return null
  const isDebit = payment.tokenId !== null && payment.orderId !== null && railOf(payment.method) !== null
  const providerRef = isDebit ? (payment.orderId ?? payment.id) : payment.id
  const outcome = isDebit ? outcomeOfDebit(payment) : outcomeOfPayment(payment)
  return { about: 'payment', instituteId, paymentId, providerRef, outcome }
}

function reportOfRefund(event: shapes.Event): RefundReport | null {
  const refund = shapes.readRefund(event.entity('refund'), 'payload.refund.entity')
  const { instituteId } = refund.notes
  const refundId = refund.notes.refundId ?? refund.receipt
  // The rupee of a registration went back: no refund of ours.
  if (instituteId === null || refundId === null || refund.notes.mandateId !== null) return null
  const outcome = outcomeOfRefund(refund, event.createdAt)
  return { about: 'refund', instituteId, refundId, providerRef: refund.id, outcome }
}

function present<T>(value: T | null): T[] {
  return value === null ? [] : [value]
}
