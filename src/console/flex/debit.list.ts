import type { ConsoleContext } from '../context.ts'
import { column, defineList, fileColumn, filter, type FilterValues } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { dayOf } from '../../platform/calendar.ts'
import { toPage } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { debitsQuery, type Debit, type DebitFilter } from './debits.store.ts'
import {
  ASKED_STATUSES,
  cursorAfter,
  DEBIT_STATUSES,
  isPresentation,
  rangeOf,
  readCursor,
  spanOf,
  statusesOf,
} from './flex.rules.ts'
import { showDebits, type ShownDebit } from './flex.service.ts'
import { returnTexts, type ReturnTexts } from './flex.texts.ts'

export const RAILS = ['enach', 'upi_autopay'] as const
export const DEBIT_STATUS_TEXT =
  'scheduled or announced: to be presented on that day. stopped: the plan is held, locked or not confirmed. skipped: the ' +
  'ERP refused. covered, waived: nothing to debit any more. due: above what the mandate may take, to be paid online. The ' +
  'others are what banks said of presentations made on that day.'

const student = outputOf<never>()
export const studentColumns = {
  student_id: student.text('Id of the student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
  student_name: column(student.text('Whose fees.', 'Kabir Nair'), { title: 'Student', sort: by.name }),
  identifier: column(student.text('Admission number.', 'ADM-2026-001'), {
    title: 'Admission no.',
    only: 'file',
  }),
  grade: column(student.text('Class.', 'V'), { title: 'Class', only: 'file' }),
}

const reason = outputOf<ReturnTexts, unknown>()
export const reasonFields = {
  code: reason.text("The bank's code.", '04'),
  category: reason.text('What kind of reason, in words.', 'Not enough money'),
  message: reason.text('The reason, in words.', 'The account did not have enough money.'),
  next: reason.text('What such a return leads to.', 'Presented again by itself.'),
}

export const dayFields = {
  from: field.day('The first day.', '2026-11-01'),
  to: field.day('The last day.', '2026-11-30'),
}

const filters = {
  status: filter(
    field.oneOf(ASKED_STATUSES, 'Only those that stand so; `coming` is scheduled or announced.', 'bounced'),
    { label: 'State' },
  ),
  from: filter(dayFields.from, { label: 'From' }),
  to: filter(dayFields.to, { label: 'Up to' }),
  return_code: filter(field.code("Only those of this bank's code.", '04'), { label: 'Return code' }),
  collector_code: filter(field.code('Only this branch.', 'MAIN'), { label: 'Branch', choices: 'branches' }),
  ...classFilters('s'),
}

const out = outputOf<ShownDebit>()

/** The debits of some days, today's unless days are named. */
export const debitList = (flex: ConsoleContext) =>
  defineList({
    file: 'debits',
    title: 'Debits',
    noun: ['debit', 'debits'],
    key: 'id',
    tie: by.name('"studentName"'),
    columns: {
      id: out.text('Of this row: instalment and presentation.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da.1'),
      day: column(out.day('The day it belongs to.', '2026-12-05'), { title: 'Day', sort: by.day }),
      ...studentColumns,
      amount: column(out.amount('What is, or was, asked of the bank, rupees.', 6000), {
        title: 'Amount',
        sort: by.number('"amountPaise"'),
      }),
      status: column(out.oneOf(DEBIT_STATUSES, DEBIT_STATUS_TEXT), { title: 'State', sort: by.text }),
      return_code: fileColumn('Return code', 'text', ({ returnCode }: Debit) => returnCode),
      returned: fileColumn('Why it came back', 'text', ({ returnCode }: Debit) =>
        returnCode === null ? null : returnTexts(returnCode).message,
      ),
      reason: column(out.optional.one('Why the bank returned it.', reason.object(reasonFields)), {
        title: 'Reason',
        only: 'page',
      }),
      why: out.optional.text('Why it stands so, when no bank said it.', 'the plan is held'),
      next_step: column(
        out.text(
          'What happens next, in a sentence.',
          'The bank answers by 7 December 2026.',
          ({ next }) => next,
        ),
        { title: 'Next step', only: 'page' },
      ),
      due_date: column(
        out.day('When it is due.', '2026-12-05', ({ instalment }) => instalment.dueOn),
        { title: 'Due', only: 'page' },
      ),
      number: out.integer('Which instalment of the plan.', 1, ({ instalment }) => instalment.number),
      presentation: column(
        out.optional.integer(
          'Which presentation of the instalment it was.',
          1,
          one => one.presentation || null,
        ),
        { title: 'Try', cell: ({ presentation }: Debit) => presentation },
      ),
      presented_at: column(out.optional.moment('When it was presented.', '2026-12-05T02:30:00.000Z'), {
        title: 'Presented (IST)',
        only: 'file',
      }),
      collector_code: column(out.text('The branch.', 'MAIN'), { title: 'Branch', only: 'file' }),
      plan_id: column(out.text('Id of the plan.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'), {
        title: 'Plan',
        only: 'file',
      }),
      instalment_id: out.text('Id of the instalment.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
      rail: out.optional.oneOf(RAILS, 'How it is debited.', ({ mandate }) => mandate?.rail),
    },
    onPage: ['day', 'student_name', 'amount', 'status', 'reason', 'next_step', 'due_date', 'presentation'],
    filters,
    rows: {
      async page({ db, clock }, institute, asked, { cursor, limit }) {
        const query = debitsQuery(institute.id, filterOf(asked, clock.now(), cursor), { limit: limit + 1 })
        if (query === null) return { rows: [], nextCursor: undefined }
        const found = toPage(await db.query<Debit>(query.text, query.values), limit, cursorAfter)
        return { ...found, rows: await showDebits(flex, institute, found.rows) }
      },
      all: ({ clock }, institute, asked) => debitsQuery(institute.id, filterOf(asked, clock.now())),
      shown: (_ctx, institute, rows: Debit[]) => showDebits(flex, institute, rows),
    },
  })

export type DebitAnswer = Shown<ReturnType<typeof debitList>['output']>

function filterOf(
  { status, returnCode, collectorCode, grade, section, ...days }: FilterValues<typeof filters>,
  now: Date,
  sent?: string,
): DebitFilter {
  const today = dayOf(now)
  const cursor = sent === undefined ? undefined : readCursor(sent)
  const statuses = status === undefined ? undefined : statusesOf(status)
  return {
    span: spanOf(rangeOf(days, { from: today, to: today })),
    statuses,
    returnCode,
    collectorCode,
    grade,
    section,
    cursor,
    parts: {
      instalments:
        cursor?.part !== 'presentations' &&
        returnCode === undefined &&
        (statuses === undefined || !statuses.every(isPresentation)),
      presentations: statuses === undefined || statuses.some(isPresentation),
    },
  }
}
