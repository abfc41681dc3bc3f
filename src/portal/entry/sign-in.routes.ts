import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isHead } from '../../http/other-methods.ts'
import type { Context } from '../../platform/context.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { isChild, listChildren } from '../../students/users/users.service.ts'
import { isAllowedReturnUrl } from '../../orders/return-url.rules.ts'
import { pathOf, PRODUCTS } from './entry.rules.ts'
import { languageOf } from '../layout.ts'
import {
  cookieOf,
  HOME,
  sendMessage,
  SESSION_COOKIE,
  setCookie,
  wayBackIn,
  withParent,
} from '../parents/access.ts'
import { fill } from '../../platform/languages.ts'
import { textsIn } from '../texts/texts.ts'
import { endSession, enter, isOwnToken, readSession, type EnteredSession } from './sessions.service.ts'

const MAX_URL = 2_048

/** Sign-in by token and sign-out. HEAD requests and browser prefetches must not spend the single-use token. */
export function signInRoutes(app: FastifyInstance, ctx: Context): void {
  app.get('/login-redirect', async (request, reply) => {
    if (isHead(request)) return reply.code(405).header('allow', 'GET').send('')
    reply.header('cache-control', 'no-store')
    if (isPrefetch(request)) return reply.code(503).send('')
    return signIn(ctx, request, reply)
  })
  app.post(
    `${HOME}/sign-out`,
    withParent(ctx, async ({ session, request, reply, language, texts }) => {
      await endSession(ctx, cookieOf(ctx, request))
      setCookie(ctx, reply, SESSION_COOKIE, null)
      const { outTitle: title, outHead: heading, outSay: say } = texts.access
      const link = await wayBackIn(ctx, session.institute.code, texts)
      return sendMessage(reply, language, { status: 200, title, heading, say, link, hasSwitch: false })
    }),
  )
  app.get(`${HOME}/sign-out`, async (_request, reply) => reply.redirect(HOME, 303))
}

function isPrefetch({ headers }: FastifyRequest): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose']].flat().join(' ')
  return /prefetch|prerender|preview/i.test(purpose)
}

async function signIn(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const language = languageOf(request, reply)
  const token = textOf(request, 'access_token')
  const cookie = cookieOf(ctx, request)
  const sent = textOf(request, 'callback_url')
  const isFine = sent !== undefined && sent.length <= MAX_URL && isAllowedReturnUrl(sent, ctx.mode)
  const entered = await enter(ctx, token, { cookie, callbackUrl: isFine ? sent : null })
  if (entered !== null) {
    setCookie(ctx, reply, SESSION_COOKIE, { value: entered.cookie })
    return reply.redirect(await destinationOf(ctx, entered, request), 303)
  }
  if (await isOwnToken(ctx, token, cookie)) return reply.redirect(HOME, 303)
  // An expired link does not end an existing session.
  const session = await readSession(ctx, cookie)
  const { access } = textsIn(language).parents
  return sendMessage(reply, language, {
    status: 403,
    title: access.usedTitle,
    heading: access.usedHead,
    say: session === null ? access.usedSay : `${access.usedSay} ${fill(access.open, { name: session.name })}`,
    link: session === null ? undefined : { url: HOME, text: access.goOn },
    hasSwitch: false,
  })
}

/** The destination stored with the token takes precedence over the query. */
async function destinationOf(
  ctx: Context,
  { institute, registrationId, studentId, product }: EnteredSession,
  request: FastifyRequest,
): Promise<string> {
  const user = { instituteId: institute.id, registrationIds: [registrationId] }
  const asked = textOf(request, 'service_student_id')
  const isAsked = asked !== undefined && isIdShaped(asked) && (await isChild(ctx, user, asked))
  const wanted = PRODUCTS.find(one => one === textOf(request, 'product_type')) ?? null
  const isApplying = textOf(request, 'create_application') === 'true'
  const toward = product ?? wanted ?? (isApplying ? 'cred' : null)
  const named = studentId ?? (isAsked ? asked : null)
  if (named !== null || toward === null) return pathOf(named, toward)
  // A product without a student is unambiguous for a parent with one child.
  const [only, another] = await listChildren(ctx, user)
  return pathOf(another === undefined ? (only ?? null) : null, toward)
}

function textOf({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
