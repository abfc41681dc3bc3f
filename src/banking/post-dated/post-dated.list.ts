import { column, defineList, filter, type ListRow } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { classFilters, STUDENT_COLUMNS } from '../../students/class-filters.list.ts'
import { POST_DATED_STATES } from './post-dated.rules.ts'

export const POST_DATED_ID = 'pdc_01k9zq4m0ve8sbn6yt2hw3c5da'

/** Once it went to the bank it is what its payment's cheque is. */
const STATE = `case when c.ended_at is not null then c.end_kind when c.payment_id is null then 'held'
  when q.state = 'bounced' then 'bounced' when d.cancelled_at is not null then 'cancelled' else coalesce(q.state, 'taken') end`

export const POST_DATED = {
  from: 'post_dated_cheques c',
  join: `join students s on s.institute_id = c.institute_id and s.id = c.student_id
    left join direct_payments d on d.institute_id = c.institute_id and d.id = c.payment_id
    left join cheques q on q.institute_id = c.institute_id and q.payment_id = c.payment_id`,
}

const out = outputOf<never>()

/** Cheques for days to come and what became of them, the latest day first. */
export const postDatedList = defineList({
  file: 'post-dated-cheques',
  title: 'Post-dated cheques',
  noun: ['post-dated cheque', 'post-dated cheques'],
  columns: {
    id: column(out.text('Id of the cheque.', POST_DATED_ID), { sql: 'c.id' }),
    number: column(out.text('The number on it.', '004512'), {
      sql: 'c.number',
      title: 'Cheque',
      sort: by.text,
    }),
    bank: column(out.optional.text('Drawn on.', 'HDFC Bank'), {
      sql: 'c.bank',
      title: 'Bank',
      sort: by.name,
      only: 'file',
    }),
    dated_on: column(out.day('The date on it.', '2026-12-05'), {
      sql: 'c.dated_on',
      title: 'Dated',
      only: 'file',
    }),
    deposit_on: column(out.day('When it goes to the bank.', '2026-12-05'), {
      sql: 'c.deposit_on',
      title: 'To the bank on',
      sort: by.day,
    }),
    amount: column(out.amount('Rupees.', 12000), { sql: 'c.amount_paise', title: 'Amount', sort: by.number }),
    ...STUDENT_COLUMNS,
    has_left: column(out.flag('Whether the child has left the school.', false), {
      sql: `s.status = 'dropped'`,
    }),
    state: column(out.oneOf(POST_DATED_STATES, 'Where it is.'), {
      sql: STATE,
      title: 'Status',
      sort: by.text,
    }),
    end_reason: column(out.optional.text('Why it was replaced or given back.', 'Paid online'), {
      sql: 'c.end_reason',
      title: 'Why',
      only: 'file',
    }),
    bounce_reason: column(out.optional.text('Why the bank returned it.', 'Funds insufficient'), {
      sql: 'q.bounce_reason',
      title: 'Why bounced',
      only: 'file',
    }),
    payment_id: column(out.optional.text('Its payment, once it went.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      sql: 'c.payment_id',
    }),
    replaces_id: column(out.optional.text('The cheque in whose place it came.', POST_DATED_ID), {
      sql: 'c.replaces_id',
    }),
    reminded_at: column(out.optional.moment('When the family was reminded.', '2026-12-02T03:30:00.000Z'), {
      sql: 'c.reminded_at',
      title: 'Family reminded',
      only: 'file',
    }),
    received_at: column(out.moment('When it was handed over, UTC.', '2026-11-16T06:30:00.000Z'), {
      sql: 'c.received_at',
      title: 'Received',
      only: 'file',
    }),
    received_by: column(out.text('Who received it.', 'counter@school.example'), {
      sql: 'c.received_by',
      title: 'Received by',
      only: 'file',
    }),
  },
  filters: {
    number: filter(field.text('The number on it.', '004512', 40), {
      label: 'Cheque number',
      where: 'c.number = $1',
    }),
    state: filter(field.oneOf(POST_DATED_STATES, 'Only in this state.'), {
      label: 'Status',
      where: `${STATE} = $1`,
    }),
    deposit_to: filter(field.day('To the bank on this day or before.', '2026-12-05'), {
      label: 'To the bank by',
      where: 'c.deposit_on <= $1',
    }),
    ...classFilters('s'),
    service_student_id: filter(field.text('Of this student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da', 64), {
      where: 'c.student_id = $1',
    }),
  },
  rows: {
    ...POST_DATED,
    scope: ({ id }) => [['c.institute_id = $1', id]],
    order: ['deposit_on', 'id'],
    direction: 'desc',
  },
})

export type PostDatedCheque = ListRow<typeof postDatedList>
export type PostDatedAnswer = Shown<typeof postDatedList.output>
