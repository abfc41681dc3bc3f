import type { Institute } from '../../institutes/institutes.rules.ts'
import type { School } from '../../institutes/school/school.rules.ts'
import { getSchool } from '../../institutes/school/school.service.ts'
import { getApplication } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { letterVersions, type LetterVersion } from '../../loans/desk/desk.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { notFound } from '../../platform/errors.ts'
import { readableComponent } from '../../platform/names.ts'
import type { Report } from '../reports/export.service.ts'
import { count, moment, money, text, type Column } from '../reports/reports.rules.ts'
import * as store from './loans.store.ts'

export { LOAN_SORTING } from './loans.store.ts'

export type LoanDetail = {
  row: store.LoanRow
  file: LoanFile
  letters: LetterVersion[]
  unconfirmed: number[]
  bankAccounts: School['bankAccounts']
}

export async function readLoan(
  ctx: LoanContext,
  institute: Institute,
  applicationId: string,
): Promise<LoanDetail> {
  const key = { instituteId: institute.id, applicationId }
  const [row, file, letters, unconfirmed, school] = await Promise.all([
    store.findLoan(ctx.db, key),
    getApplication(ctx, institute, applicationId),
    letterVersions(ctx, key),
    store.listUnconfirmed(ctx.db, key),
    getSchool(ctx, institute.id),
  ])
  if (row === null) throw notFound('This application')
  return { row, file, letters, unconfirmed, bankAccounts: school.bankAccounts }
}

export async function listLoans(
  { db }: LoanContext,
  scope: store.LoanScope,
  { cursor, limit, ...filter }: store.LoanFilter & PageRange,
): Promise<Page<store.LoanRow>> {
  return store.listLoans(db, scope, filter, { cursor, limit })
}

const COLUMNS: readonly Column<store.LoanRow>[] = [
  text('Borrower', row => row.borrowerName),
  text('Phone', row => row.borrowerPhone),
  text('E-mail', row => row.borrowerEmail),
  text('Student', row => row.student),
  text('Lender', row => row.lenderTitle),
  text('State', row => readableComponent(row.state.toUpperCase())),
  money('Asked for', row => row.askedPaise),
  money('Amount', row => row.amountPaise),
  moment('Applied (IST)', row => row.createdAt),
  moment('Sent to the lender (IST)', row => row.sentAt),
  count('Transfers to confirm', row => row.unconfirmed),
  text('Application', row => row.id),
]

export function loansReport(institute: Institute, filter: store.LoanFilter): Report<store.LoanRow> {
  return { name: 'loans', title: 'Loans', query: store.allLoans(institute.id, filter), columns: COLUMNS }
}

/** As the lender's people may see it: of an application that came to nothing they need no contact any more. */
export async function readLoanAtDesk(
  ctx: LoanContext,
  institute: Institute,
  applicationId: string,
): Promise<LoanDetail> {
  const detail = await readLoan(ctx, institute, applicationId)
  const { state } = detail.row
  if (state !== 'rejected' && state !== 'canceled' && state !== 'expired') return detail
  return { ...detail, row: { ...detail.row, borrowerPhone: null, borrowerEmail: null } }
}
