import type { Institute } from '../institutes/institutes.rules.ts'
import type { BankMandate, DebitAct, MandateAct } from './bank/mandates.rules.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { disputeList } from '../payments/disputes/dispute.list.ts'
import type { DisputeRecord } from '../payments/disputes/disputes.service.ts'
import { findPayment } from '../payments/payments.service.ts'
import { startPayment } from '../payments/start/start-payment.service.ts'
import type { PaymentMode } from '../providers/port.ts'
import { type DisputeAct, scriptOf, type BankAct } from './bank/simulator.rules.ts'
import type { AtCounter, SandboxBank } from './bank/simulator.service.ts'
import { settleDay, today, type SettlementSummary } from '../payments/settlements/settlements.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { conflict, notFound } from '../platform/errors.ts'

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
export async function decideAtBank(
  { bank }: SandboxPayments,
  payment: Payment,
  command: DebitAct,
): Promise<void> {
  const { instituteId, provider, providerRef: ref } = payment
  if (ref === null || provider !== 'sandbox') throw conflict('This payment is not at the sandbox bank.')
  for (const callback of await bank.decide({ instituteId, ref }, command)) await bank.tell(callback)
}

/** Whether the bank debits it by itself, so that no payer has a page for it. */
export function isDebit({ mode }: Payment): boolean {
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
