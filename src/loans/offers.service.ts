import { conflict, notFound } from '../platform/errors.ts'
import type { LoanContext } from './context.ts'
import { lenderOf } from './lenders/lenders.service.ts'
import { mailBorrower } from './borrower-mails.service.ts'
import { mailLender } from './staff-mails.service.ts'
import * as store from './loans.store.ts'
import { canAccept, canEnd } from './loans.rules.ts'

/**
 * The borrower accepts the offer on our page. The acceptance is committed before the lender is called: if the answer is
 * lost, the reconciler sends it again, which changes nothing at the lender.
 */
export async function acceptOffer(
  ctx: LoanContext,
  key: store.LoanKey,
  { offerRef, ip, agent }: { offerRef: string; ip: string; agent: string },
): Promise<void> {
  await ctx.db.transaction(async tx => {
    const file = await store.lockFile(tx, key)
    if (file === null) throw notFound('This application')
    const { application } = file
    if (application.acceptedAt !== null && application.offer?.ref === offerRef) return
    if (!canAccept(application) || application.offer?.ref !== offerRef)
      throw conflict('This offer cannot be accepted any more.')
    const now = ctx.clock.now()
    const acceptance = { ip, agent, offer: application.offer }
    await store.writeApplication(tx, {
      ...application,
      acceptedAt: now,
      acceptance,
      nextCheckAt: now,
      checks: 0,
    })
    await mailBorrower(tx, application, { kind: 'accepted' }, now)
    await mailLender(ctx, tx, application, 'accepted')
  })
  // The reconciler sends it if the lender does not answer now.
  await sendAcceptance(ctx, key).catch(() => {})
}

/** Tells the lender of an acceptance that it has not confirmed. */
export async function sendAcceptance(ctx: LoanContext, key: store.LoanKey): Promise<void> {
  const application = await store.findApplication(ctx.db, key)
  if (application === null || !canEnd(application.state)) return
  const { lender, lenderRef, offer, acceptedAt, acceptanceSentAt } = application
  if (offer === null || acceptedAt === null || acceptanceSentAt !== null) return
  await (await lenderOf(ctx, lender)).accept?.({ ...key, lenderRef }, { offerRef: offer.ref, acceptedAt })
  await ctx.db.transaction(async tx => {
    const file = await store.lockFile(tx, key)
    if (file !== null)
      await store.writeApplication(tx, { ...file.application, acceptanceSentAt: ctx.clock.now() })
  })
}
