import { field, input, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import { PAY_ORDER_KINDS } from '../../orders/orders.rules.ts'
import type {
  ComponentSum,
  Settlement,
  SettlementDetail,
  SettlementItem,
} from './read-settlements.service.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

export const SETTLEMENT_ID = 'stl_01k9zq4m0ve8sbn6yt2hw3c5da'

export const settlementParams = input({
  settlement_id: field.resourceId("The settlement's id, or its UTR.", SETTLEMENT_ID),
})

export const settlementItemsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor('pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

/** What a provider paid out, as the API and the console answer it. */
const out = outputOf<Settlement, unknown>()
export const settlementFields = {
  id: out.text('Its id.', SETTLEMENT_ID),
  utr: out.text("The bank's reference of the transfer.", 'HDFCR52026111600042'),
  provider: out.text('Who paid it out.', 'sandbox'),
  account_id: out.text(
    "From which account there: one of the institute's own (pa_…), or the provider's name, that of the installation. Two accounts may use one UTR.",
    'sandbox',
  ),
  collector_code: out.text('The branch it went to.', 'MAIN'),
  bank_account_id: out.optional.text(
    'The bank account that it reached, of a payment that was split; absent: that of the account at the provider itself.',
    'acct_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  bank_account: out.optional.text('What the school calls that bank account.', 'Hostel account 7781'),
  settled_at: out.moment('When it was paid out, UTC.', '2026-11-16T06:00:00.000Z'),
  gross: out.amount('Payments in it, in rupees.', 51500.5),
  charges: out.amount('What the provider kept, in rupees.', 118, one => one.feePaise),
  refunds: out.amount(
    'What went back to payers, chargebacks among it, in rupees.',
    5000,
    one => one.refundPaise,
  ),
  chargebacks: out.amount(
    'Of that: what disputes took that were lost, in rupees.',
    0,
    one => one.chargebackPaise,
  ),
  net: out.signedAmount(
    'What reached the bank, in rupees: gross less charges and refunds. Below 0 where refunds outweigh payments.',
    46382.5,
  ),
  payment_count: out.integer('How many payments.', 2, one => one.payments),
  refund_count: out.integer('How many refunds.', 1, one => one.refunds),
}
export const settlementOutput = outputOf<Settlement>().object('Settlement', settlementFields)

const line = outputOf<SettlementItem['lines'][number], unknown>()
const lineOutput = line.object({
  component_type: line.text('What was paid for.', 'TUITION_FEE'),
  amount: line.amount('Rupees paid for it, or given back of it.', 45000),
})

const item = outputOf<SettlementItem, unknown>()
export const settlementItemFields = {
  id: item.text('Id of the payment or refund.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  type: item.oneOf(
    ['payment', 'refund', 'chargeback', 'chargeback_fee'],
    'payment: money in. refund: given back, or a debit that the bank returned after it had been paid. chargeback: taken by a dispute that ' +
      'was lost. chargeback_fee: what the provider kept for that; it is among the charges.',
  ),
  amount: item.amount('Rupees; of a refund or chargeback those that went back.', 45000),
  at: item.moment('When it was paid or given back, UTC.', '2026-11-15T04:32:10.000Z'),
  order_id: item.text('The order or link that it is of.', ORDER_ID),
  kind: item.oneOf(
    [...PAY_ORDER_KINDS, 'link'],
    'What that is: a link is read on the payment link routes, every other kind on the order routes.',
    one => one.kind,
    'instalment',
  ),
  payment_id: item.text('The payment, also of a refund.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  refund_id: item.optional.text(
    'Of a refund, and of a chargeback as it is booked.',
    'rfd_1k092c8gpz8wezh4es8gqprf85',
  ),
  service_student_id: item.optional.text(
    "The student; present only if it is a registered student's.",
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    one => one.studentId,
  ),
  plan_id: item.optional.text('Of an instalment or down payment.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  instalment_id: item.optional.text('Of an instalment or down payment.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
  details: item.list(
    'Component by component; of a payment that was split those that were settled here; they add up to the amount. What is charged to the family, and fees, are of none.',
    lineOutput,
    one => one.lines,
  ),
  mode: item.text('How it was paid.', 'upi'),
  transaction_id: item.optional.text("The bank's reference of the payment or refund.", 'T2611151002'),
  payer: item.text('Who paid.', 'Asha Rao'),
  student_name: item.optional.text('Present only if known.', 'Kabir Rao'),
  identifier: item.optional.text("The institute's identifier of the student or payer.", 'ADM-1042'),
  receipt_number: item.optional.text(
    'Of a payment.',
    '2026-27/000042',
    ({ receipt }) => receipt && receiptNumber(receipt),
  ),
  is_duplicate: item.flag('A second payment for what was paid already, or its refund.', false),
}
const itemOutput = item.object('SettlementItem', settlementItemFields)

const component = outputOf<ComponentSum, unknown>()
const componentOutput = component.object({
  component_type: component.text('The component.', 'TUITION_FEE'),
  amount: component.amount('Of the payments in it, in rupees.', 45000),
  payment_count: component.integer('How many payments.', 1, one => one.payments),
})

const detail = outputOf<SettlementDetail>()
export const settlementDetailOutput = detail.object('SettlementDetail', {
  ...settlementFields,
  components: detail.list('What the payments were for.', componentOutput),
  items: detail.list(
    'Its payments and refunds, a page of them; `next_cursor` stands beside `data`.',
    itemOutput,
  ),
})
export type SettlementDetailAnswer = Shown<typeof settlementDetailOutput>
