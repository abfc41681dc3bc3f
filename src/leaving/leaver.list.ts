import { CLASS_COLUMNS, classFilters, YEAR_COLUMN } from '../students/class-filters.list.ts'
import { column, defineList, filter } from '../http/lists/define-list.ts'
import { field } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import { by } from '../platform/db/sorted-list.ts'

/** The first that fits: `on_the_way` waits for a bank or lender, `to_hand_back` for the family to fetch its cheques. */
const LEAVER_STATES = [
  'to_settle',
  'to_collect',
  'to_return',
  'on_the_way',
  'to_hand_back',
  'settled',
] as const

const hasCheque = (where: string): string => `exists (select from post_dated_cheques c
  where c.institute_id = s.institute_id and c.student_id = s.id and ${where})`
const STATE = `case
  when l.id is null and (b.owed > 0 or b.advance > 0 or ${hasCheque('c.payment_id is null and c.ended_at is null')}) then 'to_settle'
  when b.owed > w.paise then 'to_collect'
  when b.advance > 0 then 'to_return'
  when w.paise > 0 then 'on_the_way'
  when ${hasCheque(`c.end_kind = 'to_give_back'`)} then 'to_hand_back'
  else 'settled' end`

const out = outputOf<never>()

/** All who left, whoever marked them so, and what is open with each. */
export const leaverList = defineList({
  file: 'leavers',
  title: 'Leavers',
  noun: ['leaver', 'leavers'],
  columns: {
    ...CLASS_COLUMNS,
    ...YEAR_COLUMN,
    state: column(out.oneOf(LEAVER_STATES, 'What is to be done.'), {
      sql: STATE,
      title: 'To do',
      sort: by.text,
    }),
    on_the_way_amount: column(
      out.amount(
        'What banks or a lender have yet to answer for: it pays what is owed, or goes back when it has come.',
        0,
      ),
      { sql: 'w.paise', title: 'On the way', sort: by.number },
    ),
    advance: column(out.amount('Paid beyond what is owed.', 0), {
      sql: 'b.advance',
      title: 'To give back',
      sort: by.number,
    }),
    // The last sum: a phone shows it at the right of the name.
    owed: column(out.amount('Owed, late fees aside, rupees.', 12000), {
      sql: 'b.owed',
      title: 'Left to pay',
      sort: by.number,
    }),
    left_on: column(out.optional.day('The leaving day, once it is settled.', '2026-11-16'), {
      sql: 'l.left_on',
      title: 'Left on',
      sort: by.day,
    }),
    contact: column(out.text('Who pays.', 'Asha Rao'), {
      sql: 's.primary_contact_name',
      title: 'Contact',
      only: 'file',
    }),
    phone: column(out.text('The phone number.', '+91 98765 43210'), {
      sql: 's.primary_contact_number',
      title: 'Phone',
      only: 'file',
    }),
  },
  filters: {
    state: filter(field.oneOf(LEAVER_STATES, 'Only those with whom this is to be done.'), {
      label: 'To do',
      where: `${STATE} = $1`,
    }),
    ...classFilters('s'),
  },
  rows: {
    from: 'students s',
    join: `cross join lateral (select coalesce(sum(x.outstanding_paise), 0)::bigint as owed,
        coalesce(sum(x.advance_paise), 0)::bigint as advance
      from student_balances x where x.institute_id = s.institute_id and x.student_id = s.id) b
      cross join lateral (select coalesce(sum(x.amount_paise), 0)::bigint as paise
        from fees_on_the_way x where x.institute_id = s.institute_id and x.student_id = s.id) w
      left join leavings l on l.institute_id = s.institute_id and l.student_id = s.id and l.ended_at is null`,
    scope: ({ id }) => [['s.institute_id = $1', id], [`s.status = 'dropped'`]],
    order: ['id'],
    direction: 'desc',
  },
})

export type LeaverAnswer = Shown<typeof leaverList.output>
