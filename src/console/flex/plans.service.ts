import type { FlexContext } from '../../flex/context.ts'
import { listPlanPresentations, type PresentationRow } from '../../flex/plans/plan-history.service.ts'
import type { Instalment, LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { getPlan, cancelPlan, holdPlan, reschedule, resumePlan } from '../../flex/plans/plans.service.ts'
import { debitContextOf } from '../../flex/rules/debit.rules.ts'
import { readDebitRules } from '../../flex/settings/debit-rules.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assert } from '../../platform/assert.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'
import { statusOf } from './flex.rules.ts'
import { nextWords, planObstacle, type Obstacle } from './flex.texts.ts'
import * as store from './plans.store.ts'
import { toWordQuery } from '../students/students.rules.ts'

export type { PlanRow, StoryEntry } from './plans.store.ts'

export async function listPlans(
  { db }: Context,
  institute: Institute,
  { typed, ...wanted }: Omit<store.PlanFilter, 'search'> & { typed?: string | undefined },
  limit: number,
): Promise<{ plans: store.PlanRow[]; nextCursor: string | undefined }> {
  const search =
    typed === undefined ? undefined : { typed: typed.trim(), words: toWordQuery(institute.id, typed) }
  const found = await store.listPlans(db, institute.id, { ...wanted, search }, limit + 1)
  const plans = found.slice(0, limit)
  return { plans, nextCursor: found.length > limit ? plans.at(-1)?.id : undefined }
}

export type ShownInstalment = { instalment: Instalment; next: string; attempts: PresentationRow[] }

export type PlanStory = {
  file: LoadedPlan
  student: store.PlanStudent
  obstacle: Obstacle | null
  instalments: ShownInstalment[]
  entries: store.StoryEntry[]
}

const NEWEST = 200

/** A plan with everything that was tried, decided, told and done. */
export async function readPlanStory(
  flex: FlexContext,
  institute: Institute,
  planId: string,
): Promise<PlanStory> {
  const key = { instituteId: institute.id, planId }
  const [file, student, attempts, entries, debitRules] = await Promise.all([
    getPlan(flex, institute, planId),
    store.readPlanStudent(flex.db, institute.id, planId),
    listPlanPresentations(flex, key),
    store.readStory(flex.db, institute.id, planId, NEWEST),
    readDebitRules(flex),
  ])
  assert(student !== null, 'a plan has a student')
  const instalments = file.instalments.map(instalment => {
    const own = attempts.filter(one => one.instalmentId === instalment.id)
    const presentedAt = own.at(-1)?.presentedAt ?? null
    const context = debitContextOf(file, instalment, debitRules)
    return { instalment, attempts: own, next: wordsFor(file, instalment, { context, presentedAt }) }
  })
  return { file, student, obstacle: planObstacle(file.plan), instalments, entries }
}

function wordsFor(
  { plan }: LoadedPlan,
  instalment: Instalment,
  facts: Pick<Parameters<typeof nextWords>[0], 'context' | 'presentedAt'>,
): string {
  if (instalment.isDownpayment && instalment.state === 'scheduled')
    return 'The family pays it online when it sets the plan up.'
  if (plan.state === 'draft') return 'Nothing happens before the family has set the plan up.'
  const status = statusOf(instalment, plan)
  // The page says once why the plan waits.
  if (status === 'stopped') return 'Waits until the plan goes on.'
  return status === 'cancelled' ? 'Nothing is debited: it was cancelled.' : nextWords({ status, ...facts })
}

/** A plan as it was and as it became. */
export type PlanChange = { before: LoadedPlan; after: LoadedPlan }

type Move = (
  flex: FlexContext,
  command: Command<LoadedPlan>,
  key: { instituteId: number; planId: string },
) => Promise<LoadedPlan>

const changePlan =
  (move: Move) =>
  async (
    flex: FlexContext,
    command: Command<PlanChange>,
    institute: Institute,
    planId: string,
  ): Promise<PlanChange> => {
    const before = await getPlan(flex, institute, planId)
    const inner = innerCommand<LoadedPlan, PlanChange>(command, after => ({ before, after }))
    return { before, after: await move(flex, inner, { instituteId: institute.id, planId }) }
  }

export const holdPlanOf = changePlan((flex, command, key) => holdPlan(flex, command, key))
export const resumePlanOf = changePlan((flex, command, key) => resumePlan(flex, command, key))
export const cancelPlanOf = changePlan((flex, command, key) => cancelPlan(flex, command, key))

export type Rescheduled = { before: Instalment; after: Instalment; file: LoadedPlan }

/** Moves one instalment of one plan to another day. */
export async function rescheduleInstalment(
  flex: FlexContext,
  command: Command<Rescheduled>,
  institute: Institute,
  asked: { planId: string; instalmentId: string; newDueOn: string },
): Promise<Rescheduled> {
  const known = await getPlan(flex, institute, asked.planId)
  const before = known.instalments.find(({ id }) => id === asked.instalmentId)
  if (before === undefined) throw notFound('This instalment')
  if (before.isDownpayment) throw conflict('A down payment is paid at set-up and has no day to move.')
  const complete = (file: LoadedPlan): Rescheduled => {
    const after = file.instalments.find(({ id }) => id === before.id)
    // Thrown inside the transaction: the student's plan is another by now, and nothing of it was meant.
    if (after === undefined) throw conflict('The plan has been replaced. Load the page again.')
    return { before, after, file }
  }
  const { state, studentId } = known.plan
  if (state === 'cancelled' || state === 'closed')
    throw conflict(`This plan is ${state}, so nothing of it is debited any more.`)
  const { dueOn } = before
  const { newDueOn, instalmentId } = asked
  const wanted = { studentId, dueOn, newDueOn, instalmentId }
  return complete(await reschedule(flex, innerCommand(command, complete), institute, wanted))
}
