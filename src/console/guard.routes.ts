import type { FastifyInstance } from 'fastify'
import { Type, type Static, type TObject } from 'typebox'
import { answerAct, compileCall, NOTHING, readOnce, send, type Sent } from '../http/endpoint.ts'
import { successBody, type Success } from '../http/envelope.ts'
import { field } from '../http/fields.ts'
import { assert } from '../platform/assert.ts'
import type { Ground } from '../platform/ground.ts'
import type { Act } from '../platform/idempotency.ts'
import { NO_INSTITUTE, recordAudit, type Actor, type AuditNote } from './audit.service.ts'
import type { ConsoleRole } from './console.rules.ts'
import {
  admit,
  atInstitute,
  forAnybody,
  forOperator,
  forPerson,
  type Door,
  type InstituteVisit,
  type OpenVisit,
} from './doors.routes.ts'
import { documentConsole, type ConsoleDocs } from './guard.docs.ts'

/**
 * The one door of the console's API. A route says where it is, who may use it, what it takes and what it leaves in the
 * audit log; signing in, roles, CSRF, limits, Idempotency-Key, envelope and OpenAPI follow from that.
 *
 *   addConsoleRead(app, ground, {
 *     url: '/refunds',                       // below /console/api/institutes/:institute_code
 *     roles: ['owner', 'finance', 'operator'],
 *     docs: { operationId: 'consoleListRefunds', summary: …, description: …, data: Type.Array(RefundView), isList: true },
 *     query: ListQuery,
 *     answer: async ({ institute, query }) => page(…),
 *   })
 *   addConsoleWrite(app, ground, {
 *     method: 'POST', url: '/orders/:order_id/refunds', roles: ['owner', 'finance'],
 *     docs, params, body,                    // the same field vocabulary as the ERP's API
 *     perform: (act, { institute, params, body }) => refundOrder(ground, act, …),   // give `act` to the service
 *     audit: ({ params, body }, refund) => ({ what: 'order.refunded', about: params.order_id, why: body.reason, after: … }),
 *     present: refund => created(refundView(refund)),
 *   })
 *
 * `act` carries the audit entry into the service's own transaction (`transact` of platform/idempotency.ts), so either
 * both are there or neither. A service that never uses its act fails the request loudly. What concerns a person and no
 * institute is added by the `Person` functions, what concerns the installation by the `Operator` ones; `web/README.md`
 * tells the rest.
 */
const API = '/console/api'
export const INSTITUTE = `${API}/institutes/:institute_code`

type Parts<Params extends TObject, Query extends TObject, Body extends TObject> = {
  url: string
  docs: ConsoleDocs
  params?: Params
  query?: Query
  body?: Body
}

export type ConsoleRead<Context, Params extends TObject, Query extends TObject> = Parts<
  Params,
  Query,
  TObject
> & { answer(call: Sent<Static<Params>, Static<Query>, unknown> & Context): Promise<Success> }

type WriteParts<Context, Params extends TObject, Query extends TObject, Body extends TObject, Result> = Parts<
  Params,
  Query,
  Body
> & {
  method: 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  perform(
    act: Act<Result>,
    call: Sent<Static<Params>, Static<Query>, Static<Body>> & Context,
  ): Promise<Result>
  present(result: Result): Success
}

export type ConsoleWrite<
  Context,
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Result,
> = WriteParts<Context, Params, Query, Body, Result> & {
  /** What the log is told; null when nothing happened that anybody would look for. */
  audit(call: Sent<Static<Params>, Static<Query>, Static<Body>> & Context, result: Result): AuditNote | null
}

type Roles = { roles: readonly ConsoleRole[] }
type None = typeof NOTHING

export function addConsoleRead<Params extends TObject = None, Query extends TObject = None>(
  app: FastifyInstance,
  ground: Ground,
  endpoint: ConsoleRead<InstituteVisit, Params, Query> & Roles,
): void {
  addRead(app, ground, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ground, endpoint.roles))
}

export function addConsoleWrite<
  Result,
  Params extends TObject = None,
  Query extends TObject = None,
  Body extends TObject = None,
>(
  app: FastifyInstance,
  ground: Ground,
  endpoint: ConsoleWrite<InstituteVisit, Params, Query, Body, Result> & Roles,
): void {
  addWrite(app, ground, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ground, endpoint.roles))
}

/** For whoever is signed in: their own account. */
export const { read: addPersonRead, write: addPersonWrite } = routesBehind(API, forPerson)

/** For the operator of the installation. */
export const { read: addOperatorRead, write: addOperatorWrite } = routesBehind(`${API}/operator`, forOperator)

