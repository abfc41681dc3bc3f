import { sumOf, takeDue } from '../../platform/jobs/claim.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import type { DisputeReport } from '../../providers/port.ts'
import { clearExceptions, insertExceptions } from '../settlements/settlements.store.ts'
import type { Dispute, DisputesToAnswer } from './disputes.rules.ts'
import * as store from './disputes.store.ts'

/**
 * However often and in whatever order it is told. It moves no money here, because what a lost one costs the pay-out
 * shows; but somebody has to answer it at the provider in time, so it stands among the exceptions until it is over.
 */
export async function applyDispute(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  account: Pick<Account, 'id' | 'provider'>,
  { at, ...report }: DisputeReport,
): Promise<void> {
  const { instituteId, providerRef, amountPaise, reason, respondBy } = report
  const until = respondBy === null ? '' : ` by ${formatDay(dayOf(respondBy))}`
  await db.transaction(async (tx): Promise<void> => {
    await store.putDispute(tx, { ...report, openedAt: at, changedAt: at })
    const about = { instituteId, accountId: account.id, utr: '' }
    if (await store.isOver(tx, report)) return clearExceptions(tx, about, [providerRef])
    await insertExceptions(tx, [
      {
        ...about,
        provider: account.provider,
        providerRef,
        problem: `the payer disputes ${report.paymentId} (${reason}): answer at the provider${until}`,
        reportedPaise: amountPaise,
        knownPaise: null,
        noticedAt: clock.now(),
      },
    ])
  })
}

export type { DisputeToMail } from './disputes.store.ts'

/** Disputes about which no mail was written yet: `mail` writes it in the same transaction, so there is one for each. */
export async function takeDisputesToMail(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  limit: number,
  mail: (tx: Transaction, disputes: readonly store.DisputeToMail[], now: Date) => Promise<void>,
): Promise<number> {
  const now = clock.now()
  const counts = await takeDue(db, await store.findToMail(db, limit), keys =>
    db.transaction(async tx => {
      const disputes = await store.takeToMail(tx, now, keys)
      await mail(tx, disputes, now)
      return disputes.length
    }),
  )
  return sumOf(counts)
}

export async function nextDisputeMailDue({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.firstToMail(db)
}

export async function sumDisputesToAnswer(
  { db }: Pick<Context, 'db'>,
  instituteId: number,
): Promise<DisputesToAnswer> {
  return store.sumToAnswer(db, instituteId)
}

/** Those of an order's payments. */
export async function listDisputes(
  { db }: Pick<Context, 'db'>,
  instituteId: number,
  orderId: string,
): Promise<Dispute[]> {
  return store.listDisputes(db, instituteId, orderId)
}
