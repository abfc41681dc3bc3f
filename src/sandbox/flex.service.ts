import { paymentOfInstalment, pendingMandateOf } from '../flex/sandbox-flex.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { BankMandateState, DebitAct } from '../payments/bank-mandates.rules.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { findPayment } from '../payments/payments.service.ts'
import { conflict } from '../platform/errors.ts'
import { rememberAnswer, type Act } from '../platform/idempotency.ts'
import { actOnMandate, decideAtBank, isDebit, type SandboxTill } from './payments.service.ts'

export type Authorised = { planId: string; status: BankMandateState }

/** Does what the payer of a plan does at the bank. */
export async function authorisePlan(
  sandbox: SandboxTill,
  act: Act<Authorised>,
  target: { institute: Institute; planId: string },
  outcome: 'success' | 'failure',
): Promise<Authorised> {
  const { till, bank } = sandbox
  const { institute, planId } = target
  const mandate = await pendingMandateOf(till, institute.id, planId)
  if (mandate === null) throw conflict('This plan has no mandate that waits for the payer.')
  const where = { instituteId: institute.id, ref: mandate.providerRef }
  await actOnMandate(sandbox, where, outcome === 'success' ? 'approve' : 'decline')
  const after = await bank.findMandate(institute.id, mandate.providerRef)
  const done: Authorised = { planId, status: after?.state ?? 'open' }
  if (act.once !== undefined) await rememberAnswer(till.db, act.instituteId, act.once, act.once.answer(done))
  return done
}

export type DecidedInstalment = { instalmentId: string; payment: Payment }

/** Lets the bank decide now about an instalment that is out, or take back one that was debited. */
export async function decideInstalment(
  sandbox: SandboxTill,
  act: Act<DecidedInstalment>,
  target: { institute: Institute; instalmentId: string },
  outcome: DebitAct,
): Promise<DecidedInstalment> {
  const { till } = sandbox
  const { institute, instalmentId } = target
  const payment = await paymentOfInstalment(till, institute.id, instalmentId)
  if (payment === null)
    throw conflict(
      'This instalment is not at the bank. Move the clock to its day (POST /api/v1/sandbox/clock) and ask again.',
    )
  if (!isDebit(payment)) throw conflict('This instalment is paid at the checkout, not debited by the bank.')
  await decideAtBank(sandbox, payment, outcome)
  const after = (await findPayment(till, institute.id, payment.id)) ?? payment
  const done = { instalmentId, payment: after }
  if (act.once !== undefined) await rememberAnswer(till.db, act.instituteId, act.once, act.once.answer(done))
  return done
}
