import { recordEvents } from '../../events/events.service.ts'
import { queueMessages, stopReminders, withdrawMessages } from '../../messages/messages.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { holdStudents } from '../../students/profile/lock-student.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { readDebitRules } from '../settings/settings.service.ts'
import { saveBounces } from '../notices/notices.store.ts'
import { PlanInChange } from '../rules/plan-in-change.rules.ts'
import { writeEffects, type PlanChanges } from './plan-changes.service.ts'
import { insertDecisions } from '../engine/engine.store.ts'
import * as store from './plans.store.ts'

/** The part of the context that changing a plan needs. */
export type PlanContext = Pick<Context, 'db' | 'clock' | 'publicUrl'>

/** Keys are plan ids; a plan that does not exist is missing. */
export type LockedPlans = ReadonlyMap<string, PlanChanges>

/**
 * How plans are changed: `tx` is a transaction that is open already, `at` a moment other than now. With `holdStudents` nobody
 * changes the students, their fees or their payments until the commit.
 */
type Scope = { tx?: Transaction; at?: Date | undefined; holdStudents?: boolean }

/**
 * The one way to change plans: lock them in one order for all, read them, change them, write what changed. As many
 * statements for a thousand plans as for one, and decisions, events and messages in the same transaction.
 * Locks are taken in this order everywhere, so that nobody deadlocks: order, payment, plan, student; of several rows of
 * one table by their ids.
 */
export async function withPlans<Result>(
  ctx: PlanContext,
  keys: readonly store.PlanKey[],
  change: (plans: LockedPlans, tx: Transaction) => Result | Promise<Result>,
  { tx, at, holdStudents: isHolding = false }: Scope = {},
): Promise<Result> {
  if (tx === undefined)
    return ctx.db.transaction(own => withPlans(ctx, keys, change, { at, tx: own, holdStudents: isHolding }))
  await store.lockPlans(tx, keys)
  const loaded = [...(await store.loadPlans(tx, keys)).values()]
  const studentKeys = loaded.map(({ plan }) => plan)
  // Before they are read: a statement sees what was committed when it began.
  if (isHolding) await holdStudents(tx, studentKeys)
  const students = await readStudentContexts(tx, studentKeys)
  const debitRules = await readDebitRules(ctx, tx)
  const plans = new Map<string, PlanChanges>()
  for (const one of loaded) {
    const student = students.get(one.plan.studentId)
    if (student === undefined) continue
    const now = at ?? debitRules.now
    plans.set(one.plan.id, new PlanInChange(one, { student, debitRules, now, publicUrl: ctx.publicUrl }))
  }
  const result = await change(plans, tx)
  await writeChanges(tx, [...plans.values()])
  return result
}

/** The same for one plan that has to exist. */
export async function withPlan<Result>(
  ctx: PlanContext,
  key: store.PlanKey,
  change: (plan: PlanChanges, tx: Transaction) => Result | Promise<Result>,
  scope: Scope = {},
): Promise<Result> {
  const changeIt = (plans: LockedPlans, tx: Transaction): Result | Promise<Result> => {
    const plan = plans.get(key.planId)
    if (plan === undefined) throw notFound('This plan')
    return change(plan, tx)
  }
  return withPlans(ctx, [key], changeIt, scope)
}

async function writeChanges(tx: Transaction, plans: readonly PlanChanges[]): Promise<void> {
  const rows = plans.map(({ changed }) => changed)
  await store.savePlans(
    tx,
    plans.filter(({ changed }) => changed.plan).map(({ plan }) => plan),
  )
  await store.saveMandates(
    tx,
    rows.flatMap(({ mandates }) => [...mandates.values()]),
  )
  await store.saveInstalments(
    tx,
    rows.flatMap(({ instalments }) => [...instalments.values()]),
  )
  const effects = plans.map(writeEffects)
  await insertDecisions(
    tx,
    effects.flatMap(({ decisions }) => decisions),
  )
  await recordEvents(
    tx,
    effects.flatMap(({ events }) => events),
  )
  await saveBounces(
    tx,
    effects.flatMap(({ bounces }) => bounces),
  )
  await stopReminders(
    tx,
    effects.flatMap(({ remindedNoMore }) => remindedNoMore),
  )
  await withdrawMessages(
    tx,
    effects.flatMap(({ unsent }) => unsent),
  )
  await queueMessages(
    tx,
    effects.flatMap(({ messages }) => messages),
  )
}
