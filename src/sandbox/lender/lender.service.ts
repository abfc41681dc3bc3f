import { conflict } from '../../platform/errors.ts'
import { getApplication } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { sendToLender } from '../../loans/lender-sync.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { LenderAct, LenderLoan } from './simulator.rules.ts'
import type { SandboxLender } from './simulator.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'

/** What the sandbox lets a developer do to the lender. */
export type SandboxLoans = { ctx: LoanContext; lender: SandboxLender }

/** Tells the lender what happened, and hands its callbacks to the door that every lender's go through. */
export async function actAtLender(
  { lender }: Pick<SandboxLoans, 'lender'>,
  where: Pick<LenderLoan, 'instituteId' | 'ref'>,
  command: LenderAct,
): Promise<void> {
  for (const callback of await lender.act(where, command)) await lender.tell(callback)
}

/** The same for an application, which the lender is handed first if the parent has not gone there yet. */
export async function actOnApplication(
  sandbox: SandboxLoans,
  { institute, applicationId }: { institute: Institute; applicationId: string },
  lenderAct: LenderAct,
): Promise<LoanFile> {
  const { ctx } = sandbox
  const before = await getApplication(ctx, institute, applicationId)
  const { lender: code, lenderTitle } = before.application
  if (code !== sandbox.lender.name)
    throw conflict(
      `This application is with ${lenderTitle}, which is not the sandbox’s lender: it acts by itself.`,
    )
  const where = await findAtLender(sandbox, institute, applicationId)
  if (lenderAct.kind === 'disburse') await tellOfFailures(sandbox, where, before)
  await actAtLender(sandbox, where, lenderAct)
  return getApplication(ctx, institute, applicationId)
}

async function findAtLender(
  { ctx, lender }: SandboxLoans,
  institute: Institute,
  applicationId: string,
): Promise<LenderLoan> {
  const known = await lender.find(institute.id, { applicationId })
  if (known !== null) return known
  await sendToLender(
    ctx,
    { instituteId: institute.id, applicationId },
    `${ctx.publicUrl}/cred/${institute.code}/${applicationId}/return`,
  )
  const sent = await lender.find(institute.id, { applicationId })
  if (sent === null) throw new Error(`the lender lost ${applicationId}`)
  return sent
}

/** A lender hears from its own bank that a transfer came back, and pays that tranche again. */
async function tellOfFailures(
  sandbox: SandboxLoans,
  where: LenderLoan,
  { tranches }: LoanFile,
): Promise<void> {
  for (const { lenderRef: trancheRef } of tranches.filter(({ state }) => state === 'failed'))
    await actAtLender(sandbox, where, { kind: 'bounce', trancheRef })
}
