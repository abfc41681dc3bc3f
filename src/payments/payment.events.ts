import { defineEvent, newEvent, type NewEvent } from '../events/define-event.ts'
import { paymentBlock, SETTLED_AT, UNSETTLED, type PaymentInEvent } from '../events/payment-block.output.ts'
import { outputOf } from '../http/wire/output.ts'
import { ofLink, ofOrder } from '../orders/order.events.ts'
import { anyOrderOutput } from '../orders/order.output.ts'
import { ORDER_ID } from '../orders/order.input.ts'
import { PAY_ORDER_KINDS, type Order, type OrderKind } from '../orders/orders.rules.ts'
import { studentBlock, type StudentInEvent } from '../students/student.events.ts'
import type { Student } from '../students/students.rules.ts'
import { STUDENT_ID } from '../students/student.input.ts'
import type { Paise } from '../platform/money.ts'
import type { Payment } from './payments.rules.ts'
import { disputeBlock } from './disputes/dispute.schemas.ts'
import type { Dispute } from './disputes/disputes.rules.ts'
import { refundOutput, type RefundShown } from './refund.schemas.ts'
import { chargeNote, type Refund } from './refunds/refunds.rules.ts'

const PRODUCTS: Record<OrderKind, PaymentInEvent['product']> = {
  order: 'pay',
  link: 'pay',
  page: 'pay',
  student: 'pay',
  downpayment: 'flex',
  instalment: 'flex',
  loan: 'cred',
}

export function productOf(kind: OrderKind): PaymentInEvent['product'] {
  return PRODUCTS[kind]
}

/** Split as its order is. A second payment for an order was never settled: the order's UTR is the first's. */
export function paymentInEvent(
  payment: Payment,
  order: Order,
  product: PaymentInEvent['product'] = 'pay',
): PaymentInEvent {
  const settled = payment.isDuplicate ? { settlementUtr: null, settledAt: null } : {}
  const lines = order.lines.map(line => ({ ...line, ...settled }))
  return {
    id: payment.id,
    amountPaise: payment.amountPaise,
    product,
    mode: payment.mode,
    transactionId: payment.transactionId ?? payment.id,
    referenceId: null,
    paidAt: payment.capturedAt ?? payment.createdAt,
    settlementUtr: oneUtrOf(lines),
    notes: null,
    lines,
  }
}

/** Parts that were settled in several bank accounts have no UTR in common: each line says its own. */
function oneUtrOf(lines: readonly { settlementUtr: string | null }[]): string | null {
  const [first, ...others] = new Set(lines.map(({ settlementUtr }) => settlementUtr))
  return others.length > 0 ? null : (first ?? null)
}

export type PaidInEvent = { payment: PaymentInEvent; order: Order }
const paid = outputOf<PaidInEvent, Date>()
export const payment = paid.one('The payment.', paymentBlock)
const orderPayload = paid.object({ ...ofOrder, payment })
const linkPayload = paid.object({ ...ofLink, payment })

/** A payment of an order, link or page; if it paid a student's dues, the student stands beside the order. */
const pay = outputOf<{ payment: PaymentInEvent; order: Order; dues?: StudentInEvent }, Date>()
const payPayload = pay.object({
  payment,
  order_id: pay.text('Id of the order or link.', ORDER_ID, ({ order }) => order.id),
  order: pay.one('The order or link, as Get Pay Order or Get Payment Link answers it.', anyOrderOutput),
  service_student_id: pay.optional.text(
    'Id of the student here, whose dues are paid.',
    STUDENT_ID,
    ({ dues }) => dues?.student.id,
  ),
  registration_id: pay.optional.text('Id of the user.', 'parent-77', ({ dues }) => dues?.registrationId),
  student: pay.optional.one('The student whose dues are paid.', studentBlock, ({ dues }) => dues),
})

