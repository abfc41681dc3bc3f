import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { isInstituteCode, type Institute } from '../../institutes/institutes.rules.ts'
import { FAMILY_ADDRESS, findInstitute } from '../../institutes/institutes.service.ts'
import { isChild } from '../../students/users/users.service.ts'
import { isAllowedReturnUrl } from '../../orders/orders.rules.ts'
import { formField, languageOf, sendPage, schoolHead } from '../layout.ts'
import { fill, isLanguage, type Language } from '../../platform/languages.ts'
import { rememberLanguage } from '../../students/users/family-language.service.ts'
import { type ParentsTexts, textsIn } from '../texts/texts.ts'
import { instituteCodeOf, isCsrf, type ParentSession, readSession } from '../entry/entry.service.ts'

/** Access control of the signed-in parents' pages. */
export const HOME = '/parents'
/** Pages of one child. */
export const CHILD = `${HOME}/students/:service_student_id`

const SECONDS_AT_MOST = 12 * 60 * 60

export const SESSION_COOKIE = 'parents'
/** Set in a browser that has asked for a code. */
export const PENDING_COOKIE = 'parents-code'
/** Set in a browser in which a family signed in with a code before. */
export const KNOWN_COOKIE = 'parents-known'
/** Set in a browser that has named a child on the page of the poster. */
export const POSTER_COOKIE = 'poster'
export const POSTER_KNOWN_COOKIE = 'poster-known'
type CookieName =
  | typeof SESSION_COOKIE
  | typeof PENDING_COOKIE
  | typeof KNOWN_COOKIE
  | typeof POSTER_COOKIE
  | typeof POSTER_KNOWN_COOKIE

type CookieContext = Pick<Context, 'mode' | 'publicUrl'>

/** `__Host-` makes browsers reject the cookie from other hosts and over plain http, which a sandbox may have to use. */
function cookieName(ctx: CookieContext, name: CookieName): string {
  return isSecure(ctx) ? `__Host-${name}` : name
}

function isSecure({ mode, publicUrl }: CookieContext): boolean {
  return mode === 'live' || publicUrl.startsWith('https:')
}

