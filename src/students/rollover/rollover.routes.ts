import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, one, pageOf } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { rolloverInput, rolloverParams, rolloversQuery, rolloverOutput } from './rollover.schemas.ts'
import {
  getRollover,
  listRollovers,
  startRollover,
  stopRollover,
  type ReadUnsettled,
} from './rollover.service.ts'

const ROLLOVERS = '/api/v1/integrations/erp/academic-years/rollover'
const tag = 'Academic years'

export function rolloverRoutes(app: FastifyInstance, ctx: Context, readUnsettled: ReadUnsettled): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: ROLLOVERS,
    scope: 'students',
    docs: {
      operationId: 'startRollover',
      tag,
      summary: 'Roll an academic year over',
      description:
        "Registers next year's student records from this year's active ones, under the same users: grade by grade, with the fees " +
        'of the new grade. A background job does it; read its progress. With `preview` nothing is changed, and the answer says what ' +
        'would be. Safe to repeat: a student that has a record of the new year is left alone, and nothing is carried twice. What is ' +
        'carried counts as settled on the old record, so it is owed, or held, once. From a student with a running plan or a payment ' +
        'under way nothing is carried yet: it is named among the problems, and a repetition carries it. One rollover at a time, ' +
        'otherwise 409.',
      errors: [409],
    },
    output: created(rolloverOutput),
    body: rolloverInput,
    perform: (command, { caller, body }) =>
      startRollover(ctx, command, caller.institute, { ...body, readUnsettled }),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: `${ROLLOVERS}/:rollover_id`,
    scope: 'students',
    docs: {
      operationId: 'stopRollover',
      tag,
      summary: 'Stop a rollover',
      description:
        'One that is under way. What it has registered and carried stays; another rollover goes on from there.',
      errors: [404, 409],
    },
    output: one(rolloverOutput),
    params: rolloverParams,
    perform: (command, { caller, params }) => stopRollover(ctx, command, caller.institute, params.rolloverId),
  })
  addRead(app, {
    url: ROLLOVERS,
    docs: {
      operationId: 'listRollovers',
      tag,
      summary: 'List rollovers',
      description: 'Newest first.',
    },
    output: pageOf(rolloverOutput),
    query: rolloversQuery,
    answer: ({ caller, query }) => listRollovers(ctx, caller.institute, query),
  })
  addRead(app, {
    url: `${ROLLOVERS}/:rollover_id`,
    docs: {
      operationId: 'getRollover',
      tag,
      summary: 'Get a rollover',
      description: 'How far it is, and which students it could not register.',
      errors: [404],
    },
    output: one(rolloverOutput),
    params: rolloverParams,
    answer: ({ caller, params }) => getRollover(ctx, caller.institute, params.rolloverId),
  })
}
