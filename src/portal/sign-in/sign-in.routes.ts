import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { VisitorLimit } from '../../http/limits/rate-limits.ts'
import { isInstituteCode, type Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute, FAMILY_ADDRESS } from '../../institutes/institutes.service.ts'
import { assertNever } from '../../platform/assert.ts'
import type { Context } from '../../platform/context.ts'
import { fill, plural } from '../../platform/languages.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'
import { readSession } from '../entry/entry.service.ts'
import { formField, formFieldShown, languageOf, sendPage, sendWrongLink, schoolHead } from '../layout.ts'
import { cookieOf, HOME, KNOWN_COOKIE, PENDING_COOKIE, SESSION_COOKIE, setCookie } from '../parents/access.ts'
import { textsIn } from '../texts/texts.ts'
import { KNOWN_DAYS } from './known-browsers.ts'
import { findKnownBrowser, askForCode, enterByCode } from './sign-in.service.ts'
import { CODE_MINUTES, readCode, readContact } from './sign-in.rules.ts'

const SCHOOL = `${FAMILY_ADDRESS}/:institute`

/** Every answer takes this long, so that its time does not tell whether a number is known. */
const ANSWER_MS = 250

type Visit = { institute: Institute; path: string; request: FastifyRequest; reply: FastifyReply }
type Problem = { text: string; status: number }

/** Families without an ERP or an app: a phone number or e-mail address and a code that is sent there open their pages. */
export function parentSignInPages(app: FastifyInstance, ctx: Context): void {
  const asks = new VisitorLimit(LIMITS.familyNetwork)
  app.get(
    SCHOOL,
    withSchool(ctx, async visit => {
      const session = await readSession(ctx, cookieOf(ctx, visit.request, SESSION_COOKIE))
      if (session?.institute.id === visit.institute.id) return visit.reply.redirect(HOME, 303)
      return showContactForm(ctx, visit)
    }),
  )
  app.post(
    SCHOOL,
    withSchool(ctx, visit => ask(ctx, asks, visit)),
  )
  app.get(
    `${SCHOOL}/code`,
    withSchool(ctx, visit => showCodeForm(ctx, visit)),
  )
  app.post(
    `${SCHOOL}/code`,
    withSchool(ctx, visit => enter(ctx, visit)),
  )
}

async function ask(ctx: Context, limit: VisitorLimit, visit: Visit): Promise<FastifyReply> {
  const { institute, request, reply, path } = visit
  const language = languageOf(request, reply, institute)
  const { problems } = textsIn(language).signIn
  const contact = readContact(formField(request, 'contact') ?? '')
  if (contact === null) return showContactForm(ctx, visit, { text: problems.contact, status: 400 })
  const known = findKnownBrowser(ctx, institute, contact, cookieOf(ctx, request, KNOWN_COOKIE))
  if (known === null && !limit.admits(request.ip, performance.now())) {
    reply.header('retry-after', '60')
    return showContactForm(ctx, visit, { text: problems.busyNetwork, status: 429 })
  }
  const asked = askForCode(ctx, institute, { contact, language, ip: request.ip, known })
  const [pending] = await Promise.all([asked, wait(ANSWER_MS)])
  if (pending === null) return showContactForm(ctx, visit, { text: problems.tooMany, status: 429 })
  setCookie(ctx, reply, PENDING_COOKIE, { value: pending, seconds: CODE_MINUTES * 60 })
  return reply.redirect(`${path}/code`, 303)
}

/** A code has five tries of its own, so nobody else's tries count here. */
async function enter(ctx: Context, visit: Visit): Promise<FastifyReply> {
  const { institute, request, reply } = visit
  const language = languageOf(request, reply, institute)
  const { problems } = textsIn(language).signIn
  const code = readCode(formField(request, 'code') ?? '')
  if (code === null) return showCodeForm(ctx, visit, { text: problems.code, status: 400 })
  const result = await enterByCode(ctx, institute, {
    pending: cookieOf(ctx, request, PENDING_COOKIE),
    code,
    sessionCookie: cookieOf(ctx, request, SESSION_COOKIE),
    knownCookie: cookieOf(ctx, request, KNOWN_COOKIE),
  })
  switch (result.kind) {
    case 'entered':
      setCookie(ctx, reply, PENDING_COOKIE, null)
      setCookie(ctx, reply, SESSION_COOKIE, { value: result.cookie })
      setCookie(ctx, reply, KNOWN_COOKIE, { value: result.known, seconds: KNOWN_DAYS * 86_400 })
      return reply.redirect(HOME, 303)
    case 'over':
      return showContactForm(ctx, visit, { text: problems.over, status: 400 })
    case 'wrong': {
      const text = fill(plural(problems.wrong, result.left, language), { left: String(result.left) })
      return showCodeForm(ctx, visit, { text, status: 400 })
    }
    default:
      return assertNever(result)
  }
}

function showContactForm(ctx: Context, visit: Visit, problem?: Problem): FastifyReply {
  const { request } = visit
  return showForm(ctx, visit, problem, t => ({
    title: t.title,
    heading: t.heading,
    say: t.say,
    label: t.contact,
    hint: t.contactHint,
    button: t.send,
    form: {
      action: visit.path,
      name: 'contact',
      value: formFieldShown(request, 'contact') ?? '',
      autocomplete: 'tel',
      inputmode: 'email',
      maxlength: 200,
    },
    aside: [],
  }))
}

function showCodeForm(ctx: Context, visit: Visit, problem?: Problem): FastifyReply {
  return showForm(ctx, visit, problem, t => ({
    title: t.codeTitle,
    heading: t.codeHeading,
    say: t.codeSay,
    label: t.code,
    hint: t.codeHint,
    button: t.open,
    form: {
      action: `${visit.path}/code`,
      name: 'code',
      value: '',
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
      maxlength: 12,
    },
    aside: [{ text: t.noCode }, { url: visit.path, text: t.again }],
  }))
}

type SignInTexts = ReturnType<typeof textsIn>['signIn']
type Form = Record<'title' | 'heading' | 'say' | 'label' | 'hint' | 'button', string> & {
  form: Record<string, string | number>
  aside: { url?: string; text: string }[]
}

function showForm(
  ctx: Context,
  { institute, request, reply }: Visit,
  problem: Problem | undefined,
  describe: (texts: SignInTexts) => Form,
): FastifyReply {
  const language = languageOf(request, reply, institute)
  const { title, form, aside, ...texts } = describe(textsIn(language).signIn)
  const values = { where: institute.name, minutes: String(CODE_MINUTES) }
  const filled = Object.entries(texts).map(([key, text]) => [key, fill(text, values)])
  return sendPage(reply, {
    template: 'parents/sign-in',
    title: fill(title, values),
    status: problem?.status ?? 200,
    // The language switch is a GET link, and what was typed would be lost.
    hasSwitch: problem === undefined,
    language,
    data: {
      ...Object.fromEntries(filled),
      form,
      aside: aside.map(one => ({ ...one, text: fill(one.text, values) })),
      problem: problem?.text,
      ...schoolHead(institute),
      isSandbox: ctx.mode === 'sandbox',
    },
  })
}

/** A school that does not offer it is answered like one that there is not. */
function withSchool(ctx: Context, handle: (visit: Visit) => FastifyReply | Promise<FastifyReply>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code } = request.params as { institute: string }
    const institute = isInstituteCode(code) ? await findInstitute(ctx, code) : null
    if (institute === null || !institute.hasParentSignIn) return sendWrongLink(request, reply)
    return handle({ institute, path: `${FAMILY_ADDRESS}/${institute.code}`, request, reply })
  }
}
