import { lockOrder } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import type { UnaskedRefund } from '../../providers/port.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import type { PaidOrder } from '../payment-handler.ts'
import { applyReport } from '../payments.service.ts'
import { lockPaying } from '../payments.store.ts'
import { listAtProvider } from '../start/groups.store.ts'
import { clearExceptions, insertExceptions } from '../settlements/settlements.store.ts'
import { recordMadeRefund } from './made-refunds.service.ts'
import { refundableOf, type Refund } from './refunds.rules.ts'
import { listRefunds } from './refunds.store.ts'

/**
 * Somebody refunded a payment in the provider's dashboard. The money has gone back, so it is booked as a refund of that
 * payment, its lines in proportion, once however often it is told; dues open again and the family is told as of ours. Where
 * it is not plain what it gives back, a person looks at it. Answers our id of it, null when it was not taken over.
 */
export async function takeOverRefund(
  ctx: PaymentContext,
  account: Account,
  report: UnaskedRefund,
): Promise<string | null> {
  const { instituteId, paymentId } = report
  const [known, ...others] = await listAtProvider(ctx.db, instituteId, paymentId)
  if (known === undefined || known.accountId !== account.id) return null
  if (others.length > 0) {
    const problem = `${paymentId}, which paid for several students, was refunded at the provider itself`
    await ctx.db.transaction(tx => insertException(ctx, tx, { account, report, problem }))
    return null
  }
  if (known.state !== 'captured') {
    // What went back came first: if we have not heard of that yet, the provider is asked.
    const provider = await providerOf(ctx, known)
    const asked = { instituteId, paymentId, providerRef: known.providerRef }
    await applyReport(ctx, await provider.status(asked))
  }
  return ctx.db.transaction(async tx => {
    const order = await lockOrder(tx, instituteId, known.orderId)
    const payment = await lockPaying(tx, instituteId, known.orderId)
    const earlier = await listRefunds(tx, instituteId, paymentId)
    const taken = earlier.find(({ providerRef }) => providerRef === report.providerRef)
    if (taken !== undefined) return taken.id
    const paid = order?.state === 'paid' && payment?.id === paymentId ? { payment, order } : null
    const problem = problemOf(paid, earlier, report)
    if (paid === null || problem !== null) {
      await insertException(ctx, tx, { account, report, problem: problem ?? '' })
      return null
    }
    return book(ctx, tx, { account, report, paid, earlier })
  })
}

async function book(
  ctx: PaymentContext,
  tx: Transaction,
  {
    account,
    report,
    paid,
    earlier,
  }: { account: Account; report: UnaskedRefund; paid: PaidOrder; earlier: readonly Refund[] },
): Promise<string> {
  const { instituteId, providerRef, amountPaise, utr, at } = report
  const made = { amountPaise, reason: 'made at the payment provider', providerRef, utr, at }
  const { id, lines } = await recordMadeRefund(tx, paid, earlier, made)
  const refunded = { ...paid, lines, outcome: 'requested' } as const
  await ctx.paymentHandlers[paid.order.kind].refunded?.(tx, refunded, at)
  await clearExceptions(tx, { instituteId, accountId: account.id, utr: '' }, [providerRef])
  return id
}

/** Why nobody but a person can say what it gives back; null when it is plain. */
function problemOf(
  paid: PaidOrder | null,
  earlier: readonly Refund[],
  { paymentId, amountPaise }: UnaskedRefund,
): string | null {
  const what = `${paymentId} was refunded at the provider itself`
  if (paid === null) return `${what}, and is not what pays its order`
  const left = refundableOf(paid.payment, earlier)
  if (amountPaise <= left) return null
  const underWay = sumPaise(
    earlier.filter(({ state }) => state === 'pending').map(({ amountPaise: paise }) => paise),
  )
  return amountPaise <= sumPaise([left, underWay])
    ? `${what} while ${formatRupees(underWay)} that were asked for here are under way; if the provider refuses those, this refund is booked with its pay-out`
    : `${what}, with more than the ${formatRupees(left)} that are left of it`
}

async function insertException(
  ctx: PaymentContext,
  tx: Transaction,
  { account, report, problem }: { account: Account; report: UnaskedRefund; problem: string },
): Promise<void> {
  const { instituteId, providerRef, amountPaise: reportedPaise } = report
  const about = { instituteId, provider: account.provider, accountId: account.id, utr: '', providerRef }
  await insertExceptions(tx, [
    { ...about, problem, reportedPaise, knownPaise: null, noticedAt: ctx.clock.now() },
  ])
}
