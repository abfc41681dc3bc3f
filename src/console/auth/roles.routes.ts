import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  readSessionCookie,
  enterInstitute,
  enterLender,
  identify,
  type OwnLender,
} from './sessions.service.ts'
import {
  type ConsoleRole,
  LENDER_ROLE,
  type Origin,
  requireFactor,
  requireOperator,
  requireRole,
  type Who,
} from '../console.rules.ts'
import { documentParts } from '../../http/openapi/operation.ts'
import type { Reply } from '../../http/reply.ts'
import { refusePlainHttp } from '../../http/server.ts'
import type { AnyInput } from '../../http/wire/input.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstituteOfApplication } from '../../loans/lenders/lenders.service.ts'
import type { Context } from '../../platform/context.ts'
import { BursarError, notFound } from '../../platform/errors.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'

/** Who may: roles at the institute, people of the lender, anyone who is signed in, or anyone. Stands in the route table as `x-roles`. */
type Reach = readonly (ConsoleRole | typeof LENDER_ROLE)[] | 'signed in' | 'anyone'

type Documented = {
  method?: string
  params?: AnyInput | undefined
  query?: AnyInput
  body?: AnyInput
}

/** What the walks over all routes (roles, tenants, hostile input) read; the reference shows the API alone. */
export function documentConsole(
  { method, params, query, body }: Documented,
  { answers }: Pick<Reply<never>, 'answers'>,
  reach: Reach,
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
  reach: Reach
  enter(visit: Visit & { who: Who | null }): Promise<Context>
}

export const forAnybody: AccessRule<OpenVisit> = { reach: 'anyone', enter: async visit => visit }

export const forPerson: AccessRule<PersonVisit> = {
  reach: 'signed in',
  enter: async visit => ({ ...visit, who: signedIn(visit.who) }),
}

/** Also for somebody who has to set up a second factor before anything else. */
export const forSetup: AccessRule<PersonVisit> = {
  reach: 'signed in',
  enter: async visit => ({ ...visit, who: recognised(visit.who) }),
}

export const forOperator: AccessRule<PersonVisit> = {
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
      const { institute, role } = await enterInstitute(ctx, who, code)
      requireRole(role, roles)
      return { ...visit, who, institute, role }
    },
  }
}

/** Treats somebody else's lender as one that does not exist. */
export function atLender(ctx: Context): AccessRule<LenderVisit> {
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
  const agent = request.headers['user-agent'] ?? 'unknown'
  return { who, origin: { ip: request.ip, agent, requestId: request.id }, request, reply }
}

/** A browser says which page sent a write. None but ours may; what sends no Origin is no browser. */
function refuseForeignPage({ publicUrl }: Context, request: FastifyRequest): void {
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
