import type { Transaction } from '../../platform/db/database.ts'
import { formatRupees, type Paise } from '../../platform/money.ts'
import { AMOUNT_DIFFERS, atProvider, nextCheck, type Payment } from '../payments.rules.ts'
import { movePayment } from '../payments.store.ts'
import { insertExceptions } from '../settlements/settlements.store.ts'

/**
 * Money came, but not what was asked for: nobody here can say what it pays. A person is shown it at once, and the payer is
 * told not to pay again; a payment that failed here before stays as it is.
 */
export async function recordMismatch(
  tx: Transaction,
  payment: Payment,
  { reportedPaise, askedPaise, now }: { reportedPaise: Paise; askedPaise: Paise; now: Date },
): Promise<void> {
  const { instituteId, provider, accountId, orderId, providerRef } = payment
  await insertExceptions(tx, [
    {
      instituteId,
      provider,
      accountId,
      utr: '',
      // One row for all that are paid at once: the first says it.
      providerRef: providerRef ?? atProvider(payment).paymentId,
      problem: `paid with another amount than order ${orderId} asks for`,
      reportedPaise,
      knownPaise: askedPaise,
      noticedAt: now,
    },
  ])
  if (payment.state === 'failed' || payment.failureCode === AMOUNT_DIFFERS) return
  const message = `${formatRupees(reportedPaise)} came instead of ${formatRupees(askedPaise)}.`
  await movePayment(tx, payment, {
    state: 'pending',
    failure: { code: AMOUNT_DIFFERS, message },
    nextCheckAt: nextCheck(payment.checks, now),
  })
}
