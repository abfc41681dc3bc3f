import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ACCOUNT_CODES } from '../../ledger/ledger.rules.ts'
import { ORDER_ID } from '../../orders/order.input.ts'
import type { BooksCheck } from '../../payments/reconcile/reconcile.service.ts'
import { SETTLEMENT_ID } from '../../payments/settlements/settlement.input.ts'
import { ledgerCursor, STATUSES } from './books.rules.ts'
import type { Account, LedgerRow, ReconciliationItem, ReconciliationSums } from './books.service.ts'

const sum = outputOf<ReconciliationSums['matched']>()
const sumOutput = sum.object({
  amount: sum.signedAmount('In rupees.', 123456.5),
  count: sum.integer('How many.', 3),
})

const sums = outputOf<ReconciliationSums>()
export const reconciliationOutput = sums.object({
  matched: sums.one('Payments of the last 30 days that the provider reported as we know them.', sumOutput),
  mismatched: sums.one('Reported and not as we know it.', sumOutput),
  expected: sums.one('Paid and in no report yet.', sumOutput),
  overdue: sums.one('Of that, expected before today.', sumOutput),
})
export type ReconciliationAnswer = Shown<typeof reconciliationOutput>

const item = outputOf<ReconciliationItem>()
export const reconciliationItemOutput = item.object({
  id: item.text('Id of the payment or refund, or number of the report.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: item.oneOf(STATUSES, 'As asked for.'),
  kind: item.oneOf(['payment', 'refund', 'report'], 'What it is.'),
  provider: item.text('Whose report.', 'sandbox'),
  provider_ref: item.optional.text('What the provider calls it.', 'bank_42'),
  order_id: item.optional.text('The order that it is of.', ORDER_ID),
  settlement_id: item.optional.text('The settlement that it is in.', SETTLEMENT_ID),
  utr: item.optional.text("The bank's reference of the settlement.", 'HDFCR52026111600042'),
  amount: item.optional.signedAmount(
    'As we know it, in rupees; given back is negative.',
    123456.5,
    row => row.knownPaise,
  ),
  reported: item.optional.signedAmount('As the provider reported it, in rupees.', 123456.5),
  problem: item.optional.text('Why it did not match.', 'amount differs'),
  can_refund: item.flag('Money that pays nothing, which can be given back.', false),
  can_take: item.flag("It can be taken as a payment of the student's dues instead.", false),
  due_on: item.optional.day('When it should reach the bank.', '2026-11-16'),
  at: item.moment('When it was settled, noticed or paid, UTC.', '2026-11-16T06:00:00.000Z'),
})
export type ReconciliationItemAnswer = Shown<typeof reconciliationItemOutput>

const difference = outputOf<BooksCheck['differences'][number]>()
const differenceOutput = difference.object({
  subject: difference.text('What does not agree.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  detail: difference.text('In what.', 'the ledger has 100, the payment 200'),
})
const check = outputOf<BooksCheck>()
export const checkOutput = check.object({
  check: check.text('What should hold.', 'refunds stay within their payment'),
  differences: check.list('Empty when it holds; at most 1000.', differenceOutput),
})
export type CheckAnswer = Shown<typeof checkOutput>

const account = outputOf<Account>()
export const accountOutput = account.object({
  account: account.oneOf(ACCOUNT_CODES, 'As the transfers name it.'),
  name: account.text('As a person would say.', 'Held by payment providers'),
  meaning: account.text('What stands in it.', 'Taken from payers and not yet paid out to the bank.'),
  received: account.amount('All that was transferred to it (its debits), in rupees.', 123456.5),
  sent: account.amount('All that was transferred from it (its credits), in rupees.', 123456.5),
  balance: account.signedAmount('What its name says, in rupees.', 0),
  transfers: account.integer('How many transfers.', 12),
})
export type AccountAnswer = Shown<typeof accountOutput>

const transfer = outputOf<LedgerRow>()
export const transferOutput = transfer.object({
  id: transfer.text('Number of the transfer.', '42-1', ledgerCursor),
  posting_id: transfer.integer('Number of the posting that it is part of.', 42),
  source: transfer.oneOf(ACCOUNT_CODES, 'The account that it left; credited.'),
  destination: transfer.oneOf(ACCOUNT_CODES, 'The account that it went to; debited.'),
  amount: transfer.amount('In rupees.', 45000),
  kind: transfer.text('What happened.', 'payment_captured'),
  reference: transfer.text('To what, by its id.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  occurred_at: transfer.moment('When it happened, UTC.', '2026-11-15T04:32:10.000Z'),
  recorded_at: transfer.moment('When it was written, in real time, UTC.', '2026-11-15T04:32:11.000Z'),
})
export type LedgerTransferAnswer = Shown<typeof transferOutput>
