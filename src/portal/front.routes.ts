import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerError, noSuchAddress } from '../http/failures.ts'
import { findInstitute } from '../institutes/institutes.service.ts'
import { findLogo } from '../institutes/school/school.service.ts'
import type { Context } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isIdShaped } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { languageOf, sendPage } from './layout.ts'
import { textsIn } from './texts/texts.ts'

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e4f"/><path d="M10 9h12M10 14h12M20 9c0 7-4 8-10 8l9 8" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** Shows people without a link, or with a wrong one, the ways in. Programs get our JSON. */
export function frontPages(app: FastifyInstance, { mode }: Pick<Context, 'mode'>, log: Log): void {
  const send = (request: FastifyRequest, reply: FastifyReply, isLost: boolean): FastifyReply => {
    const language = languageOf(request, reply)
    const texts = textsIn(language).front
    const ways = [
      { url: '/console', text: texts.staff },
      { url: '/docs', text: texts.developers },
      ...(mode === 'sandbox' ? [{ url: '/sandbox/mailbox', text: texts.mailbox }] : []),
    ]
    const heading = isLost ? texts.lostHead : texts.head
    const lead = isLost ? texts.lostLead : texts.lead
    return sendPage(reply, {
      template: 'front',
      title: isLost ? texts.lostHead : texts.title,
      status: isLost ? 404 : 200,
      language,
      data: { heading, lead, ways },
    })
  }
  const options = { errorHandler: answerInKind(log) }
  app.get('/', options, (request, reply) => {
    if (!wantsPage(request)) throw noSuchAddress(request)
    return send(request, reply, false)
  })
  for (const url of ['/favicon.ico', '/favicon.svg'])
    app.get(url, (_request, reply) =>
      reply
        .header('content-type', 'image/svg+xml')
        .header('cache-control', 'public, max-age=86400')
        .send(ICON),
    )
  app.get('/*', options, (request, reply) => {
    if (!wantsPage(request)) app.refuseUnmatched(request, reply)
    return send(request, reply, true)
  })
}

/** These addresses are everybody's: people are told by a page what went wrong, programs by JSON. */
function answerInKind(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (wantsPage(request)) throw error
    return answerError(error, request, reply, log)
  }
}

/** A browser says that it wants a page; below the API nobody gets one. */
function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !/^\/(console\/)?api\//.test(url) && (headers.accept ?? '').includes('text/html')
}

/** The address changes with what it answers. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Colours and logos of schools: a stylesheet and a picture, since pages have no inline style of their own. */
export function brandRoutes(app: FastifyInstance, ctx: Context): void {
  app.get<{ Params: { institute_code: string; color: string } }>(
    '/brand/:institute_code/:color.css',
    async ({ params }, reply) => {
      if (!/^[0-9a-f]{6}$/.test(params.color)) throw notFound('This colour')
      reply.header('content-type', 'text/css; charset=utf-8').header('cache-control', FOR_EVER)
      // A school's colour is dark enough for white text, so it is used where pages are light.
      return `@media (prefers-color-scheme:light){:root{--button:#${params.color}}}\n`
    },
  )
  app.get<{ Params: { institute_code: string; tag: string } }>(
    '/brand/:institute_code/logo/:tag',
    async ({ params: { institute_code: code, tag } }, reply) => {
      const institute = isIdShaped(code) && isIdShaped(tag) ? await findInstitute(ctx, code) : null
      const logo = institute === null ? null : await findLogo(ctx, institute, tag)
      if (logo === null) throw notFound('This logo')
      return reply.header('content-type', logo.mediaType).header('cache-control', FOR_EVER).send(logo.content)
    },
  )
}
