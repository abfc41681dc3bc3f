import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { ACCOUNT_CODES, CHART, type Account } from '../../ledger/ledger.rules.ts'
import { badCursor, toPage } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { parseLedgerCursor } from './books.service.ts'
import { ledgerQuery } from './books.store.ts'

const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

const out = outputOf<never>()

/** Every transfer of the ledger as it was written, the last first. */
export const ledgerList = defineList({
  file: 'ledger',
  title: 'Ledger',
  noun: ['transfer', 'transfers'],
  key: 'id',
  columns: {
    occurred_at: column(out.moment('When it happened, UTC.', '2026-11-15T04:32:10.000Z'), {
      title: 'When (IST)',
      sort: by.moment,
    }),
    posting_id: column(out.integer('Number of the posting that it is part of.', 42), {
      title: 'Posting',
      only: 'file',
    }),
    kind: column(out.text('What happened.', 'payment_captured'), { title: 'What happened', sort: by.text }),
    reference: column(out.text('To what, by its id.', PAYMENT_ID), { title: 'To what' }),
    source: column(out.oneOf(ACCOUNT_CODES, 'The account that it left; credited.'), {
      title: 'From (credit)',
      sort: by.text,
      cell: (row: { source: Account }) => CHART[row.source].name,
    }),
    destination: column(out.oneOf(ACCOUNT_CODES, 'The account that it went to; debited.'), {
      title: 'To (debit)',
      sort: by.text,
      cell: (row: { destination: Account }) => CHART[row.destination].name,
    }),
    amount: column(out.amount('In rupees.', 45000), { title: 'Amount', sort: by.number }),
    id: out.text('Number of the transfer.', '42-1'),
    recorded_at: out.moment('When it was written, in real time, UTC.', '2026-11-15T04:32:11.000Z'),
  },
  filters: {
    account: filter(field.oneOf(ACCOUNT_CODES, 'Only from or to this account.'), { label: 'Account' }),
    reference: filter(
      field.resourceId('Only of this payment, refund or settlement, by its id.', PAYMENT_ID),
      { label: 'Payment, refund or settlement (id)' },
    ),
    from: filter(field.rangeStart('From this day on.'), { label: 'From' }),
    to: filter(field.rangeEnd('Up to the end of this day.').as('before'), { label: 'Up to' }),
  },
  rows: {
    async page({ db }, { id }, filters, { cursor: sent, limit }) {
      const cursor = sent === undefined ? undefined : parseLedgerCursor(sent)
      if (cursor === null) throw badCursor()
      const { text, values } = ledgerQuery(id, filters, { cursor, limit: limit + 1 })
      return toPage(await db.query(text, values), limit, row => row.id)
    },
    all: (_ctx, { id }, filters) => ledgerQuery(id, filters),
  },
})
export type LedgerTransferAnswer = Shown<typeof ledgerList.output>
