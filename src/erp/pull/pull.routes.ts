import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { one, pageOf } from '../../http/reply.ts'
import { studentParams } from '../../students/student.input.ts'
import type { ErpContext } from '../context.ts'
import { listStudentFetches, testFetch } from './pull.service.ts'
import { fetchTestInput, listFetchesQuery, fetchOutput, testOutput } from './pull.schemas.ts'

const ERP = '/api/v1/integrations/erp'

export function pullRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/pull/test`,
    scope: 'settings',
    docs: {
      operationId: 'testErpFetch',
      tag: 'ERP fetch',
      summary: 'Test the fetch-student endpoint',
      description:
        'Calls the fetch-student endpoint of your ERP as the service would, and answers with what was understood or, field by ' +
        'field, what is wrong. Nothing is stored but an entry of the fetch log. Answers when the ERP has, at most 15 seconds ' +
        'after the call began.',
    },
    output: one(testOutput),
    body: fetchTestInput,
    perform: (command, { caller, body }) => testFetch(ctx, command, caller.institute, body),
  })
  addRead(app, {
    url: `${ERP}/students/:service_student_id/fetches`,
    docs: {
      operationId: 'listErpFetches',
      tag: 'ERP fetch',
      summary: 'List the fetches of a student',
      description:
        'Every time that your ERP was asked for this student, newest first: why, what came of it and what it changed. Kept for ' +
        '500 days at least.',
      errors: [404],
    },
    output: pageOf(fetchOutput),
    params: studentParams,
    query: listFetchesQuery,
    answer: ({ caller, params, query }) => listStudentFetches(ctx, caller.institute, params.studentId, query),
  })
}
