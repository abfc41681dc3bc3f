import type { FastifyInstance } from 'fastify'
import {
  answerBy,
  answerCommand,
  compileCall,
  NOTHING,
  readIdempotency,
  send,
  type SentRequest,
} from '../../http/endpoint.ts'
import { successBody, done, type Reply } from '../../http/reply.ts'
import { field, Input, input, type AnyInput, type Read } from '../../http/wire/input.ts'
import { assert } from '../../platform/assert.ts'
import { badRequest } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { Command, Idempotency } from '../../platform/idempotency.ts'
import { NO_INSTITUTE, recordAudit, type Actor, type AuditNote } from '../audit/audit.service.ts'
import type { ConsoleRole } from '../console.rules.ts'
import {
  type AccessRule,
  admit,
  atApplication,
  atInstitute,
  atLender,
  documentConsole,
  forAnybody,
  forOperator,
  forPerson,
  forSetup,
  type InstituteVisit,
  type OpenVisit,
} from './roles.routes.ts'

/**
 * The one way into the console's API. A route says where it is, who may use it, what it takes, what it answers and what it
 * leaves in the audit log; signing in, roles, CSRF, limits, Idempotency-Key and envelope follow from that.
 *
 *   addConsoleRead(app, ctx, {
 *     url: '/refunds',                       // below /console/api/institutes/:institute_code
 *     roles: ['owner', 'finance', 'operator'],
 *     query: listRefundsQuery,
 *     output: pageOf(refundOutput),          // or one, all, created of replies.output.ts
 *     answer: ({ institute, query }) => listRefunds(ctx, institute, query),
 *   })
 *   addConsoleWrite(app, ctx, {
 *     method: 'POST', url: '/orders/:order_id/refunds', roles: ['owner', 'finance'],
 *     params, body,                          // the same fields as the ERP's API
 *     output: created(refundOutput),         // absent: it answers that it was done
 *     perform: (command, { institute, params, body }) => refundOrder(ctx, command, …),   // give `command` to the service
 *     audit: ({ params, body }, refund) => ({ what: 'order.refunded', about: params.orderId, why: body.reason, after: … }),
 *   })
 *
 * `command` carries the audit entry into the service's own transaction (`transact` of platform/idempotency.ts), so either
 * both are there or neither. A service that never uses its command fails the request loudly. What concerns a person and no
 * institute is added by the `Person` functions, what concerns the installation by the `Operator` ones; `web/README.md`
 * tells the rest.
 */
const API = '/console/api'
export const INSTITUTE = `${API}/institutes/:institute_code`

type Parts<Params extends AnyInput, Query extends AnyInput, Body extends AnyInput> = {
  url: string
  params?: Params
  query?: Query
  body?: Body
}

type Call<Scope, Params extends AnyInput, Query extends AnyInput, Body extends AnyInput> = SentRequest<
  Read<Params>,
  Read<Query>,
  Read<Body>
> &
  Scope

export type ConsoleRead<Scope, Params extends AnyInput, Query extends AnyInput, Result> = Parts<
  Params,
  Query,
  AnyInput
> & { output: Reply<Result>; answer(call: Call<Scope, Params, Query, None>): Promise<Result> }

type WriteParts<
  Scope,
  Params extends AnyInput,
  Query extends AnyInput,
  Body extends AnyInput,
  Result,
> = Parts<Params, Query, Body> & {
  method: 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  perform(command: Command<Result>, call: Call<Scope, Params, Query, Body>): Promise<Result>
  /**
   * A password or a secret is sent or answered. An Idempotency-Key is refused: it would keep the answer, and a quick
   * hash of what was sent, for a day.
   */
  hasSecret?: true
  /** A route without one answers that it was done. */
  output?: Reply<Result>
}

export type ConsoleWrite<
  Scope,
  Params extends AnyInput,
  Query extends AnyInput,
  Body extends AnyInput,
  Result,
> = WriteParts<Scope, Params, Query, Body, Result> & {
  /** The audit entries, one for each thing that was changed; null when nothing happened that anybody would look for. */
  audit(call: Call<Scope, Params, Query, Body>, result: Result): Noted
}

type Noted = AuditNote | readonly AuditNote[] | null
type Roles = { roles: readonly ConsoleRole[] }
type None = typeof NOTHING

export function addConsoleRead<Result, Params extends AnyInput = None, Query extends AnyInput = None>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleRead<InstituteVisit, Params, Query, Result> & Roles,
): void {
  addRead(app, ctx, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ctx, endpoint.roles))
}

export function addConsoleWrite<
  Result,
  Params extends AnyInput = None,
  Query extends AnyInput = None,
  Body extends AnyInput = None,
>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleWrite<InstituteVisit, Params, Query, Body, Result> & Roles,
): void {
  addWrite(app, ctx, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ctx, endpoint.roles))
}

/** Serves anyone who is signed in, for their own account. */
export const { read: addPersonRead, write: addPersonWrite } = routesBehind(API, forPerson)

/** The same for somebody who has to set up a second factor first. */
export const { read: addSetupRead, write: addSetupWrite } = routesBehind(API, forSetup)

/** Serves the operator of the installation. */
export const { read: addOperatorRead, write: addOperatorWrite } = routesBehind(`${API}/operator`, forOperator)

/** Serves people of a lender, and is about one of its applications. */
const DESK = `${API}/lenders/:lender_code`
export const APPLICATION = `${DESK}/applications/:application_id`

