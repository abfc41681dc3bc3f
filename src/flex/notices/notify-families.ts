import type { FlexContext } from '../context.ts'
import { bisectOnFailure } from '../../platform/bisect-on-failure.ts'
import { refreshPlans, type Refreshed } from '../plans/refresh.service.ts'
import { isWakingHour } from '../../messages/quiet-hours.rules.ts'
import { groupByFamily, wholeFamilies } from './reminders.rules.ts'

/** Something that a family may be told about one of its plans. */
type Due = { instituteId: number; planId: string; studentId: string; family: string }

type Round<Item extends Due, Thought> = {
  list(now: Date): Promise<Item[]>
  /** What the ERP's answer means for one. */
  think(due: Item, refreshed: Refreshed | undefined): Thought
  /** Of one that fails on our side. */
  giveUp(due: Item): Thought
  decide(thoughts: readonly Thought[], now: Date): Promise<void>
}

/** Family by family, while people are awake, after the ERP was asked. Answers how many were decided on. */
export async function goRound<Item extends Due, Thought>(
  flex: FlexContext,
  limit: number,
  round: Round<Item, Thought>,
): Promise<number> {
  const now = flex.clock.now()
  if (!isWakingHour(now)) return 0
  const due = wholeFamilies(await round.list(now), limit)
  await bisectOnFailure(
    groupByFamily(due),
    async families => {
      const all = families.flat()
      const refreshed = await refreshPlans(flex, all, 'reminder')
      await round.decide(
        all.map((one, index) => round.think(one, refreshed[index])),
        now,
      )
    },
    // One family whose plan cannot be written keeps no other from being told.
    async family =>
      round.decide(
        family.map(one => round.giveUp(one)),
        now,
      ),
  )
  return due.length
}
