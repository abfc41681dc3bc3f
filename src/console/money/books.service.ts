import * as store from './books.store.ts'
import { settlementVouchers, type Voucher } from '../reports/tally/tally.rules.ts'
import { readLedgerNames } from '../reports/tally/tally.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { ACCOUNT_CODES, balanceOf, CHART } from '../../ledger/ledger.rules.ts'
import type { Settlement } from '../../payments/settlements/read-settlements.service.ts'
import { DAY_MS, dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { type Paise, ZERO } from '../../platform/money.ts'

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

export type ExpectedSettlement = store.ExpectedRow & { isOverdue: boolean }

const MOST_EXPECTED = 400

/** Sums by the day they should reach the bank; they are few, so they are shown whole. */
export async function listExpected(
  { db, clock }: Context,
  institute: Institute,
): Promise<ExpectedSettlement[]> {
  const today = dayOf(clock.now())
  const rows = await store.listExpected(db, institute.id, MOST_EXPECTED)
  return rows.map(row => ({ ...row, isOverdue: row.dueOn < today }))
}

/** What stands for a settlement in Tally. */
export async function readSettlementVouchers(
  ctx: Context,
  institute: Institute,
): Promise<(row: Settlement) => Voucher[]> {
  const names = await readLedgerNames(ctx, institute)
  return row => settlementVouchers({ ...row, day: dayOf(row.settledAt) }, names)
}

const CURSOR = /^(\d{1,15})-(\d{1,6})$/

/** Which transfer a page ended with; null when it is not such a cursor. */
export function parseLedgerCursor(text: string): { postingId: number; lineNo: number } | null {
  const [, postingId, lineNo] = CURSOR.exec(text) ?? []
  if (postingId === undefined || lineNo === undefined) return null
  return { postingId: Number(postingId), lineNo: Number(lineNo) }
}

export const STATUSES = ['mismatched', 'expected', 'matched'] as const
export type ReconciliationStatus = (typeof STATUSES)[number]
