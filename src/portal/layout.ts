import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import { Eta } from 'eta'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toShown } from '../http/failures.ts'
import { LATIN_PRELOAD, latinStyle, SCRIPT_STYLE_ADDRESS } from '../http/assets.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Mode } from '../platform/context.ts'
import { isMoving } from '../platform/errors.ts'
import { isLanguage, type Language, LANGUAGES } from '../platform/languages.ts'
import { FORM } from '../platform/limits.rules.ts'
import type { Log } from '../platform/log.ts'
import { chooseLanguage, textsIn } from './texts/texts.ts'

export { formField, formFields, formFieldShown } from '../http/body.ts'

/**
 * Server-rendered pages: escaped by default, one inline stylesheet, our own fonts, nothing from other hosts, no
 * script but ours where a page works without it too.
 */
const TEMPLATES = new URL('templates/', import.meta.url)
/** Later files win over earlier ones. */
const STYLES = ['base', 'pages']
const STYLE = [
  latinStyle('optional'),
  ...STYLES.map(name => readFileSync(new URL(`styles/${name}.css`, import.meta.url), 'utf8')),
].join('')
const STYLE_HASH = digestOf(STYLE)
const FONT_LINK = `<link rel="stylesheet" href="${SCRIPT_STYLE_ADDRESS}">`
const LANGUAGE_COOKIE = 'lang'
/** The colour of a school that has chosen none. */
export const OUR_COLOR = '#0b6e4f'

const readScript = (name: string): string => readFileSync(new URL(`${name}.js`, TEMPLATES), 'utf8')

/** A page brings the script of what stands on it, and may do what that needs. */
const SCRIPTS = [
  { of: /inputmode="decimal"/, text: readScript('amounts'), policy: '' },
  {
    of: / data-(share|worker)="/,
    text: readScript('device'),
    policy: ";connect-src 'self';worker-src 'self';manifest-src 'self'",
  },
]
/** The English name stands beside a language's own name, which a browser without its font shows as boxes. */
const ENGLISH_NAMES = new Intl.DisplayNames('en', { type: 'language' })

const eta = new Eta({ views: fileURLToPath(TEMPLATES), cache: true, autoTrim: false })

const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/** Pages that are not under https: an emulator's, and, where Bursar itself is tried on one machine, those of that machine. */
export function plainOrigins(publicUrl: string, apiOrigins: readonly string[]): string[] {
  const isTriedHere = LOCAL.includes(new URL(publicUrl).hostname)
  return [...apiOrigins, ...(isTriedHere ? ['http://127.0.0.1:*', 'http://localhost:*'] : [])]
}

/** `providerOrigins`: pages of providers that are not under https, which only an emulator's are. */
export async function protectPages(
  app: FastifyInstance,
  { mode, log, providerOrigins }: { mode: Mode; log: Log; providerOrigins: readonly string[] },
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_HASH, "'self'"],
        fontSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        // Browsers apply form-action to redirects too: forms lead to the provider's page over https. The sandbox bank
        // redirects to callback_url, which is plain http on a developer's machine.
        formAction: ["'self'", 'https:', ...(mode === 'sandbox' ? ['http:'] : providerOrigins)],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: mode === 'live' ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
  })
  app.addHook('onRoute', route => void (route.bodyLimit ??= FORM.bytes))
  app.setErrorHandler((error, request, reply) => sendTrouble(error, request, reply, log))
}

type ParentsTemplate =
  `parents/${'home' | 'choose' | 'sign-in' | 'student' | 'being-paid' | 'plan' | 'confirm' | 'history'}`

