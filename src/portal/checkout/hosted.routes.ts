import type { FastifyInstance } from 'fastify'
import { PROVIDERS } from '../../providers/catalogue.ts'
import type { HostedPage } from '../../providers/port.ts'
import { languageOf, sendPage, sendWrongLink } from '../layout.ts'
import { textsIn } from '../texts/texts.ts'

type Params = { provider: string; '*': string }

/**
 * The page that opens a provider's checkout where only a script of the provider's does. It is the one page of ours that
 * runs a script of others, so it holds nothing but the session, and its policy lets it reach that provider alone.
 */
export function hostedPages(app: FastifyInstance): void {
  app.get<{ Params: Params }>('/hosted/:provider/*', (request, reply) => {
    const { provider, '*': path } = request.params
    const page = PROVIDERS[provider]?.hostedPage
    if (page !== undefined && path === 'open.js')
      return reply.header('content-type', 'text/javascript; charset=utf-8').send(page.script)
    if (page === undefined || !page.path.test(path)) return sendWrongLink(request, reply)
    const language = languageOf(request, reply)
    const { hostedTitle: title } = textsIn(language).checkout
    const scripts = [page.libraryUrl, `/hosted/${provider}/open.js`]
    reply.header('content-security-policy', policyOf(page))
    return sendPage(reply, { template: 'hosted', title, language, hasSwitch: false, data: { scripts } })
  })
}

function policyOf({ origins }: HostedPage): string {
  const theirs = origins.join(' ')
  return [
    "default-src 'none'",
    `script-src 'self' ${theirs}`,
    // The library sets styles of its own.
    "style-src 'unsafe-inline' 'self'",
    "font-src 'self'",
    `img-src 'self' data: ${theirs}`,
    `connect-src ${theirs}`,
    `frame-src ${theirs}`,
    `form-action ${theirs}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
