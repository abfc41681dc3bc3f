import { column, defineList, type ListRow } from '../../http/lists/define-list.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'

export const DEPOSIT_ID = 'dep_01k9zq4m0ve8sbn6yt2hw3c5da'

/** Slips with their account, and with what became of their cheques where the bank books these one by one. */
export const DEPOSITS = {
  from: 'deposits d',
  join: `join bank_accounts a on a.institute_id = d.institute_id and a.id = d.account_id
    cross join lateral (select count(distinct c.id) as cheques, count(distinct c.id) filter (where c.state = 'cleared') as cleared,
        count(distinct c.id) filter (where c.state = 'bounced') as bounced
      from (select q.state, coalesce(k.taking_id || ' ' || k.way_no, q.payment_id) as id from cheques q
        left join counter_taking_payments k on k.institute_id = d.institute_id and k.payment_id = q.payment_id
        where q.institute_id = d.institute_id and q.deposit_id = d.id) c) q`,
}

const out = outputOf<never>()

/** What the office took to its bank, the last first. */
export const depositList = defineList({
  file: 'deposits',
  title: 'Deposits',
  noun: ['slip', 'slips'],
  columns: {
    id: column(out.text('Id of the deposit.', DEPOSIT_ID), { sql: 'd.id' }),
    slip_number: column(out.integer('The number on the slip.', 17), {
      sql: 'd.slip_number',
      title: 'Slip',
      sort: by.number,
    }),
    day: column(out.day('When it was taken there.', '2026-11-17'), {
      sql: 'd.day',
      title: 'Day',
      sort: by.day,
    }),
    account_name: column(out.text('The bank account.', 'HDFC current 4512'), {
      sql: 'a.name',
      title: 'Bank account',
      sort: by.name,
    }),
    kind: column(out.oneOf(['cash', 'cheque'], 'Of cash, or of cheques.'), {
      sql: 'd.kind',
      title: 'Of',
      cell: ({ kind }: { kind: string }) => (kind === 'cash' ? 'Cash' : 'Cheques'),
    }),
    cheque_count: column(out.integer('How many cheques.', 3), {
      sql: 'q.cheques',
      title: 'Cheques',
      only: 'file',
    }),
    cleared_count: column(out.integer('How many of them are cleared.', 2), {
      sql: 'q.cleared',
      title: 'Of which cleared',
      only: 'file',
    }),
    bounced_count: column(out.integer('How many of them bounced.', 0), {
      sql: 'q.bounced',
      title: 'Of which bounced',
      only: 'file',
    }),
    amount: column(out.amount('Rupees.', 48000), { sql: 'd.amount_paise', title: 'Amount', sort: by.number }),
    received_on: column(out.optional.day("The day on which the bank's statement has it.", '2026-11-18'), {
      sql: 'd.received_on',
      title: 'On the statement of',
      only: 'file',
    }),
    cancel_reason: column(out.optional.text('Why it was cancelled.', 'The bank was closed'), {
      sql: 'd.cancel_reason',
      title: 'Why cancelled',
      only: 'file',
    }),
    made_by: column(out.text('Who made the slip.', 'counter@school.example'), {
      sql: 'd.made_by',
      title: 'Made by',
      only: 'file',
    }),
  },
  filters: {},
  rows: {
    ...DEPOSITS,
    scope: ({ id }) => [['d.institute_id = $1', id]],
    order: ['day', 'id'],
    direction: 'desc',
  },
})

export type ListedDeposit = ListRow<typeof depositList>
export type DepositAnswer = Shown<typeof depositList.output>
