import type { FlexContext } from '../../flex/context.ts'
import { getPlan, listPlanPresentations, type PresentationRow } from '../../flex/plans/plan-reads.service.ts'
import {
  cancelPlan,
  holdPlan,
  reschedule,
  resumePlan,
  type ChangedPlan,
} from '../../flex/plans/plans.service.ts'
import { debitContextOf } from '../../flex/rules/debit.rules.ts'
import { isPlanOver, type Instalment, type LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { readDebitRules } from '../../flex/settings/debit-rules.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assert } from '../../platform/assert.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'
import { statusOf } from './flex.rules.ts'
import { nextWords, planObstacle, type Obstacle } from './flex.texts.ts'
import * as store from './plans.store.ts'
import { toWordQuery } from '../students/students.rules.ts'

export type { PlanRow, TimelineEntry } from './plans.store.ts'

export async function listPlans(
  { db }: Context,
  institute: Institute,
  { typed, ...wanted }: Omit<store.PlanFilter, 'search'> & { typed?: string | undefined },
  page: PageRange,
): Promise<Page<store.PlanRow>> {
  const search =
    typed === undefined ? undefined : { typed: typed.trim(), words: toWordQuery(institute.id, typed) }
  return store.listPlans(db, institute.id, { ...wanted, search }, page)
}

export type ShownInstalment = { instalment: Instalment; next: string; attempts: PresentationRow[] }

export type PlanDetail = {
  file: LoadedPlan
  student: store.PlanStudent
  obstacle: Obstacle | null
  instalments: ShownInstalment[]
  entries: store.TimelineEntry[]
}

const NEWEST = 200

/** A plan with everything that was tried, decided, told and done. */
export async function readPlanDetail(
  flex: FlexContext,
  institute: Institute,
  planId: string,
): Promise<PlanDetail> {
  const key = { instituteId: institute.id, planId }
  const [file, student, attempts, entries, debitRules] = await Promise.all([
    getPlan(flex, institute, planId),
    store.readPlanStudent(flex.db, institute.id, planId),
    listPlanPresentations(flex, key),
    store.readDetail(flex.db, institute.id, planId, NEWEST),
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

type Change = (
  flex: FlexContext,
  command: Command<ChangedPlan>,
  key: { instituteId: number; planId: string },
) => Promise<ChangedPlan>

/** By the institute: a parent's change of a plan is another. */
const ofInstitute =
  (change: Change) =>
  (
    flex: FlexContext,
    command: Command<ChangedPlan>,
    institute: Institute,
    planId: string,
  ): Promise<ChangedPlan> =>
    change(flex, command, { instituteId: institute.id, planId })

export const holdPlanOf = ofInstitute((flex, command, key) => holdPlan(flex, command, key))
export const resumePlanOf = ofInstitute((flex, command, key) => resumePlan(flex, command, key))
export const cancelPlanOf = ofInstitute((flex, command, key) => cancelPlan(flex, command, key))

export type Rescheduled = { before: Instalment; after: Instalment }

/** Moves one instalment of one plan to another day. */
export async function rescheduleInstalment(
  flex: FlexContext,
  command: Command<Rescheduled>,
  institute: Institute,
  { planId, instalmentId, newDueOn }: { planId: string; instalmentId: string; newDueOn: string },
): Promise<Rescheduled> {
  const { plan, instalments } = await getPlan(flex, institute, planId)
  const instalment = instalments.find(({ id }) => id === instalmentId)
  if (instalment === undefined) throw notFound('This instalment')
  if (instalment.isDownpayment) throw conflict('A down payment is paid at set-up and has no day to move.')
  if (isPlanOver(plan)) throw conflict(`This plan is ${plan.state}, so nothing of it is debited any more.`)
  const complete = (changed: ChangedPlan): Rescheduled => {
    const before = changed.before.instalments.find(({ id }) => id === instalmentId)
    const after = changed.instalments.find(({ id }) => id === instalmentId)
    // Thrown inside the transaction: the student's plan is another by now, and nothing of it was meant.
    if (before === undefined || after === undefined)
      throw conflict('The plan has been replaced. Load the page again.')
    return { before, after }
  }
  const wanted = { studentId: plan.studentId, dueOn: instalment.dueOn, newDueOn, instalmentId }
  return complete(await reschedule(flex, innerCommand(command, complete), institute, wanted))
}
