import { CARRIED_DUES } from '../../fees/deposits/deposits.rules.ts'
import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { CLASS_COLUMNS, classFilters, YEAR_COLUMN } from '../class-filters.list.ts'

const HELD = `(least(b.paid_paise, b.fee_paise - b.discount_paise) - (${CARRIED_DUES}))`
const ID = `md5(b.student_id || ' ' || b.component_type)`

const out = outputOf<never>()

/** What is held of deposits, by child and deposit, on the record of the year in which it was paid. */
export const heldDepositList = defineList({
  file: 'deposits-held',
  title: 'Deposits held',
  noun: ['deposit', 'deposits'],
  columns: {
    id: column(out.text('Names the row.', '9e107d9d372bb6826bd81d3542a419d6'), {
      sql: ID,
    }),
    ...CLASS_COLUMNS,
    ...YEAR_COLUMN,
    status: column(out.oneOf(['active', 'dropped'], 'Whether the child is at the school.'), {
      sql: 's.status',
      title: 'Status',
    }),
    component_type: column(out.text('Which deposit.', 'CAUTION_DEPOSIT'), {
      sql: 'b.component_type',
      title: 'Deposit',
      sort: by.text,
    }),
    held_amount: column(out.amount('Rupees.', 5000), { sql: HELD, title: 'Held', sort: by.number }),
  },
  filters: {
    component_type: filter(field.code('Only this deposit.', 'CAUTION_DEPOSIT'), {
      label: 'Deposit',
      choices: 'components',
      where: 'b.component_type = $1',
    }),
    status: filter(field.oneOf(['active', 'dropped'], 'Only of such children.'), {
      label: 'Status',
      where: 's.status = $1',
    }),
    ...classFilters('s'),
  },
  rows: {
    from: 'student_balances b',
    join: `join students s on s.institute_id = b.institute_id and s.id = b.student_id
      join catalogue_entries c on c.institute_id = b.institute_id and c.kind = 'component' and c.code = b.component_type
        and c.is_deposit`,
    scope: ({ id }) => [['b.institute_id = $1', id], [`${HELD} > 0`]],
    order: ['student_id', 'component_type'],
    direction: 'asc',
    rowOf: cursor => [`${ID} = $1`, cursor],
  },
})

export type HeldDepositAnswer = Shown<typeof heldDepositList.output>
