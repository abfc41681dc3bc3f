import { OPTIONAL_KINDS } from '../../fees/optional/optional-fee.rules.ts'
import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { CLASS_COLUMNS, classFilters } from '../class-filters.list.ts'

const out = outputOf<never>()

/** Which child has which option of an optional fee, the latest first: who rides Route 4. */
export const enrolmentList = defineList({
  file: 'optional-fees',
  title: 'Children with optional fees',
  noun: ['child with an option', 'children with an option'],
  columns: {
    id: column(out.text('Its id.', 'enr_01k9zq4m0ve8sbn6yt2hw3c5da'), { sql: 'e.id' }),
    ...CLASS_COLUMNS,
    fee_name: column(out.text('The optional fee.', 'School bus'), {
      sql: 'f.name',
      title: 'Fee',
      sort: by.text,
    }),
    option: column(out.text('A route, a kind of room, a club.', 'Route 4'), {
      sql: 'o.name',
      title: 'Option',
      sort: by.text,
    }),
    stop: column(out.optional.text('Its stop.', 'Gandhi Chowk'), {
      sql: 'o.stop',
      title: 'Stop',
      sort: by.text,
    }),
    amount: column(out.amount('Rupees for a period, or in all.', 1500), {
      sql: 'e.amount_paise',
      title: 'Amount',
      sort: by.number,
    }),
    first_day: column(out.day('From.', '2026-06-01'), { sql: 'e.first_day', title: 'From', sort: by.day }),
    last_day: column(out.day('Until.', '2027-03-31'), { sql: 'e.last_day', title: 'Until', sort: by.day }),
    contact: column(out.text('Parent.', 'Asha Rao'), {
      sql: 's.primary_contact_name',
      title: 'Parent',
      only: 'file',
    }),
    phone: column(out.text('Phone.', '+91 98765 43210'), {
      sql: 's.primary_contact_number',
      title: 'Phone',
    }),
    reason: column(out.optional.text('Of a fine.', 'Library book lost'), {
      sql: 'e.reason',
      title: 'Reason',
      only: 'file',
    }),
  },
  filters: {
    optional_fee_id: filter(
      field.resourceId('Only of this fee.', 'opt_01k9zq4m0ve8sbn6yt2hw3c5da').as('feeId'),
      {
        where: 'e.fee_id = $1',
      },
    ),
    option: filter(field.text('Only of this route, room or club.', 'Route 4', 60), {
      label: 'Option',
      where: 'lower(o.name) = lower(btrim($1))',
    }),
    stop: filter(field.text('Only of this stop.', 'Gandhi Chowk', 60), {
      label: 'Stop',
      where: 'lower(o.stop) = lower(btrim($1))',
    }),
    on: filter(field.day('Only who has it on this day.', '2026-11-19'), {
      label: 'On the day',
      where: 'e.first_day <= $1 and e.last_day >= $1',
    }),
    kind: filter(field.oneOf(OPTIONAL_KINDS, 'Only fees of this kind.'), {
      label: 'Kind',
      where: 'f.kind = $1',
    }),
    academic_year_start: filter(field.year('Only of the year that starts then.', 2026), {
      label: 'Year',
      choices: 'years',
      where: 'f.academic_year_start = $1',
    }),
    ...classFilters('s'),
  },
  rows: {
    from: 'enrolments e',
    join: `join students s on s.institute_id = e.institute_id and s.id = e.student_id
      join optional_fees f on f.institute_id = e.institute_id and f.id = e.fee_id
      join optional_fee_options o on o.institute_id = e.institute_id and o.id = e.option_id`,
    scope: ({ id }) => [['e.institute_id = $1', id], ['e.last_day >= e.first_day']],
    order: ['first_day', 'id'],
    direction: 'desc',
  },
})

export type EnrolmentAnswer = Shown<typeof enrolmentList.output>
