import { getVirtualAccount } from '../dues/virtual-accounts/virtual-accounts.service.ts'
import type { FlexContext } from '../flex/context.ts'
import { railsFor, startMandate } from '../flex/mandates/setup.service.ts'
import { downpaymentOrder, openSetup } from '../flex/plans/open-setup.service.ts'
import { getPlan, paymentOfInstalment } from '../flex/plans/plans.service.ts'
import type { Rail } from '../flex/rules/rails.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import {
  type BankMandateState,
  type DebitAct,
  type BankMandate,
  type MandateAct,
  type DisputeAct,
  scriptOf,
  type BankAct,
} from './bank/simulator.rules.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { findPayment } from '../payments/payments.service.ts'
import { conflict, notFound } from '../platform/errors.ts'
import type { Paise } from '../platform/money.ts'
import { findCreditedPayment } from '../payments/credits/credits.service.ts'
import { disputeList } from '../payments/disputes/dispute.list.ts'
import type { DisputeRecord } from '../payments/disputes/disputes.service.ts'
import { startPayment } from '../payments/start/start-payment.service.ts'
import type { PaymentMode } from '../providers/port.ts'
import type { AtCounter, SandboxBank } from './bank/simulator.service.ts'
import { settleDay, today, type SettlementSummary } from '../payments/settlements/settlements.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import type { StudentKey } from '../students/students.rules.ts'

/** The bank, and the plans of which it is asked. */
export type SandboxPlans = Pick<SandboxPayments, 'bank'> & { ctx: FlexContext }

export type AuthorisedMandate = { planId: string; status: BankMandateState }

type PlanTarget = { institute: Institute; planId: string }

/**
 * Does what the payer of a plan does at the bank, and before that, where it has not been done, what a parent does on
 * the plan's page: looks at it, which asks the ERP, pays the down payment and chooses how to be debited.
 */
