import { Type, type Static, type TObject } from 'typebox'
import * as block from './blocks.ts'
import type { EventCode } from './codes.ts'

/** What each event carries and when it is recorded: the catalogue that code, reference and tests share. */
const maybe = Type.Optional
const id = (description: string) => Type.String({ description })

const ofStudent = {
  service_student_id: id('Id of the student here.'),
  registration_id: id('Id of the user.'),
  student: block.StudentBlock,
}
const ofPlan = { ...ofStudent, subscription: block.SubscriptionBlock }
const ofOrder = { order_id: id('Id of the order or link.'), order: block.OrderBlock }
const ofApplication = { ...ofStudent, application: block.ApplicationBlock }

const Student = Type.Object(ofStudent)
const StudentPayment = Type.Object({ ...ofStudent, payment: block.PaymentBlock })
const PlanStopped = Type.Object({ ...ofPlan, reason: maybe(block.ReasonBlock) })
const Mandate = Type.Object({ ...ofPlan, mandate: block.MandateBlock, reason: maybe(block.ReasonBlock) })
const DownPayment = Type.Object({ ...ofPlan, payment: block.PaymentBlock })
const Instalment = Type.Object({ ...ofPlan, instalment: block.InstalmentBlock, payment: block.PaymentBlock })
const Order = Type.Object({ ...ofOrder, payment: block.PaymentBlock })
const Link = Type.Object({ ...ofOrder, payment: maybe(block.PaymentBlock) })
const Page = Type.Object({ page_id: id('Id of the page.'), ...ofOrder, payment: block.PaymentBlock })
const Application = Type.Object(ofApplication)
const Pay = Type.Object({
  payment: block.PaymentBlock,
  service_student_id: maybe(ofStudent.service_student_id),
  registration_id: maybe(ofStudent.registration_id),
  student: maybe(block.StudentBlock),
  order_id: maybe(ofOrder.order_id),
  order: maybe(block.OrderBlock),
})
const Refund = Type.Object({
  order_id: maybe(ofOrder.order_id),
  service_student_id: maybe(ofStudent.service_student_id),
  payment: block.PaymentBlock,
  refund: block.RefundBlock,
})
const Change = Type.Object({
  field: Type.String({ description: 'What changed.' }),
  before: maybe(Type.Unknown({ description: 'As it was; absent when it is new.' })),
  after: Type.Unknown({ description: 'As it is.' }),
})