type RefundInEvent = {
  refund: RefundShown
  payment: PaymentInEvent
  /** Null: it was paid at the institute. */
  order: Order | null
  student: Pick<Student, 'id' | 'collectorCode'> | null
}
const back = outputOf<RefundInEvent, Date>()
const refundPayload = back.object({
  order_id: back.optional.text(
    'Id of the order or link; absent of money that was paid at the institute.',
    ORDER_ID,
    ({ order: paid }) => paid?.id,
  ),
  kind: back.optional.oneOf(
    [...PAY_ORDER_KINDS, 'link'],
    'What it is: a link is read on the payment link routes, every other kind on the order routes.',
    ({ order: paid }) => paid?.kind,
  ),
  collector_code: back.text(
    'Branch code.',
    'MAIN',
    ({ order: paid, student }) => paid?.collectorCode ?? student?.collectorCode ?? '',
  ),
  service_student_id: back.optional.text(
    'Id of the student here, of a payment for a student.',
    STUDENT_ID,
    ({ order: paid, student }) => paid?.studentId ?? student?.id,
  ),
  payment,
  refund: back.one('The refund.', refundOutput),
})

const disputed = outputOf<{ dispute: Dispute; payment: PaymentInEvent; order: Order }, Date>()
const disputePayload = disputed.object({
  order_id: disputed.text('Id of the order or link.', ORDER_ID, ({ order: { id } }) => id),
  kind: disputed.oneOf(
    [...PAY_ORDER_KINDS, 'link'],
    'What it is: a link is read on the payment link routes, every other kind on the order routes.',
    ({ order: { kind } }) => kind,
  ),
  collector_code: disputed.text('Branch code.', 'MAIN', ({ order: { collectorCode } }) => collectorCode),
  service_student_id: disputed.optional.text(
    'Id of the student here, of a payment for a student.',
    STUDENT_ID,
    ({ order: { studentId } }) => studentId,
  ),
  payment,
  dispute: disputed.one('The dispute.', disputeBlock),
})

// The examples show an order by itself, paid in full.
const PAID = { status: 'paid' } as const
const online = { reference_id: undefined, notes: undefined }
const unsettled = { ...online, ...UNSETTLED }
const noStudent = { service_student_id: undefined, registration_id: undefined, student: undefined }
const order = {
  ...PAID,
  closed_at: undefined,
  refunded_amount: undefined,
  service_student_id: undefined,
  page_id: undefined,
  plan_id: undefined,
  instalment_id: undefined,
}
// The receipt's number is drawn after the event is recorded.
const debited = { details: UNSETTLED.details, receipt_number: undefined }
const unsettledOrder = { ...order, ...debited }
export const PAID_ORDER = {
  debited: { payment: unsettled, order: unsettledOrder },
  settled: { payment: online, order },
}
const link = { ...PAID, refunded_amount: undefined, service_student_id: undefined }

const twin =
  'The same payment comes as pay.payment too, with the same payment.id: subscribe to one or the other, or book by payment.id.'

export const paymentEvents = {
  'pay.payment.debited': defineEvent(
    'Any Pay payment left the payer: of a student, an order, a link or a page. ' +
      "An order's, link's or page's own event comes beside it with the same payment.id: book by payment.id.",
    payPayload,
    { ...noStudent, payment: unsettled, order: { ...unsettledOrder, expires_at: undefined } },
  ),
  'pay.payment.settled': defineEvent(
    'Any Pay payment reached the institute.',
    payPayload,
    { ...noStudent, payment: online, order: { ...order, expires_at: undefined } },
    SETTLED_AT,
  ),
  'order.payment.debited': defineEvent(`A pay order is paid. ${twin}`, orderPayload, PAID_ORDER.debited),
  'order.payment.settled': defineEvent(
    `A pay order's payment reached the institute. ${twin}`,
    orderPayload,
    PAID_ORDER.settled,
    SETTLED_AT,
  ),
  'payment_link.payment.debited': defineEvent(`A payment link is paid. ${twin}`, linkPayload, {
    payment: unsettled,
    order: { ...link, ...debited },
  }),
  'payment_link.payment.settled': defineEvent(
    `A payment link's payment reached the institute. ${twin}`,
    linkPayload,
    { payment: online, order: link },
    SETTLED_AT,
  ),
  'refund.processed': defineEvent(
    'A refund was made: of a payment of an order, link or page, or of one that the institute took itself and has paid out again ' +
      '(payment.product is direct, and there is no order_id).',
    refundPayload,
    { service_student_id: undefined, payment: online },
    '2026-11-18T06:00:00.000Z',
  ),
  'refund.failed': defineEvent(
    'A refund could not be made.',
    refundPayload,
    {
      service_student_id: undefined,
      payment: online,
      refund: { status: 'failed', processed_at: undefined, utr: undefined },
    },
    '2026-11-18T06:00:00.000Z',
  ),
  'pay.dispute.opened': defineEvent(
    'A payer questions a payment of any product and mode at the bank. Its amount is held, and the payment cannot be refunded ' +
      'until that is decided; it is answered in the dashboard of its provider until dispute.respond_by.',
    disputePayload,
    { service_student_id: undefined, payment: online, dispute: { closed_at: undefined } },
    '2026-11-17T06:00:00.000Z',
  ),
  'pay.dispute.won': defineEvent(
    'A dispute was decided for the institute, or ended without a decision: the payment stands.',
    disputePayload,
    { service_student_id: undefined, payment: online, dispute: { status: 'won' } },
    '2026-11-20T06:00:00.000Z',
  ),
  'pay.dispute.lost': defineEvent(
    'A dispute was decided for the payer, who has the money back. The order stays paid with refunded_amount, and what it paid ' +
      'is due again. No refund event comes beside it. payment.notes says what of it had been refunded before and is charged to the family.',
    disputePayload,
    { service_student_id: undefined, payment: online, dispute: { status: 'lost' } },
    '2026-11-20T06:00:00.000Z',
  ),
}