export function deskRoutes(ctx: Context) {
  return {
    desk: routesBehind(DESK, atLender(ctx)),
    application: routesBehind(APPLICATION, atApplication(ctx)),
  }
}

/** Serves anybody, signed in or not. */
export const { read: addOpenRead } = routesBehind(API, forAnybody)

export function addOpenWrite<
  Result,
  Params extends AnyInput = None,
  Query extends AnyInput = None,
  Body extends AnyInput = None,
>(app: FastifyInstance, ctx: Context, endpoint: WriteParts<OpenVisit, Params, Query, Body, Result>): void {
  addWrite(app, ctx, { ...endpoint, url: API + endpoint.url, audit: () => null }, forAnybody)
}

function routesBehind<Scope>(prefix: string, access: AccessRule<Scope>) {
  return {
    read: <Result, Params extends AnyInput = None, Query extends AnyInput = None>(
      app: FastifyInstance,
      ctx: Context,
      endpoint: ConsoleRead<Scope, Params, Query, Result>,
    ): void => addRead(app, ctx, { ...endpoint, url: prefix + endpoint.url }, access),
    write: <
      Result,
      Params extends AnyInput = None,
      Query extends AnyInput = None,
      Body extends AnyInput = None,
    >(
      app: FastifyInstance,
      ctx: Context,
      endpoint: ConsoleWrite<Scope, Params, Query, Body, Result>,
    ): void => addWrite(app, ctx, { ...endpoint, url: prefix + endpoint.url }, access),
  }
}

const instituteParams = input({ institute_code: field.code("The institute's code.", 'demo-school') })

const lenderParams = input({ lender_code: field.code("The lender's code.", 'sahakari') })
const applicationParams = input({
  ...lenderParams.fields,
  application_id: field.resourceId('Id of the application.', 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

/** The parameters of the address that a route is below, and its own. */
export function withPlace<Params extends AnyInput>(
  url: string,
  params: Params | undefined,
): Params | undefined {
  const more = url.startsWith(INSTITUTE)
    ? instituteParams
    : url.startsWith(APPLICATION)
      ? applicationParams
      : url.startsWith(DESK)
        ? lenderParams
        : null
  if (more === null) return params
  return new Input({ ...more.fields, ...params?.fields }, null) as unknown as Params
}

function addRead<Scope, Params extends AnyInput, Query extends AnyInput, Result>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleRead<Scope, Params, Query, Result>,
  access: AccessRule<Scope>,
): void {
  const shape = { ...endpoint, params: withPlace(endpoint.url, endpoint.params) }
  const readCall = compileCall<Read<Params>, Read<Query>, Read<None>>(shape as Parts<Params, Query, AnyInput>)
  app.get(endpoint.url, {
    config: { limitedBy: 'route' },
    schema: documentConsole(shape, endpoint.output, access.reach),
    handler: async (request, response) => {
      const context = await access.enter(await admit(ctx, request, response))
      const success = endpoint.output.toSuccess(
        await endpoint.answer({ ...readCall(request), ...context }),
        null,
      )
      return send(response, success.httpStatus, successBody(success))
    },
  })
}

function addWrite<Scope, Params extends AnyInput, Query extends AnyInput, Body extends AnyInput, Result>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: ConsoleWrite<Scope, Params, Query, Body, Result>,
  access: AccessRule<Scope>,
): void {
  const shape = { ...endpoint, params: withPlace(endpoint.url, endpoint.params) }
  const readCall = compileCall<Read<Params>, Read<Query>, Read<Body>>(shape as Parts<Params, Query, Body>)
  const reply = endpoint.output ?? done
  const answerOf = answerBy(reply, null)
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    config: { limitedBy: 'route' },
    schema: documentConsole(shape, reply, access.reach),
    handler: async (request, response) => {
      const visit = await admit(ctx, request, response)
      const context = await access.enter(visit)
      const instituteId = (context as Partial<InstituteVisit>).institute?.id ?? NO_INSTITUTE
      const idempotency = keyOf(visit, endpoint, answerOf)
      const command: Command<Result> = { instituteId, idempotency }
      return answerCommand(ctx, command, { request, reply: response, answerOf }, async () => {
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

/** Answers are remembered of one person: the same key of a colleague is another. */
function keyOf<Result>(
  { request, who }: OpenVisit,
  { hasSecret = false }: { hasSecret?: boolean },
  answer: Idempotency<Result>['answer'],
): Idempotency<Result> | undefined {
  const isTaken = who !== null && !hasSecret
  if (isTaken) return readIdempotency(request, answer, `console ${who.userId} `)
  if (request.headers['idempotency-key'] === undefined) return undefined
  throw badRequest(
    'This request takes no Idempotency-Key: its answer is not kept. Send it again without one if need be.',
  )
}

function auditOf<Result>(
  ctx: Context,
  by: { instituteId: number; actor: Actor },
  noteOf: (result: Result) => Noted,
): { audit: NonNullable<Command<Result>['audit']>; assertSeen: (result: Result) => void } {
  let isSeen = false
  return {
    async audit(tx, result) {
      isSeen = true
      const noted = noteOf(result)
      if (noted !== null && [noted].flat().length > 0) await recordAudit(tx, ctx, by, ...[noted].flat())
    },
    assertSeen(result) {
      assert(isSeen || noteOf(result) === null, 'a service did not use the command that it was given')
    },
  }
}
