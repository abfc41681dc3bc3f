import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { VisitorLimit } from '../../http/limits/rate-limits.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { newFormToken, submitForm } from '../../payment-pages/page-payments.service.ts'
import { findPageBySlug, type PageFile } from '../../payment-pages/pages.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { takesPayments } from '../../payments/offers.service.ts'
import { assertNever } from '../../platform/assert.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'
import { formFieldShown, languageOf, sendPage, sendWrongLink } from '../layout.ts'
import { describePaymentPage, type PaymentPageData } from './payment-page.ts'

const URL_PATH = '/p/:institute/:slug'
const RETRY_AFTER_S = 60

type PaymentPageSubject = { institute: Institute; file: PageFile; path: string }

/** Public payment pages: the form creates an order and redirects to the checkout. */
export function paymentPages(app: FastifyInstance, ctx: PaymentContext): void {
  const limit = new VisitorLimit(LIMITS.paymentForms)
  app.get(
    URL_PATH,
    withPage(ctx, async (found, request, reply) => show(ctx, found, { request, reply })),
  )
  app.post(
    URL_PATH,
    withPage(ctx, async (found, request, reply) => {
      if (limit.admits(request.ip, performance.now())) return submit(ctx, found, request, reply)
      reply.header('retry-after', RETRY_AFTER_S)
      return show(ctx, found, { request, reply, isBusy: true })
    }),
  )
}

/** A repeated submission (double click, reload, back button) leads to the same order. */
async function submit(
  ctx: PaymentContext,
  found: PaymentPageSubject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { institute, file } = found
  if (!(await isPayable(ctx, found))) return show(ctx, found, { request, reply })
  const submission = await submitForm(ctx, institute, file.page.id, {
    token: formFieldShown(request, 'token'),
    answer: input => formFieldShown(request, input),
  })
  switch (submission.kind) {
    case 'ordered':
      return reply.redirect(`/pay/${institute.code}/${submission.orderId}`, 303)
    case 'shut':
      return show(ctx, { ...found, file: { ...file, state: submission.state } }, { request, reply })
    case 'problems':
      return show(ctx, found, { request, reply, problems: submission.problems })
    default:
      return assertNever(submission)
  }
}

/** Whether the page's branch can take payments. */
function isPayable(ctx: PaymentContext, { institute, file: { page } }: PaymentPageSubject): Promise<boolean> {
  return takesPayments(ctx, { instituteId: institute.id, collectorCode: page.collectorCode })
}

async function show(
  ctx: PaymentContext,
  found: PaymentPageSubject,
  shown: {
    request: FastifyRequest
    reply: FastifyReply
    problems?: PaymentPageData['problems']
    isBusy?: boolean
  },
): Promise<FastifyReply> {
  const { institute, file, path } = found
  const { request, reply, problems = [], isBusy = false } = shown
  const language = languageOf(request, reply, institute)
  const { title, status, data } = describePaymentPage({
    institute,
    file,
    // A form shown again keeps its token, so that resubmitting it is idempotent.
    token: formFieldShown(request, 'token') ?? newFormToken(),
    typed: input => formFieldShown(request, input),
    problems,
    isBusy,
    isSandbox: ctx.mode === 'sandbox',
    takesPayments: await isPayable(ctx, found),
    path,
    language,
  })
  // Switching the language would lose the input.
  const hasSwitch = problems.length === 0 && !isBusy
  return sendPage(reply, { template: 'payment-page', title, status, language, hasSwitch, data })
}

type Handler = (
  found: PaymentPageSubject,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>

function withPage(ctx: PaymentContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, slug } = request.params as { institute: string; slug: string }
    const institute = isIdShaped(code) && isIdShaped(slug) ? await findInstitute(ctx, code) : null
    const file = institute === null ? null : await findPageBySlug(ctx, institute, slug)
    if (institute === null || file === null) return sendWrongLink(request, reply)
    return handle({ institute, file, path: `/p/${institute.code}/${file.page.slug}` }, request, reply)
  }
}
