import { field, input, optional, query } from '../../http/wire/input.ts'
import { PERIODS } from './reports.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { WaySum } from '../home/home.store.ts'
import type { Amounts, Collection } from './register.service.ts'
import type { TallyLedger } from './tally/tally.service.ts'

export const collectionQuery = query({
  from: optional(field.day('First day; the first of the month of the last one if absent.', '2026-11-01')),
  to: optional(field.day('Last day; today if absent.', '2026-11-15')),
  by: optional(field.oneOf(PERIODS, 'A row a day, or a month; a day if absent.'), 'day'),
})

export const tallyFileQuery = query({ format: field.oneOf(['tally'], 'The kind of file.') })

const namedLedger = input({
  subject: field.text('As listed.', 'clearing', 80),
  ledger: field.text('The name of the ledger in Tally.', 'HDFC Gateway', 99),
})

export const tallyLedgersInput = input({
  ledgers: field.list('Those not named are called as usual.', namedLedger, { max: 1000 }),
  reason: field.text('Why.', 'As in our books'),
})

const AMOUNT = 123456.5

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
const way = outputOf<WaySum>()
export const wayOutput = way.object({
  way: way.text('How it was paid, such as `upi` or `cash`.', 'upi'),
  amount: way.amount('Rupees.', AMOUNT),
  count: way.integer('How many payments.', 12),
})

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
  ways: collection.list('By way of payment, the largest first; before what was given back.', wayOutput),
  totals: collection.one('Of all.', sums.object(sumFields)),
})

const ledger = outputOf<TallyLedger>()
export const tallyLedgerOutput = ledger.object({
  subject: ledger.text('An account of ours, or `component:` and a component.', 'clearing'),
  ledger: ledger.text('What it is called in Tally.', 'HDFC Bank A/c'),
  usual: ledger.text('What it is called unless changed.', 'Payment Gateway'),
  group: ledger.text('The group that it is made in.', 'Bank Accounts'),
})

export type CollectionAnswer = Shown<typeof collectionOutput>
export type TallyLedgerAnswer = Shown<typeof tallyLedgerOutput>
