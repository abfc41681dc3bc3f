import { outputOf, type Shown } from '../../http/wire/output.ts'
import { lineName } from '../../orders/orders.rules.ts'
import { receiptOf } from '../money/settlements.service.ts'
import { KINDS, PERIODS, SOURCES } from './register.rules.ts'
import type { Amounts, Collection, RegisterRow } from './register.service.ts'
import type { TallyLedger } from './tally/tally.service.ts'

const AMOUNT = 123456.5

const line = outputOf<RegisterRow['lines'][number]>()
const lineOutput = line.object({
  component_type: line.text('The component.', 'TUITION_FEE'),
  label: line.text('What was paid for, for people.', 'Tuition fee', lineName),
  amount: line.amount('Rupees.', AMOUNT),
})

const out = outputOf<RegisterRow>()
export const registerOutput = out.object({
  id: out.text('Id of the payment or refund.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  kind: out.oneOf(KINDS, 'What came, or what went back.'),
  source: out.oneOf(SOURCES, 'How it came.'),
  mode: out.text('How it was paid.', 'upi'),
  at: out.moment('When, UTC.', '2026-11-15T04:32:10.000Z'),
  amount: out.signedAmount('Rupees; what went back is negative.', AMOUNT),
  payer: out.text('Who paid.', 'Asha Rao'),
  student_name: out.optional.text('For whom.', 'Kabir Rao'),
  identifier: out.optional.text("The student's identifier.", 'ADM-1042'),
  service_student_id: out.optional.text(
    'The student, if registered here.',
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    ({ studentId }) => studentId,
  ),
  components: out.list('What it was for.', lineOutput, ({ lines }) => lines),
  reference: out.optional.text("The bank's reference, or the one given at the counter.", '412345678901'),
  receipt_number: out.optional.text('Its receipt, unless cancelled.', '2026-27/000042', receiptOf),
  order_id: out.optional.text('The order that it paid.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  settlement_id: out.optional.text('The settlement that it is in.', 'setl_01k9zq4m0ve8sbn6yt2hw3c5da'),
  utr: out.optional.text("The bank's reference of the settlement.", 'HDFCR52026111500042'),
})

const sums = outputOf<Amounts>()
const sumFields = {
  online: sums.amount('Paid online.', AMOUNT),
  flex: sums.amount('By instalment plans.', AMOUNT),
  direct: sums.amount('At the counter or to the bank.', AMOUNT),
  cred: sums.amount('By lenders.', AMOUNT),
  collected: sums.amount('All of these.', AMOUNT),
  given_back: sums.amount('Refunds, and debits that banks took back.', AMOUNT, of => of.refundedPaise),
  net: sums.signedAmount('Collected less given back.', AMOUNT),
}

const component = outputOf<Collection['components'][number]>()
const componentFields = { component_type: component.text('The component.', 'TUITION_FEE'), ...sumFields }

const row = outputOf<Collection['rows'][number]>()
const collection = outputOf<Collection>()
export const collectionOutput = collection.object({
  from: collection.day('First day.', '2026-11-01'),
  to: collection.day('Last day.', '2026-11-15'),
  by: collection.oneOf(PERIODS, 'What a row is of.'),
  rows: collection.list(
    'The newest first.',
    row.object({ period: row.day('The day, or the first of the month.', '2026-11-15'), ...componentFields }),
  ),
  components: collection.list('By component.', component.object(componentFields)),
  totals: collection.one('Of all.', sums.object(sumFields)),
})

const ledger = outputOf<TallyLedger>()
export const tallyLedgerOutput = ledger.object({
  subject: ledger.text('An account of ours, or `component:` and a component.', 'clearing'),
  ledger: ledger.text('What it is called in Tally.', 'HDFC Bank A/c'),
  usual: ledger.text('What it is called unless changed.', 'Payment Gateway'),
  group: ledger.text('The group that it is made in.', 'Bank Accounts'),
})

export type RegisterAnswer = Shown<typeof registerOutput>
export type CollectionAnswer = Shown<typeof collectionOutput>
export type TallyLedgerAnswer = Shown<typeof tallyLedgerOutput>
