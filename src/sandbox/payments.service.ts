import type { Institute } from '../institutes/institutes.rules.ts'
import type { BankMandate, DebitAct, MandateAct } from './bank/mandates.rules.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { findPayment, startPayment } from '../payments/payments.service.ts'
import type { PaymentMode } from '../providers/port.ts'
import type { AtCounter, SandboxBank } from './bank/simulator.ts'
import { scriptOf, type BankAct } from './bank/simulator.rules.ts'
import { settleDay, today, type SettlementSummary } from '../payments/settlements/settlements.service.ts'
import type { Till } from '../payments/context.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { rememberAnswer, type Act } from '../platform/idempotency.ts'

/** What the sandbox lets a developer do to the bank. */
export type SandboxTill = { till: Till; bank: SandboxBank }

/** Tells the bank what the payer did, and hands its callbacks to the door that every provider's go through. */
export async function actAtBank({ bank }: SandboxTill, where: AtCounter, act: BankAct): Promise<void> {
  for (const callback of await bank.act(where, act)) await bank.tell(callback)
}

/** The same for a mandate. */
export async function actOnMandate(
  { bank }: SandboxTill,
  where: Pick<BankMandate, 'instituteId' | 'ref'>,
  act: MandateAct,
): Promise<void> {
  for (const callback of await bank.actOnMandate(where, act)) await bank.tell(callback)
}

/** The same for a debit under one. */
export async function decideAtBank({ bank }: SandboxTill, payment: Payment, act: DebitAct): Promise<void> {
  const { instituteId, provider, providerRef: ref } = payment
  if (ref === null || provider !== 'sandbox') throw conflict('This payment is not at the sandbox bank.')
  for (const callback of await bank.decide({ instituteId, ref }, act)) await bank.tell(callback)
}

/** Whether the bank debits it by itself, so that no payer has a page for it. */
export function isDebit({ mode }: Payment): boolean {
  return mode === 'enach' || mode === 'upi_autopay'
}

export async function payOrder(
  sandbox: SandboxTill,
  act: Act<Payment>,
  target: { institute: Institute; orderId: string },
  paying: { outcome: BankAct['outcome']; mode: PaymentMode },
): Promise<Payment> {
  const { institute, orderId } = target
  const started = await startPayment(sandbox.till, institute, orderId, {
    mode: paying.mode,
    returnUrl: `${sandbox.till.publicUrl}/pay/${institute.code}/${orderId}/return`,
  })
  return actOn(sandbox, act, started, { outcome: paying.outcome, mode: paying.mode })
}

export async function resolvePayment(
  sandbox: SandboxTill,
  act: Act<Payment>,
  target: { institute: Institute; paymentId: string },
  outcome: 'success' | 'failure',
): Promise<Payment> {
  const payment = await findPayment(sandbox.till, target.institute.id, target.paymentId)
  if (payment === null) throw notFound('This payment')
  if (!isDebit(payment)) return actOn(sandbox, act, payment, { outcome })
  // A debit that was captured can still be taken back, which is not what is asked for here.
  if (payment.state === 'captured') throw conflict('The bank has this payment as captured already.')
  await decideAtBank(sandbox, payment, { kind: outcome === 'success' ? 'debited' : 'bounced' })
  return afterActing(sandbox, act, payment)
}

async function actOn(
  sandbox: SandboxTill,
  act: Act<Payment>,
  payment: Payment,
  bankAct: BankAct,
): Promise<Payment> {
  if (payment.providerRef === null || payment.provider !== 'sandbox') {
    throw conflict('This payment is not at the sandbox bank.')
  }
  // A bank that told us before it answered our start has done it already.
  const isDone = scriptOf(payment.amountPaise) === 'tells_first' && payment.state === 'created'
  if (!isDone) {
    const { instituteId, providerRef: ref, amountPaise } = payment
    await actAtBank(sandbox, { instituteId, ref, amountPaise }, bankAct)
  }
  return afterActing(sandbox, act, payment)
}

async function afterActing({ till }: SandboxTill, act: Act<Payment>, payment: Payment): Promise<Payment> {
  const after = (await findPayment(till, payment.instituteId, payment.id)) ?? payment
  if (act.once !== undefined) await rememberAnswer(till.db, act.instituteId, act.once, act.once.answer(after))
  return after
}

/** Pays out and settles every captured payment of the institute at once, whatever its due day. */
export async function settleEverything(
  { till, bank }: SandboxTill,
  instituteId: number,
): Promise<SettlementSummary> {
  await bank.payOut(new Date(till.clock.now().getTime() + 1), instituteId)
  return settleDay(till, 'sandbox', today(till))
}
