import { classFilters } from '../students/class-filters.list.ts'
import { studentFields } from '../students/student.output.ts'
import { column, defineList, filter } from '../http/lists/define-list.ts'
import { field } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import { by } from '../platform/db/sorted-list.ts'

const LEAVER_STATES = ['to_settle', 'to_collect', 'to_return'] as const

const ON_THE_WAY = `(select coalesce(sum(w.amount_paise), 0)::bigint from fees_on_the_way w
  where w.institute_id = s.institute_id and w.student_id = s.id)`
const STATE = `case when l.id is null then 'to_settle' when b.owed > 0 then 'to_collect' else 'to_return' end`

const out = outputOf<never>()

/** Students who left and with whom money is open: not settled, or settled and not paid yet. */
export const leaverList = defineList({
  file: 'leavers',
  title: 'Leavers to settle',
  noun: ['leaver', 'leavers'],
  columns: {
    service_student_id: column(out.text('The student.', studentFields.service_student_id.example), {
      sql: 's.id',
    }),
    student_name: column(out.text('The student.', 'Kabir Rao'), {
      sql: 's.fullname',
      title: 'Student',
      sort: by.name,
    }),
    identifier: column(out.text("The student's identifier.", 'ADM-1042'), {
      sql: 's.identifier',
      title: 'Admission no.',
      sort: by.text,
    }),
    grade: column(out.text('Its grade.', '5'), { sql: 's.grade', title: 'Grade', sort: by.grade }),
    section: column(out.optional.text('Its section.', 'B'), { sql: 's.section', title: 'Section' }),
    academic_year_start: column(out.integer('The year of the record.', 2026), {
      sql: 's.academic_year_start',
      title: 'Year',
      kind: 'text',
    }),
    state: column(out.oneOf(LEAVER_STATES, 'What is to be done.'), {
      sql: STATE,
      title: 'To do',
      sort: by.text,
    }),
    owed: column(out.amount('Owed, late fees aside, rupees.', 12000), {
      sql: 'b.owed',
      title: 'Owed',
      sort: by.number,
    }),
    on_the_way_amount: column(
      out.amount(
        'Of that, what cannot be paid a second time: banks or a lender have yet to answer for it.',
        0,
      ),
      { sql: ON_THE_WAY, title: 'On the way' },
    ),
    advance: column(out.amount('Paid beyond what is owed.', 0), {
      sql: 'b.advance',
      title: 'Paid too much',
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
      left join leavings l on l.institute_id = s.institute_id and l.student_id = s.id and l.ended_at is null`,
    scope: ({ id }) => [['s.institute_id = $1', id], [`s.status = 'dropped'`], ['b.owed + b.advance > 0']],
    order: ['id'],
    direction: 'desc',
  },
})

export type LeaverAnswer = Shown<typeof leaverList.output>
