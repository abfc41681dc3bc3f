import type { Institute } from '../institutes/institutes.rules.ts'
import { toRupees } from '../platform/money.ts'
import { emiOutput, toDisbursementsJson } from './loan.output.ts'
import { lenderTitle, type LoanContext } from './context.ts'
import { canEnd, type Application, type LoanFile } from './loans.rules.ts'

/** The application's page: it links to the lender, and the lender redirects back to it. */
export function applicationUrl(
  { publicUrl }: Pick<LoanContext, 'publicUrl'>,
  institute: Institute,
  id: string,
): string {
  return `${publicUrl}/cred/${institute.code}/${id}`
}

/** The application as every API response contains it. */
export function applicationView(ctx: LoanContext, institute: Institute, application: Application) {
  return {
    application_id: application.id,
    service_student_id: application.studentId,
    status: application.state,
    amount: toRupees(application.amountPaise),
    requested_amount: toRupees(application.askedPaise),
    lender: lenderTitle(ctx, application.lender),
    reason: application.reason ?? undefined,
    redirect_url: applicationUrl(ctx, institute, application.id),
    created_at: application.createdAt.toISOString(),
    filled_at: application.filledAt?.toISOString(),
    approved_at: application.approvedAt?.toISOString(),
    agreement_signed_at: application.signedAt?.toISOString(),
    ended_at: application.endedAt?.toISOString(),
    expires_at: canEnd(application.state) ? application.expiresAt.toISOString() : undefined,
  }
}

/** The application with its tranches and EMIs. */
export function wholeApplicationView(ctx: LoanContext, institute: Institute, file: LoanFile) {
  return {
    ...applicationView(ctx, institute, file.application),
    disbursements: toDisbursementsJson(file),
    emis: file.emis.map(emi => emiOutput.toJson(emi)),
  }
}
