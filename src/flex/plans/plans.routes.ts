import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, one } from '../../http/reply.ts'
import type { FlexContext } from '../context.ts'
import {
  chargedOutput,
  chargeInput,
  chargeParams,
  planInput,
  planParams,
  rescheduleInput,
  studentParams,
  planHistoryOutput,
  planOutput,
} from './plan.schemas.ts'
import {
  getPlanOf,
  readPlan,
  cancelPlan,
  createPlan,
  holdPlan,
  reschedule,
  resumePlan,
} from './plans.service.ts'

import { callOffCharge, chargeMandate } from './charges.service.ts'

const FLEX = '/api/v1/integrations/flex'
const STUDENT = `${FLEX}/students/:service_student_id`
const DOCS = { tag: 'Flex', errors: [404] } as const

export function flexRoutes(app: FastifyInstance, ctx: FlexContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${STUDENT}/plans`,
    scope: 'students',
    docs: {
      ...DOCS,
      operationId: 'createPlan',
      summary: 'Make an instalment plan',
      description:
        "A draft over everything that the student owes: the schedule you send, or the institute's default plan. Send the payer " +
        'to `redirect_url` to set it up. Sent again before that it replaces the draft under the same id; afterwards it is 409, ' +
        'and `data.plan_id` names the plan in the way.',
    },
    output: created(planOutput, () => ctx),
    params: studentParams,
    body: planInput,
    perform: (act, { caller, params, body }) =>
      createPlan(ctx, act, caller.institute, { ...params, ...body }),
  })
  addRead(app, {
    url: `${STUDENT}/plans`,
    docs: {
      ...DOCS,
      operationId: 'getStudentPlan',
      summary: "Get a student's plan",
      description: 'The plan that is not over; without one, the newest.',
    },
    output: one(planOutput, () => ctx),
    params: studentParams,
    answer: ({ caller, params }) => getPlanOf(ctx, caller.institute, params.studentId),
  })
  addWrite(app, ctx, {
    method: 'PATCH',
    url: `${STUDENT}/reschedule`,
    scope: 'students',
    docs: {
      ...DOCS,
      operationId: 'rescheduleInstalment',
      summary: 'Move an instalment',
      description:
        'Gives the instalment of that due date another one. A notice that was sent is withdrawn and sent anew. 409 when it is at ' +
        'the bank or over.',
    },
    output: one(planOutput, () => ctx),
    params: studentParams,
    body: rescheduleInput,
    perform: (act, { caller, params, body }) =>
      reschedule(ctx, act, caller.institute, { ...params, ...body }),
  })
  addRead(app, {
    url: `${FLEX}/plans/:plan_id`,
    docs: {
      ...DOCS,
      operationId: 'getPlan',
      summary: 'Get a plan',
      description:
        'With its mandate, every attempt at the bank, and what was decided and why: read there why an instalment was skipped or ' +
        'moved.',
    },
    output: one(planHistoryOutput, () => ctx),
    params: planParams,
    answer: ({ caller, params }) => readPlan(ctx, caller.institute, params.planId),
  })
  addActs(app, ctx)
  addCharges(app, ctx)
}

function addCharges(app: FastifyInstance, ctx: FlexContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${FLEX}/plans/:plan_id/charges`,
    scope: 'students',
    docs: {
      ...DOCS,
      operationId: 'chargeMandate',
      summary: 'Charge once on a mandate',
      description:
        'A picnic, an examination, a bus: adds the fee to the student and debits it beside the schedule, by an instalment with ' +
        '`is_charge: true` that goes the whole way of one: fetch, notice at least 24 hours before, presentation, re-presentation. ' +
        'The family can stop it until then; it stays due. 409 when the payer has not agreed to charges of this fee, the amount is ' +
        'above what one debit may take, no mandate is active, or your system charges this fee already.',
    },
    output: created(chargedOutput, () => ctx),
    params: planParams,
    body: chargeInput,
    perform: (act, { caller, params, body }) =>
      chargeMandate(ctx, act, caller.institute, { ...params, ...body }),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${FLEX}/plans/:plan_id/charges/:instalment_id/cancel`,
    scope: 'students',
    docs: {
      ...DOCS,
      operationId: 'cancelCharge',
      summary: 'Call a charge off',
      description:
        'Nothing of it is debited, and what is open of it is taken off the fee again. 409 when it is at the bank, paid or over.',
    },
    output: one(chargedOutput, () => ctx),
    params: chargeParams,
    perform: (act, { caller, params }) => {
      const key = { instituteId: caller.institute.id, planId: params.planId }
      return callOffCharge(ctx, act, key, params.instalmentId)
    },
  })
}

function addActs(app: FastifyInstance, ctx: FlexContext): void {
  for (const { name, perform, ...texts } of ACTS)
    addWrite(app, ctx, {
      method: 'POST',
      url: `${FLEX}/plans/:plan_id/${name}`,
      scope: 'students',
      docs: { ...DOCS, ...texts },
      output: one(planOutput, () => ctx),
      params: planParams,
      perform: (act, { caller, params }) =>
        perform(ctx, act, { instituteId: caller.institute.id, planId: params.planId }),
    })
}

const ACTS = [
  {
    name: 'cancel',
    perform: cancelPlan,
    operationId: 'cancelPlan',
    summary: 'Cancel a plan',
    description:
      'Nothing more is debited, and the student can have a new plan. What is at the bank already goes its way: until its result ' +
      'the plan is `cancelling`, and then the mandate is ended. 409 when it is cancelled or closed.',
  },
  {
    name: 'hold',
    perform: holdPlan,
    operationId: 'holdPlan',
    summary: 'Hold a plan',
    description: 'Instalments wait until it is resumed. 409 when it is not set up, over, or held already.',
  },
  {
    name: 'resume',
    perform: resumePlan,
    operationId: 'resumePlan',
    summary: 'Resume a plan',
    description:
      "Ends a hold, or a lock that the ERP's answer put on it. 409 when there is neither, or it is over; a plan whose mandate has ended needs a " +
      'new mandate instead.',
  },
] as const
