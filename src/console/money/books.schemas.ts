import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { ACCOUNT_CODES } from '../../ledger/ledger.rules.ts'
import { STATUSES } from './books.rules.ts'
import { amount, count, format, maybe, paging, signedAmount, Sum, text } from './fields.schemas.ts'

const days = {
  from: Type.Optional(field.rangeStart({ description: 'From this day on.' })),
  to: Type.Optional(field.rangeEnd({ description: 'Up to the end of this day.' })),
}

export const ReconciliationView = Type.Object({
  matched: Sum('Payments of the last 30 days that the provider reported as we know them'),
  mismatched: Sum('Reported and not as we know it'),
  expected: Sum('Paid and in no report yet'),
  overdue: Sum('Of that, expected before today'),
})

const reconciliationFilters = {
  status: field.oneOf(STATUSES, { description: 'Which of them.' }),
  due_on: Type.Optional(field.day({ description: 'Only what is expected on this day.' })),
  ...days,
}

export const ReconciliationItemsQuery = Type.Object({ ...reconciliationFilters, ...paging })
export const ReconciliationExportQuery = Type.Object({ ...reconciliationFilters, format })

export const ReconciliationItemView = Type.Object({
  id: text('Id of the payment or refund, or number of the report.'),
  status: shown.oneOf(STATUSES, { description: 'As asked for.' }),
  kind: shown.oneOf(['payment', 'refund', 'report'] as const, { description: 'What it is.' }),
  provider: text('Whose report.', 'sandbox'),
  provider_ref: maybe('What the provider calls it.'),
  order_id: maybe('The order that it is of.'),
  settlement_id: maybe('The settlement that it is in.'),
  utr: maybe("The bank's reference of the settlement."),
  amount: Type.Optional(signedAmount('As we know it, in rupees; given back is negative.')),
  reported: Type.Optional(signedAmount('As the provider reported it, in rupees.')),
  problem: maybe('Why it did not match.', 'amount differs'),
  due_on: Type.Optional(shown.day({ description: 'When it should reach the bank.' })),
  at: shown.moment({ description: 'When it was settled, noticed or paid, UTC.' }),
})

export const CheckView = Type.Object({
  check: text('What should hold.', 'refunds stay within their payment'),
  differences: Type.Array(
    Type.Object({
      subject: text('What does not agree.'),
      detail: text('In what.'),
    }),
    { description: 'Empty when it holds; at most 1000.' },
  ),
})

export const AccountView = Type.Object({
  account: shown.oneOf(ACCOUNT_CODES, { description: 'As the transfers name it.' }),
  name: text('As a person would say.', 'Held by payment providers'),
  meaning: text('What stands in it.'),
  received: amount('All that was transferred to it (its debits), in rupees.'),
  sent: amount('All that was transferred from it (its credits), in rupees.'),
  balance: signedAmount('What its name says, in rupees.'),
  transfers: count('How many transfers.'),
})

const ledgerFilters = {
  account: Type.Optional(field.oneOf(ACCOUNT_CODES, { description: 'Only from or to this account.' })),
  reference: Type.Optional(
    field.resourceId({ description: 'Only of this payment, refund or settlement, by its id.' }),
  ),
  ...days,
}

export const LedgerQuery = Type.Object({ ...ledgerFilters, ...paging })
export const LedgerExportQuery = Type.Object({ ...ledgerFilters, format })

export const LedgerTransferView = Type.Object({
  id: text('Number of the transfer.', '42-1'),
  posting_id: count('Number of the posting that it is part of.'),
  source: shown.oneOf(ACCOUNT_CODES, { description: 'The account that it left; credited.' }),
  destination: shown.oneOf(ACCOUNT_CODES, { description: 'The account that it went to; debited.' }),
  amount: amount('In rupees.'),
  kind: text('What happened.', 'payment_captured'),
  reference: text('To what, by its id.'),
  occurred_at: shown.moment({ description: 'When it happened, UTC.' }),
  recorded_at: shown.moment({ description: 'When it was written, in real time, UTC.' }),
})

export type ReconciliationAnswer = Static<typeof ReconciliationView>
export type ReconciliationItemAnswer = Static<typeof ReconciliationItemView>
export type CheckAnswer = Static<typeof CheckView>
export type AccountAnswer = Static<typeof AccountView>
export type LedgerTransferAnswer = Static<typeof LedgerTransferView>
