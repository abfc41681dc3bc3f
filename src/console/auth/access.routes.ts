import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { answerCommand, compileCall, NOTHING, readIdempotency, send, type Sent } from '../../http/endpoint.ts'
import { successBody, type Success } from '../../http/envelope.ts'
import { field } from '../../http/wire/fields.ts'
import { field as inputField, Input } from '../../http/wire/input.ts'
import type { Readable, SentBy } from '../../http/wire/readable.ts'
import { assert } from '../../platform/assert.ts'
import type { Context } from '../../platform/context.ts'
import type { Command } from '../../platform/idempotency.ts'
import { NO_INSTITUTE, recordAudit, type Actor, type AuditNote } from '../audit/audit.service.ts'
import type { ConsoleRole } from '../console.rules.ts'
import {
  admit,
  atInstitute,
  forAnybody,
  forOperator,
  forPerson,
  type AccessRule,
  type InstituteVisit,
  type OpenVisit,
} from './roles.routes.ts'
import { documentConsole, type ConsoleDocs } from './access.docs.ts'

/**
 * The one way into the console's API. A route says where it is, who may use it, what it takes and what it leaves in the
 * audit log; signing in, roles, CSRF, limits, Idempotency-Key, envelope and OpenAPI follow from that.
 *
 *   addConsoleRead(app, ctx, {
 *     url: '/refunds',                       // below /console/api/institutes/:institute_code
 *     roles: ['owner', 'finance', 'operator'],
 *     docs: { operationId: 'consoleListRefunds', summary: …, description: …, data: Type.Array(RefundView), isList: true },
 *     query: ListQuery,
 *     answer: async ({ institute, query }) => page(…),
 *   })
 *   addConsoleWrite(app, ctx, {
 *     method: 'POST', url: '/orders/:order_id/refunds', roles: ['owner', 'finance'],
 *     docs, params, body,                    // the same field vocabulary as the ERP's API
 *     perform: (command, { institute, params, body }) => refundOrder(ctx, command, …),   // give `command` to the service
 *     audit: ({ params, body }, refund) => ({ what: 'order.refunded', about: params.order_id, why: body.reason, after: … }),
 *     toResponse: refund => created(refundView(refund)),
 *   })
 *
 * `command` carries the audit entry into the service's own transaction (`transact` of platform/idempotency.ts), so either
 * both are there or neither. A service that never uses its command fails the request loudly. What concerns a person and no
 * institute is added by the `Person` functions, what concerns the installation by the `Operator` ones; `web/README.md`
 * tells the rest.
 */
const API = '/console/api'
export const INSTITUTE = `${API}/institutes/:institute_code`

type Parts<Params extends Readable, Query extends Readable, Body extends Readable> = {
  url: string
  docs: ConsoleDocs
  params?: Params
  query?: Query
  body?: Body
}

export type ConsoleRead<Scope, Params extends Readable, Query extends Readable> = Parts<
  Params,
  Query,
  Readable
> & { answer(call: Sent<SentBy<Params>, SentBy<Query>, unknown> & Scope): Promise<Success> }

type WriteParts<
  Scope,
  Params extends Readable,
  Query extends Readable,
  Body extends Readable,
  Result,
> = Parts<Params, Query, Body> & {
  method: 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  perform(
    command: Command<Result>,
    call: Sent<SentBy<Params>, SentBy<Query>, SentBy<Body>> & Scope,
  ): Promise<Result>
  toResponse(result: Result): Success
}

export type ConsoleWrite<
  Scope,
  Params extends Readable,
  Query extends Readable,
  Body extends Readable,
  Result,
> = WriteParts<Scope, Params, Query, Body, Result> & {
  /** What the log is told; null when nothing happened that anybody would look for. */
  audit(call: Sent<SentBy<Params>, SentBy<Query>, SentBy<Body>> & Scope, result: Result): AuditNote | null
}

type Roles = { roles: readonly ConsoleRole[] }
type None = typeof NOTHING

export function addConsoleRead<Params extends Readable = None, Query extends Readable = None>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleRead<InstituteVisit, Params, Query> & Roles,
): void {
  addRead(app, ctx, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ctx, endpoint.roles))
}

export function addConsoleWrite<
  Result,
  Params extends Readable = None,
  Query extends Readable = None,
  Body extends Readable = None,
>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleWrite<InstituteVisit, Params, Query, Body, Result> & Roles,
): void {
  addWrite(app, ctx, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ctx, endpoint.roles))
}

/** For whoever is signed in: their own account. */
export const { read: addPersonRead, write: addPersonWrite } = routesBehind(API, forPerson)

/** For the operator of the installation. */
export const { read: addOperatorRead, write: addOperatorWrite } = routesBehind(`${API}/operator`, forOperator)

