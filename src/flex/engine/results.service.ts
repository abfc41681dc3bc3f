import { ABANDONED } from '../../payments/payments.rules.ts'
import type { PaymentHandler, FailedPayment, ReversedOrder } from '../../payments/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { endMandateOfCancelled, endMandate } from '../mandates/end-mandate.ts'
import type { PlanChanges } from '../plans/plan-changes.service.ts'
import { findPlansOf } from '../plans/plans.store.ts'
import { applyCause, type PlanCause } from '../rules/plan-causes.rules.ts'
import { withPlans, type LockedPlans, type PlanContext } from '../plans/with-plans.service.ts'
import { type Instalment, sumLines } from '../rules/plan.rules.ts'
import { debited, debitedLate, paidAtSetup, settled } from './debit.service.ts'
import { endPresentations, findByOrders, type Ending } from './engine.store.ts'
import { chargeNote } from '../../payments/refunds/refunds.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import { ZERO } from '../../platform/money.ts'
import { afterReturn, type AfterReturn, meaningOf } from '../rules/returns.rules.ts'

/** What the bank says of a presentation, applied to its instalment in the transaction that wrote it down. */
export function instalmentPaymentHandler(ctx: PlanContext): PaymentHandler {
  return {
    captured: (tx, paid, at) =>
      withOrders(ctx, tx, [paid], at, ({ plan, instalment, isCurrent }) => {
        if (!isCurrent || instalment.state !== 'presented') {
          debitedLate(plan, instalment, paid)
          return null
        }
        debited(plan, instalment, paid)
        return { state: 'debited', returnCode: null }
      }),
    settled: settledFor(ctx),
    failed: (tx, failed, at) =>
      withOrders(ctx, tx, [failed], at, ({ plan, instalment, isCurrent, mandateId }) => {
        if (!isCurrent || instalment.state !== 'presented' || plan.mandate === null) return null
        const outcome = bounced(plan, instalment, failed, mandateId)
        return outcome === 'bounced' ? { state: 'bounced', returnCode: failed.code } : null
      }),
    reversed: (tx, taken, at) =>
      withOrders(ctx, tx, [taken], at, ({ plan, instalment, isCurrent }) => {
        const isStanding = instalment.state === 'debited' || instalment.state === 'settled'
        if (!isCurrent || !isStanding) return null
        reversed(plan, instalment, taken)
        return { state: 'reversed', returnCode: taken.code }
      }),
    refunded: refundedFor(ctx),
  }
}

export function downpaymentPaymentHandler(ctx: PlanContext): PaymentHandler {
  return {
    captured: (tx, paid, at) =>
      withOrders(ctx, tx, [paid], at, ({ plan, instalment }) => {
        paidAtSetup(plan, instalment, paid)
        return null
      }),
    settled: settledFor(ctx),
    // The page says so, and the parent tries again.
    failed: async () => {},
    reversed: async () => {},
    refunded: refundedFor(ctx),
  }
}

/** The student's plan of today takes it, whichever plan it was paid in. */
function refundedFor(ctx: PlanContext): NonNullable<PaymentHandler['refunded']> {
  return async (tx, { payment: { instituteId }, order, lines, outcome }, at) => {
    const keys = await findPlansOf(tx, instituteId, order.studentId === null ? [] : [order.studentId])
    const change = (plans: LockedPlans): void => {
      for (const plan of plans.values()) {
        const origin = plan.find(order.instalmentId ?? '')
        const cause: PlanCause =
          outcome === 'failed' ? { kind: 'owed_changed' } : { kind: 'refunded', lines, origin }
        applyCause(plan, cause)
      }
    }
    await withPlans(ctx, keys, change, { tx, at })
  }
}

function settledFor(ctx: PlanContext): PaymentHandler['settled'] {
  return (tx, paid, at) =>
    withOrders(ctx, tx, paid, at, ({ plan, instalment, orderId }) => {
      const one = paid.find(({ order }) => order.id === orderId)
      if (one !== undefined) settled(plan, instalment, one)
      return null
    })
}

type PresentedDebit = {
  plan: PlanChanges
  instalment: Instalment
  orderId: string
  /** Whether the order is still the one that the instalment was last presented with. */
  isCurrent: boolean
  /** The mandate it was presented under; by now the plan may have another. */
  mandateId: string | null
}

