import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readPrintedCode } from '../dues/printed-code.service.ts'
import { findVirtualAccount } from '../dues/virtual-accounts/virtual-accounts.service.ts'
import { VisitorLimit } from '../http/limits/rate-limits.ts'
import { isInstituteCode, type Institute } from '../institutes/institutes.rules.ts'
import { FAMILY_ADDRESS, findInstitute } from '../institutes/institutes.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { fill } from '../platform/languages.ts'
import { LIMITS } from '../platform/rate-limits.rules.ts'
import { describeSheet, paySheet, readSheets, type SheetProblem } from './fees-sheet.ts'
import { languageOf, schoolHead, sendPage, sendWrongLink } from './layout.ts'
import { classOf, transferOf } from './parents/children.ts'
import { textsIn } from './texts/texts.ts'

const PAGE = `${FAMILY_ADDRESS}/:institute/fees/:code`

type Visit = {
  institute: Institute
  studentId: string
  path: string
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Where the codes on demand notices and cards lead: what is due for a student on the day of the visit, and a button that opens
 * an order for it. Looking at it changes nothing.
 */
export function printedCodePages(app: FastifyInstance, ctx: PaymentContext): void {
  app.get(
    PAGE,
    withCode(ctx, visit => show(ctx, visit, null)),
  )
  const limit = new VisitorLimit(LIMITS.paymentForms)
  app.post(
    PAGE,
    withCode(ctx, visit => {
      // Each makes an order, and whoever sees a card may press the button.
      limit.admit(visit.request.ip, performance.now())
      return pay(ctx, visit)
    }),
  )
}

async function pay(ctx: PaymentContext, visit: Visit): Promise<FastifyReply> {
  const { institute, studentId, reply, request } = visit
  const [sheet] = await readSheets(ctx, institute, [studentId])
  if (sheet === undefined) return sendWrongLink(request, reply)
  const paid = await paySheet(ctx, institute, sheet, { request, callbackUrl: null })
  if ('problem' in paid) return show(ctx, visit, paid.problem)
  return reply.redirect(`/pay/${institute.code}/${paid.orderId}`, 303)
}

async function show(
  ctx: PaymentContext,
  { institute, studentId, path, request, reply }: Visit,
  problem: SheetProblem | null,
): Promise<FastifyReply> {
  const [sheet] = await readSheets(ctx, institute, [studentId])
  if (sheet === undefined) return sendWrongLink(request, reply)
  const { student } = sheet.owed.context
  const language = languageOf(request, reply, institute)
  const { printedCode: texts, parents } = textsIn(language)
  const names = { who: student.fullname, where: institute.name }
  const account = await findVirtualAccount(ctx, { instituteId: institute.id, studentId })
  return sendPage(reply, {
    template: 'printed-code',
    title: fill(texts.title, names),
    status: problem === null ? 200 : problem.kind === 'busy' ? 409 : 400,
    // The language switch is a GET link.
    hasSwitch: request.method === 'GET',
    language,
    data: {
      ...schoolHead(institute),
      heading: fill(texts.heading, names),
      about: [student.identifier, classOf(sheet.owed, institute, parents)].join(' · '),
      sheet: describeSheet(sheet, { institute, action: path, problem, language }),
      transfer: transferOf(account, { who: student.fullname, school: institute.name }, parents),
      isSandbox: ctx.mode === 'sandbox',
    },
  })
}

function withCode(ctx: PaymentContext, handle: (visit: Visit) => Promise<FastifyReply>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: school, code } = request.params as { institute: string; code: string }
    const institute = isInstituteCode(school) ? await findInstitute(ctx, school) : null
    const studentId = institute === null ? null : readPrintedCode(ctx, institute, code)
    if (institute === null || studentId === null) return sendWrongLink(request, reply)
    const path = `${FAMILY_ADDRESS}/${institute.code}/fees/${code}`
    return handle({ institute, studentId, path, request, reply })
  }
}
