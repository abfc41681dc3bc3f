import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { posterPath, posterUrl } from '../../dues/poster/poster.service.ts'
import { VisitorLimit } from '../../http/limits/rate-limits.ts'
import { isInstituteCode, type Institute } from '../../institutes/institutes.rules.ts'
import { FAMILY_ADDRESS, findInstitute } from '../../institutes/institutes.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { fill } from '../../platform/languages.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'
import { yearName } from '../../students/students.rules.ts'
import { describeSheet, paySheet, readSheets, type FeesSheet, type SheetProblem } from '../fees-sheet.ts'
import { formField, formFieldShown, languageOf, schoolHead, sendPage, sendWrongLink } from '../layout.ts'
import { cookieOf, POSTER_COOKIE, POSTER_KNOWN_COOKIE, setCookie } from '../parents/access.ts'
import { KNOWN_DAYS } from '../sign-in/known-browsers.ts'
import { textsIn } from '../texts/texts.ts'
import { LONGEST_FACT, LONGEST_NUMBER, maskedName, readFact, readIdentifiers } from './poster.rules.ts'
import { nameChild, PASS_MINUTES, readPass } from './poster.service.ts'

const POSTER = `${FAMILY_ADDRESS}/:institute/pay`

/** Every answer takes this long, so that its time does not tell whether a child is known. */
const ANSWER_MS = 250

type Visit = { institute: Institute; path: string; request: FastifyRequest; reply: FastifyReply }
type Problem = { text: string; status: number }

/**
 * The page behind the school's poster: a family names its child by the admission number and a fact that the school has, sees what
 * is due and pays, without an account.
 */
export function posterPages(app: FastifyInstance, ctx: PaymentContext): void {
  const limit = new VisitorLimit(LIMITS.paymentForms)
  app.get(
    POSTER,
    withPoster(ctx, async visit => {
      const { another } = visit.request.query as { another?: unknown }
      const named = another === undefined ? await readNamed(ctx, visit) : []
      return named.length === 0 ? showForm(ctx, visit) : showFees(ctx, visit, named, null)
    }),
  )
  app.post(
    POSTER,
    withPoster(ctx, visit => name(ctx, visit)),
  )
  app.post(
    `${POSTER}/start`,
    withPoster(ctx, visit => {
      // Each makes an order.
      limit.admit(visit.request.ip, performance.now())
      return pay(ctx, visit)
    }),
  )
  app.get(
    `${POSTER}/start`,
    withPoster(ctx, async ({ path, reply }) => reply.redirect(path, 303)),
  )
}

async function name(ctx: PaymentContext, visit: Visit): Promise<FastifyReply> {
  const { institute, request, reply, path } = visit
  const language = languageOf(request, reply, institute)
  const { problems } = textsIn(language).poster
  const identifiers = readIdentifiers(formField(request, 'number') ?? '')
  if (identifiers.length === 0) return showForm(ctx, visit, { text: problems.number, status: 400 })
  const fact = readFact(formField(request, 'fact') ?? '')
  if (fact === null) return showForm(ctx, visit, { text: problems.fact, status: 400 })
  const asked = nameChild(ctx, institute, {
    fact: { identifiers, ...fact },
    ip: request.ip,
    knownCookie: cookieOf(ctx, request, POSTER_KNOWN_COOKIE),
  })
  const [named] = await Promise.all([asked, wait(ANSWER_MS)])
  if (named.kind === 'wait') {
    const minutes = String(Math.ceil(named.seconds / 60))
    reply.header('retry-after', String(named.seconds))
    return showForm(ctx, visit, {
      text: fill(problems.tooMany, { minutes, where: institute.name }),
      status: 429,
    })
  }
  if (named.kind === 'unknown') {
    const text = fill(problems.unknown, { where: institute.name })
    return showForm(ctx, visit, { text, status: 400 })
  }
  setCookie(ctx, reply, POSTER_COOKIE, { value: named.pass, seconds: PASS_MINUTES * 60 })
  setCookie(ctx, reply, POSTER_KNOWN_COOKIE, { value: named.known, seconds: KNOWN_DAYS * 86_400 })
  return reply.redirect(path, 303)
}

