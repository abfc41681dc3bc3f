import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withoutPlanned, withoutTaken } from '../dues/dues.rules.ts'
import { readDues, type Dues } from '../dues/dues.service.ts'
import { openDuesOrder } from '../dues/pay-dues.service.ts'
import { readPrintedCode } from '../dues/printed-code.service.ts'
import {
  findVirtualAccount,
  type OpenVirtualAccount,
} from '../dues/virtual-accounts/virtual-accounts.service.ts'
import { VisitorLimit } from '../http/limits/rate-limits.ts'
import { isInstituteCode, type Institute } from '../institutes/institutes.rules.ts'
import { FAMILY_ADDRESS, findInstitute } from '../institutes/institutes.service.ts'
import { feeName } from '../messages/texts/texts.ts'
import type { PaymentContext } from '../payments/context.ts'
import { takesPayments } from '../payments/start/start-payment.service.ts'
import { listOnTheWay, type OnTheWay } from '../payments/student-payments.service.ts'
import { BursarError } from '../platform/errors.ts'
import { LIMITS } from '../platform/rate-limits.rules.ts'
import { fill, formatDayIn, type Language } from '../platform/languages.ts'
import { formatRupees, subtractPaise, sumPaise } from '../platform/money.ts'
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
    withCode(ctx, visit => show(ctx, visit, { isBusy: false })),
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
  const { institute, studentId, reply } = visit
  try {
    const wanted = { callbackUrl: null, isByHand: true }
    const { orderId } = await openDuesOrder(ctx, { institute, studentId }, wanted)
    return await reply.redirect(`/pay/${institute.code}/${orderId}`, 303)
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    if (error.code !== 'HUE00000' && error.code !== 'HUE00002') throw error
    return show(ctx, visit, { isBusy: error.code === 'HUE00002' })
  }
}

async function show(
  ctx: PaymentContext,
  { institute, studentId, path, request, reply }: Visit,
  { isBusy }: { isBusy: boolean },
): Promise<FastifyReply> {
  const [dues, onTheWay] = await Promise.all([
    readDues(ctx, [{ instituteId: institute.id, studentId }]),
    listOnTheWay(ctx.db, institute.id, [studentId]),
  ])
  const owed = dues.get(studentId)
  if (owed === undefined) return sendWrongLink(request, reply)
  const { collectorCode } = owed.context.student
  const language = languageOf(request, reply, institute)
  const mayPay = await takesPayments(ctx, { instituteId: institute.id, collectorCode })
  const account = await findVirtualAccount(ctx, { instituteId: institute.id, studentId })
  const { title, data } = describe({ institute, owed, account, onTheWay, mayPay, isBusy, path, language })
  return sendPage(reply, {
    template: 'printed-code',
    title,
    status: isBusy ? 409 : 200,
    // The language switch is a GET link.
    hasSwitch: request.method === 'GET',
    language,
    data: { ...schoolHead(institute), ...data, isSandbox: ctx.mode === 'sandbox' },
  })
}

type PrintedCodeData = {
  institute: Institute
  owed: Dues
  account: OpenVirtualAccount | null
  onTheWay: readonly OnTheWay[]
  /** Whether the branch has an account that payments go to. */
  mayPay: boolean
  /** Somebody pays the same at this moment. */
  isBusy: boolean
  path: string
  language: Language
}

function describe({ institute, owed, account, onTheWay, mayPay, isBusy, path, language }: PrintedCodeData): {
  title: string
  data: Record<string, unknown>
} {
  const texts = textsIn(language).printedCode
  const { student } = owed.context
  const names = { who: student.fullname, where: institute.name }
  const left = withoutTaken(owed, onTheWay)
  const due = withoutPlanned(left)
  const isDue = due.totalPaise > 0
  const amount = formatRupees(due.totalPaise)
  const plannedPaise = subtractPaise(left.totalPaise, due.totalPaise)
  const onTheWayPaise = sumPaise(onTheWay.map(one => one.amountPaise))
  const lines = [
    ...due.lines.map(line => ({
      label: feeName(line.componentType, language),
      day: line.dueOn,
      paise: line.owedPaise,
    })),
    ...due.lateFees.map(fee => ({ label: feeName('LATE_FEE', language), day: null, paise: fee.amountPaise })),
  ]
  const dayText = (day: string): string =>
    fill(day < owed.today ? texts.overdueSince : texts.dueOn, { day: formatDayIn(day, language) })
  return {
    title: fill(texts.title, names),
    data: {
      heading: fill(texts.heading, names),
      about: [student.identifier, classOf(owed, institute, textsIn(language).parents)].join(' · '),
      total: isDue ? amount : null,
      says: [
        ...(isDue ? [] : [texts.nothing]),
        ...(isBusy ? [texts.busy] : []),
        ...(isDue && !mayPay ? [texts.away] : []),
        ...(onTheWayPaise > 0 ? [fill(texts.onTheWay, { amount: formatRupees(onTheWayPaise) })] : []),
        ...(plannedPaise > 0 ? [fill(texts.planned, { amount: formatRupees(plannedPaise) })] : []),
      ],
      lines: lines
        .filter(line => line.paise > 0)
        .map(({ label, day, paise }) => ({
          label,
          note: day === null ? undefined : dayText(day),
          isLate: day !== null && day < owed.today,
          amount: formatRupees(paise),
        })),
      form: isDue && mayPay && !isBusy ? { action: path, button: fill(texts.pay, { amount }) } : null,
      next: texts.next,
      transfer: transferOf(
        account,
        { who: student.fullname, school: institute.name },
        textsIn(language).parents,
      ),
    },
  }
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
