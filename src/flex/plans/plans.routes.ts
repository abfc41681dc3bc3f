import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, ok } from '../../http/envelope.ts'
import type { EndpointDocs } from '../../http/openapi.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Command } from '../../platform/idempotency.ts'
import type { FlexContext } from '../context.ts'
import * as docs from './plans.docs.ts'
import * as schemas from './plans.schemas.ts'
import { readPlan } from './plan-history.service.ts'
import { planView, wholePlanView } from './plan-view.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { cancelPlan, createPlan, getPlanOf, holdPlan, reschedule, resumePlan } from './plans.service.ts'
import type { ScheduleRow } from '../rules/schedule.rules.ts'

const FLEX = '/api/v1/integrations/flex'
const STUDENT = `${FLEX}/students/:service_student_id`

/** A plan and whose it is: the address of its page needs both. */
type Owned = { file: LoadedPlan; institute: Institute }

export function flexRoutes(app: FastifyInstance, flex: FlexContext): void {
  const view = ({ file, institute }: Owned) => planView(file, { institute, publicUrl: flex.publicUrl })
  addWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/plans`,
    docs: docs.createDocs,
    params: schemas.StudentParams,
    body: schemas.CreatePlanBody,
    perform: (command: Command<Owned>, { caller: { institute }, params, body }) =>
      owned(command, institute, inner =>
        createPlan(flex, inner, institute, {
          studentId: params.service_student_id,
          rows: body.payment_schedule?.map(toRow) ?? null,
        }),
      ),
    toResponse: (plan: Owned) => created(view(plan)),
  })
  addRead(app, {
    url: `${STUDENT}/plans`,
    docs: docs.getOfStudentDocs,
    params: schemas.StudentParams,
    async answer({ caller: { institute }, params }) {
      return ok(view({ institute, file: await getPlanOf(flex, institute, params.service_student_id) }))
    },
  })
  addWrite(app, flex, {
    method: 'PATCH',
    url: `${STUDENT}/reschedule`,
    docs: docs.rescheduleDocs,
    params: schemas.StudentParams,
    body: schemas.RescheduleBody,
    perform: (command: Command<Owned>, { caller: { institute }, params, body }) =>
      owned(command, institute, inner =>
        reschedule(flex, inner, institute, {
          studentId: params.service_student_id,
          dueOn: body.due_date,
          newDueOn: body.new_due_date,
        }),
      ),
    toResponse: (plan: Owned) => ok(view(plan)),
  })
  addRead(app, {
    url: `${FLEX}/plans/:plan_id`,
    docs: docs.getDocs,
    params: schemas.PlanParams,
    async answer({ caller: { institute }, params }) {
      const plan = await readPlan(flex, institute, params.plan_id)
      return ok(wholePlanView(plan, { institute, publicUrl: flex.publicUrl }))
    },
  })
  const addAct = (name: string, command: typeof cancelPlan, itsDocs: EndpointDocs): void =>
    addWrite(app, flex, {
      method: 'POST',
      url: `${FLEX}/plans/:plan_id/${name}`,
      docs: itsDocs,
      params: schemas.PlanParams,
      perform: (asked: Command<Owned>, { caller: { institute }, params }) =>
        owned(asked, institute, inner =>
          command(flex, inner, { instituteId: institute.id, planId: params.plan_id }),
        ),
      toResponse: (plan: Owned) => ok(view(plan)),
    })
  addAct('cancel', cancelPlan, docs.cancelDocs)
  addAct('hold', holdPlan, docs.holdDocs)
  addAct('resume', resumePlan, docs.resumeDocs)
}

/** Services answer with the plan; what is remembered of an command is the whole answer. */
async function owned(
  { instituteId, idempotency }: Command<Owned>,
  institute: Institute,
  perform: (command: Command<LoadedPlan>) => Promise<LoadedPlan>,
): Promise<Owned> {
  const inner = idempotency && {
    ...idempotency,
    answer: (file: LoadedPlan) => idempotency.answer({ file, institute }),
  }
  return { file: await perform({ instituteId, idempotency: inner }), institute }
}

type SentRow = NonNullable<Static<typeof schemas.CreatePlanBody>['payment_schedule']>[number]

function toRow(row: SentRow): ScheduleRow {
  return {
    dueOn: row.due_date,
    isDownpayment: row.is_downpayment ?? false,
    referenceId: row.reference_id ?? null,
    identifier: row.identifier ?? null,
    lines: row.details.map(line => ({ componentType: line.component_type, amountPaise: line.amount })),
  }
}