/** The records of the child that was named in this browser: those that ask for something, or else the newest. */
async function readNamed(ctx: PaymentContext, { institute, request }: Visit): Promise<FeesSheet[]> {
  const ids = readPass(ctx, institute, cookieOf(ctx, request, POSTER_COOKIE))
  const sheets = ids === null ? [] : await readSheets(ctx, institute, ids)
  const open = sheets.filter(({ owed }) => owed.totalPaise > 0)
  return open.length > 0 ? open : sheets.slice(-1)
}

/** Pays for the child that this browser has named, and no other: an id that somebody knows opens nothing. */
async function pay(ctx: PaymentContext, visit: Visit): Promise<FastifyReply> {
  const { institute, request, reply, path } = visit
  const named = await readNamed(ctx, visit)
  const child = formField(request, 'child') ?? ''
  const sheet = named.find(({ owed }) => owed.context.student.id === child)
  if (sheet === undefined) return reply.redirect(path, 303)
  const paid = await paySheet(ctx, institute, sheet, { request, callbackUrl: posterUrl(ctx, institute) })
  if ('problem' in paid) return showFees(ctx, visit, named, { child, ...paid.problem })
  return reply.redirect(`/pay/${institute.code}/${paid.orderId}`, 303)
}

function showFees(
  ctx: PaymentContext,
  { institute, request, reply, path }: Visit,
  named: readonly FeesSheet[],
  problem: (SheetProblem & { child: string }) | null,
): FastifyReply {
  const language = languageOf(request, reply, institute)
  const { poster: texts, printedCode } = textsIn(language)
  const [first] = named
  const student = first?.owed.context.student
  const names = { who: maskedName(student?.fullname ?? ''), where: institute.name }
  return sendPage(reply, {
    template: 'poster/fees',
    title: fill(printedCode.title, names),
    status: problem === null ? 200 : problem.kind === 'busy' ? 409 : 400,
    hasSwitch: problem === null,
    language,
    data: {
      ...schoolHead(institute),
      heading: fill(printedCode.heading, names),
      about: fill(texts.about, { number: student?.identifier ?? '' }),
      sheets: named.map(sheet => {
        const { id, academicYearStart, academicYearEnd } = sheet.owed.context.student
        const own = problem?.child === id ? problem : null
        return {
          child: id,
          year: named.length > 1 ? yearName(academicYearStart, academicYearEnd) : undefined,
          ...describeSheet(sheet, { institute, action: `${path}/start`, problem: own, language }),
        }
      }),
      another: { url: `${path}?another=1`, text: texts.another },
      isSandbox: ctx.mode === 'sandbox',
    },
  })
}

function showForm(
  ctx: PaymentContext,
  { institute, request, reply, path }: Visit,
  problem?: Problem,
): FastifyReply {
  const language = languageOf(request, reply, institute)
  const t = textsIn(language).poster
  const where = { where: institute.name }
  return sendPage(reply, {
    template: 'poster/child',
    title: fill(t.title, where),
    status: problem?.status ?? 200,
    // The language switch is a GET link, and what was typed would be lost.
    hasSwitch: problem === undefined,
    language,
    data: {
      ...schoolHead(institute),
      heading: t.heading,
      say: fill(t.say, where),
      action: path,
      number: {
        label: t.number,
        hint: t.numberHint,
        value: formFieldShown(request, 'number') ?? '',
        longest: LONGEST_NUMBER,
      },
      fact: {
        label: t.fact,
        hint: t.factHint,
        value: formFieldShown(request, 'fact') ?? '',
        longest: LONGEST_FACT,
      },
      button: t.show,
      problem: problem?.text,
      isSandbox: ctx.mode === 'sandbox',
    },
  })
}

/** A school whose poster is off is answered like one that there is not. */
function withPoster(ctx: PaymentContext, handle: (visit: Visit) => FastifyReply | Promise<FastifyReply>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code } = request.params as { institute: string }
    const institute = isInstituteCode(code) ? await findInstitute(ctx, code) : null
    if (institute === null || !institute.hasPoster) return sendWrongLink(request, reply)
    return handle({ institute, path: posterPath(institute), request, reply })
  }
}
