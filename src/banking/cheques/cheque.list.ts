import { column, defineList, filter, type ListRow } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { classFilters, STUDENT_COLUMNS } from '../../students/class-filters.list.ts'
import { CHEQUE_STATES } from './cheques.rules.ts'

export const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

const STATE = `case when q.state = 'bounced' then 'bounced' when d.cancelled_at is not null then 'cancelled'
  else coalesce(q.state, 'in_hand') end`

/** What the whole cheque is over, of whose payments this is one: parts that were cancelled otherwise count no more. */
const WHOLE = `coalesce((select sum(o.amount_paise)::bigint from counter_taking_payments ok
    join direct_payments o on o.institute_id = ok.institute_id and o.id = ok.payment_id
    left join cheques oq on oq.institute_id = o.institute_id and oq.payment_id = o.id
    where ok.institute_id = d.institute_id and ok.taking_id = k.taking_id and ok.way_no = k.way_no
      and (o.cancelled_at is null or oq.state = 'bounced')), d.amount_paise)`

/** Direct payments that were taken at the counter with a cheque or draft. */
export const CHEQUES = {
  from: 'direct_payments d',
  join: `join students s on s.institute_id = d.institute_id and s.id = d.student_id
    left join cheques q on q.institute_id = d.institute_id and q.payment_id = d.id
    left join counter_taking_payments k on k.institute_id = d.institute_id and k.payment_id = d.id
    left join deposits p on p.institute_id = q.institute_id and p.id = q.deposit_id`,
  atCounter: 'd.recorded_by is not null and d.instrument is not null',
  state: STATE,
  whole: WHOLE,
}

const out = outputOf<never>()

/** The cheque register: every cheque and draft taken at the counter and what became of it, the last taken first. */
export const chequeList = defineList({
  file: 'cheques',
  title: 'Cheques',
  noun: ['cheque', 'cheques'],
  columns: {
    payment_id: column(out.text('Id of its payment.', PAYMENT_ID), { sql: 'd.id' }),
    cheque_id: column(
      out.text('The same for payments that one cheque made.', 'take_01k9zq4m0ve8sbn6yt2hw3c5da 2'),
      {
        sql: `coalesce(k.taking_id || ' ' || k.way_no, d.id)`,
      },
    ),
    transaction_id: column(out.text('Of its payment.', 'CHQ-004512'), { sql: 'd.transaction_id' }),
    number: column(out.text('The number on it.', '004512'), {
      sql: `d.instrument ->> 'number'`,
      title: 'Cheque',
      sort: by.text,
    }),
    bank: column(out.optional.text('Drawn on.', 'HDFC Bank'), {
      sql: `d.instrument ->> 'bank'`,
      title: 'Bank',
      sort: by.name,
      only: 'file',
    }),
    date: column(out.optional.day('The date on it.', '2026-11-16'), {
      sql: `d.instrument ->> 'date'`,
      title: 'Dated',
      only: 'file',
    }),
    amount: column(out.amount('Rupees.', 12000), { sql: 'd.amount_paise', title: 'Amount', sort: by.number }),
    whole_amount: column(
      out.amount('What the cheque is over in all, where it pays for several children, rupees.', 12000),
      { sql: WHOLE },
    ),
    ...STUDENT_COLUMNS,
    mode: column(out.text('`cheque` or `demand_draft`.', 'cheque'), { sql: 'd.mode' }),
    state: column(out.oneOf(CHEQUE_STATES, 'Where it is.'), { sql: STATE, title: 'Status', sort: by.text }),
    decided_on: column(out.optional.day('Cleared or bounced on.', '2026-11-18'), {
      sql: 'q.decided_on',
      title: 'Cleared or bounced on',
      only: 'file',
    }),
    bounce_reason: column(out.optional.text('As the bank gave it.', 'Funds insufficient'), {
      sql: 'q.bounce_reason',
      title: 'Why bounced',
      only: 'file',
    }),
    deposit_id: column(
      out.optional.text('The slip it went to the bank with.', 'dep_01k9zq4m0ve8sbn6yt2hw3c5da'),
      {
        sql: 'q.deposit_id',
      },
    ),
    slip_number: column(out.optional.integer('The number of that slip.', 17), {
      sql: 'p.slip_number',
      title: 'Slip',
      only: 'file',
    }),
    taken_at: column(out.moment('When it was taken, UTC.', '2026-11-16T06:30:00.000Z'), {
      sql: 'd.recorded_at',
      title: 'Taken',
      sort: by.moment,
    }),
    taken_by: column(out.text('Who took it.', 'counter@school.example'), {
      sql: 'd.recorded_by',
      title: 'Taken by',
      only: 'file',
    }),
  },
  filters: {
    number: filter(field.text('The number on it.', '004512', 40), {
      label: 'Cheque number',
      where: `d.instrument ->> 'number' = $1`,
    }),
    state: filter(field.oneOf(CHEQUE_STATES, 'Only in this state.'), {
      label: 'Status',
      where: `${STATE} = $1`,
    }),
    ...classFilters('s'),
  },
  rows: {
    ...CHEQUES,
    scope: ({ id }) => [['d.institute_id = $1', id], [CHEQUES.atCounter]],
    order: ['recorded_at', 'id'],
    direction: 'desc',
  },
})

export type Cheque = ListRow<typeof chequeList>
export type ChequeAnswer = Shown<typeof chequeList.output>
