import type { FastifyInstance } from 'fastify'
import { addRead } from '../http/endpoint.ts'
import { methodOf } from '../http/failures.ts'
import { one, pageOf } from '../http/reply.ts'
import type { Context } from '../platform/context.ts'
import { listRequestsQuery, requestList, requestParams, requestOutput } from './request.list.ts'
import { getRequest, RequestLog } from './requests.service.ts'

/** Whatever comes with an API key is put down once it is answered; what is left is written when the server closes. */
export function keepRequestLog(app: FastifyInstance, ctx: Context): RequestLog {
  const log = new RequestLog(ctx.db)
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, id, errorCode } = request
    const method = methodOf(request)
    if (caller !== null) {
      const ms = reply.elapsedTime
      log.add({
        instituteId: caller.institute.id,
        id,
        at: new Date(Date.now() - ms),
        method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        errorCode,
        ms,
        keyId: caller.keyId,
      })
    }
    done()
  })
  app.addHook('onClose', () => log.close())
  return log
}

const REQUESTS = '/api/v1/integrations/erp/requests'

/** A developer sees what came with the key in hand; the console shows those of every key of the institute. */
export function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: REQUESTS,
    docs: {
      operationId: 'listApiRequests',
      tag: 'Requests',
      summary: 'List requests',
      description:
        'The requests of the last month that came with this API key, newest first: address pattern, status, error code and ' +
        'duration. Neither bodies nor the values in addresses are kept. A request shows up about a second after its ' +
        'response; under heavy load some may be missing.',
    },
    query: listRequestsQuery,
    output: pageOf(requestOutput),
    answer: ({ caller, query: { cursor, limit, ...filter } }) =>
      requestList.page(ctx, caller.institute, { ...filter, keyId: caller.keyId }, { cursor, limit }),
  })
  addRead(app, {
    url: `${REQUESTS}/:request_id`,
    docs: {
      operationId: 'getApiRequest',
      tag: 'Requests',
      summary: 'Get a request',
      description:
        'A request that came with this API key within the last month, by the `X-Request-Id` of its response.',
      errors: [404],
    },
    params: requestParams,
    output: one(requestOutput),
    answer: ({ caller, params }) => getRequest(ctx, caller.institute, params.requestId, caller.keyId),
  })
}