function routesBehind<Context>(prefix: string, door: Door<Context>) {
  return {
    read: <Params extends TObject = None, Query extends TObject = None>(
      app: FastifyInstance,
      ground: Ground,
      endpoint: ConsoleRead<Context, Params, Query>,
    ): void => addRead(app, ground, { ...endpoint, url: prefix + endpoint.url }, door),
    write: <Result, Params extends TObject = None, Query extends TObject = None, Body extends TObject = None>(
      app: FastifyInstance,
      ground: Ground,
      endpoint: ConsoleWrite<Context, Params, Query, Body, Result>,
    ): void => addWrite(app, ground, { ...endpoint, url: prefix + endpoint.url }, door),
  }
}

/** For anybody, signed in or not. */
export function addOpenRead<Params extends TObject = None, Query extends TObject = None>(
  app: FastifyInstance,
  ground: Ground,
  endpoint: ConsoleRead<OpenVisit, Params, Query>,
): void {
  addRead(app, ground, { ...endpoint, url: API + endpoint.url }, forAnybody)
}

export function addOpenWrite<
  Result,
  Params extends TObject = None,
  Query extends TObject = None,
  Body extends TObject = None,
>(app: FastifyInstance, ground: Ground, endpoint: WriteParts<OpenVisit, Params, Query, Body, Result>): void {
  addWrite(app, ground, { ...endpoint, url: API + endpoint.url, audit: () => null }, forAnybody)
}

const InstituteParams = Type.Object({
  institute_code: field.code({ description: "The institute's code.", examples: ['demo-school'] }),
})

export function withInstitute<Params extends TObject>(
  url: string,
  params: Params | undefined,
): Params | undefined {
  if (!url.startsWith(INSTITUTE)) return params
  return Type.Object({ ...InstituteParams.properties, ...params?.properties }) as unknown as Params
}

function addRead<Context, Params extends TObject, Query extends TObject>(
  app: FastifyInstance,
  ground: Ground,
  endpoint: ConsoleRead<Context, Params, Query>,
  door: Door<Context>,
): void {
  const shape = { ...endpoint, params: withInstitute(endpoint.url, endpoint.params) }
  const readCall = compileCall<Static<Params>, Static<Query>, unknown>(shape as Parts<Params, Query, TObject>)
  app.get(endpoint.url, {
    schema: documentConsole(shape, door.reach),
    handler: async (request, reply) => {
      const context = await door.enter(await admit(ground, request, reply))
      const success = await endpoint.answer({ ...readCall(request), ...context })
      return send(reply, success.httpStatus, successBody(success))
    },
  })
}

function addWrite<Context, Params extends TObject, Query extends TObject, Body extends TObject, Result>(
  app: FastifyInstance,
  ground: Ground,
  endpoint: ConsoleWrite<Context, Params, Query, Body, Result>,
  door: Door<Context>,
): void {
  const shape = { ...endpoint, params: withInstitute(endpoint.url, endpoint.params) }
  const readCall = compileCall<Static<Params>, Static<Query>, Static<Body>>(
    shape as Parts<Params, Query, Body>,
  )
  const answerOf = (result: Result) => {
    const success = endpoint.present(result)
    return { httpStatus: success.httpStatus, body: successBody(success) }
  }
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    schema: documentConsole(shape, door.reach),
    handler: async (request, reply) => {
      const visit = await admit(ground, request, reply)
      const context = await door.enter(visit)
      const instituteId = (context as Partial<InstituteVisit>).institute?.id ?? NO_INSTITUTE
      // Answers are remembered under an institute, and of one person: the same key of a colleague is another.
      const once =
        instituteId === NO_INSTITUTE || visit.who === null
          ? undefined
          : readOnce(request, answerOf, `console ${visit.who.userId} `)
      const act: Act<Result> = { instituteId, once }
      return answerAct(ground, act, { request, reply, answerOf }, async () => {
        const call = { ...readCall(request), ...context }
        if (visit.who === null) return endpoint.perform(act, call)
        const actor = { who: visit.who, origin: visit.origin }
        const { witness, assertSeen } = witnessOf<Result>(ground, { instituteId, actor }, result =>
          endpoint.audit(call, result),
        )
        const result = await endpoint.perform({ ...act, witness }, call)
        assertSeen(result)
        return result
      })
    },
  })
}

function witnessOf<Result>(
  ground: Ground,
  by: { instituteId: number; actor: Actor },
  noteOf: (result: Result) => AuditNote | null,
): { witness: NonNullable<Act<Result>['witness']>; assertSeen: (result: Result) => void } {
  let isSeen = false
  return {
    async witness(tx, result) {
      isSeen = true
      const note = noteOf(result)
      if (note !== null) await recordAudit(tx, ground, by, note)
    },
    assertSeen(result) {
      assert(isSeen || noteOf(result) === null, 'an act of the console was not performed with its act')
    },
  }
}
