import { toRupees } from '../../platform/money.ts'
import { sumLines } from '../rules/lines.rules.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'
import type { PlanChanges } from './plan-changes.ts'
import { scheduleRowBlock } from './plan.output.ts'

type Change = { field: string; before: unknown; after: unknown }

/** Tells the ERP what is different from before. A lock and its end have events of their own. */
export function recordScheduleChanges(
  plan: PlanChanges,
  before: Pick<LoadedPlan, 'instalments'> & Partial<Pick<LoadedPlan, 'plan'>>,
): void {
  if (plan.plan.state === 'draft') return
  const earlier = new Map(before.instalments.map(one => [one.id, one]))
  const changes = [
    ...(before.plan === undefined ? [] : planChanges(before.plan, plan.plan)),
    ...plan.instalments.flatMap(one => rowChanges(earlier.get(one.id), one)),
  ]
  if (changes.length === 0) return
  plan.recordEvent('flex.subscription.updated', { changes })
}

function planChanges(before: LoadedPlan['plan'], after: LoadedPlan['plan']): Change[] {
  const [owedBefore, owedAfter] = [before.outsidePaise, after.outsidePaise].map(toRupees)
  return [
    ...(before.state === 'closed' ? changeOf('status', before.state, after.state) : []),
    ...changeOf('outside_amount', owedBefore, owedAfter),
  ]
}

/** One that is new had nothing before. */
function rowChanges(before: Instalment | undefined, after: Instalment): Change[] {
  const field = (name: string, from: unknown, to: unknown): Change[] =>
    changeOf(`payment_schedule.${after.id}.${name}`, from, to)
  return [
    ...field('amount', before && sumLines(before.lines) / 100, sumLines(after.lines) / 100),
    ...field('status', before?.state, after.state),
    ...field('due_date', before?.dueOn, after.dueOn),
    ...(isSplitAnew(before, after)
      ? field('details', scheduleRowBlock(before).details, scheduleRowBlock(after).details)
      : []),
  ]
}

function changeOf(field: string, before: unknown, after: unknown): Change[] {
  return before === after ? [] : [{ field, before, after }]
}

/** Another split of the same amount; with another amount the schedule beside the changes says enough. */
function isSplitAnew(before: Instalment | undefined, after: Instalment): before is Instalment {
  if (before === undefined || sumLines(before.lines) !== sumLines(after.lines)) return false
  return JSON.stringify(scheduleRowBlock(before).details) !== JSON.stringify(scheduleRowBlock(after).details)
}
