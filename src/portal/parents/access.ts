import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { isChild } from '../../students/users/parents.service.ts'
import { isWayBack } from '../entry/entry.rules.ts'
import { formField, languageOf, sendPage } from '../layout.ts'
import { PARENTS_WORDS, type ParentsWords } from './parents.texts.ts'
import { isCsrf, readSession, type ParentSession } from '../entry/sessions.service.ts'
import { fill, type Language } from '../checkout/checkout.texts.ts'

/** The door of the parents' pages: who comes in, and what those see who do not. */
export const HOME = '/parents'
/** Pages of one child; those of other features too, such as its loans. */
export const CHILD = `${HOME}/students/:service_student_id`

const SECONDS_AT_MOST = 12 * 60 * 60

type Door = Pick<Context, 'mode' | 'publicUrl'>

/** The prefix makes browsers refuse the cookie from any other host, and over plain http; a sandbox has only that. */
function cookieName(door: Door): string {
  return isSecure(door) ? '__Host-parents' : 'parents'
}

function isSecure({ mode, publicUrl }: Door): boolean {
  return mode === 'live' || publicUrl.startsWith('https:')
}

export function cookieOf(door: Door, request: FastifyRequest): string | undefined {
  const name = cookieName(door)
  const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** Null takes it away. */
export function setCookie(door: Door, reply: FastifyReply, value: string | null): void {
  const age = value === null ? 0 : SECONDS_AT_MOST
  const secure = isSecure(door) ? '; Secure' : ''
  const cookie = `${cookieName(door)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
  reply.header('set-cookie', cookie)
}

/** A parent who is in, and what every page of theirs needs. */
export type Visit = {
  session: ParentSession
  language: Language
  words: ParentsWords
  request: FastifyRequest
  reply: FastifyReply
}

export type ChildVisit = Visit & { studentId: string }

type Handler<Seen> = (visit: Seen) => Promise<FastifyReply>

/** Lets in whoever has a session. A form must come from a page of that session. */
export function withParent(ctx: Context, handle: Handler<Visit>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const language = languageOf(request, reply)
    const session = await readSession(ctx, cookieOf(ctx, request))
    const words = PARENTS_WORDS[language]
    const { door } = words
    if (session === null)
      return sendWords(reply, language, {
        status: 403,
        title: door.closedTitle,
        heading: door.closedHead,
        say: door.closedSay,
      })
    if (request.method === 'POST' && !isCsrf(session, formField(request, 'csrf')))
      return sendWords(reply, language, {
        status: 403,
        title: door.formTitle,
        heading: door.formHead,
        say: door.formSay,
        link: { url: HOME, text: door.goOn },
        hasSwitch: false,
      })
    return handle({ session, language, words, request, reply })
  }
}

/** The same for a page of one child. Somebody else's child is answered as one that does not exist. */
export function withChild(ctx: Context, handle: Handler<ChildVisit>) {
  return withParent(ctx, async visit => {
    const { service_student_id: studentId } = visit.request.params as { service_student_id: string }
    const user = userOf(visit.session)
    const isTheirs = isIdShaped(studentId) && (await isChild(ctx, user, studentId))
    return isTheirs ? handle({ ...visit, studentId }) : sendUnknown(visit)
  })
}

/** Whether the browser has the session of a parent of this student: pages that need none lead back then. */
export async function isWithParent(
  ctx: Context,
  request: FastifyRequest,
  target: { instituteId: number; studentId: string },
): Promise<boolean> {
  const session = await readSession(ctx, cookieOf(ctx, request))
  return session?.institute.id === target.instituteId && isChild(ctx, userOf(session), target.studentId)
}

export function userOf({ institute, registrationId }: ParentSession): {
  instituteId: number
  registrationId: string
} {
  return { instituteId: institute.id, registrationId }
}

export function sendUnknown({ reply, language, words: { door } }: Visit): FastifyReply {
  return sendWords(reply, language, {
    status: 404,
    title: door.unknownTitle,
    heading: door.unknownHead,
    say: door.unknownSay,
    link: { url: HOME, text: door.goOn },
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

export function sendWords(reply: FastifyReply, language: Language, message: Message): FastifyReply {
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

/** What stands above and below the matter of every page. */
export function frameOf({ session, words }: Visit, ctx: Context): Record<string, unknown> {
  const { callbackUrl, institute, name, csrf } = session
  const isSafe = callbackUrl !== null && isWayBack(callbackUrl, ctx.mode)
  const back = isSafe
    ? { url: callbackUrl, text: fill(words.backTo, { host: new URL(callbackUrl).host }) }
    : null
  return {
    t: words,
    isSandbox: ctx.mode === 'sandbox',
    institute: institute.name,
    csrf,
    foot: { signedIn: fill(words.signedInAs, { name }), signOutUrl: `${HOME}/sign-out`, back },
  }
}
