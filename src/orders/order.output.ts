import { outputOf, type Shown } from '../http/wire/output.ts'
import { ORDER_ID, ORDER_URLS } from './order.input.ts'
import { closedAt, PAY_ORDER_KINDS, statusAt, type Order, type OrderLine } from './orders.rules.ts'
import { receiptNumber } from '../receipts/receipts.rules.ts'

/** A pay order or payment link as the API answers it and as events carry it, at a moment. */
const line = outputOf<OrderLine, Date>()
export const lineFields = {
  component_type: line.text('Payment detail type.', 'TUITION_FEE'),
  amount: line.amount('Rupees.', 45000),
  settlement_utr: line.optional.text('Bank reference; only if settled.', 'HDFCR52026111600042'),
  settled_at: line.optional.moment(
    'When it reached the institute; only if settled.',
    '2026-11-16T06:00:00.000Z',
  ),
}
const lineOutput = line.object('OrderLine', lineFields)

const note = outputOf<Order['notes'][number], Date>()
const noteOutput = note.object('OrderNote', {
  key: note.text('Name.', 'receipt_book'),
  value: note.text('Value.', 'B-17'),
})

/** An order whose debit the bank took back reads as if it had never been paid. */
function ifKept<Value>(read: (order: Order) => Value): (order: Order) => Value | null {
  return order => (order.state === 'reversed' ? null : read(order))
}

const out = outputOf<Order, Date>()
export const orderFields = {
  id: out.text('Its id.', ORDER_ID),
  collector_code: out.text('Branch code.', 'MAIN'),
  name: out.text('Payer name.', 'Asha Rao'),
  phone: out.text('Payer phone, as sent.', '+91 98765 43210'),
  email: out.text('Payer e-mail.', 'asha@example.in'),
  identifier: out.optional.text('Student or payer identifier; present only if provided.', 'ADM-1042'),
  student_name: out.optional.text('Present only if provided.', 'Kabir Rao'),
  grade: out.optional.text('Grade identifier; present only if provided.', '5'),
  stream: out.optional.text('Stream name; present only if provided.', 'Science'),
  academic_year_start: out.optional.integer('Present only if provided.', 2026),
  academic_year_end: out.optional.integer('Present only if provided.', 2027),
  new_admission: out.flag('Whether it belongs to a new-admission flow.', false),
  date_of_birth: out.optional.day('Present only if provided.', '2015-06-20'),
  custom_identifier: out.optional.text('Present only if provided.', 'ROLL-17'),
  transaction_id: out.optional.text(
    'Of the payment; absent while unpaid.',
    'T2611151002',
    ifKept(order => order.transactionId),
  ),
  paid_at: out.optional.moment(
    'When the payment completed, UTC; absent while unpaid.',
    '2026-11-15T04:32:10.000Z',
    ifKept(order => order.paidAt),
  ),
  details: out.list('Payment line items.', lineOutput, ({ lines, state }) =>
    state === 'reversed' ? lines.map(one => ({ ...one, settlementUtr: null, settledAt: null })) : lines,
  ),
  notes: out.list('The metadata supplied at creation; empty when there was none.', noteOutput),
  refunded_amount: out.optional.amount(
    'Rupees refunded, or on their way back; only if any. The refund of a second payment does not count.',
    5000,
    order => (order.refundedPaise === 0 ? null : order.refundedPaise),
  ),
  receipt_number: out.optional.text(
    'Of its receipt; absent while unpaid, and in the event that tells of the payment, which is recorded before the number is drawn.',
    '2026-27/000042',
    ifKept(({ receipt }) => receipt && receiptNumber(receipt)),
  ),
  receipt_url: out.optional.text(
    'Where the receipt is downloaded, below the address of this API and with its credentials; absent while unpaid.',
    `${ORDER_URLS.order}/${ORDER_ID}/receipt`,
    ifKept(({ id, kind, paidAt }) =>
      paidAt === null ? null : `${ORDER_URLS[kind === 'link' ? 'link' : 'order']}/${id}/receipt`,
    ),
  ),
}

/** What an order is for that Bursar made by itself. */
export const purposeFields = {
  service_student_id: out.optional.text(
    "Whose dues, instalment or loan it pays; an order or link without it changes no student's dues.",
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    order => order.studentId,
  ),
  page_id: out.optional.text('Of the public page; only for kind `page`.', 'page_01k9zq4m0ve8sbn6yt2hw3c5da'),
  plan_id: out.optional.text("Of the Flex plan; only for a plan's own.", 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  instalment_id: out.optional.text(
    "Of the instalment or down payment; only for a plan's own.",
    'inst_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
}

export const orderOutput = out.object('PayOrder', {
  ...orderFields,
  ...purposeFields,
  kind: out.oneOf(
    PAY_ORDER_KINDS,
    'What it is: `order`, made by you; `student`, dues that a parent pays; `instalment` and `downpayment`, of a Flex plan; ' +
      "`page`, paid on a public page; `loan`, a lender's tranche.",
    ({ kind }) => (kind === 'link' ? 'order' : kind),
  ),
  status: out.oneOf(
    ['paid', 'unpaid'],
    'Whether it has been paid; `unpaid` again when the bank returned the debit afterwards.',
    (order, now) => (statusAt(order, now) === 'paid' ? 'paid' : 'unpaid'),
  ),
  closed_at: out.optional.moment(
    'When an unpaid order stopped taking payments: closed by you, or past its expiry.',
    '2026-11-14T18:30:00.000Z',
    closedAt,
  ),
})

export const linkOutput = out.object('PaymentLink', {
  ...orderFields,
  service_student_id: purposeFields.service_student_id,
  kind: out.oneOf(['link'], 'Always `link`: read it on the payment link routes.', () => 'link'),
  status: out.oneOf(['paid', 'unpaid', 'expired', 'cancelled'], 'State of the link.', statusAt),
  expires_at: out.optional.moment(
    'When the link expires, UTC; absent if it does not.',
    '2026-12-01T18:29:59.000Z',
  ),
})

/** Events that are about either show it. */
export const anyOrderOutput = out.object({
  ...orderFields,
  ...purposeFields,
  kind: out.oneOf(
    [...PAY_ORDER_KINDS, 'link'],
    'What it is: a link is read on the payment link routes, every other kind on the order routes.',
  ),
  status: out.oneOf(
    ['paid', 'unpaid', 'expired', 'cancelled'],
    'State of the order or link.',
    (order, now) => {
      const status = statusAt(order, now)
      return order.kind === 'link' || status === 'paid' ? status : 'unpaid'
    },
  ),
  closed_at: out.optional.moment(
    'When an unpaid order stopped taking payments; never on a link.',
    '2026-11-14T18:30:00.000Z',
    (order, now) => (order.kind === 'link' ? null : closedAt(order, now)),
  ),
  expires_at: out.optional.moment(
    'When a link expires, UTC; never on an order.',
    '2026-12-01T18:29:59.000Z',
    order => (order.kind === 'link' ? order.expiresAt : null),
  ),
})

const created = outputOf<{ orderId: string; redirectUrl: string }>()
export const createdOrderOutput = created.object('CreatedOrder', {
  order_id: created.text('The id to read it by.', ORDER_ID),
  redirect_url: created.text(
    "Send the payer's browser here.",
    `https://pay.example.in/pay/demo-school/${ORDER_ID}`,
  ),
})
export type CreatedOrderAnswer = Shown<typeof createdOrderOutput>
