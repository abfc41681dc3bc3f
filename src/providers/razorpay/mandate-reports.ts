import type { MandateOutcome, MandateReport } from '../mandate-port.ts'
import type { DisputeReport, DisputeState, PaymentOutcome } from '../port.ts'
import { type Dispute, readRegistration } from './mandate-shapes.ts'
import { mandateRefOf, registeredBy } from './mandate-refs.ts'
import { outcomeOfPayment } from './outcomes.ts'
import { railOf, returnCodeOf } from './return-codes.rules.ts'
import type { Event, RazorpayPayment } from './shapes.ts'

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
export function reportOfRegistration(payment: RazorpayPayment): MandateReport | null {
  const { instituteId, mandateId } = payment.notes
  const token = registeredBy(payment)
  if (instituteId === null || mandateId === null || token === null) return null
  const outcome: MandateOutcome = { kind: 'authorised' }
  return { about: 'mandate', instituteId, mandateId, providerRef: mandateRefOf(token), outcome }
}

export function reportOfExpiredLink(event: Event): MandateReport | null {
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
