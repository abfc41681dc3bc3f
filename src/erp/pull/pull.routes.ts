import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { ok, page } from '../../http/envelope.ts'
import type { ErpContext } from '../context.ts'
import type { Asked } from '../erp.rules.ts'
import { listStudentFetches, testFetch, type FetchTest } from './log.service.ts'
import { fetchView, testView } from './pull-view.ts'
import * as docs from './pull.docs.ts'
import * as schemas from './pull.schemas.ts'
import { studentParams } from '../../students/student.input.ts'

const ERP = '/api/v1/integrations/erp'

export function pullRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/pull/test`,
    docs: docs.fetchTestDocs,
    body: schemas.FetchTestBody,
    perform: (act, { caller, body }) => testFetch(ctx, act, caller.institute, toAsked(body)),
    toResponse: (test: FetchTest) => ok(testView(test)),
  })
  addRead(app, {
    url: `${ERP}/students/:service_student_id/fetches`,
    docs: docs.listFetchesDocs,
    params: studentParams,
    query: schemas.ListFetchesQuery,
    async answer({ caller, params, query }) {
      const wanted = { cursor: query.cursor, limit: query.limit ?? 50 }
      const found = await listStudentFetches(ctx, caller.institute, params.studentId, wanted)
      return page(found.rows.map(fetchView), found.nextCursor)
    },
  })
}

/** As they go into a query: text, and nothing for what was not sent. */
function toAsked(body: Static<typeof schemas.FetchTestBody>): Asked {
  const { identifier, ...rest } = body
  const sent = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return { identifier, ...(Object.fromEntries(sent) as Omit<Asked, 'identifier'>) }
}