/** Serves payments of any product and mode; where the order was made for a student, the event is one of the student's. */
export function disputeEvent(
  dispute: Dispute,
  of: Payment,
  about: Order,
  what: { happened: 'opened' | 'won' | 'lost'; at: Date; chargedPaise: Paise },
): NewEvent {
  const { id, kind, studentId } = about
  return newEvent(
    paymentEvents,
    `pay.dispute.${what.happened}`,
    {
      ...aboutOrder(about, dispute.instituteId, what.at),
      resourceId: isOwn(kind) ? id : (studentId ?? id),
    },
    {
      order: about,
      payment: {
        ...paymentInEvent(of, about, productOf(kind)),
        notes: chargeNote(what.chargedPaise) || null,
      },
      dispute,
    },
  )
}

/** `pay.payment.*` for every payment, and beside it the event of its kind. */
export function eventsOfPaid(
  { payment: of, order: paidOrder }: { payment: Payment; order: Order },
  what: {
    happened: 'debited' | 'settled'
    at: Date
    /** The student whose dues it pays, if it names one. */
    dues?: StudentInEvent | undefined
    notes?: string | null
  },
): NewEvent[] {
  const kind = paidOrder.kind === 'link' ? 'payment_link' : 'order'
  const { dues, notes = null } = what
  const paidBlock = { ...paymentInEvent(of, paidOrder), notes }
  const source = { order: paidOrder, payment: paidBlock, ...(dues === undefined ? {} : { dues }) }
  const about = aboutOrder(paidOrder, of.instituteId, what.at)
  return (['pay', kind] as const).map(prefix =>
    newEvent(paymentEvents, `${prefix}.payment.${what.happened}`, about, source),
  )
}

export function aboutOrder({ id, collectorCode }: Order, instituteId: number, occurredAt: Date) {
  return { instituteId, collectorCode, resourceId: id, occurredAt }
}

/** Whether the order was asked for by itself; orders of the other kinds belong to their student. */
function isOwn(kind: OrderKind): boolean {
  return kind === 'order' || kind === 'link' || kind === 'page'
}

/** Serves any order; where it was made for a student, the event is one of the student's. */
export function refundEvent(
  refund: Refund,
  of: Payment,
  refunded: Order,
  what: { happened: 'processed' | 'failed'; at: Date },
): NewEvent {
  const about = aboutOrder(refunded, refund.instituteId, what.at)
  const { id, kind, studentId } = refunded
  return newEvent(
    paymentEvents,
    `refund.${what.happened}`,
    { ...about, resourceId: isOwn(kind) ? id : (studentId ?? id) },
    {
      order: refunded,
      student: null,
      payment: paymentInEvent(of, refunded, productOf(kind)),
      refund: { ...refund, state: what.happened },
    },
  )
}

/** Tells of money that the institute took itself and has paid out again. */
export function officeRefundEvent(
  { instituteId, at }: { instituteId: number; at: Date },
  paid: { student: Student; payment: PaymentInEvent; refund: RefundShown },
): NewEvent {
  const { id: resourceId, collectorCode } = paid.student
  const about = { instituteId, collectorCode, resourceId, occurredAt: at }
  return newEvent(paymentEvents, 'refund.processed', about, { ...paid, order: null })
}
