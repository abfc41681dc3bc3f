import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Settlement } from '../../payments/settlements/read-settlements.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { settlementVouchers, type Voucher } from '../reports/tally/tally.rules.ts'
import { readLedgerNames } from '../reports/tally/tally.service.ts'
import * as store from './settlements.store.ts'

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
