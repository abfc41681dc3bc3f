import { newId } from '../platform/ids.ts'
import type { EventCode } from './codes.ts'
import * as make from './fixture-blocks.ts'
import type { Scene } from './fixture-blocks.ts'
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

const counter = (scene: Scene, mode: 'cash' | 'cheque', notes: string) => ({
  ...make.ofStudent(scene),
  payment: make.paymentOf(scene, { product: 'direct', mode, lines: make.QUARTER, notes }),
})

const part = (scene: Scene, what: { isSettled: boolean }) => ({
  ...plan.ofPlan(scene, 'active', 3),
  instalment: plan.instalmentOf(scene, what.isSettled ? 'settled' : 'debited', what.isSettled ? -1 : 0),
  payment: plan.partPayment(scene, 'instalment', what.isSettled),
})

const order = (scene: Scene, isSettled = false) => make.paidOrder(scene, { kind: 'order', isSettled })
const link = (scene: Scene, isSettled = false) => make.paidOrder(scene, { kind: 'link', isSettled })

/** Part of what an order took goes back. */
const refundOf = (scene: Scene, refund: Omit<PayloadOf<'refund.processed'>['refund'], 'id' | 'amount'>) => {
  const { order_id, payment } = order(scene, true)
  return { order_id, payment, refund: { id: newId('rfd'), amount: 4_200, ...refund } }
}

const FIXTURES: { readonly [Code in EventCode]: (scene: Scene) => PayloadOf<Code> } = {
  'masterdata.student.registered': make.ofStudent,
  'masterdata.student.dropped': make.ofStudent,
  'masterdata.student.activated': make.ofStudent,
  'direct.payment.added': scene => counter(scene, 'cash', 'Paid at the counter'),
  'direct.payment.updated': scene => counter(scene, 'cheque', 'Cheque number corrected'),
  'direct.payment.cancelled': scene => counter(scene, 'cheque', 'Cheque returned unpaid'),
  'flex.subscription.setup': scene => ({
    ...plan.ofPlan(scene, 'setup', 1),
    payment_schedule: plan.newSchedule(scene),
    mandate: plan.mandateOf(scene, 'pending'),
  }),
  'flex.subscription.active': scene => ({
    ...plan.ofPlan(scene, 'active', 1),
    mandate: plan.mandateOf(scene, 'active'),
  }),
  'flex.subscription.updated': scene => ({ ...plan.ofPlan(scene, 'active', 2), ...plan.postponed(scene, 2) }),
  'flex.subscription.cancelled': scene => ({
    ...plan.ofPlan(scene, 'cancelled', 2),
    reason: { code: 'student_discontinued', category: 'erp', message: 'The student has left the school.' },
  }),
  'flex.subscription.closed': plan.closedPlan,
  'flex.mandate.cancelled': scene => ({
    ...plan.ofPlan(scene, 'locked', 2),
    mandate: plan.mandateOf(scene, 'cancelled'),
    reason: { code: '29', category: 'mandate', message: 'The bank no longer has a valid mandate.' },
  }),
  'flex.mandate.expired': scene => ({
    ...plan.ofPlan(scene, 'locked', 4),
    mandate: plan.mandateOf(scene, 'expired'),
  }),
  'flex.downpayment.debited': scene => ({
    ...plan.ofPlan(scene, 'setup', 1),
    payment: plan.partPayment(scene, 'downpayment', false),
  }),
  'flex.downpayment.settled': scene => ({
    ...plan.ofPlan(scene, 'active', 1),
    payment: plan.partPayment(scene, 'downpayment', true),
  }),
  'flex.instalment.debited': scene => part(scene, { isSettled: false }),
  'flex.instalment.settled': scene => part(scene, { isSettled: true }),
  'flex.instalment.bounced': scene => ({
    ...plan.ofPlan(scene, 'active', 2),
    instalment: plan.instalmentOf(scene, 'bounced', -1),
    reason: { code: '04', category: 'funds', message: 'The account did not have enough money.' },
    next_presentation_on: make.dayFrom(scene, { days: 3 }),
  }),
  'flex.instalment.skipped': scene => ({
    ...plan.ofPlan(scene, 'active', 2),
    instalment: plan.instalmentOf(scene, 'skipped', 1),
    reason: {
      code: 'unavailable',
      category: 'erp',
      message: 'The ERP did not answer.',
    },
    next_try_on: make.dayFrom(scene, { days: 1 }),
  }),
  'pay.payment.debited': scene => order(scene),
  'pay.payment.settled': scene => order(scene, true),
  'order.payment.debited': scene => order(scene),
  'order.payment.settled': scene => order(scene, true),
  'payment_link.payment.debited': scene => link(scene),
  'payment_link.payment.settled': scene => link(scene, true),
  'payment_link.payment.expired': scene => make.unpaidLink(scene, 'expired'),
  'payment_link.payment.cancelled': scene => make.unpaidLink(scene, 'cancelled'),
  'page.payment.debited': scene => ({ page_id: newId('page'), ...order(scene) }),
  'page.payment.settled': scene => ({ page_id: newId('page'), ...order(scene, true) }),
  'cred.loan.application_started': scene => plan.ofLoan(scene, 'started'),
  'cred.loan.application_filled': scene => plan.ofLoan(scene, 'filled'),
  'cred.loan.application_expired': scene => plan.ofLoan(scene, 'expired'),
  'cred.loan.rejected': scene => plan.ofLoan(scene, 'rejected'),
  'cred.loan.canceled': scene => plan.ofLoan(scene, 'canceled'),
  'cred.loan.final_approved': scene => plan.ofLoan(scene, 'final_approved'),
  'cred.loan.agreement_signed': scene => ({
    ...plan.ofLoan(scene, 'agreement_signed'),
    disbursements: plan.disbursementsOf(scene),
  }),
  'cred.loan.disbursed': scene => ({
    ...plan.ofLoan(scene, 'disbursed'),
    disbursement: plan.disbursedOf(scene),
  }),
  'cred.emi.debited': scene => ({ ...plan.ofLoan(scene, 'disbursed'), payment: plan.emiOf(scene) }),
  'refund.processed': scene =>
    refundOf(scene, {
      status: 'processed',
      reason: 'Left the school bus',
      processed_at: scene.now.toISOString(),
      utr: make.newUtr(scene),
    }),
  'refund.failed': scene => refundOf(scene, { status: 'failed', reason: 'Left the school bus' }),
}
