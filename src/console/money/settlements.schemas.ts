import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { amount, branch, count, format, maybe, paging, signedAmount, text } from './fields.schemas.ts'

const filters = {
  settled_from: Type.Optional(field.rangeStart({ description: 'Settled from this day on.' })),
  settled_to: Type.Optional(field.rangeEnd({ description: 'Settled up to the end of this day.' })),
  utr: Type.Optional(field.code({ description: 'Whose UTR begins with this.', examples: ['SBINR5'] })),
  collector_code: branch,
}

export const SettlementsQuery = Type.Object({ ...filters, ...paging })
export const SettlementsExportQuery = Type.Object({ ...filters, format })
export const ItemsQuery = Type.Object(paging)
export const FormatQuery = Type.Object({ format })

export const SettlementParams = Type.Object({
  settlement_id: field.resourceId({ description: 'Id of the settlement.' }),
})

const settlement = {
  id: text('Id of the settlement.'),
  utr: text("The bank's reference.", 'SBINR52026110500012345'),
  provider: text('Who paid it out.', 'sandbox'),
  collector_code: text('The branch it went to.', 'MAIN'),
  settled_at: shown.moment({ description: 'When it was paid out, UTC.' }),
  gross: amount('Payments in it, in rupees.'),
  fees: amount('What the provider kept, in rupees.'),
  refunds: amount('What was given back to payers, in rupees.'),
  net: signedAmount('What reached the bank, in rupees.'),
  payment_count: count('How many payments.'),
  refund_count: count('How many refunds.'),
}

export const SettlementView = Type.Object(settlement)

export const SettlementDetailView = Type.Object({
  ...settlement,
  components: Type.Array(
    Type.Object({
      component_type: text('The component.', 'TUITION_FEE'),
      amount: amount('Of the payments in it, in rupees.'),
      payment_count: count('How many payments.'),
    }),
    { description: 'What the payments were for.' },
  ),
})

export const SettlementItemView = Type.Object({
  id: text('Id of the payment or refund.'),
  kind: shown.oneOf(['payment', 'refund'] as const, { description: 'Money in, or given back.' }),
  order_id: text('The order that it is of.'),
  at: shown.moment({ description: 'When it was paid or given back, UTC.' }),
  amount: signedAmount('In rupees; given back is negative.'),
  mode: text('How it was paid.', 'upi'),
  transaction_id: maybe("The bank's reference of the payment."),
  payer: text('Who paid.', 'Asha Rao'),
  student_name: maybe('For whom.', 'Kabir Rao'),
  identifier: maybe("The student's identifier.", 'ADM-1042'),
  receipt_number: maybe('Its receipt.', '2026-27/000042'),
  is_duplicate: shown.flag({ description: 'A second payment for what was paid already; it goes back.' }),
})

export const ExpectedView = Type.Object({
  due_on: shown.day({ description: 'When it should reach the bank.' }),
  collector_code: text('For which branch.', 'MAIN'),
  payment_count: count('How many payments.'),
  amount: amount('Before fees, in rupees.'),
  is_overdue: shown.flag({ description: 'Whether that day has passed.' }),
})

export type SettlementAnswer = Static<typeof SettlementView>
export type SettlementDetailAnswer = Static<typeof SettlementDetailView>
export type SettlementItemAnswer = Static<typeof SettlementItemView>
export type ExpectedAnswer = Static<typeof ExpectedView>