export function cookieOf(
  ctx: CookieContext,
  request: FastifyRequest,
  named: CookieName = SESSION_COOKIE,
): string | undefined {
  const name = cookieName(ctx, named)
  const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** Null deletes it. */
export function setCookie(
  ctx: CookieContext,
  reply: FastifyReply,
  name: CookieName,
  content: { value: string; seconds?: number } | null,
): void {
  const age = content === null ? 0 : (content.seconds ?? SECONDS_AT_MOST)
  const secure = isSecure(ctx) ? '; Secure' : ''
  const pair = `${cookieName(ctx, name)}=${content?.value ?? ''}`
  const cookie = `${pair}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
  reply.header('set-cookie', cookie)
}

/** A request of a signed-in parent. */
export type Visit = {
  session: ParentSession
  language: Language
  texts: ParentsTexts
  request: FastifyRequest
  reply: FastifyReply
}

export type ChildVisit = Visit & { studentId: string }

type Handler<Seen> = (visit: Seen) => Promise<FastifyReply>

/** Requires a session and, for POST, the session's CSRF token. */
export function withParent(ctx: Context, handle: Handler<Visit>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await readSession(ctx, cookieOf(ctx, request))
    const language = languageOf(request, reply, session?.institute)
    const texts = textsIn(language).parents
    const { access } = texts
    const school = schoolAsked(request)
    if (school !== undefined && school !== session?.institute.code)
      return reply.redirect(`${FAMILY_ADDRESS}/${school}`, 303)
    if (session === null)
      return sendMessage(reply, language, {
        status: 403,
        title: access.closedTitle,
        heading: access.closedHead,
        say: access.closedSay,
        link: await wayBackIn(ctx, instituteCodeOf(cookieOf(ctx, request)), texts),
      })
    if (request.method === 'POST' && !isCsrf(session, formField(request, 'csrf')))
      return sendMessage(reply, language, {
        status: 403,
        title: access.formTitle,
        heading: access.formHead,
        say: access.formSay,
        link: { url: HOME, text: access.goOn },
        hasSwitch: false,
      })
    if (isLanguage((request.query as { lang?: unknown }).lang))
      await rememberLanguage(ctx, userOf(session), language)
    return handle({ session, language, texts, request, reply })
  }
}

/** The school whose app was opened from a home screen. */
function schoolAsked({ query }: FastifyRequest): string | undefined {
  const { school } = query as { school?: unknown }
  return typeof school === 'string' && isInstituteCode(school) ? school : undefined
}

/** Leads to the page where a code opens the parents' pages again, at a school that offers it. */
export async function wayBackIn(
  ctx: Context,
  instituteCode: string | undefined,
  { access }: ParentsTexts,
): Promise<{ url: string; text: string } | undefined> {
  const institute = instituteCode === undefined ? null : await findInstitute(ctx, instituteCode)
  if (institute === null || !institute.hasParentSignIn) return undefined
  return { url: `${FAMILY_ADDRESS}/${institute.code}`, text: access.byCode }
}

/** Requires that the student is the parent's own child; any other is answered with 404, like an unknown one. */
export function withChild(ctx: Context, handle: Handler<ChildVisit>) {
  return withParent(ctx, async visit => {
    const { service_student_id: studentId } = visit.request.params as { service_student_id: string }
    const user = userOf(visit.session)
    const isTheirs = isIdShaped(studentId) && (await isChild(ctx, user, studentId))
    return isTheirs ? handle({ ...visit, studentId }) : sendUnknown(visit)
  })
}

/** Whether the browser has a session of a parent of one of the students: public pages then link back to the signed-in ones. */
export async function hasParentSession(
  ctx: Context,
  request: FastifyRequest,
  target: { instituteId: number; studentIds: readonly string[] },
): Promise<boolean> {
  const session = await readSession(ctx, cookieOf(ctx, request))
  if (session?.institute.id !== target.instituteId) return false
  for (const studentId of target.studentIds) if (await isChild(ctx, userOf(session), studentId)) return true
  return false
}

export function userOf({ institute, registrationId, otherRegistrationIds }: ParentSession): {
  instituteId: number
  registrationIds: readonly string[]
} {
  return { instituteId: institute.id, registrationIds: [registrationId, ...otherRegistrationIds] }
}

export function sendUnknown({ reply, language, texts: { access } }: Visit): FastifyReply {
  return sendMessage(reply, language, {
    status: 404,
    title: access.unknownTitle,
    heading: access.unknownHead,
    say: access.unknownSay,
    link: { url: HOME, text: access.goOn },
  })
}

type Message = {
  status: number
  title: string
  heading: string
  say: string
  link?: { url: string; text: string } | undefined
  hasSwitch?: boolean
}

export function sendMessage(reply: FastifyReply, language: Language, message: Message): FastifyReply {
  const { status, title, heading, say, link, hasSwitch = true } = message
  return sendPage(reply, {
    template: 'message',
    title,
    status,
    language,
    hasSwitch,
    data: { heading, say, link },
  })
}

/** An app on the phone's home screen, where families can open it again by themselves once their session is over. */
function appOf({ code, logoTag, hasParentSignIn }: Institute, language: Language): object | null {
  if (!hasParentSignIn) return null
  return {
    manifest: `/brand/${code}/app.webmanifest`,
    worker: `${HOME}/worker.js?school=${code}&lang=${language}`,
    icon: logoTag === null ? null : `/brand/${code}/icon/192/${logoTag}`,
  }
}

/** Header and footer of every page. */
export function frameOf({ session, texts, language }: Visit, ctx: Context): Record<string, unknown> {
  const { callbackUrl, institute, name, csrf } = session
  const isSafe = callbackUrl !== null && isAllowedReturnUrl(callbackUrl, ctx.mode)
  const back = isSafe
    ? { url: callbackUrl, text: fill(texts.backTo, { host: new URL(callbackUrl).host }) }
    : null
  return {
    t: texts,
    isSandbox: ctx.mode === 'sandbox',
    ...schoolHead(institute),
    app: appOf(institute, language),
    csrf,
    foot: { signedIn: fill(texts.signedInAs, { name }), signOutUrl: `${HOME}/sign-out`, back },
  }
}
