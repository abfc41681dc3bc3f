import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import { listPayments } from '../../payments/payments.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { FlexContext } from '../context.ts'
import { readFiles, type PlanKey } from '../plans/plans.store.ts'
import type { Rail } from '../rules/rails.rules.ts'
import { findInstalmentOrder, findPendingMandate } from './sandbox.store.ts'
import { downpaymentOrder, openSetup, railsFor, startMandate } from './setup.service.ts'

/** The mandate of a plan that waits for the payer at the bank; null when none does. */
export async function pendingMandateOf(
  { db }: Context,
  instituteId: number,
  planId: string,
): Promise<{ providerRef: string } | null> {
  const plan = await findPendingMandate(db, instituteId, planId)
  if (plan === null) throw notFound('This plan')
  return plan.providerRef === null ? null : { providerRef: plan.providerRef }
}

/** What a parent who opens a plan's page and goes on has to pay first; null when there is nothing. */
export async function openDownpayment(
  flex: FlexContext,
  institute: Institute,
  planId: string,
): Promise<string | null> {
  const setup = await openSetup(flex, institute, planId)
  if (setup.kind === 'refused') throw conflict(setup.message)
  if (setup.kind === 'try_later') throw conflict('The ERP could not be asked, so nothing is set up.')
  const key = { instituteId: institute.id, planId }
  return setup.scene.file.plan.state === 'draft' ? downpaymentOrder(flex, key, flex.publicUrl) : null
}

/** Chooses how to be debited, as a parent does on the plan's page. */
export async function agreeForPayer(
  flex: FlexContext,
  key: PlanKey,
  wanted: Rail | undefined,
): Promise<void> {
  const file = (await readFiles(flex.db, [key])).get(key.planId)
  if (file === undefined) throw notFound('This plan')
  const [first] = await railsFor(flex, file)
  const rail = wanted ?? first
  if (rail === undefined)
    throw conflict('An instalment of this plan is above what any way of debiting allows.')
  await startMandate(flex, key, {
    rail,
    language: 'en',
    returnUrl: `${flex.publicUrl}/`,
    consent: 'said by the sandbox for the payer',
  })
}

/** The payment of the presentation that is out or stands; null when there is none. */
export async function paymentOfInstalment(
  ctx: PaymentContext,
  instituteId: number,
  instalmentId: string,
): Promise<Payment | null> {
  const instalment = await findInstalmentOrder(ctx.db, instituteId, instalmentId)
  if (instalment === null) throw notFound('This instalment')
  if (instalment.orderId === null) return null
  const [latest] = await listPayments(ctx, instituteId, instalment.orderId)
  return latest ?? null
}