function routesBehind<Scope>(prefix: string, access: AccessRule<Scope>) {
  return {
    read: <Params extends Readable = None, Query extends Readable = None>(
      app: FastifyInstance,
      ctx: Context,
      endpoint: ConsoleRead<Scope, Params, Query>,
    ): void => addRead(app, ctx, { ...endpoint, url: prefix + endpoint.url }, access),
    write: <
      Result,
      Params extends Readable = None,
      Query extends Readable = None,
      Body extends Readable = None,
    >(
      app: FastifyInstance,
      ctx: Context,
      endpoint: ConsoleWrite<Scope, Params, Query, Body, Result>,
    ): void => addWrite(app, ctx, { ...endpoint, url: prefix + endpoint.url }, access),
  }
}

/** For anybody, signed in or not. */
export function addOpenRead<Params extends Readable = None, Query extends Readable = None>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleRead<OpenVisit, Params, Query>,
): void {
  addRead(app, ctx, { ...endpoint, url: API + endpoint.url }, forAnybody)
}

export function addOpenWrite<
  Result,
  Params extends Readable = None,
  Query extends Readable = None,
  Body extends Readable = None,
>(app: FastifyInstance, ctx: Context, endpoint: WriteParts<OpenVisit, Params, Query, Body, Result>): void {
  addWrite(app, ctx, { ...endpoint, url: API + endpoint.url, audit: () => null }, forAnybody)
}

const InstituteParams = Type.Object({
  institute_code: field.code({ description: "The institute's code.", examples: ['demo-school'] }),
})

export function withInstitute<Params extends Readable>(
  url: string,
  params: Params | undefined,
): Params | undefined {
  if (!url.startsWith(INSTITUTE)) return params
  if (params instanceof Input) {
    const institute_code = inputField.code("The institute's code.", 'demo-school')
    return new Input({ institute_code, ...params.fields }, null) as unknown as Params
  }
  return Type.Object({ ...InstituteParams.properties, ...params?.properties }) as unknown as Params
}

function addRead<Scope, Params extends Readable, Query extends Readable>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleRead<Scope, Params, Query>,
  access: AccessRule<Scope>,
): void {
  const shape = { ...endpoint, params: withInstitute(endpoint.url, endpoint.params) }
  const readCall = compileCall<SentBy<Params>, SentBy<Query>, unknown>(
    shape as Parts<Params, Query, Readable>,
  )
  app.get(endpoint.url, {
    schema: documentConsole(shape, access.reach),
    handler: async (request, reply) => {
      const context = await access.enter(await admit(ctx, request, reply))
      const success = await endpoint.answer({ ...readCall(request), ...context })
      return send(reply, success.httpStatus, successBody(success))
    },
  })
}

function addWrite<Scope, Params extends Readable, Query extends Readable, Body extends Readable, Result>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleWrite<Scope, Params, Query, Body, Result>,
  access: AccessRule<Scope>,
): void {
  const shape = { ...endpoint, params: withInstitute(endpoint.url, endpoint.params) }
  const readCall = compileCall<SentBy<Params>, SentBy<Query>, SentBy<Body>>(
    shape as Parts<Params, Query, Body>,
  )
  const answerOf = (result: Result) => {
    const success = endpoint.toResponse(result)
    return { httpStatus: success.httpStatus, body: successBody(success) }
  }
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    schema: documentConsole(shape, access.reach),
    handler: async (request, reply) => {
      const visit = await admit(ctx, request, reply)
      const context = await access.enter(visit)
      const instituteId = (context as Partial<InstituteVisit>).institute?.id ?? NO_INSTITUTE
      // Answers are remembered under an institute, and of one person: the same key of a colleague is another.
      const idempotency =
        instituteId === NO_INSTITUTE || visit.who === null
          ? undefined
          : readIdempotency(request, answerOf, `console ${visit.who.userId} `)
      const command: Command<Result> = { instituteId, idempotency }
      return answerCommand(ctx, command, { request, reply, answerOf }, async () => {
        const call = { ...readCall(request), ...context }
        if (visit.who === null) return endpoint.perform(command, call)
        const actor = { who: visit.who, origin: visit.origin }
        const { audit, assertSeen } = auditOf<Result>(ctx, { instituteId, actor }, result =>
          endpoint.audit(call, result),
        )
        const result = await endpoint.perform({ ...command, audit }, call)
        assertSeen(result)
        return result
      })
    },
  })
}

function auditOf<Result>(
  ctx: Context,
  by: { instituteId: number; actor: Actor },
  noteOf: (result: Result) => AuditNote | null,
): { audit: NonNullable<Command<Result>['audit']>; assertSeen: (result: Result) => void } {
  let isSeen = false
  return {
    async audit(tx, result) {
      isSeen = true
      const note = noteOf(result)
      if (note !== null) await recordAudit(tx, ctx, by, note)
    },
    assertSeen(result) {
      assert(isSeen || noteOf(result) === null, 'an act of the console was not performed with its act')
    },
  }
}
