import type { Institute } from '../../institutes/institutes.rules.ts'
import { ACCOUNT_CODES, balanceOf, CHART } from '../../ledger/ledger.rules.ts'
import { DAY_MS, dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import * as store from './books.store.ts'

export type { ReconciliationSums } from './books.store.ts'
export { checkBooks } from '../../payments/reconcile/reconcile.service.ts'

const MATCHED_MS = 30 * DAY_MS

export async function sumReconciliation(
  { db, clock }: Context,
  institute: Institute,
): Promise<store.ReconciliationSums> {
  const now = clock.now()
  const since = new Date(now.getTime() - MATCHED_MS)
  return store.sumReconciliation(db, institute.id, { since, today: dayOf(now) })
}

export type Account = store.AccountRow & { name: string; meaning: string; balancePaise: Paise }

/** Every account, also those without a transfer. */
export async function listAccounts({ db }: Context, institute: Institute): Promise<Account[]> {
  const sums = new Map((await store.sumAccounts(db, institute.id)).map(row => [row.account, row]))
  return ACCOUNT_CODES.map(account => {
    const row = sums.get(account) ?? { account, receivedPaise: ZERO, sentPaise: ZERO, transfers: 0 }
    const { name, meaning } = CHART[account]
    return { ...row, name, meaning, balancePaise: balanceOf(account, row) }
  })
}
