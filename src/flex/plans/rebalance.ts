import { formatRupees } from '../../platform/money.ts'
import { endInstalment, withdrawNotice } from '../notices/withdraw-notice.ts'
import type { PlanChanges } from './plan-changes.ts'
import { scheduleRowBlock } from './plan.output.ts'
import { sumLines, type Line } from '../rules/lines.rules.ts'
import type { Instalment } from '../rules/plan.rules.ts'
import { balancedAgainst, isFinished, rebalancePlan } from '../rules/rebalance.rules.ts'

const WHY = {
  covered: 'what it was for has been paid otherwise',
  waived: 'the fee it was for has fallen',
}

/**
 * Makes the plan take what the student owes now. An instalment that was announced with another amount loses its notice
 * and begins its way anew. Rows of the ERP's own schedule are only ever lowered, by what was paid or fell since they
 * were taken over.
 */
export function rebalance(plan: PlanChanges): void {
  const before = plan.instalments
  const rows = rebalancePlan(plan, plan.student)
  for (const { id, lines, becomes } of rows) {
    const instalment = plan.find(id)
    if (instalment === undefined) continue
    if (becomes === 'open') changeAmount(plan, instalment, lines)
    else endInstalment(plan, instalment, becomes, { why: WHY[becomes] })
  }
  plan.changePlan({ fittedTo: balancedAgainst(plan, plan.student), fittedAt: plan.now })
  if (rows.length > 0) recordScheduleChanges(plan, before)
  closeIfFinished(plan)
}

function changeAmount(plan: PlanChanges, instalment: Instalment, lines: Line[]): void {
  const why = `now ${formatRupees(sumLines(lines))} instead of ${formatRupees(sumLines(instalment.lines))}`
  if (instalment.state === 'confirmed') return withdrawNotice(plan, instalment, why, { lines })
  plan.note(instalment, 'amount', why)
  plan.change(instalment, { lines })
}

/** Tells the ERP what is different from before. */
export function recordScheduleChanges(plan: PlanChanges, before: readonly Instalment[]): void {
  const changes = plan.instalments.flatMap(after => {
    const earlier = before.find(one => one.id === after.id)
    const field = (name: string, from: unknown, to: unknown) =>
      from === to ? [] : [{ field: `payment_schedule.${after.id}.${name}`, before: from, after: to }]
    // One that is new had nothing before.
    return [
      ...field('amount', earlier && sumLines(earlier.lines) / 100, sumLines(after.lines) / 100),
      ...field('status', earlier?.state, after.state),
      ...field('due_date', earlier?.dueOn, after.dueOn),
      ...(isSplitAnew(earlier, after)
        ? field('details', scheduleRowBlock(earlier).details, scheduleRowBlock(after).details)
        : []),
    ]
  })
  if (changes.length === 0 || plan.plan.state === 'draft') return
  plan.recordEvent('flex.subscription.updated', { changes })
}

/** Another split of the same amount; with another amount the schedule beside the changes says enough. */
function isSplitAnew(before: Instalment | undefined, after: Instalment): before is Instalment {
  if (before === undefined || sumLines(before.lines) !== sumLines(after.lines)) return false
  return JSON.stringify(scheduleRowBlock(before).details) !== JSON.stringify(scheduleRowBlock(after).details)
}

/** Closes a plan of which nothing more is expected. */
export function closeIfFinished(plan: PlanChanges): void {
  if (!isFinished(plan)) return
  plan.movePlan('closed', 'everything is paid, covered or waived')
  plan.recordEvent('flex.subscription.closed', {})
}
