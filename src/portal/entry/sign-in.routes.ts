import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { isChild, listChildren } from '../../students/users/parents.service.ts'
import { isWayBack, pathOf, PRODUCTS } from './entry.rules.ts'
import { languageOf } from '../layout.ts'
import { cookieOf, HOME, sendWords, setCookie, withParent } from '../parents/access.ts'
import { PARENTS_WORDS } from '../parents/parents.texts.ts'
import { endSession, enter, isOwnToken, readSession, type Entered } from './sessions.service.ts'
import { fill } from '../checkout/checkout.texts.ts'

const MAX_URL = 2_048

/** The way in and the way out. A look at the link alone (HEAD, a browser that loads ahead) must not spend it. */
export function entryDoor(app: FastifyInstance, ctx: Context): void {
  app.get('/login-redirect', { schema: { hide: true }, exposeHeadRoute: false }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (isAhead(request)) return reply.code(503).send('')
    return letIn(ctx, request, reply)
  })
  app.post(
    `${HOME}/sign-out`,
    { schema: { hide: true } },
    withParent(ctx, async ({ request, reply, language, words: { door } }) => {
      await endSession(ctx, cookieOf(ctx, request))
      setCookie(ctx, reply, null)
      const { outTitle: title, outHead: heading, outSay: say } = door
      return sendWords(reply, language, { status: 200, title, heading, say, hasSwitch: false })
    }),
  )
  app.get(`${HOME}/sign-out`, { schema: { hide: true } }, async (_request, reply) =>
    reply.redirect(HOME, 303),
  )
}

function isAhead({ headers }: FastifyRequest): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose']].flat().join(' ')
  return /prefetch|prerender|preview/i.test(purpose)
}

async function letIn(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const language = languageOf(request, reply)
  const token = textOf(request, 'access_token')
  const cookie = cookieOf(ctx, request)
  const sent = textOf(request, 'callback_url')
  const isFine = sent !== undefined && sent.length <= MAX_URL && isWayBack(sent, ctx.mode)
  const entered = await enter(ctx, token, { cookie, callbackUrl: isFine ? sent : null })
  if (entered !== null) {
    setCookie(ctx, reply, entered.cookie)
    return reply.redirect(await destinationOf(ctx, entered, request), 303)
  }
  if (await isOwnToken(ctx, token, cookie)) return reply.redirect(HOME, 303)
  // Whoever is in stays in: somebody else's old link is no reason to be sent away.
  const session = await readSession(ctx, cookie)
  const { door } = PARENTS_WORDS[language]
  return sendWords(reply, language, {
    status: 403,
    title: door.usedTitle,
    heading: door.usedHead,
    say: session === null ? door.usedSay : `${door.usedSay} ${fill(door.open, { name: session.name })}`,
    link: session === null ? undefined : { url: HOME, text: door.goOn },
    hasSwitch: false,
  })
}

/** What was kept with the token counts before what the address says. */
async function destinationOf(
  ctx: Context,
  { institute, registrationId, studentId, product }: Entered,
  request: FastifyRequest,
): Promise<string> {
  const user = { instituteId: institute.id, registrationId }
  const asked = textOf(request, 'service_student_id')
  const isAsked = asked !== undefined && isIdShaped(asked) && (await isChild(ctx, user, asked))
  const wanted = PRODUCTS.find(one => one === textOf(request, 'product_type')) ?? null
  const isApplying = textOf(request, 'create_application') === 'true'
  const toward = product ?? wanted ?? (isApplying ? 'cred' : null)
  const named = studentId ?? (isAsked ? asked : null)
  if (named !== null || toward === null) return pathOf(named, toward)
  // A product without a student is clear when there is one child only.
  const [only, another] = await listChildren(ctx, user)
  return pathOf(another === undefined ? (only ?? null) : null, toward)
}

function textOf({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