type Page = {
  template:
    | 'order'
    | 'payment-page'
    | 'printed-code'
    | 'poster/child'
    | 'poster/fees'
    | 'plan-setup'
    | 'loan'
    | 'message'
    | 'bank'
    | 'bank-mandate'
    | 'being-paid'
    | 'lender'
    | 'mailbox'
    | 'delivery'
    | 'front'
    | 'hosted'
    | ParentsTemplate
  title: string
  status?: number
  language: Language
  /** The language switch; false on pages rendered in response to a POST. */
  hasSwitch?: boolean
  /** What its links keep of the address. */
  switchQuery?: string
  refreshSeconds?: number | undefined
  /** Runs in the page beside the scripts of what stands on it; the policy allows it by its digest. */
  script?: string
  data: Record<string, unknown>
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { language, title, refreshSeconds } = page
  const others = page.hasSwitch === false ? [] : LANGUAGES.filter(other => other !== language)
  const otherLanguages = others.map(code => ({
    code,
    name: textsIn(code).language,
    english: ENGLISH_NAMES.of(code),
  }))
  const rendered = eta.render(`./${page.template}`, {
    ...page.data,
    texts: textsIn(language).checkout,
    style: STYLE,
    preload: LATIN_PRELOAD,
    language,
    title,
    otherLanguages,
    switchQuery: page.switchQuery === undefined || page.switchQuery === '' ? '' : `${page.switchQuery}&`,
  })
  const html = needsFonts(rendered) ? rendered.replace('</head>', `${FONT_LINK}</head>`) : rendered
  const needed = SCRIPTS.filter(one => one.of.test(rendered))
  const script = [page.script ?? [], needed.map(one => one.text)].flat(2).join('')
  // A header instead of the meta element, so that saved or translated copies do not reload.
  if (refreshSeconds !== undefined) reply.header('refresh', String(refreshSeconds))
  if (script !== '') {
    const policy = [String(reply.getHeader('content-security-policy')), `;script-src ${digestOf(script)}`]
    reply.header('content-security-policy', policy.concat(needed.map(one => one.policy)).join(''))
  }
  return reply
    .code(page.status ?? 200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(script === '' ? html : html.replace('</body>', () => `<script>${script}</script>\n</body>`))
}

function digestOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The parent's choice is remembered in a cookie. */
export function languageOf(
  request: FastifyRequest,
  reply: FastifyReply,
  institute?: Pick<Institute, 'familyLanguage'> | null,
): Language {
  const { lang } = request.query as { lang?: unknown }
  if (isLanguage(lang)) {
    reply.header('set-cookie', `${LANGUAGE_COOKIE}=${lang}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`)
    return lang
  }
  const cookie = /(?:^|;\s*)lang=([a-z]{2})\b/.exec(request.headers.cookie ?? '')?.[1]
  return chooseLanguage(cookie, institute?.familyLanguage ?? null, request.headers['accept-language'])
}

export function sendWrongLink(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request, reply)
  const texts = textsIn(language).checkout
  return sendPage(reply, {
    template: 'message',
    title: texts.wrongTitle,
    status: 404,
    language,
    data: { heading: texts.wrongHead, say: texts.wrongSay },
  })
}

/** Parents get a page instead of JSON: what happened, what to do, and the request id to quote. */
function sendTrouble(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const { httpStatus: status, code, retryAfterS } = toShown(error)
  request.errorCode = code
  if (status >= 500)
    log.error({ request_id: request.id, route: request.routeOptions.url, err: error }, 'page failed')
  if (retryAfterS !== undefined) reply.header('retry-after', retryAfterS)
  const language = languageOf(request, reply)
  const texts = textsIn(language).checkout
  const isShort = isMoving(error)
  // A form is sent again by the family itself, a page comes by itself.
  if (isShort && request.method === 'GET') reply.header('refresh', retryAfterS)
  return sendPage(reply, {
    template: 'message',
    title: isShort ? texts.momentTitle : texts.troubleTitle,
    status,
    language,
    hasSwitch: false,
    data: {
      heading: isShort ? texts.momentHead : texts.troubleHead,
      say: isShort ? texts.momentSay : texts.troubleSay,
      reference: request.id,
    },
  })
}

/** The name of the school at the head of a page, with its logo and colour where it has them. */
export function schoolHead({ code, name, color, logoTag }: Institute): Record<string, unknown> {
  return {
    institute: name,
    brand: {
      style: color === null ? null : `/brand/${code}/${color.slice(1)}.css`,
      logo: logoTag === null ? null : `/brand/${code}/logo/${logoTag}`,
      color,
    },
  }
}

/** All of them and more, in a class that is looked through several times as fast: most pages have none. */
const BEYOND_LATIN = /[\u0600-\u1fff\u2c00-\uffff]/

const LETTERS =
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Meetei_Mayek}\p{Script=Ol_Chiki}\p{Script=Arabic}]/v

/** Whether a page has letters of any of them; the name of the other language in the switch is not worth a font. */
function needsFonts(html: string): boolean {
  const end = html.lastIndexOf('<footer class="switch">')
  const text = end === -1 ? html : html.slice(0, end)
  return BEYOND_LATIN.test(text) && LETTERS.test(text)
}
