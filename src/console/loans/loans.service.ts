import type { Institute } from '../../institutes/institutes.rules.ts'
import type { School } from '../../institutes/school/school.rules.ts'
import { getSchool } from '../../institutes/school/school.service.ts'
import { getApplication } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { letterVersions, type LetterVersion } from '../../loans/desk/desk.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import { notFound } from '../../platform/errors.ts'
import * as store from './loans.store.ts'

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

/** The lender's people see no contact of an application that came to nothing: they need none any more. */
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
