import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { planParams, planOutput } from '../../flex/plans/plan.schemas.ts'
import { cancelPlan, holdPlan, type ChangedPlan } from '../../flex/plans/plans.service.ts'
import { keptOr } from '../approvals/approval.output.ts'
import { noteOf } from '../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../approvals/approvals.service.ts'
import { guarded } from '../approvals/guarded.routes.ts'
import { rescheduleAct, resumeAct, stateOf } from '../approvals/plan-acts.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { planList } from './plan.list.ts'
import { instalmentParams, moveInput, planDetailOutput, reasonInput } from './plan.schemas.ts'
import { readPlanDetail } from './plans.service.ts'

export function flexPlanRoutes(app: FastifyInstance, flex: FlexContext): void {
  addList(app, flex, { url: '/flex/plans', list: planList })
  addConsoleRead(app, flex, {
    url: '/flex/plans/:plan_id',
    roles: EVERYONE,
    output: one(planDetailOutput, () => flex),
    params: planParams,
    answer: ({ institute, params }) => readPlanDetail(flex, institute, params.planId),
  })
  for (const act of ACTS) addAct(app, flex, act)
  addResume(app, flex)
  addReschedule(app, flex)
}

const ACTS = [
  { name: 'hold', perform: holdPlan, what: 'flex.plan.held' },
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
      before: stateOf(after.before),
      after: stateOf(after),
    }),
  })
}

function addResume(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/resume',
    roles: FINANCE_ROLES,
    params: planParams,
    body: reasonInput,
    ...guarded(flex, resumeAct, {
      name: 'plan_resumption',
      output: one(planOutput, () => flex),
      aboutOf: ({ planId }: { planId: string }) => planId,
    }),
  })
}

function addReschedule(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    roles: FINANCE_ROLES,
    output: keptOr(one(planOutput, () => flex)),
    params: instalmentParams,
    body: moveInput,
    perform: (command, { params: { planId: about, instalmentId }, body, ...by }) =>
      performOrKeep(flex, command, by, {
        name: 'plan_reschedule',
        about,
        request: { ...body, instalmentId },
      }),
    audit: ({ institute, params: { planId: about, instalmentId }, body }, result: ChangedPlan | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : rescheduleAct.note({ institute, about }, { ...body, instalmentId }, result),
  })
}
