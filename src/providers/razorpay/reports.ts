import type {
  PaymentReport,
  RefundReport,
  Report,
  PaymentOutcome,
  RefundOutcome,
  MandateOutcome,
  MandateReport,
  DisputeReport,
  DisputeState,
} from '../port.ts'
import {
  type Dispute,
  type Event,
  mandateRefOf,
  type RazorpayPayment,
  readRegistration,
  readToken,
  registeredBy,
} from './shapes.ts'
import { railOf, returnCodeOf } from './return-codes.rules.ts'
import * as shapes from './shapes.ts'
import { readCredited } from './credits.ts'
import { assertNever } from '../../platform/assert.ts'

/** Translates what Razorpay says into our words, without I/O. */

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
  'virtual_account.credited': 'virtual_account',
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
    case 'virtual_account.credited':
      return present(readCredited(event))
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

/** What Razorpay says of mandates, debits and disputes, in our words; without I/O. */

/** A debit ends in the words of its rail, with Razorpay's reason kept beside. */
export function outcomeOfDebit(payment: RazorpayPayment): PaymentOutcome {
  const outcome = outcomeOfPayment(payment)
  const rail = railOf(payment.method)
  if (rail === null) return outcome
  if (outcome.kind === 'captured') return { ...outcome, mode: rail }
  if (outcome.kind !== 'failed') return outcome
  const { code: reason, message } = outcome
  return { kind: 'failed', code: returnCodeOf(reason, rail), message: `${message} (Razorpay: ${reason})` }
}

/** The payer has said yes to a mandate. Any other end of an attempt leaves its link open. */
function reportOfRegistration(payment: RazorpayPayment): MandateReport | null {
  const { instituteId, mandateId } = payment.notes
  const token = registeredBy(payment)
  if (instituteId === null || mandateId === null || token === null) return null
  const outcome: MandateOutcome = { kind: 'authorised' }
  return { about: 'mandate', instituteId, mandateId, providerRef: mandateRefOf(token), outcome }
}

function reportOfExpiredLink(event: Event): MandateReport | null {
  const link = readRegistration(event.entity('invoice'), 'payload.invoice.entity')
  const { instituteId, mandateId } = link.notes
  if (instituteId === null || mandateId === null) return null
  const message = 'The time to authorise the mandate ran out.'
  const outcome: MandateOutcome = { kind: 'rejected', code: 'expired', message }
  return { about: 'mandate', instituteId, mandateId, providerRef: link.id, outcome }
}

const STATES: Record<string, DisputeState> = {
  open: 'open',
  under_review: 'under_review',
  action_required: 'action_required',
  won: 'won',
  lost: 'lost',
  closed: 'closed',
}

type OurPayment = { instituteId: number; paymentId: string }

/** A state that we do not know leaves a dispute open: a person looks at it. */
export function reportOfDispute(dispute: Dispute, ours: OurPayment, at: Date): DisputeReport {
  const { id, amountPaise, deductedPaise, reason, phase, respondBy } = dispute
  const told = STATES[dispute.status] ?? 'open'
  // One that is closed and took money was decided for the payer.
  const state = told === 'closed' && deductedPaise > 0 ? 'lost' : told
  const details = { amountPaise, deductedPaise, reasonCode: reason, reason, phase, respondBy, at }
  return { about: 'dispute', ...ours, providerRef: id, state, ...details }
}
