import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
import { countForSchool } from '../../platform/db/connection-turns.ts'
import { badRequest, BursarError, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { Command, Idempotency } from '../../platform/idempotency.ts'
import { NO_INSTITUTE, recordAudit, type Actor, type AuditNote } from '../audit/audit.service.ts'
import {
  type ConsoleRole,
  LENDER_ROLE,
  type Origin,
  requireFactor,
  requireOperator,
  requireRole,
  type Who,
} from '../console.rules.ts'
import { timingSafeEqual } from 'node:crypto'
import {
  readSessionCookie,
  enterInstitute,
  enterLender,
  identify,
  type OwnLender,
} from './sessions.service.ts'
import { onBehalf } from './on-behalf.ts'
import { documentParts } from '../../http/openapi/operation.ts'
import { refusePlainHttp } from '../../http/server.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstituteOfApplication } from '../../loans/lenders/lenders.service.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'

/** Who may: roles at the institute, people of the lender, anyone who is signed in, or anyone. Stands in the route table as `x-roles`. */
type AllowedPeople = readonly (ConsoleRole | typeof LENDER_ROLE)[] | 'signed in' | 'anyone'

type DocumentedRoute = {
  method?: string
  params?: AnyInput | undefined
  query?: AnyInput
  body?: AnyInput
}

/** What the walks over all routes (roles, tenants, hostile input) read; the reference shows the API alone. */
export function documentConsole(
  { method, params, query, body }: DocumentedRoute,
  { answers }: Pick<Reply<never>, 'answers'>,
  reach: AllowedPeople,
): Record<string, unknown> {
  const schema = documentParts({
    answers,
    errors: [404, 409],
    ...(method === undefined ? {} : { method }),
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  })
  return { ...schema, 'x-roles': reach }
}

/** Who asks, from where, and the two ends of the exchange for what no envelope holds, such as a cookie. */
type Visit = { origin: Origin; request: FastifyRequest; reply: FastifyReply }
export type OpenVisit = Visit & { who: Who | null }
type PersonVisit = Visit & { who: Who }
export type InstituteVisit = PersonVisit & { institute: Institute; role: ConsoleRole }

type LenderVisit = PersonVisit & { lender: OwnLender }
export type ApplicationVisit = LenderVisit & { institute: Institute }

/** Who gets through, and with what; `reach` is what the route table shows of it. */
export type AccessRule<Context> = {
  reach: AllowedPeople
  enter(visit: Visit & { who: Who | null }): Promise<Context>
}

const forAnybody: AccessRule<OpenVisit> = { reach: 'anyone', enter: async visit => visit }

const forPerson: AccessRule<PersonVisit> = {
  reach: 'signed in',
  enter: async visit => ({ ...visit, who: signedIn(visit.who) }),
}

/** Also for somebody who has to set up a second factor before anything else. */
const forSetup: AccessRule<PersonVisit> = {
  reach: 'signed in',
  enter: async visit => ({ ...visit, who: recognised(visit.who) }),
}

const forOperator: AccessRule<PersonVisit> = {
  reach: ['operator'],
  async enter(visit) {
    const who = signedIn(visit.who)
    requireOperator(who)
    return { ...visit, who }
  },
}

export function atInstitute(ctx: Context, roles: readonly ConsoleRole[]): AccessRule<InstituteVisit> {
  return {
    reach: roles,
    async enter(visit) {
      const who = signedIn(visit.who)
      const { institute_code: code } = visit.request.params as { institute_code: string }
      const inside = onBehalf.getStore()
      const { institute, role } =
        inside?.institute.code === code ? inside : await enterInstitute(ctx, who, code)
      countForSchool(institute.id)
      requireRole(role, roles)
      return { ...visit, who, institute, role }
    },
  }
}

/** Treats somebody else's lender as one that does not exist. */
function atLender(ctx: Context): AccessRule<LenderVisit> {
  return {
    reach: [LENDER_ROLE],
    async enter(visit) {
      const who = signedIn(visit.who)
      const code = readCode(visit.request, 'lender_code', 'This lender')
      return { ...visit, who, lender: await enterLender(ctx, who, code) }
    },
  }
}

/** The same with one of its applications, whose institute's audit log records what is done to it. */
export function atApplication(ctx: Context): AccessRule<ApplicationVisit> {
  const desk = atLender(ctx)
  return {
    reach: desk.reach,
    async enter(visit) {
      const entered = await desk.enter(visit)
      const applicationId = readCode(visit.request, 'application_id', 'This application')
      const institute = await findInstituteOfApplication(ctx, entered.lender.code, applicationId)
      if (institute === null) throw notFound('This application')
      return { ...entered, institute }
    },
  }
}

/** The address is checked before the request is read: no code has a zero byte, and the database takes none. */
function readCode({ params }: FastifyRequest, name: string, what: string): string {
  const code = (params as Record<string, string>)[name] ?? ''
  if (code.includes('\0')) throw notFound(what)
  return code
}

function signedIn(who: Who | null): Who {
  const person = recognised(who)
  requireFactor(person)
  return person
}

function recognised(who: Who | null): Who {
  if (who !== null) return who
  throw new BursarError('AUE00000', 'Your session has ended. Sign in again.')
}

const { burst, perMinute } = LIMITS.consoleSession.rate
const RATE = { ratePerSecond: perMinute / 60, burst }

/** What every request of the console goes through before anything of it is read. */
export async function admit(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<OpenVisit> {
  reply.header('cache-control', 'no-store')
  reply.header('cross-origin-resource-policy', 'same-origin')
  const who = onBehalf.getStore()?.who ?? (await admitBrowser(ctx, request, reply))
  const agent = request.headers['user-agent'] ?? 'unknown'
  return { who, origin: { ip: request.ip, agent, requestId: request.id }, request, reply }
}

async function admitBrowser(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<Who | null> {
  if (ctx.mode === 'live') refusePlainHttp(request)
  const isWrite = request.method !== 'GET'
  if (isWrite) refuseForeignPage(ctx, request)
  const who = await identify(ctx, readSessionCookie(ctx, request.headers.cookie))
  const { publicLimit, sessionLimiter } = request.server
  if (who === null) await publicLimit.admit(request)
  else {
    sessionLimiter.admit({ keyId: who.sessionId, ...RATE }, reply, performance.now(), 'One session')
  }
  if (isWrite && who !== null) requireCsrf(request, who)
  return who
}

/** A browser says which page sent a write. None but ours may; what sends no Origin is no browser. */
export function refuseForeignPage({ publicUrl }: Context, request: FastifyRequest): void {
  const { origin } = request.headers
  if (origin === undefined) return
  if (origin === URL.parse(publicUrl)?.origin || origin === `${request.protocol}://${request.host}`) return
  throw new BursarError('AUE00001', 'This request came from a page that is not ours.')
}

function requireCsrf(request: FastifyRequest, who: Who): void {
  const sent = Buffer.from(String(request.headers['x-csrf'] ?? ''))
  const wanted = Buffer.from(who.csrf)
  if (sent.length === wanted.length && timingSafeEqual(sent, wanted)) return
  throw new BursarError('AUE00001', 'The header x-csrf is missing or stale. Load the page again.')
}

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
  audit(call: Call<Scope, Params, Query, Body>, result: Result): AuditNotes
}

type AuditNotes = AuditNote | readonly AuditNote[] | null
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
  noteOf: (result: Result) => AuditNotes,
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
