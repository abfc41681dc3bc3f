import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { BursarError } from '../../platform/errors.ts'
import { createAsset, sendAsset, type Asset } from '../assets.ts'
import { searchGuides, GUIDES, makeGuides, PROTECTION } from './guides.ts'

/** The reference is a page of ours: what would lead to its maker's services is switched off. */
const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
} as const

const PAGE = '/docs/'
const SCRIPT = '/docs/js/scalar.js'

/**
 * The API reference under `/docs`. The package that makes it takes longer to load than the rest of the server, so it is
 * loaded for the first reader, asked once for its two files, and let go.
 */
export function addReference(app: FastifyInstance): void {
  let assets: Promise<Map<string, Asset>> | null = null
  let guides: Promise<Map<string, Asset>> | null = null
  app.get('/docs', (_request, reply) => reply.redirect(PAGE, 301))
  app.get(`${GUIDES}search`, async (request, reply) => {
    const { q } = request.query as { q?: unknown }
    return reply
      .headers({ ...PROTECTION, 'content-type': 'text/html; charset=utf-8' })
      .send(await searchGuides(typeof q === 'string' ? q : ''))
  })
  app.get('/docs/*', async (request, reply) => {
    const [path = ''] = request.url.split('?')
    const pages = path.startsWith(GUIDES) ? (guides ??= makeGuides()) : (assets ??= makeAssets())
    const asset = (await pages).get(path)
    if (asset === undefined)
      throw new BursarError('HUE00001', 'There is no such page. The API reference is at /docs.')
    return sendAsset(request, reply, asset)
  })
}

async function makeAssets(): Promise<Map<string, Asset>> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const reference = Fastify()
  await reference.register(apiReference, { routePrefix: '/docs', configuration: SETTINGS })
  try {
    const page = (await reference.inject({ url: PAGE })).body
    const script = (await reference.inject({ url: SCRIPT })).rawPayload
    return new Map([
      [PAGE, await createAsset(Buffer.from(page), 'text/html; charset=utf-8', protection(page))],
      [SCRIPT, await createAsset(script, 'text/javascript; charset=utf-8')],
    ])
  } finally {
    await reference.close()
  }
}

/** Its own two files, the one script that stands in the page, and calls to this server: nothing else is loaded or run. */
function protection(page: string): Record<string, string> {
  const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = inline.map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${hashes.join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  }
}
