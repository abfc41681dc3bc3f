import { column, defineList, fileColumn, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { LOAN_ID } from '../../loans/loan.schemas.ts'
import { LOAN_STATES } from '../../loans/loans.rules.ts'
import type { Condition } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { classFilters } from '../../students/class-filters.list.ts'
import { LOANS, type LoanRow } from './loans.store.ts'

const out = outputOf<LoanRow>()

/** Whose applications: of an institute, or those that families sent to a lender. */
type LoanScope = { instituteId: number } | { lender: string }

const filters = {
  status: filter(field.oneOf(LOAN_STATES, 'Only in this state.'), {
    label: 'State',
    where: 'a.state = $1',
  }),
  // Within an institute or a lender there are few enough to look at each.
  search: filter(
    field.identifier('Part of the name of student, parent or institute, or an application id.', 'Kabir'),
    {
      label: 'Name or application id',
      where: `(a.id = $1 or position(lower($1) in lower(concat_ws(' ', i.name, coalesce(a.borrower ->> 'student', s.fullname),
        coalesce(a.borrower ->> 'name', s.primary_contact_name)))) > 0)`,
    },
  ),
}

const applications = {
  file: 'loans',
  title: 'Loans',
  noun: ['loan', 'loans'],
  key: 'id',
  columns: {
    application_id: out.text('Id of the application.', LOAN_ID, ({ id }) => id),
    borrower: column(
      out.text('Name of the parent.', 'Asha Rao', ({ borrowerName }) => borrowerName),
      { title: 'Borrower', sort: by.name('"borrowerName"') },
    ),
    phone: fileColumn('Phone', 'text', (row: LoanRow) => row.borrowerPhone),
    email: fileColumn('E-mail', 'text', (row: LoanRow) => row.borrowerEmail),
    service_student_id: out.text('The student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da', row => row.studentId),
    student: column(out.text('Name of the student.', 'Ravi Rao'), { title: 'Student', sort: by.name }),
    institute: column(out.text('Whose fees it pays.', 'Green Park School'), {
      title: 'Institute',
      only: 'page',
    }),
    lender: column(
      out.text('Name of the lender.', 'Sahakari Bank', ({ lenderTitle }) => lenderTitle),
      { title: 'Lender' },
    ),
    status: column(
      out.oneOf(LOAN_STATES, 'How it stands.', ({ state }) => state, 'filled'),
      { title: 'State', sort: by.text('state') },
    ),
    requested_amount: column(
      out.amount('Rupees that were asked for.', 60000, ({ askedPaise }) => askedPaise),
      { title: 'Asked for', only: 'file' },
    ),
    amount: column(out.amount('Rupees asked for, then approved, then signed.', 60000), {
      title: 'Amount',
      sort: by.number,
    }),
    created_at: column(out.moment('When it was started.', '2026-11-15T04:32:10.000Z'), {
      title: 'Applied',
      sort: by.moment('coalesce("sentAt", "createdAt")'),
    }),
    sent_at: column(out.optional.moment('When the family consented.', '2026-11-15T04:35:00.000Z'), {
      title: 'Sent to the lender',
      only: 'file',
    }),
    offer_accepted_at: out.optional.moment(
      'When the family accepted the offer.',
      '2026-11-17T08:00:00.000Z',
      ({ acceptedAt }) => acceptedAt,
    ),
    transfers_to_confirm: column(
      out.integer(
        "Transfers that the institute has still to look for on its bank's statement.",
        0,
        row => row.unconfirmed,
      ),
      { title: 'Transfers to confirm', only: 'file' },
    ),
    id: fileColumn('Application', 'text', (row: LoanRow) => row.id),
  },
  rows: {
    ...LOANS,
    // A lender sees an application from the moment of the family's consent.
    scope: (of: LoanScope): Condition[] =>
      'lender' in of
        ? [['a.lender = $1', of.lender], ['a.sent_at is not null']]
        : [['a.institute_id = $1', of.instituteId]],
    order: ['id'],
    direction: 'desc',
  },
} as const

/** Applications as the institute sees them, newest first: ids sort by creation. */
export const loanList = defineList({ ...applications, filters: { ...filters, ...classFilters('s') } })

/** The same as a lender sees them, to whom the classes of many institutes say nothing. */
export const applicationList = defineList({ ...applications, filters })

export type LoanRowAnswer = Shown<typeof loanList.output>
