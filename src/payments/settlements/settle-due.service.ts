import { DAY_MS, dayAfter, dayOf, startOfDay, isWorkingDay } from '../../platform/calendar.ts'
import { forEachSettled } from '../../platform/concurrency.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import { readHolidays } from '../holidays.service.ts'
import { firstSettleDay } from '../payments.store.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import { settleDay } from './settlements.service.ts'
import { listReadThrough, setReadThrough } from './settlements.store.ts'
import type { PaymentContext } from '../context.ts'

const EVERY_MS = 60 * 60 * 1_000

/**
 * Reads what every account paid out, once an hour. Providers report a day late at times, so yesterday is read again;
 * what is known already changes nothing. The sandbox's bank pays out first, on working days what came in before.
 */
export async function settleDue(
  ctx: PaymentContext,
  bank: { payOut(before: Date): Promise<number> } | null,
): Promise<number> {
  const now = ctx.clock.now()
  if (!(await takeTurn(ctx, now))) return 0
  const today = dayOf(now)
  if (bank !== null && isWorkingDay(today, await readHolidays(ctx.db))) await bank.payOut(startOfDay(today))
  return readPayOuts(ctx)
}

/** Reads at once what every account paid out; answers how many payments and refunds are settled by it. */
export async function readPayOuts(ctx: PaymentContext): Promise<number> {
  const now = ctx.clock.now()
  const today = dayOf(now)
  const readThrough = await listReadThrough(ctx.db)
  let settled = 0
  const read = async (account: Account): Promise<void> => {
    const first = firstDayToRead(readThrough.get(account.id) ?? null, now)
    for (let day = first; day <= today; day = dayAfter(day))
      settled += (await settleDay(ctx, account, day)).settled
    await setReadThrough(ctx.db, account, today)
  }
  // An account that cannot be read keeps nothing from the others; its days are read again at the next turn. Several at a
  // time, so that those whose provider does not answer do not take up the turn.
  const accounts = (await ctx.accounts.all()).values()
  const reader = (): Promise<void> => forEachSettled(accounts, read)
  const readers = await Promise.allSettled(Array.from({ length: READ_AT_ONCE }, reader))
  const failed = readers.find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return settled
}

const READ_AT_ONCE = 4
const LONGEST_GAP_DAYS = 60

/** The day before the last one that was read whole: after an outage the days it took are read too. */
function firstDayToRead(through: string | null, now: Date): string {
  const daysAgo = (days: number): string => dayOf(new Date(now.getTime() - days * DAY_MS))
  if (through === null) return daysAgo(1)
  const dayBefore = Temporal.PlainDate.from(through).subtract({ days: 1 }).toString()
  const earliest = daysAgo(LONGEST_GAP_DAYS)
  return dayBefore > earliest ? dayBefore : earliest
}

export async function nextSettlementRun(ctx: PaymentContext): Promise<Date> {
  const last = await readSetting(ctx.db, 'settlements_read_at')
  return last === null ? ctx.clock.now() : new Date(Number(last) + EVERY_MS)
}

const PAYS_OUT_AT_MS = 10 * EVERY_MS

/** When the payments that wait longest should reach their institutes: the morning of the day they are due. */
export async function nextSettlementDue(ctx: PaymentContext): Promise<Date | null> {
  const day = await firstSettleDay(ctx.db)
  if (day === null) return null
  const at = new Date(startOfDay(day).getTime() + PAYS_OUT_AT_MS)
  // Overdue ones are not waited for: they go with the next run.
  return at > ctx.clock.now() ? at : null
}

/** One process reads in an hour, the first that comes. */
async function takeTurn(ctx: PaymentContext, now: Date): Promise<boolean> {
  return ctx.db.transaction(async tx => {
    await lockSetting(tx, 'settlements_read_at')
    const last = await readSetting(tx, 'settlements_read_at')
    const sinceMs = now.getTime() - Number(last ?? -Infinity)
    // A turn in the future was written under a clock that was wrong: nobody waits for it.
    if (sinceMs >= 0 && sinceMs < EVERY_MS) return false
    await writeSetting(tx, 'settlements_read_at', String(now.getTime()))
    return true
  })
}