/** Changes the plans behind these payments; answers of `change` end their presentations. */
async function withOrders(
  ctx: PlanContext,
  tx: Transaction,
  paid: readonly { payment: { instituteId: number; orderId: string } }[],
  at: Date,
  change: (presented: PresentedDebit) => Pick<Ending, 'state' | 'returnCode'> | null,
): Promise<void> {
  const [first] = paid
  if (first === undefined) return
  const { instituteId } = first.payment
  const orderIds = paid.map(({ payment }) => payment.orderId)
  const found = await findByOrders(tx, instituteId, orderIds)
  const apply = async (plans: ReadonlyMap<string, PlanChanges>): Promise<void> => {
    const endings: Ending[] = []
    for (const { planId, instalmentId, orderId, mandateId } of found) {
      const plan = plans.get(planId)
      const instalment = plan?.find(instalmentId)
      if (plan === undefined || instalment === undefined) continue
      const isCurrent = instalment.orderId === orderId
      const ending = change({ plan, instalment, orderId, isCurrent, mandateId })
      if (ending !== null) endings.push({ ...ending, instituteId, orderId, endedAt: at })
      endMandateOfCancelled(plan)
    }
    await endPresentations(tx, endings)
  }
  await withPlans(ctx, found, apply, { tx, at })
}

/** The bank did not pay. `mandateId` is what it was presented under; by now the plan may have another. */
function bounced(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message }: FailedPayment,
  mandateId: string | null,
): 'bounced' | 'undecided' {
  const next = afterReturn(plan.contextOf(instalment), plan.rail, code)
  if (next.kind === 'wait') {
    plan.note(instalment, 'waiting', `${code}: ${message}`)
    return 'undecided'
  }
  const why = `${code}: ${next.meaning.message}`
  const after = plan.move(instalment, 'bounced', why, { returnCode: code, nextStepAt: null })
  if (code !== ABANDONED || next.kind === 'stop') tellOfBounce(plan, after, code, next)
  goOn(plan, after, next)
  if (next.kind === 'mandate_ended' && plan.mandate?.id === mandateId) endMandate(plan, code)
  return 'bounced'
}

function tellOfBounce(plan: PlanChanges, instalment: Instalment, code: string, next: AfterReturn): void {
  const { category, message } = next.meaning
  plan.recordEvent('flex.instalment.bounced', {
    instalment,
    reason: { code, category, message },
    nextPresentationOn: nextDay(next),
  })
  // One that is tried again within its notice may still be paid in a few hours; the family hears of the last.
  if (next.kind === 'retry') return
  const amountPaise = sumLines(instalment.lines)
  plan.notifyOfReturn(instalment, { kind: 'bounced', amountPaise, reason: message })
}

function nextDay(next: AfterReturn): string | undefined {
  if (next.kind === 'schedule') return next.presentOn
  return next.kind === 'retry' ? dayOf(next.at) : undefined
}

function goOn(plan: PlanChanges, instalment: Instalment, next: AfterReturn): void {
  switch (next.kind) {
    case 'schedule': {
      const uncounted = {
        attempt: instalment.attempt - 1,
        bankReturns: instalment.bankReturns + 1,
        firstBankReturnAt: instalment.firstBankReturnAt ?? plan.now,
      }
      plan.move(instalment, 'scheduled', `to be presented again on ${next.presentOn}`, {
        presentOn: next.presentOn,
        notifiedAt: null,
        fetchTries: 0,
        nextStepAt: plan.now,
        ...(next.counts ? {} : uncounted),
      })
      return
    }
    case 'retry': {
      const scheduled = plan.move(instalment, 'scheduled', 'to be presented again within its notice')
      const why = `in the window of ${next.at.toISOString()}`
      plan.move(scheduled, 'confirmed', why, { nextStepAt: next.at })
      return
    }
    case 'stop':
    case 'wait':
    case 'mandate_ended':
      return
    default:
      assertNever(next)
  }
}

/** The bank took back what it had paid. */
function reversed(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message, payment, chargedPaise }: ReversedOrder,
): void {
  const meaning = meaningOf(code)
  const why = `${code}: ${message}; a person decides`
  const unpaid = { refundedPaise: ZERO, settlementId: null, settlementUtr: null }
  const after = plan.move(instalment, 'reversed', why, { returnCode: code, ...unpaid })
  plan.recordEvent('flex.instalment.bounced', {
    instalment: after,
    reason: {
      code,
      category: meaning.category,
      message: [meaning.message, chargeNote(chargedPaise)].filter(text => text !== '').join(' '),
    },
    nextPresentationOn: undefined,
  })
  applyCause(plan, { kind: 'debit_reversed', isCharged: chargedPaise > 0 })
  const { amountPaise } = payment
  plan.notifyOfReturn(after, { kind: 'reversed', amountPaise, reason: meaning.message })
}
