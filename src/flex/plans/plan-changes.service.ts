import type { NewEvent } from '../../events/define-event.ts'
import type { NewMessage } from '../../messages/messages.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { addAll } from '../../platform/lists.ts'
import { toRupees } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { Decision } from '../engine/engine.store.ts'
import type { Bounce } from '../notices/notices.store.ts'
import { messagesToFamily } from '../notices/family.texts.ts'
import { sumLines, type Instalment, type LoadedPlan } from '../rules/plan.rules.ts'
import type { PlanEffect, PlanInChange } from '../rules/plan-in-change.rules.ts'
import { flexEvent } from './plan.events.ts'
import { scheduleRowBlock } from './plan.schemas.ts'

/** A plan that is being changed under its lock, with all that is known of its student. */
export type PlanChanges = PlanInChange<StudentContext>

/** The effects of a change in the form in which they are written. */
type WrittenEffects = {
  decisions: Decision[]
  events: NewEvent[]
  messages: NewMessage[]
  bounces: Bounce[]
  remindedNoMore: { instituteId: number; about: string; id: string }[]
  unsent: { instituteId: number; once: string }[]
}

export function writeEffects(plan: PlanChanges): WrittenEffects {
  const written: WrittenEffects = {
    decisions: [],
    events: [],
    messages: [],
    bounces: [],
    remindedNoMore: [],
    unsent: [],
  }
  for (const effect of plan.effects) writeEffect(written, effect, plan)
  return written
}

function writeEffect(
  written: WrittenEffects,
  effect: PlanEffect,
  { plan, student, now, pageUrl }: PlanChanges,
): void {
  const { instituteId, id: planId } = plan
  switch (effect.kind) {
    case 'decided': {
      const { instalmentId, what, why } = effect
      written.decisions.push({ instituteId, planId, instalmentId, decidedAt: now, what, why })
      return
    }
    case 'event':
      written.events.push(flexEvent(effect.code, { ...effect.of, student, now }, effect.extras as never))
      return
    case 'rescheduled': {
      const changes = scheduleChanges(effect.before, effect.of)
      if (changes.length > 0)
        written.events.push(
          flexEvent('flex.subscription.updated', { ...effect.of, student, now }, { changes }),
        )
      return
    }
    case 'told': {
      const to = { ...effect.of, student, pageUrl }
      addAll(written.messages, messagesToFamily(effect.message, to, { at: now, ...effect.details }))
      return
    }
    case 'returned': {
      const { instalmentId, debit, tellAt } = effect
      written.bounces.push({ ...debit, instituteId, planId, instalmentId, returnedAt: now, tellAt })
      return
    }
    case 'done':
      written.remindedNoMore.push({ instituteId, about: planId, id: effect.instalmentId })
      return
    case 'notice_withdrawn':
      written.unsent.push({ instituteId, once: effect.once })
      return
    default:
      assertNever(effect)
  }
}

type Change = { field: string; before: unknown; after: unknown }

function scheduleChanges(before: LoadedPlan, after: LoadedPlan): Change[] {
  const earlier = new Map(before.instalments.map(one => [one.id, one]))
  return [
    ...planChanges(before.plan, after.plan),
    ...after.instalments.flatMap(one => rowChanges(earlier.get(one.id), one)),
  ]
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