export const EVENTS = {
  'masterdata.student.registered': { when: 'A student is registered.', payload: Student },
  'masterdata.student.dropped': { when: 'A student is marked dropped.', payload: Student },
  'masterdata.student.activated': { when: 'A dropped student is active again.', payload: Student },
  'direct.payment.added': { when: 'An offline payment is recorded.', payload: StudentPayment },
  'direct.payment.updated': { when: 'An offline payment is corrected.', payload: StudentPayment },
  'direct.payment.cancelled': { when: 'An offline payment is cancelled.', payload: StudentPayment },
  'flex.subscription.setup': {
    when: 'The payer has authorised the plan.',
    payload: Type.Object({ ...ofPlan, payment_schedule: block.ScheduleBlock, mandate: block.MandateBlock }),
  },
  'flex.subscription.active': {
    when: 'The bank confirms that the mandate can be debited.',
    payload: Type.Object({ ...ofPlan, mandate: block.MandateBlock }),
  },
  'flex.subscription.updated': {
    when: 'Schedule, amounts, dates or hold change.',
    payload: Type.Object({
      ...ofPlan,
      payment_schedule: block.ScheduleBlock,
      changes: Type.Array(Change, { description: 'What changed.' }),
    }),
  },
  'flex.subscription.cancelled': { when: 'The plan is stopped.', payload: PlanStopped },
  'flex.subscription.closed': { when: 'All of the plan is paid or waived.', payload: PlanStopped },
  'flex.mandate.cancelled': { when: 'The mandate is revoked at the bank or by the payer.', payload: Mandate },
  'flex.mandate.expired': { when: 'The mandate is past its end date.', payload: Mandate },
  'flex.downpayment.debited': { when: 'The down payment is taken at set-up.', payload: DownPayment },
  'flex.downpayment.settled': { when: 'The down payment reached the institute.', payload: DownPayment },
  'flex.instalment.debited': { when: 'An instalment left the payer.', payload: Instalment },
  'flex.instalment.settled': { when: 'An instalment reached the institute.', payload: Instalment },
  'flex.instalment.bounced': {
    when: 'The bank returned an instalment, at once or late.',
    payload: Type.Object({
      ...ofPlan,
      instalment: block.InstalmentBlock,
      reason: block.ReasonBlock,
      next_presentation_on: maybe(
        Type.String({ format: 'date', description: 'When it is presented again.' }),
      ),
    }),
  },
  'flex.instalment.skipped': {
    when: "An instalment is not presented because of the ERP's answer or silence.",
    payload: Type.Object({
      ...ofPlan,
      instalment: block.InstalmentBlock,
      reason: block.ReasonBlock,
      next_try_on: Type.String({ format: 'date', description: 'When it is tried again.' }),
    }),
  },
  'pay.payment.debited': { when: 'Any Pay payment left the payer.', payload: Pay },
  'pay.payment.settled': { when: 'Any Pay payment reached the institute.', payload: Pay },
  'order.payment.debited': { when: 'A pay order is paid.', payload: Order },
  'order.payment.settled': { when: "A pay order's payment reached the institute.", payload: Order },
  'payment_link.payment.debited': { when: 'A payment link is paid.', payload: Link },
  'payment_link.payment.settled': { when: "A payment link's payment reached the institute.", payload: Link },
  'payment_link.payment.expired': { when: 'A payment link passed its expiry unpaid.', payload: Link },
  'payment_link.payment.cancelled': { when: 'A payment link is cancelled.', payload: Link },
  'page.payment.debited': { when: 'A public page is paid.', payload: Page },
  'page.payment.settled': { when: "A public page's payment reached the institute.", payload: Page },
  'cred.loan.application_started': { when: 'A loan application is started.', payload: Application },
  'cred.loan.application_filled': { when: 'A loan application is filled in.', payload: Application },
  'cred.loan.application_expired': { when: 'A loan application lapsed.', payload: Application },
  'cred.loan.rejected': { when: 'The lender rejected the application.', payload: Application },
  'cred.loan.canceled': { when: 'The application was withdrawn.', payload: Application },
  'cred.loan.final_approved': { when: "The lender's final approval.", payload: Application },
  'cred.loan.agreement_signed': {
    when: 'The loan is taken.',
    payload: Type.Object({
      ...ofApplication,
      disbursements: Type.Array(block.DisbursementBlock, { description: 'The tranches.' }),
    }),
  },
  'cred.loan.disbursed': {
    when: 'A tranche reached the institute.',
    payload: Type.Object({ ...ofApplication, disbursement: block.DisbursementBlock }),
  },
  'cred.emi.debited': {
    when: 'An EMI left the borrower.',
    payload: Type.Object({
      ...ofApplication,
      payment: Type.Object({
        id: id('Payment id.'),
        due_date: Type.String({ format: 'date', description: 'When it was due.' }),
        paid_at: Type.String({ format: 'date-time', description: 'When it was paid.' }),
        amount: Type.Number({ description: 'Rupees.' }),
      }),
    }),
  },
  'refund.processed': { when: 'A refund was made.', payload: Refund },
  'refund.failed': { when: 'A refund could not be made.', payload: Refund },
} satisfies Record<EventCode, { when: string; payload: TObject }>

/** What an event carries, as it is written. */
export type PayloadOf<Code extends EventCode> = block.AsWritten<Static<(typeof EVENTS)[Code]['payload']>>
export type EventPayload = { [Code in EventCode]: PayloadOf<Code> }[EventCode]

export type TestPayload = { webhook_id: string; message: string }
