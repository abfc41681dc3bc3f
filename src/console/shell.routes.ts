import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LATIN_PRELOAD, latinStyle, SCRIPT_STYLE_ADDRESS } from '../http/assets.ts'
import { BursarError } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { readSessionCookie } from './auth/sessions.service.ts'

/** The console's own page: one document for all addresses, and the files that it loads. */
const DIST = fileURLToPath(new URL('../../web/dist/', import.meta.url))
const NONCE = '__CSP_NONCE__'

const NOT_BUILT = `The console has not been built yet. Build it with

  npm run build

and load this page again. \`npm ci\` does it by itself.
`

export async function consolePages(app: FastifyInstance, ctx: Context): Promise<void> {
  await protect(app, ctx)
  // The names of these files hold a hash of what is in them.
  await app.register(staticFiles, {
    root: `${DIST}assets`,
    prefix: '/console/assets/',
    index: false,
    decorateReply: false,
    immutable: true,
    maxAge: '1y',
    // The build writes them beside each file.
    preCompressed: true,
  })
  app.all('/console/api/*', request => {
    throw new BursarError('HUE00001', `There is no ${request.method} at this address of the console.`)
  })
  app.get('/console', (request, reply) => sendShell(ctx, request, reply))
  app.get('/console/*', (request, reply) => sendShell(ctx, request, reply))
}

/**
 * Scripts come from our own files only. Styles too, but for those that Mantine writes while it runs, which carry the
 * nonce of the page; nothing is loaded from or sent to another host.
 */
async function protect(app: FastifyInstance, ctx: Context): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    strictTransportSecurity: ctx.mode === 'live' ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
  })
}

function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function sendShell(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  const shell = await readShell()
  if (shell === null) {
    return reply.code(503).header('content-type', 'text/plain; charset=utf-8').send(NOT_BUILT)
  }
  const nonce = randomBytes(16).toString('base64')
  const isSignedIn = readSessionCookie(ctx, request.headers.cookie) !== null
  const preloads = isSignedIn ? preloadsFor(request.url, shell.homeScript) : ''
  const html = ctx.cell === null ? shell.html : shell.html.replace(SESSION_PRELOAD, '')
  return reply
    .header('content-security-policy', contentPolicy(nonce))
    .header('content-type', 'text/html; charset=utf-8')
    .send(html.replaceAll(NONCE, nonce).replace('</head>', `${preloads}</head>`))
}

/** Which of several cells knows the session is said by the scripts alone, in a header that a preload does not have. */
const SESSION_PRELOAD = /<link rel="preload" as="fetch" href="\/console\/api\/session"[^>]*>/

const HOME = /^\/console\/i\/([a-z0-9-]+)\/?$/

/**
 * What somebody who is signed in will need, loaded beside the first scripts instead of after they have run: the frame
 * of every page, and the figures of Home.
 */
function preloadsFor(url: string, homeScript: string): string {
  const institute = HOME.exec(url)?.[1]
  const frame = `<link rel="modulepreload" crossorigin href="${homeScript}">`
  if (institute === undefined) return frame
  const figures = `/console/api/institutes/${institute}/home`
  return `<link rel="preload" as="fetch" crossorigin="anonymous" href="${figures}">${frame}`
}

const FONTS = `${LATIN_PRELOAD}<style nonce="${NONCE}">${latinStyle('swap')}</style>`

type Shell = { html: string; homeScript: string }

let known: (Shell & { changedMs: number }) | null = null

/** Read again when it was built again, so that a running Bursar needs no restart for it; null when there is none. */
async function readShell(): Promise<Shell | null> {
  try {
    const { mtimeMs } = await stat(`${DIST}index.html`)
    if (known?.changedMs !== mtimeMs) known = { changedMs: mtimeMs, ...(await readBuilt()) }
    return known
  } catch {
    return null
  }
}

async function readBuilt(): Promise<Shell> {
  const page = await readFile(`${DIST}index.html`, 'utf8')
  const html = page.replace('</head>', `${FONTS}</head>`).replace('/fonts.css', SCRIPT_STYLE_ADDRESS)
  const manifest = await readFile(`${DIST}manifest.json`, 'utf8')
  const chunks = Object.values(JSON.parse(manifest) as Record<string, { name?: string; file: string }>)
  const home = chunks.find(({ name, file }) => name === 'home' && file.endsWith('.js'))
  if (home === undefined) throw new Error('the console was built without its file for Home')
  return { html, homeScript: `/console/${home.file}` }
}
