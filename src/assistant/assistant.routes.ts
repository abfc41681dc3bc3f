import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseForeignPage } from '../console/auth/access.routes.ts'
import { Authenticator, challenge } from '../http/auth.ts'
import { bearerOf } from '../console/tokens/tokens.service.ts'
import { parseBody } from '../http/body.ts'
import { refusePlainHttp } from '../http/server.ts'
import { type Caller, requireScope } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { countForSchool } from '../platform/db/connection-turns.ts'
import { BursarError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { LIMITS } from '../platform/rate-limits.rules.ts'
import type { Holder } from './calls.ts'
import { openConversations } from './conversation.ts'

const { burst, perMinute } = LIMITS.assistant.rate
const RATE = { ratePerSecond: perMinute / 60, burst }

/** Where assistants ask, by the Model Context Protocol over HTTP. */
export function assistantRoutes(app: FastifyInstance, ctx: Context, log: Log): void {
  const authenticator = new Authenticator(ctx)
  let conversations: Promise<McpHttpHandler> | null = null
  app.post('/mcp', { config: { limitedBy: 'route' } }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (ctx.mode === 'live') refusePlainHttp(request)
    refuseForeignPage(ctx, request)
    const { publicLimit, sessionLimiter } = request.server
    const holder = await publicLimit.countFailures(request, () =>
      holderOf(ctx, authenticator, request, reply),
    )
    countForSchool(holder.behalf.institute.id)
    sessionLimiter.admit({ keyId: holder.id, ...RATE }, reply, performance.now(), 'One assistant')
    conversations ??= openConversations(app, ctx, log)
    const spoken = await conversations
    const authInfo = { token: '', clientId: holder.id, scopes: [], extra: holder }
    const answer = await spoken.fetch(toWeb(ctx, request), { authInfo, parsedBody: parseBody(request) })
    return reply
      .code(answer.status)
      .headers(Object.fromEntries(answer.headers))
      .send(await answer.text())
  })
}

async function holderOf(
  ctx: Context,
  authenticator: Authenticator,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Holder> {
  const { headers, ip } = request
  const token = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  try {
    if (token !== undefined) {
      const { tokenId, scopes, ...behalf } = await bearerOf(ctx, token)
      return { id: tokenId, ip, scopes, behalf }
    }
    request.caller = await authenticator.identify(headers.authorization)
  } catch (error) {
    if (error instanceof BursarError && error.httpStatus === 401) challenge(reply)
    throw error
  }
  requireScope(request.caller, 'read')
  return holderOfKey(ip, request.caller)
}

/** A key belongs to a program: it reads what everybody here may read, sees nobody's name and does nothing. */
function holderOfKey(ip: string, { institute, keyId }: Caller): Holder {
  const nobody = { isOperator: false, csrf: '', isMissingFactor: false }
  const who = { ...nobody, sessionId: keyId, userId: keyId, email: keyId, name: keyId }
  return { id: keyId, ip, scopes: [], behalf: { who, institute, role: 'viewer' } }
}

function toWeb({ publicUrl }: Context, { headers, declaredType }: FastifyRequest): Request {
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !name.startsWith(':')) sent.set(name, value)
  sent.set('content-type', declaredType ?? 'application/json')
  return new Request(`${publicUrl}/mcp`, { method: 'POST', headers: sent })
}
