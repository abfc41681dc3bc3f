import { field, input, optional, ifSent } from '../../http/wire/input.ts'
import { SEND_CHANNELS } from '../../orders/link-messages.texts.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { ORDER_ID, orderFields as typedOrderFields, SCHOOL_YEAR } from '../../orders/order.input.ts'
import { refundFields, refundAnswerFields } from '../../payments/refund.schemas.ts'
import { MOST_AT_ONCE } from '../lists/bulk.rules.ts'
import { pageChangeFields } from '../../payment-pages/page.schemas.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { LinkFileRow, PaidTogether } from './detail.store.ts'
import { lineFields, orderFields, purposeFields } from '../../orders/order.output.ts'
import { stateAt, totalOf, type Order, type OrderLine, lineName } from '../../orders/orders.rules.ts'
import type { RequestedRefund } from '../../payments/refunds/refunds.service.ts'
import { subtractPaise, type Paise } from '../../platform/money.ts'
import { LIST_STATUSES, ORDER_KINDS } from './orders.rules.ts'
import type { OrderDetail } from './orders.service.ts'
import {
  paymentOutput,
  refundRowOutput,
  disputeOutput,
  timelineOf,
  type TimelineEntry,
} from './order-parts.output.ts'

/** What the console's operations on orders and links take beyond those of the API. */
const reason = field.text('Why; stands in the audit log.', 'Asked for by the parent')
export const reasonInput = input({ reason })

export const refundParams = input({
  order_id: field.resourceId('The order.', ORDER_ID),
  refund_id: field.resourceId('A refund of it.', 'rfd_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

export const createInput = input(
  {
    kind: field.oneOf(['link', 'order'], 'A payment link, or a pay order.'),
    ...typedOrderFields,
    new_fee: optional(
      field.flag('Whether a fee that the catalogue does not have is meant to be added.', false),
      false,
    ).as('hasNewFee'),
  },
  SCHOOL_YEAR,
)

const channelsField = field.choices('How to send it.', field.oneOf(SEND_CHANNELS, 'E-mail or SMS.'), {
  min: 1,
})
export const languageField = optional(field.oneOf(LANGUAGES, "The family's own when absent."))

export const sendInput = input({ channels: channelsField, language: languageField })

const orderIds = field.list('Which orders and links.', field.resourceId('An order.', ORDER_ID), {
  min: 1,
  max: MOST_AT_ONCE,
})
export const cancelPickedInput = input({ order_ids: orderIds, reason })
export const sendPickedInput = input({
  order_ids: orderIds,
  ...sendInput.fields,
  is_forced: optional(field.flag('Also to those who were told within the last day.', false), false),
})

export const refundInput = input({ ...refundFields, reason })

/** What the console's operations on payment pages take beyond those of the API. */

export const pageChangeInput = input({
  ...pageChangeFields,
  reason: ifSent(field.text('Why; stands in the audit log.', 'The fair is put off')),
})

/** Orders and links as the console shows them: the views of the API, and what a person wants to know beyond them. */
const line = outputOf<OrderLine, Date>()
const labelledLine = line.object({
  ...lineFields,
  label: line.text('What is paid for, for people.', 'Tuition fee', lineName),
})

const row = outputOf<Order, Date>()
export const orderRowFields = {
  ...orderFields,
  ...purposeFields,
  details: row.list('What is paid for.', labelledLine, order => order.lines),
  kind: row.oneOf(ORDER_KINDS, 'What it is.'),
  status: row.oneOf(
    [...LIST_STATUSES, 'reversed'],
    'Where it stands; `reversed`: the bank took the money back.',
    stateAt,
  ),
  amount: row.amount('In rupees.', 45000, totalOf),
  created_at: row.moment('When it was made, UTC.', '2026-11-15T04:00:00.000Z'),
  expires_at: row.optional.moment('Until when it can be paid, UTC.', '2026-12-01T18:29:59.000Z'),
}

const requested = outputOf<RequestedRefund>()
export const requestedRefundOutput = requested.object({
  ...refundAnswerFields,
  refundable: requested.amount('What can still be given back, in rupees.', 40000, refundableAfter),
})

export function refundableAfter({ refundableBeforePaise, amountPaise }: RequestedRefund): Paise {
  return subtractPaise(refundableBeforePaise, amountPaise)
}

const happening = outputOf<TimelineEntry, unknown>()
const happeningOutput = happening.object({
  id: happening.text('Of the entry.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da.captured'),
  at: happening.moment('When, UTC.', '2026-11-15T04:32:10.000Z'),
  title: happening.text('What happened.', '₹45,000.00 paid by UPI'),
  tone: happening.oneOf(['good', 'waiting', 'bad', 'plain'], 'How to take it.'),
  by: happening.optional.text('Who did it.', 'Meera Iyer', one => one.by),
  why: happening.optional.text('Why.', 'Asked for by the parent', one => one.why),
  raw: happening.optional.json('The data behind it.', {}, one => one.raw),
})

const file = outputOf<LinkFileRow, unknown>()
const fileOutput = file.object({
  batch_id: file.text('The file it was made of.', 'batch_01k9zq4m0ve8sbn6yt2hw3c5da'),
  name: file.text('Its name.', 'term-2.xlsx'),
  row: file.integer('Which row of it.', 2),
})

const together = outputOf<PaidTogether, unknown>()
const togetherOutput = together.object({
  id: together.text('The order.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  student_name: together.optional.text('Of which child.', 'Mohan Iyer'),
  amount: together.amount('Its part, in rupees.', 14000.5),
})

const out = outputOf<OrderDetail, Date>()
export const orderDetailOutput = out.object({
  ...orderRowFields,
  branch: out.text('Name of the branch.', 'Main campus'),
  page_title: out.optional.text('Title of the payment page.', 'Annual fair'),
  callback_url: out.optional.text(
    "Where the payer's browser goes afterwards.",
    'https://erp.example.in/done',
  ),
  closed_at: out.optional.moment('When it stopped taking payments, UTC.', '2026-11-14T18:30:00.000Z'),
  url: out.optional.text('Where it is paid.', 'https://pay.example.in/pay/demo-school/order_01'),
  file: out.optional.one('The file it was made of.', fileOutput),
  paid_together: out.list('Orders of other children that are paid in one sum with it.', togetherOutput),
  payments: out.list('Every try, the oldest first.', paymentOutput),
  refunds: out.list('The oldest first.', refundRowOutput),
  disputes: out.list('What payers dispute at their banks, the oldest first.', disputeOutput),
  receipt_cancelled_at: out.optional.moment(
    'When its receipt was cancelled, UTC.',
    '2026-11-17T06:00:00.000Z',
  ),
  receipt_cancel_reason: out.optional.text('Why.', 'Wrong payer'),
  refundable: out.amount('What can still be given back, in rupees.', 40000),
  can_cancel: out.flag('Whether it can be cancelled or closed.', false),
  can_send: out.flag('Whether its link can be sent.', false),
  can_refund: out.flag('Whether something can be given back.', true),
  timeline: out.list('Everything that happened, the newest first.', happeningOutput, timelineOf),
})
export type RefundedAnswer = Shown<typeof requestedRefundOutput>
export type OrderDetailAnswer = Shown<typeof orderDetailOutput>

const sent = outputOf<{ recipients: string[] }>()
export const sentOutput = sent.object({
  recipients: sent.texts('Channel and address of each.', ['email asha@example.in']),
})
export type SentAnswer = Shown<typeof sentOutput>
