import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerError, noSuchAddress } from '../http/failures.ts'
import type { Context } from '../platform/context.ts'
import type { Log } from '../platform/log.ts'
import { textsIn } from './texts/texts.ts'
import { languageOf, sendPage } from './layout.ts'
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4fd8"/><path d="M10 9h12M10 14h12M20 9c0 7-4 8-10 8l9 8" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`

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
