import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { readOwed } from '../../dues/dues.service.ts'
import type { Owed } from '../../dues/dues.rules.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { badCursor, toPage } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { DEFAULTER_BUCKETS, dueCursor, parseDueCursor } from './reports.rules.ts'
import { countedDefaulters, defaultersQuery } from './dues.store.ts'

type Dues = {
  studentId: string
  totalPaise: Paise
  /** Families whose whole debt is on the way need not be asked again. */
  onTheWayPaise: Paise
  /** What is late today, whatever the list is narrowed to. */
  today: Pick<Owed, 'lateFeePaise' | 'overduePaise'>
}
const out = outputOf<Dues>()

/** Who owes, the longest first. */
export const defaulterList = defineList({
  file: 'defaulters',
  title: 'Defaulters',
  noun: ['child', 'children'],
  key: 'studentId',
  tie: by.name('fullname'),
  columns: {
    service_student_id: out.text(
      'Id of the student.',
      'student_01k9zq4m0ve8sbn6yt2hw3c5da',
      ({ studentId }) => studentId,
    ),
    fullname: column(out.text('The student.', 'Kabir Rao'), { title: 'Student', sort: by.name }),
    identifier: column(out.text("The student's identifier.", 'ADM-1042'), {
      title: 'Admission no.',
      only: 'file',
    }),
    grade: column(out.text('The grade.', '5'), {
      title: 'Class',
      sort: by.grade(`grade || ' ' || coalesce(section, '')`),
    }),
    section: column(out.optional.text('The section.', 'B'), { title: 'Section', only: 'file' }),
    collector_code: column(out.text('The branch.', 'MAIN'), { title: 'Branch', only: 'file' }),
    contact_name: column(out.text('Whom to speak to.', 'Asha Rao'), { title: 'Contact' }),
    contact_number: column(out.text('Their phone.', '9876543210'), { title: 'Phone', only: 'file' }),
    contact_email: column(out.text('Their e-mail.', 'asha@example.in'), { title: 'E-mail', only: 'file' }),
    owed: column(out.amount('Fees as late as was asked for, without late fees.', 123456.5), {
      title: 'Fees',
      sort: by.number,
    }),
    owed_in_all: column(
      out.amount('All fees that are owed, due or not, without late fees.', 123456.5, row => row.totalPaise),
      { title: 'Fees in all', only: 'file' },
    ),
    oldest_due_on: column(out.optional.day('Since when the oldest of it is due.', '2026-06-10'), {
      title: 'Due since',
      only: 'file',
    }),
    days_late: column(out.optional.integer('Days since then.', 158), { title: 'Days late', sort: by.number }),
    last_paid_at: column(
      out.optional.moment('When something was last paid, UTC.', '2026-04-10T04:32:10.000Z'),
      { title: 'Last paid (IST)', sort: by.moment },
    ),
    last_paid: column(out.optional.amount('How much that was.', 5000), {
      title: 'Last payment',
      only: 'file',
    }),
    has_plan: column(out.flag('Whether an instalment plan is running.', false), {
      title: 'On an instalment plan',
      only: 'file',
      cell: ({ hasPlan }: { hasPlan: boolean }) => (hasPlan ? 'Yes' : 'No'),
    }),
    on_the_way_amount: column(
      out.amount(
        'Of that, what cannot be paid a second time: banks or a lender have yet to answer for it.',
        0,
        ({ onTheWayPaise }) => onTheWayPaise,
      ),
      { title: 'On the way', only: 'file' },
    ),
    late_fee_amount: column(
      out.amount('Late fees that grow with what is overdue.', 450, ({ today }) => today.lateFeePaise),
      { title: 'Late fee', only: 'file' },
    ),
    overdue_amount: column(
      out.amount('All that is overdue, late fees included.', 123906.5, ({ today }) => today.overduePaise),
      { title: 'Overdue with late fee', only: 'file' },
    ),
  },
  filters: {
    bucket: filter(field.oneOf(DEFAULTER_BUCKETS, 'How late; everybody who is late if absent.'), {
      label: 'How late',
    }),
    ...classFilters('s'),
    collector_code: filter(field.code('Only of this branch.', 'MAIN'), {
      label: 'Branch',
      choices: 'branches',
    }),
    academic_year_start: filter(field.year('Only of the year that begins then.', 2026), {
      label: 'Year',
      choices: 'years',
    }),
  },
  rows: {
    async page(ctx, institute, filters, { cursor: sent, limit }) {
      const { db, clock } = ctx
      const cursor = sent === undefined ? undefined : parseDueCursor(sent)
      if (cursor === null) throw badCursor()
      const range = { cursor, limit: limit + 1 }
      const { text, values } = defaultersQuery(institute.id, dayOf(clock.now()), filters, range)
      return toPage(await withOwed(ctx, institute, await db.query(text, values)), limit, dueCursor)
    },
    completed: (ctx, institute, rows) => withOwed(ctx, institute, rows),
    all: ({ clock }, { id }, filters) => defaultersQuery(id, dayOf(clock.now()), filters),
    counted: ({ clock }, { id }, filters) => countedDefaulters(id, dayOf(clock.now()), filters),
  },
})
/** Late fees are made by a rule, so no statement has them. */
async function withOwed<Row extends Dues>(
  { db, clock }: { db: Queryable; clock: Clock },
  { id: instituteId }: Pick<Institute, 'id'>,
  rows: readonly Omit<Row, 'today'>[],
): Promise<Row[]> {
  const keys = rows.map(({ studentId }) => ({ instituteId, studentId }))
  const owed = await readOwed(db, keys, dayOf(clock.now()))
  const nothing = { lateFeePaise: ZERO, overduePaise: ZERO }
  return rows.map(row => ({ ...row, today: owed.get(row.studentId) ?? nothing }) as unknown as Row)
}

export type DefaulterAnswer = Shown<typeof defaulterList.output>
