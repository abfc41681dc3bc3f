import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import helmet from '@fastify/helmet'
import { Eta } from 'eta'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Mode } from '../platform/ground.ts'

/** Server-rendered pages: escaped by default, one inline stylesheet, no script, nothing from other hosts. */
const TEMPLATES = new URL('templates/', import.meta.url)
const STYLE = readFileSync(new URL('page.css', TEMPLATES), 'utf8')
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

const eta = new Eta({ views: TEMPLATES.pathname, cache: true, autoTrim: false })

export async function protectPages(app: FastifyInstance, mode: Mode): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_HASH],
        imgSrc: ["'self'", 'data:'],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: mode === 'live' ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
  })
}

export function sendPage(
  reply: FastifyReply,
  page: { template: string; title: string; status?: number; data: Record<string, unknown> },
): FastifyReply {
  const html = eta.render(page.template, { ...page.data, title: page.title, style: STYLE })
  return reply
    .code(page.status ?? 200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(html)
}
