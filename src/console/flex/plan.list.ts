import { planFields } from '../../flex/plans/plan.schemas.ts'
import { PLAN_STATUSES } from '../../flex/rules/plan.rules.ts'
import { column, defineList, fileColumn, filter, type FilterValues } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { toPage } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { toWordQuery } from '../students/students.rules.ts'
import { countedPlans, plansQuery, type PlanFilter, type PlanRow } from './plans.store.ts'
import { studentColumns } from './debit.list.ts'

const filters = {
  search: filter(
    field
      .identifier(
        "Words of the student's name, admission number or contact, or a whole plan id or UMRN.",
        'Kabir',
      )
      .as('typed'),
    { label: 'Name, admission number, phone, plan id or UMRN' },
  ),
  status: filter(field.oneOf(PLAN_STATUSES, 'Only plans that stand so.', 'active'), { label: 'State' }),
  held: filter(field.oneOf(['yes', 'no'], 'Only held ones, or only others.'), { label: 'Held' }),
  collector_code: filter(field.code('Only this branch.', 'MAIN'), { label: 'Branch', choices: 'branches' }),
  ...classFilters('s'),
}

const out = outputOf<PlanRow>()

/** Plans, the newest first. */
export const planList = defineList({
  file: 'plans',
  title: 'Plans',
  noun: ['plan', 'plans'],
  key: 'id',
  tie: by.name('"studentName"'),
  columns: {
    plan_id: out.text('Id of the plan.', planFields.plan_id.example, ({ id }) => id),
    ...studentColumns,
    status: column(
      out.oneOf(PLAN_STATUSES, 'Where the plan stands.', ({ status }) => status, 'active'),
      {
        title: 'State',
        sort: by.text,
      },
    ),
    is_held: column(out.flag('Whether it is held: nothing is debited meanwhile.', false), {
      title: 'Held',
      only: 'file',
      cell: ({ isHeld }: PlanRow) => (isHeld ? 'Yes' : 'No'),
    }),
    total_amount: column(
      out.amount('What it takes in all, rupees.', 72000, ({ totalPaise }) => totalPaise),
      { title: 'In all', sort: by.number('"totalPaise"') },
    ),
    paid_amount: column(
      out.amount('What has come of it, rupees.', 6000, ({ paidPaise }) => paidPaise),
      { title: 'Paid', sort: by.number('"paidPaise"') },
    ),
    instalments: column(out.integer('How many in all, those cancelled apart.', 10), {
      title: 'Instalments',
      sort: by.number('bounces'),
    }),
    paid_instalments: column(out.integer('How many are paid by debit.', 1), {
      title: 'Paid instalments',
      only: 'file',
    }),
    bounces: column(out.integer('Debits of it that the bank returned; each try is one.', 0), {
      title: 'Bounces',
      only: 'file',
    }),
    next_debit_on: column(
      out.optional.day('When the next one is to be presented.', '2026-12-05', ({ nextOn }) => nextOn),
      { title: 'Next debit', sort: by.day('"nextOn"') },
    ),
    next_debit_amount: column(
      out.optional.amount('How much that is, rupees.', 6000, ({ nextPaise }) => nextPaise),
      { title: 'Next amount', only: 'file' },
    ),
    collector_code: column(out.text('The branch.', 'MAIN'), { title: 'Branch' }),
    rail: out.optional.oneOf(['enach', 'upi_autopay'], 'How it debits.'),
    mandate: fileColumn('UMRN', 'text', ({ umrn }: PlanRow) => umrn),
    umrn: column(out.optional.text("The mandate's number at NPCI.", 'HDFC0000000012345678'), {
      title: 'Mandate',
      only: 'page',
    }),
    id: fileColumn('Plan', 'text', ({ id }: PlanRow) => id),
  },
  onPage: [
    'student_name',
    'status',
    'next_debit_on',
    'paid_amount',
    'total_amount',
    'instalments',
    'umrn',
    'collector_code',
  ],
  filters,
  rows: {
    async page({ db }, institute, wanted, { cursor, limit }) {
      const query = plansQuery(institute.id, filterOf(institute, wanted), { cursor, limit: limit + 1 })
      return toPage(await db.query<PlanRow>(query.text, query.values), limit, ({ id }) => id)
    },
    all: (_ctx, institute, wanted) => plansQuery(institute.id, filterOf(institute, wanted)),
    counted: (_ctx, institute, wanted) => countedPlans(institute.id, filterOf(institute, wanted)),
  },
})

export type PlanRowAnswer = Shown<typeof planList.output>

function filterOf(
  institute: Institute,
  { typed, held, ...wanted }: FilterValues<typeof filters>,
): PlanFilter {
  const search =
    typed === undefined ? undefined : { typed: typed.trim(), words: toWordQuery(institute.id, typed) }
  return { ...wanted, isHeld: held === undefined ? undefined : held === 'yes', search }
}
