import { bisectOnFailure } from '../../platform/concurrency.ts'
import { isWakingHour } from '../../messages/messages.rules.ts'
import type { FlexContext } from '../context.ts'
import { refreshPlans, type RefreshedPlan } from '../plans/refresh.service.ts'
import { claimFamilies, releaseFamilies } from './leases.store.ts'
import { groupByFamily, wholeFamilies } from './reminders.rules.ts'

/** Something that a family may be told about one of its plans. */
type DueNotice = { instituteId: number; planId: string; studentId: string; family: string }

/** One kind of notice: what is due, what is decided for each, and how decisions are carried out. */
type Notice<Item extends DueNotice, Decision> = {
  list(now: Date): Promise<Item[]>
  decide(due: Item, refreshed: RefreshedPlan | undefined): Decision
  /** Decides about one that fails on our side. */
  giveUp(due: Item): Decision
  /** Writes and queues everything in one transaction. */
  carryOut(decisions: readonly Decision[], now: Date): Promise<void>
}

/** Family by family, while people are awake, after the ERP was asked. Answers how many were decided on. */
export async function notifyFamilies<Item extends DueNotice, Decision>(
  ctx: FlexContext,
  limit: number,
  notice: Notice<Item, Decision>,
): Promise<number> {
  const now = ctx.clock.now()
  if (!isWakingHour(now)) return 0
  const listed = wholeFamilies(await notice.list(now), limit)
  if (listed.length === 0) return 0
  const claimed = await claimFamilies(ctx.db, listed)
  try {
    // Read again: a worker that held a family until just now has decided on what was listed.
    const due = (await notice.list(now)).filter(({ family }) => claimed.has(family))
    await notifyEach(ctx, due, now, notice)
    return due.length
  } finally {
    await releaseFamilies(
      ctx.db,
      listed.filter(({ family }) => claimed.has(family)),
    )
  }
}

async function notifyEach<Item extends DueNotice, Decision>(
  ctx: FlexContext,
  due: readonly Item[],
  now: Date,
  notice: Notice<Item, Decision>,
): Promise<void> {
  await bisectOnFailure(
    groupByFamily(due),
    async families => {
      const all = families.flat()
      const refreshed = await refreshPlans(ctx, all, 'reminder')
      const decisions = all.map((one, index) => notice.decide(one, refreshed[index]))
      await notice.carryOut(decisions, now)
    },
    // One family whose plan cannot be written keeps no other from being notified.
    async family =>
      notice.carryOut(
        family.map(one => notice.giveUp(one)),
        now,
      ),
  )
}
