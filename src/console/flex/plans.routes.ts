import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
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
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { ok, page } from '../../http/envelope.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { instalmentParams, moveInput, plansQuery, reasonInput } from './plans.input.ts'
import { planDetailOutput, planRowOutput } from './plans.output.ts'
import { listPlans, readPlanDetail } from './plans.service.ts'

export function flexPlanRoutes(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/plans',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListFlexPlans',
      summary: 'List plans',
      description: 'Plans with what they take and when they debit next, the newest first.',
      data: Type.Array(planRowOutput.schema),
      isList: true,
    },
    query: plansQuery,
    async answer({ institute, query: { limit, cursor, held, ...filter } }) {
      const isHeld = held && held === 'yes'
      const { rows, nextCursor } = await listPlans(flex, institute, { ...filter, isHeld }, { cursor, limit })
      return page(
        rows.map(row => planRowOutput.toJson(row)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, flex, {
    url: '/flex/plans/:plan_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexPlan',
      summary: 'Read a plan',
      description: 'Its mandate, its schedule with every attempt, and all that was decided, told and done.',
      data: planDetailOutput.schema,
    },
    params: planParams,
    answer: async ({ institute, params }) =>
      ok(planDetailOutput.toJson(await readPlanDetail(flex, institute, params.planId), flex)),
  })
  for (const one of ACTS) addAct(app, flex, one)
  addReschedule(app, flex)
}

const ACTS = [
  {
    name: 'hold',
    perform: holdPlan,
    what: 'flex.plan.held',
    operationId: 'consoleHoldFlexPlan',
    summary: 'Hold a plan',
    description:
      'Nothing is debited until it is resumed. Notices that were given are withdrawn, and the family is told.',
  },
  {
    name: 'resume',
    perform: resumePlan,
    what: 'flex.plan.resumed',
    operationId: 'consoleResumeFlexPlan',
    summary: 'Resume a plan',
    description:
      'Ends a hold, or a lock that the ERP asked for. What is overdue gets the next day that leaves time for a notice.',
  },
  {
    name: 'cancel',
    perform: cancelPlan,
    what: 'flex.plan.cancelled',
    operationId: 'consoleCancelFlexPlan',
    summary: 'Cancel a plan',
    description: 'Ends the plan and its mandate for good. What is out at the bank is still collected.',
  },
] as const

function addAct(app: FastifyInstance, flex: FlexContext, act: (typeof ACTS)[number]): void {
  const { name, perform, what, ...texts } = act
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `/flex/plans/:plan_id/${name}`,
    roles: FINANCE_ROLES,
    docs: { ...texts, data: planOutput.schema },
    params: planParams,
    body: reasonInput,
    perform: (command, { institute, params }) =>
      perform(flex, command, { instituteId: institute.id, planId: params.planId }),
    audit: ({ params, body }, after) => ({
      what,
      about: params.planId,
      why: body.reason,
      before: auditOf(after.before),
      after: auditOf(after),
    }),
    toResponse: (after: ChangedPlan) => ok(planOutput.toJson(after, flex)),
  })
}

function addReschedule(app: FastifyInstance, flex: FlexContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleRescheduleFlexInstalment',
      summary: 'Move an instalment to another day',
      description:
        'A notice that was given is withdrawn, and a new one follows at least a day before the debit.',
      data: planOutput.schema,
    },
    params: instalmentParams,
    body: moveInput,
    perform: (command, { institute, params, body }) =>
      reschedule(flex, command, institute, { ...params, newDueOn: body.newDueOn }),
    audit: ({ params, body }, after) => ({
      what: 'flex.instalment.rescheduled',
      about: params.planId,
      why: body.reason,
      before: dayOf(after.before, params.instalmentId),
      after: dayOf(after, params.instalmentId),
    }),
    toResponse: (after: ChangedPlan) => ok(planOutput.toJson(after, flex)),
  })
}

/** What the log keeps of a plan: where it and its mandate stood. */
function auditOf({ plan, mandate }: LoadedPlan): unknown {
  return {
    status: plan.state,
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
