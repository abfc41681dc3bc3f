import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import type { ChangedPlan } from '../../flex/plans/plans.service.ts'
import type { Instalment, LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { ok, page } from '../../http/envelope.ts'
import { EVERYONE } from '../console.rules.ts'
import { planRowView, planStateView, planDetailView } from './plan-view.ts'
import * as schemas from './plans.schemas.ts'
import {
  cancelPlanOf,
  holdPlanOf,
  listPlans,
  readPlanDetail,
  rescheduleInstalment,
  resumePlanOf,
} from './plans.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'

export function flexPlanRoutes(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/plans',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListFlexPlans',
      summary: 'List plans',
      description: 'Plans with what they take and when they debit next, the newest first.',
      data: Type.Array(schemas.PlanRowView),
      isList: true,
    },
    query: schemas.PlansQuery,
    async answer({ institute, query }) {
      const filter = {
        status: query.status,
        isHeld: query.held === undefined ? undefined : query.held === 'yes',
        collectorCode: query.collector_code,
        typed: query.search,
      }
      const range = { cursor: query.cursor, limit: query.limit ?? 50 }
      const { rows, nextCursor } = await listPlans(flex, institute, filter, range)
      return page(rows.map(planRowView), nextCursor)
    },
  })
  addConsoleRead(app, flex, {
    url: '/flex/plans/:plan_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetFlexPlan',
      summary: 'Read a plan',
      description: 'Its mandate, its schedule with every attempt, and all that was decided, told and done.',
      data: schemas.PlanView,
    },
    params: schemas.PlanParams,
    async answer({ institute, params }) {
      const story = await readPlanDetail(flex, institute, params.plan_id)
      return ok(planDetailView(story, { institute, publicUrl: flex.publicUrl }))
    },
  })
  addActs(app, flex)
}

const ACTS = [
  {
    name: 'hold',
    act: holdPlanOf,
    what: 'flex.plan.held',
    operationId: 'consoleHoldFlexPlan',
    summary: 'Hold a plan',
    description:
      'Nothing is debited until it is resumed. Notices that were given are withdrawn, and the family is told.',
  },
  {
    name: 'resume',
    act: resumePlanOf,
    what: 'flex.plan.resumed',
    operationId: 'consoleResumeFlexPlan',
    summary: 'Resume a plan',
    description:
      'Ends a hold, or a lock that the ERP asked for. What is overdue gets the next day that leaves time for a notice.',
  },
  {
    name: 'cancel',
    act: cancelPlanOf,
    what: 'flex.plan.cancelled',
    operationId: 'consoleCancelFlexPlan',
    summary: 'Cancel a plan',
    description: 'Ends the plan and its mandate for good. What is out at the bank is still collected.',
  },
] as const

function addActs(app: FastifyInstance, flex: FlexContext): void {
  for (const { name, act: perform, what, ...texts } of ACTS) {
    addConsoleWrite(app, flex, {
      method: 'POST',
      url: `/flex/plans/:plan_id/${name}`,
      roles: FINANCE_ROLES,
      docs: { ...texts, data: schemas.PlanStateView },
      params: schemas.PlanParams,
      body: schemas.ReasonBody,
      perform: (act, { institute, params }) => perform(flex, act, institute, params.plan_id),
      audit: ({ params, body }, after) => ({
        what,
        about: params.plan_id,
        why: body.reason,
        before: auditOf(after.before),
        after: auditOf(after),
      }),
      toResponse: (after: ChangedPlan) => ok(planStateView(after)),
    })
  }
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: '/flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    roles: FINANCE_ROLES,
    docs: {
      operationId: 'consoleRescheduleFlexInstalment',
      summary: 'Move an instalment to another day',
      description:
        'A notice that was given is withdrawn, and a new one follows at least a day before the debit.',
      data: schemas.MovedView,
    },
    params: schemas.InstalmentParams,
    body: schemas.RescheduleBody,
    perform: (act, { institute, params, body }) =>
      rescheduleInstalment(flex, act, institute, {
        planId: params.plan_id,
        instalmentId: params.instalment_id,
        newDueOn: body.new_due_date,
      }),
    audit: ({ params, body }, { before, after }) => ({
      what: 'flex.instalment.rescheduled',
      about: params.plan_id,
      why: body.reason,
      before: dayView(before),
      after: dayView(after),
    }),
    toResponse: ({ after: { id, dueOn, presentOn } }) => ok({ id, due_date: dueOn, present_on: presentOn }),
  })
}

/** What the log keeps of a plan: where it and its mandate stood, and how much of it was still open. */
function auditOf(file: LoadedPlan): unknown {
  const { id: _, ...state } = planStateView(file)
  return { ...state, ...(file.mandate === null ? {} : { mandate: file.mandate.state }) }
}

function dayView({ id, dueOn, presentOn, state }: Instalment): unknown {
  return { instalment_id: id, due_date: dueOn, present_on: presentOn, status: state }
}
