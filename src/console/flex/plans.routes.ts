import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { planParams } from '../../flex/plans/plan.input.ts'
import { planOutput } from '../../flex/plans/plan.output.ts'
import {
  cancelPlan,
  holdPlan,
  reschedule,
  resumePlan,
  type ChangedPlan,
} from '../../flex/plans/plans.service.ts'
import { planStatus, type LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one, pageOf } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { instalmentParams, moveInput, planFilters, plansQuery, reasonInput } from './plans.input.ts'
import { planDetailOutput, planRowOutput } from './plans.output.ts'
import { addReport } from '../reports/report.routes.ts'
import { listPlans, PLAN_SORTING, plansReport, readPlanDetail } from './plans.service.ts'

export function flexPlanRoutes(app: FastifyInstance, flex: FlexContext): void {
  addReport(app, flex, {
    url: '/flex/plans',
    output: pageOf(planRowOutput),
    query: plansQuery,
    filters: planFilters,
    answer: ({ institute, query: { limit, cursor, ...filter } }) =>
      listPlans(flex, institute, filter, { cursor, limit }),
    report: ({ institute, query }) => plansReport(institute, query),
    list: PLAN_SORTING,
  })
  addConsoleRead(app, flex, {
    url: '/flex/plans/:plan_id',
    roles: EVERYONE,
    output: one(planDetailOutput, () => flex),
    params: planParams,
    answer: ({ institute, params }) => readPlanDetail(flex, institute, params.planId),
  })
  for (const act of ACTS) addAct(app, flex, act)
  addReschedule(app, flex)
}

const ACTS = [
  { name: 'hold', perform: holdPlan, what: 'flex.plan.held' },
  { name: 'resume', perform: resumePlan, what: 'flex.plan.resumed' },
  { name: 'cancel', perform: cancelPlan, what: 'flex.plan.cancelled' },
] as const

function addAct(app: FastifyInstance, flex: FlexContext, act: (typeof ACTS)[number]): void {
  const { name, perform, what } = act
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `/flex/plans/:plan_id/${name}`,
    roles: FINANCE_ROLES,
    output: one(planOutput, () => flex),
    params: planParams,
    body: reasonInput,
    perform: (command, { institute, params }) =>
      perform(flex, command, { instituteId: institute.id, planId: params.planId }),
    audit: ({ params, body }, after: ChangedPlan) => ({
      what,
      about: params.planId,
      why: body.reason,
      before: auditOf(after.before),
      after: auditOf(after),
    }),
  })
}

function addReschedule(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    roles: FINANCE_ROLES,
    output: one(planOutput, () => flex),
    params: instalmentParams,
    body: moveInput,
    perform: (command, { institute, params, body }) =>
      reschedule(flex, command, institute, { ...params, newDueOn: body.newDueOn }),
    audit: ({ params, body }, after: ChangedPlan) => ({
      what: 'flex.instalment.rescheduled',
      about: params.planId,
      why: body.reason,
      before: dayOf(after.before, params.instalmentId),
      after: dayOf(after, params.instalmentId),
    }),
  })
}

/** What the log keeps of a plan: where it and its mandate stood. */
function auditOf(loaded: LoadedPlan): unknown {
  const { plan, mandate } = loaded
  return {
    status: planStatus(loaded),
    is_held: plan.isHeld,
    lock_reason: plan.lockReason ?? undefined,
    mandate: mandate?.state,
  }
}

function dayOf({ instalments }: LoadedPlan, instalmentId: string): unknown {
  const one = instalments.find(({ id }) => id === instalmentId)
  return {
    instalment_id: instalmentId,
    due_date: one?.dueOn,
    present_on: one?.presentOn,
    status: one?.state,
  }
}