export async function authorisePlan(
  sandbox: SandboxPlans,
  target: PlanTarget,
  {
    outcome,
    rail,
    chargeComponents,
  }: { outcome: 'success' | 'failure'; rail?: Rail; chargeComponents?: readonly string[] },
): Promise<AuthorisedMandate> {
  const { bank } = sandbox
  const { institute, planId } = target
  const mandate =
    (await pendingMandateOf(sandbox.ctx, target)) ??
    (await agree(sandbox, target, { rail, chargeComponents }))
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
  {
    rail: wanted,
    chargeComponents,
  }: { rail: Rail | undefined; chargeComponents: readonly string[] | undefined },
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
  const agreed = chargeComponents === undefined ? {} : { chargeComponents }
  await startMandate(flex, key, { rail, returnUrl: `${flex.publicUrl}/`, consent, ...agreed })
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

/** What the sandbox lets a developer do to the bank. */
export type SandboxPayments = { ctx: PaymentContext; bank: SandboxBank }

/** Tells the bank what the payer did, and hands its callbacks to the door that every provider's go through. */
export async function actAtBank(
  { bank }: SandboxPayments,
  where: AtCounter,
  command: BankAct,
): Promise<void> {
  for (const callback of await bank.act(where, command)) await bank.tell(callback)
}

/** The same for a mandate. */
export async function actOnMandate(
  { bank }: SandboxPayments,
  where: Pick<BankMandate, 'instituteId' | 'ref'>,
  command: MandateAct,
): Promise<void> {
  for (const callback of await bank.actOnMandate(where, command)) await bank.tell(callback)
}

/** The same for a debit under one. */
async function decideAtBank({ bank }: SandboxPayments, payment: Payment, command: DebitAct): Promise<void> {
  const { instituteId, provider, providerRef: ref } = payment
  if (ref === null || provider !== 'sandbox') throw conflict('This payment is not at the sandbox bank.')
  for (const callback of await bank.decide({ instituteId, ref }, command)) await bank.tell(callback)
}

/** Whether the bank debits it by itself, so that no payer has a page for it. */
function isDebit({ mode }: Payment): boolean {
  return mode === 'enach' || mode === 'upi_autopay'
}

export async function payOrder(
  sandbox: SandboxPayments,
  target: { institute: Institute; orderId: string },
  paying: { outcome: BankAct['outcome']; mode: PaymentMode },
): Promise<Payment> {
  const { institute, orderId } = target
  const started = await startPayment(sandbox.ctx, institute, orderId, {
    mode: paying.mode,
    returnUrl: `${sandbox.ctx.publicUrl}/pay/${institute.code}/${orderId}/return`,
  })
  return actOn(sandbox, started, { outcome: paying.outcome, mode: paying.mode })
}

export async function resolvePayment(
  sandbox: SandboxPayments,
  target: { institute: Institute; paymentId: string },
  outcome: 'success' | 'failure',
): Promise<Payment> {
  const payment = await findPayment(sandbox.ctx, target.institute.id, target.paymentId)
  if (payment === null) throw notFound('This payment')
  if (!isDebit(payment)) return actOn(sandbox, payment, { outcome })
  // A debit that was captured can still be taken back, which is not what is asked for here.
  if (payment.state === 'captured') throw conflict('The bank has this payment as captured already.')
  await decideAtBank(sandbox, payment, { kind: outcome === 'success' ? 'debited' : 'bounced' })
  return afterActing(sandbox, payment)
}

/** Lets the payer's bank open or decide a dispute of a payment of any product and mode; answers it as it stands then. */
export async function disputePayment(
  { ctx, bank }: SandboxPayments,
  { institute, paymentId }: { institute: Institute; paymentId: string },
  act: DisputeAct,
): Promise<DisputeRecord> {
  const payment = await findPayment(ctx, institute.id, paymentId)
  if (payment === null) throw notFound('This payment')
  const { provider, providerRef: ref } = payment
  if (ref === null || provider !== 'sandbox') throw conflict('This payment is not at the sandbox bank.')
  for (const callback of await bank.dispute({ instituteId: institute.id, ref }, act))
    await bank.tell(callback)
  const { rows } = await disputeList.page(ctx, institute, { orderId: payment.orderId }, { limit: 1 })
  const [dispute] = rows
  if (dispute === undefined) throw conflict('The bank knows the dispute, and Bursar has not heard of it yet.')
  return dispute
}

export type SentTransfer = {
  utr: string
  amountPaise: Paise
  /** Null while Bursar has not heard of it, or does not book it. */
  paymentId: string | null
}

/** Sends money to a student's account number, as any bank does for anybody; with a UTR that the bank has already, it tells of that again. */
export async function transferToStudent(
  { ctx, bank }: SandboxPayments,
  key: StudentKey,
  { amountPaise, utr, remitterName }: { amountPaise: Paise; utr: string | null; remitterName: string },
): Promise<SentTransfer> {
  const { instituteId } = key
  const { id: virtualAccountId, provider, accountId } = await getVirtualAccount(ctx, key)
  if (provider !== 'sandbox') throw conflict('This account number is not at the sandbox bank.')
  const sent = await bank.credit({ instituteId, virtualAccountId, amountPaise, utr, remitterName })
  for (const callback of sent.callbacks) await bank.tell(callback)
  const paymentId = await findCreditedPayment(ctx.db, { instituteId, accountId, utr: sent.utr })
  return { utr: sent.utr, amountPaise: sent.amountPaise, paymentId }
}

async function actOn(sandbox: SandboxPayments, payment: Payment, bankAct: BankAct): Promise<Payment> {
  if (payment.providerRef === null || payment.provider !== 'sandbox') {
    throw conflict('This payment is not at the sandbox bank.')
  }
  const { instituteId, providerRef: ref, groupId, amountPaise } = payment
  // The bank knows the sum of what is paid at once.
  const whole = groupId === null ? null : await sandbox.bank.find(instituteId, ref)
  const at = whole ?? { instituteId, ref, amountPaise }
  // A bank that told us before it answered our start has done it already.
  const isDone = scriptOf(at.amountPaise) === 'tells_first' && payment.state === 'created'
  if (!isDone) await actAtBank(sandbox, at, bankAct)
  return afterActing(sandbox, payment)
}

async function afterActing({ ctx }: SandboxPayments, payment: Payment): Promise<Payment> {
  return (await findPayment(ctx, payment.instituteId, payment.id)) ?? payment
}

/** The sandbox bank pays everything out at once, whatever its due day; what gateways have paid out today is read. */
export async function settleEverything(
  { ctx, bank }: SandboxPayments,
  instituteId: number,
): Promise<SettlementSummary> {
  await bank.payOut(new Date(ctx.clock.now().getTime() + 1), instituteId)
  const summary = { settled: 0, exceptions: 0 }
  for (const account of await ctx.accounts.all()) {
    if (account.instituteId !== null && account.instituteId !== instituteId) continue
    const { settled, exceptions } = await settleDay(ctx, account, today(ctx))
    summary.settled += settled
    summary.exceptions += exceptions
  }
  return summary
}
