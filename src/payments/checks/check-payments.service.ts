import { setTimeout as wait } from 'node:timers/promises'
import { isUnavailable } from '../../platform/errors.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processDue } from '../../platform/jobs/due-rows.ts'
import { ProviderRefused, type PaymentOutcome, type PaymentReport } from '../../providers/port.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import {
  ABANDONED,
  ABANDONED_AFTER_MS,
  atProvider,
  checkAfterFailure,
  isDebit,
  nextCheckOf,
  shouldClosePage,
  TAKEN_OVER,
  type Payment,
} from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import { canBePaid, findUnderWay, setNextCheck, toCheck } from '../payments.store.ts'

/** Asks the provider about payments whose end is not known. */
export function checkPayments(ctx: PaymentContext): Run {
  return processDue(ctx, toCheck, payment => checkPayment(ctx, payment))
}

async function checkPayment(ctx: PaymentContext, payment: Payment): Promise<void> {
  const now = ctx.clock.now()
  const report = await askProvider(ctx, payment)
  const isAbandoned =
    report.outcome.kind === 'open' && now.getTime() - payment.createdAt.getTime() > ABANDONED_AFTER_MS
  const outcome = { kind: 'failed' as const, code: ABANDONED, message: 'The payment was not completed.' }
  if (isAbandoned) await applyReport(ctx, { ...report, outcome }, { ifStill: payment })
  else await applyReport(ctx, report)
  const next = payment.state === 'failed' ? checkAfterFailure(payment.checks, now) : nextCheckOf(payment, now)
  await setNextCheck(ctx.db, payment, next)
  await closePage(ctx, payment, { outcome: report.outcome, isAbandoned, isLastCheck: next === null })
}

/** Closes the provider's page. The rows of order and payment ask for it, so if the provider is down the next check tries again. */
async function closePage(
  ctx: PaymentContext,
  payment: Payment,
  {
    outcome,
    isAbandoned,
    isLastCheck,
  }: { outcome: PaymentOutcome; isAbandoned: boolean; isLastCheck: boolean },
): Promise<void> {
  const { failureCode } = payment
  // Asked by its mode: a start whose answer was lost has a page too, only its address is not known here.
  if (isDebit(payment)) return
  const isGivenUp = isAbandoned || failureCode === ABANDONED || failureCode === TAKEN_OVER
  const isOrderOpen = await canBePaid(ctx.db, payment, ctx.clock.now())
  const now = { outcome, isOrderOpen, isGivenUp, isLastCheck }
  if (!shouldClosePage(payment, now)) return
  const provider = await providerOf(ctx, payment)
  await provider.closePage?.(atProvider(payment)).catch((err: unknown) => {
    if (!isUnavailable(err)) throw err
  })
}

const RETURN_WAIT_MS = 4_000

/**
 * A payer is back from the provider's page and its callback has not come: the provider is asked at once, so that nobody who
 * has paid is asked to pay. It waits for an answer for some seconds only; whatever fails, the job asks again.
 */
export async function checkReturned(
  ctx: PaymentContext,
  instituteId: number,
  orderId: string,
): Promise<void> {
  const payment = await findUnderWay(ctx.db, instituteId, orderId)
  if (payment === null) return
  const asked = askProvider(ctx, payment)
    .then(report => applyReport(ctx, report))
    .catch((error: unknown) => {
      if (!isUnavailable(error) && !(error instanceof ProviderRefused)) throw error
    })
  await Promise.race([asked, wait(RETURN_WAIT_MS, undefined, { ref: false })])
}

async function askProvider(ctx: PaymentContext, payment: Payment): Promise<PaymentReport> {
  const provider = await providerOf(ctx, payment)
  return provider.status(atProvider(payment))
}

export async function nextCheckDue(ctx: PaymentContext): Promise<Date | null> {
  return toCheck.nextDue(ctx.db)
}
