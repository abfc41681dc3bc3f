import type { Account, ReconciliationSums } from './books.service.ts'
import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ACCOUNT_CODES } from '../../ledger/ledger.rules.ts'
import type { BooksCheck } from '../../payments/reconcile/reconcile.service.ts'

export const reportParams = input({
  report_id: field.resourceId('Number of the report that does not match.', '42'),
})
export const resolutionInput = input({
  reason: field.text('What it is; stands in the audit log and beside the report.', 'A sale of the canteen'),
})

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
