import Fastify from 'fastify'
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Asset, createAsset, sendAsset } from '../assets.ts'
import { describeApi, type DocumentOptions } from './document.ts'
import { JSON_TYPE } from '../reply.ts'

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
 * The two files of the API reference under `/docs/`. The package that makes them takes longer to load than the rest of the
 * server, so it is loaded for the first reader, asked once, and let go.
 */
export async function makeReference(): Promise<Map<string, Asset>> {
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

/** Serves the document of all routes; made for its first reader. */
export function addOpenApi(app: FastifyInstance, options: DocumentOptions): void {
  const document = (): object => describeApi(app.routeTable, options)
  serve(app, '/openapi.json', () => createAsset(Buffer.from(JSON.stringify(document())), JSON_TYPE))
  serve(app, '/openapi.yaml', () =>
    createAsset(Buffer.from(toYaml(document())), 'application/yaml; charset=utf-8'),
  )
}

function serve(app: FastifyInstance, url: string, make: () => Promise<Asset>): void {
  let asset: Promise<Asset> | null = null
  app.get(url, async (request, reply) => {
    asset ??= make()
    return sendAsset(request, reply, await asset)
  })
}

/** JSON as YAML 1.2 in block style; texts are in double quotes, in which YAML reads what JSON writes. */
function toYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: unknown): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? ['[]'] : value.flatMap(item => hang('- ', lines(item)))
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return entries.length === 0 ? ['{}'] : entries.flatMap(([key, field]) => entry(toKey(key), field))
}

function entry(key: string, value: unknown): string[] {
  const below = lines(value)
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isBlock ? [`${key}:`, ...below.map(line => `  ${line}`)] : [`${key}: ${below[0]}`]
}

function hang(mark: string, [first = '', ...rest]: string[]): string[] {
  return [mark + first, ...rest.map(line => `  ${line}`)]
}

/** Words that an older reader takes for a flag or for nothing, and numbers, are no plain keys. */
function toKey(key: string): string {
  const isPlain = /^[A-Za-z_$][\w$-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key)
  return isPlain ? key : JSON.stringify(key)
}
