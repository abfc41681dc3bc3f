import type { FlexContext } from '../flex/context.ts'
import { railsFor, startMandate } from '../flex/mandates/setup.service.ts'
import { downpaymentOrder, openSetup } from '../flex/plans/open-setup.service.ts'
import { getPlan, paymentOfInstalment } from '../flex/plans/plans.service.ts'
import type { Rail } from '../flex/rules/rails.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { BankMandateState, DebitAct } from './bank/mandates.rules.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { findPayment } from '../payments/payments.service.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { actOnMandate, decideAtBank, isDebit, payOrder, type SandboxPayments } from './payments.service.ts'

/** The bank, and the plans of which it is asked. */
export type SandboxPlans = Pick<SandboxPayments, 'bank'> & { ctx: FlexContext }

export type Authorised = { planId: string; status: BankMandateState }

type PlanTarget = { institute: Institute; planId: string }

/**
 * Does what the payer of a plan does at the bank, and before that, where it has not been done, what a parent does on
 * the plan's page: looks at it, which asks the ERP, pays the down payment and chooses how to be debited.
 */
export async function authorisePlan(
  sandbox: SandboxPlans,
  target: PlanTarget,
  { outcome, rail }: { outcome: 'success' | 'failure'; rail?: Rail },
): Promise<Authorised> {
  const { bank } = sandbox
  const { institute, planId } = target
  const mandate = (await pendingMandateOf(sandbox.ctx, target)) ?? (await agree(sandbox, target, rail))
  const where = { instituteId: institute.id, ref: mandate.providerRef }
  await actOnMandate(sandbox, where, outcome === 'success' ? 'approve' : 'decline')
  const after = await bank.findMandate(institute.id, { ref: mandate.providerRef })
  return { planId, status: after?.state ?? 'open' }
}

/** The mandate of a plan that waits for the payer at the bank; null when none does. */
async function pendingMandateOf(
  flex: FlexContext,
  { institute, planId }: PlanTarget,
): Promise<{ providerRef: string } | null> {
  const { mandate } = await getPlan(flex, institute, planId)
  if (mandate?.state !== 'pending' || mandate.providerRef === null) return null
  return { providerRef: mandate.providerRef }
}

async function agree(
  sandbox: SandboxPlans,
  target: PlanTarget,
  wanted: Rail | undefined,
): Promise<{ providerRef: string }> {
  const { ctx: flex } = sandbox
  const { institute, planId } = target
  const key = { instituteId: institute.id, planId }
  const setup = await openSetup(flex, institute, planId)
  if (setup.kind === 'refused') throw conflict(setup.message)
  if (setup.kind === 'try_later') throw conflict('The ERP could not be asked, so nothing is set up.')
  if (setup.kind === 'other_year')
    throw conflict(`The ERP has gone on to another academic year. Set up its plan ${setup.planId} instead.`)
  const isDraft = setup.loaded.plan.state === 'draft'
  const orderId = isDraft ? await downpaymentOrder(flex, key, flex.publicUrl) : null
  if (orderId !== null) {
    const paying = { outcome: 'success', mode: 'upi' } as const
    await payOrder(sandbox, { institute, orderId }, paying)
  }
  const [first] = await railsFor(flex, setup.loaded)
  const rail = wanted ?? first
  if (rail === undefined)
    throw conflict('An instalment of this plan is above what any way of debiting allows.')
  const consent = 'said by the sandbox for the payer'
  await startMandate(flex, key, { rail, returnUrl: `${flex.publicUrl}/`, consent })
  const mandate = await pendingMandateOf(flex, target)
  if (mandate === null) throw conflict('This plan has no mandate that waits for the payer.')
  return mandate
}

export type ActedMandate = { mandateId: string; status: BankMandateState | 'expired'; isPaused: boolean }

/** What the payer does at the bank with a mandate that was authorised, or the bank when its end date has passed. */
export async function changeMandate(
  sandbox: SandboxPlans,
  { institute, mandateId }: { institute: Institute; mandateId: string },
  act: 'revoke' | 'pause' | 'resume' | 'expire',
): Promise<ActedMandate> {
  const { bank } = sandbox
  const known = await bank.findMandate(institute.id, { mandateId })
  if (known === null) throw notFound('This mandate')
  await actOnMandate(sandbox, known, act)
  const after = (await bank.findMandate(institute.id, { mandateId })) ?? known
  const status = act === 'expire' ? ('expired' as const) : after.state
  return { mandateId, status, isPaused: after.isPaused }
}

export type DecidedInstalment = { instalmentId: string; payment: Payment; isReturned: boolean }

/** Lets the bank decide now about an instalment that is out, or take back one that was debited. */
export async function decideInstalment(
  sandbox: SandboxPayments,
  target: { institute: Institute; instalmentId: string },
  outcome: DebitAct,
): Promise<DecidedInstalment> {
  const { ctx } = sandbox
  const { institute, instalmentId } = target
  const payment = await paymentOfInstalment(ctx, institute.id, instalmentId)
  if (payment === null)
    throw conflict(
      'This instalment is not at the bank. Move the clock to its day (POST /api/v1/sandbox/clock) and ask again.',
    )
  if (!isDebit(payment)) throw conflict('This instalment is paid at the checkout, not debited by the bank.')
  await decideAtBank(sandbox, payment, outcome)
  const after = (await findPayment(ctx, institute.id, payment.id)) ?? payment
  const isReturned = payment.state === 'captured' && outcome.kind === 'bounced'
  return { instalmentId, payment: after, isReturned }
}
