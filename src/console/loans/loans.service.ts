import type { Institute } from '../../institutes/institutes.rules.ts'
import { BANK_TRANSFER } from '../../loans/bank-transfers.service.ts'
import { getApplication } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { letterTime } from '../../loans/desk.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { notFound } from '../../platform/errors.ts'
import * as store from './loans.store.ts'

export type LoanDetail = { row: store.LoanRow; file: LoanFile; letterAt: Date | null; unconfirmed: string[] }

export async function readLoan(
  ctx: LoanContext,
  institute: Institute,
  applicationId: string,
): Promise<LoanDetail> {
  const key = { instituteId: institute.id, applicationId }
  const [row, file, letterAt, unconfirmed] = await Promise.all([
    store.findLoan(ctx.db, key),
    getApplication(ctx, institute, applicationId),
    letterTime(ctx, key),
    store.listUnconfirmed(ctx.db, key, BANK_TRANSFER),
  ])
  if (row === null) throw notFound('This application')
  return { row, file, letterAt, unconfirmed }
}

export async function listLoans(
  { db }: LoanContext,
  scope: store.LoanScope,
  { cursor, limit, ...filter }: store.LoanFilter & PageRange,
): Promise<Page<store.LoanRow>> {
  return store.listLoans(db, scope, filter, { cursor, limit })
}
