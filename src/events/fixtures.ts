import { newId } from '../platform/ids.ts'
import type { EventCode } from './codes.ts'
import * as make from './fixture-blocks.ts'
import type { FixtureData } from './fixture-blocks.ts'
import * as plan from './fixture-plans.ts'
import type { EventPayload, PayloadOf } from './payloads.ts'

/** A made-up payload of an event, such as the real one would be now; for those who try out their receiver. */
export function fixtureOf<Code extends EventCode>(
  code: Code,
  context: { now: Date; collectorCode: string },
): PayloadOf<Code> {
  return FIXTURES[code](make.setScene(context))
}

/** In whose line of events an event stands: the plan, the application, the order or the student. */
export function resourceOf(payload: EventPayload): string {
  if ('subscription' in payload) return payload.subscription.id
  if ('application' in payload) return payload.application.id
  const id = 'order_id' in payload ? payload.order_id : undefined
  const other = 'service_student_id' in payload ? payload.service_student_id : undefined
  const found = id ?? other
  if (found === undefined) throw new Error('a payload names neither an order nor a student')
  return found
}

const counter = (data: FixtureData, mode: 'cash' | 'cheque', notes: string) => ({
  ...make.ofStudent(data),
  payment: make.paymentOf(data, { product: 'direct', mode, lines: make.QUARTER, notes }),
})

const part = (data: FixtureData, what: { isSettled: boolean }) => ({
  ...plan.ofPlan(data, 'active', 3),
  instalment: plan.instalmentOf(data, what.isSettled ? 'settled' : 'debited', what.isSettled ? -1 : 0),
  payment: plan.partPayment(data, 'instalment', what.isSettled),
})

const order = (data: FixtureData, isSettled = false) => make.paidOrder(data, { kind: 'order', isSettled })
const link = (data: FixtureData, isSettled = false) => make.paidOrder(data, { kind: 'link', isSettled })

/** Part of what an order took goes back. */
const refundOf = (
  data: FixtureData,
  refund: Omit<PayloadOf<'refund.processed'>['refund'], 'id' | 'amount'>,
) => {
  const { order_id, payment } = order(data, true)
  return { order_id, payment, refund: { id: newId('rfd'), amount: 4_200, ...refund } }
}

const FIXTURES: { readonly [Code in EventCode]: (data: FixtureData) => PayloadOf<Code> } = {
  'masterdata.student.registered': make.ofStudent,
  'masterdata.student.dropped': make.ofStudent,
  'masterdata.student.activated': make.ofStudent,
  'direct.payment.added': data => counter(data, 'cash', 'Paid at the counter'),
  'direct.payment.updated': data => counter(data, 'cheque', 'Cheque number corrected'),
  'direct.payment.cancelled': data => counter(data, 'cheque', 'Cheque returned unpaid'),
  'flex.subscription.setup': data => ({
    ...plan.ofPlan(data, 'setup', 1),
    payment_schedule: plan.newSchedule(data),
    mandate: plan.mandateOf(data, 'pending'),
  }),
  'flex.subscription.active': data => ({
    ...plan.ofPlan(data, 'active', 1),
    mandate: plan.mandateOf(data, 'active'),
  }),
  'flex.subscription.updated': data => ({ ...plan.ofPlan(data, 'active', 2), ...plan.postponed(data, 2) }),
  'flex.subscription.cancelled': data => ({
    ...plan.ofPlan(data, 'cancelled', 2),
    reason: { code: 'student_discontinued', category: 'erp', message: 'The student has left the school.' },
  }),
  'flex.subscription.closed': plan.closedPlan,
  'flex.mandate.cancelled': data => ({
    ...plan.ofPlan(data, 'locked', 2),
    mandate: plan.mandateOf(data, 'cancelled'),
    reason: { code: '29', category: 'mandate', message: 'The bank no longer has a valid mandate.' },
  }),
  'flex.mandate.expired': data => ({
    ...plan.ofPlan(data, 'locked', 4),
    mandate: plan.mandateOf(data, 'expired'),
  }),
  'flex.downpayment.debited': data => ({
    ...plan.ofPlan(data, 'setup', 1),
    payment: plan.partPayment(data, 'downpayment', false),
  }),
  'flex.downpayment.settled': data => ({
    ...plan.ofPlan(data, 'active', 1),
    payment: plan.partPayment(data, 'downpayment', true),
  }),
  'flex.instalment.debited': data => part(data, { isSettled: false }),
  'flex.instalment.settled': data => part(data, { isSettled: true }),
  'flex.instalment.bounced': data => ({
    ...plan.ofPlan(data, 'active', 2),
    instalment: plan.instalmentOf(data, 'bounced', -1),
    reason: { code: '04', category: 'funds', message: 'The account did not have enough money.' },
    next_presentation_on: make.dayFrom(data, { days: 3 }),
  }),
  'flex.instalment.skipped': data => ({
    ...plan.ofPlan(data, 'active', 2),
    instalment: plan.instalmentOf(data, 'skipped', 1),
    reason: {
      code: 'unavailable',
      category: 'erp',
      message: 'The ERP did not answer.',
    },
    next_try_on: make.dayFrom(data, { days: 1 }),
  }),
  'pay.payment.debited': data => order(data),
  'pay.payment.settled': data => order(data, true),
  'order.payment.debited': data => order(data),
  'order.payment.settled': data => order(data, true),
  'payment_link.payment.debited': data => link(data),
  'payment_link.payment.settled': data => link(data, true),
  'payment_link.payment.expired': data => make.unpaidLink(data, 'expired'),
  'payment_link.payment.cancelled': data => make.unpaidLink(data, 'cancelled'),
  'page.payment.debited': data => ({ page_id: newId('page'), ...order(data) }),
  'page.payment.settled': data => ({ page_id: newId('page'), ...order(data, true) }),
  'cred.loan.application_started': data => plan.ofLoan(data, 'started'),
  'cred.loan.application_filled': data => plan.ofLoan(data, 'filled'),
  'cred.loan.application_expired': data => plan.ofLoan(data, 'expired'),
  'cred.loan.rejected': data => plan.ofLoan(data, 'rejected'),
  'cred.loan.canceled': data => plan.ofLoan(data, 'canceled'),
  'cred.loan.final_approved': data => plan.ofLoan(data, 'final_approved'),
  'cred.loan.agreement_signed': data => ({
    ...plan.ofLoan(data, 'agreement_signed'),
    disbursements: plan.disbursementsOf(data),
  }),
  'cred.loan.disbursed': data => ({
    ...plan.ofLoan(data, 'disbursed'),
    disbursement: plan.disbursedOf(data),
  }),
  'cred.emi.debited': data => ({ ...plan.ofLoan(data, 'disbursed'), payment: plan.emiOf(data) }),
  'refund.processed': data =>
    refundOf(data, {
      status: 'processed',
      reason: 'Left the school bus',
      processed_at: data.now.toISOString(),
      utr: make.newUtr(data),
    }),
  'refund.failed': data => refundOf(data, { status: 'failed', reason: 'Left the school bus' }),
}
