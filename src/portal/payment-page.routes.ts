import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { VisitorLimit } from '../http/limits/rate-limits.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { findInstitute } from '../institutes/institutes.service.ts'
import { newFormToken, submitForm } from '../payment-pages/page-payments.service.ts'
import { findPageBySlug, type PageFile } from '../payment-pages/pages.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { findUnchargeable } from '../payments/parts/parts.service.ts'
import { takesPayments } from '../payments/start/start-payment.service.ts'
import { assertNever } from '../platform/assert.ts'
import { isIdShaped } from '../platform/ids.ts'
import { LIMITS } from '../platform/rate-limits.rules.ts'
import { formFieldShown, languageOf, sendPage, sendWrongLink, schoolHead } from './layout.ts'
import {
  leavesNoChoice,
  mostOf,
  soleTotal,
  boundsOf,
  isKnownField,
  type PageState,
  type PageField,
  type PageLine,
} from '../payment-pages/pages.rules.ts'
import { lastMoment } from '../platform/calendar.ts'
import { formatRupees } from '../platform/money.ts'
import { fill, type Language } from '../platform/languages.ts'
import { textsIn, type PaymentPageTexts } from './texts/texts.ts'
import { localMoment, feeName } from '../messages/texts/texts.ts'
import { inputOfField, inputOfLine, longest, type Problem } from '../payment-pages/page-form.rules.ts'

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

/** Whether the page's branch can take payments, each line where it belongs. */
async function isPayable(
  ctx: PaymentContext,
  { institute, file: { page } }: PaymentPageSubject,
): Promise<boolean> {
  const branch = { instituteId: institute.id, collectorCode: page.collectorCode }
  return (await takesPayments(ctx, branch)) && (await findUnchargeable(ctx, branch, page.lines)).length === 0
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

type PaymentPage = { title: string; status: number; data: Record<string, unknown> }

function describePaymentPage(pageData: PaymentPageData): PaymentPage {
  const { institute, file, language } = pageData
  const { page, state } = file
  const texts = textsIn(language).paymentPage
  const names = { title: page.title, where: institute.name }
  if (state !== 'open') return describeShut(pageData, state, texts)
  const total = soleTotal(page)
  const form = pageData.takesPayments ? formOf(pageData, texts) : null
  const hasProblems = pageData.problems.length > 0
  return {
    title: fill(hasProblems ? texts.titleWithProblem : texts.title, names),
    status: hasProblems ? 422 : pageData.isBusy ? 429 : 200,
    data: {
      ...headOf(pageData),
      t: texts,
      heading: page.title,
      about: page.description ?? undefined,
      total: total === null ? undefined : formatRupees(total),
      costs: costsOf(pageData),
      until: untilOf(pageData, texts),
      away: form === null ? textsIn(language).checkout.awaySay : undefined,
      alert: pageData.isBusy ? texts.busy : undefined,
      form,
    },
  }
}

/** A page that takes no payments, with the reason. An unpublished page does not reveal its content. */
function describeShut(
  pageData: PaymentPageData,
  state: Exclude<PageState, 'open'>,
  texts: PaymentPageTexts,
): PaymentPage {
  const { institute, file, language } = pageData
  const { page } = file
  const { status, say } = texts.shut[state]
  const isHidden = state === 'unpublished'
  const when = page.closesAt === null ? '' : localMoment(lastMoment(page.closesAt), language)
  const names = { status, title: page.title, where: institute.name }
  return {
    title: isHidden ? `${status}: ${institute.name}` : fill(texts.titleWithStatus, names),
    status: isHidden ? 404 : 200,
    data: {
      ...headOf(pageData),
      t: texts,
      heading: isHidden ? status : page.title,
      shut: { statusText: isHidden ? undefined : status, say: fill(say, { when, where: institute.name }) },
      costs: [],
    },
  }
}

function headOf({ institute, file, isSandbox }: PaymentPageData) {
  const branch = institute.branches.find(({ collectorCode }) => collectorCode === file.page.collectorCode)
  return {
    ...schoolHead(institute),
    branch: institute.branches.length > 1 && file.state !== 'unpublished' ? branch?.name : undefined,
    isSandbox,
  }
}

/** The fixed lines, listed as on a bill. */
function costsOf({ file, language }: PaymentPageData) {
  return file.page.lines
    .filter(leavesNoChoice)
    .map(line => ({ label: nameOfLine(line, language), amount: formatRupees(mostOf(line)) }))
}

function untilOf({ file, language }: PaymentPageData, texts: PaymentPageTexts): string | undefined {
  const { closesAt } = file.page
  return closesAt === null
    ? undefined
    : fill(texts.until, { when: localMoment(lastMoment(closesAt), language) })
}

function formOf(pageData: PaymentPageData, texts: PaymentPageTexts) {
  const { file, problems, path, token } = pageData
  const lines = lineInputs(pageData, texts)
  const details = detailInputs(pageData, texts)
  const all: Input[] = [...lines, ...details].map((input, index) => ({ ...input, id: `f${index + 1}` }))
  // Problems stand in the order of the page, so that the first link leads to the first invalid field.
  const found = all.flatMap(input => {
    const problem = problems.find(one => one.input === input.name)
    return problem === undefined ? [] : [{ input, text: problemText(problem, input, texts) }]
  })
  const textOf = (input: Input): string | undefined => found.find(one => one.input.name === input.name)?.text
  const shown = all.map(input => ({ ...input, problem: textOf(input) }))
  return {
    action: path,
    token,
    lines: shown.slice(0, lines.length),
    details: shown.slice(lines.length),
    problems: found.map(({ input, text }) => ({ id: input.id, text })),
    say: soleTotal(file.page) === null ? texts.goChosenSay : texts.goSay,
  }
}

/** Everything a payment page depends on; describing it is pure. */
type PaymentPageData = {
  institute: Institute
  file: PageFile
  token: string
  /** The submitted values, when the form is shown again. */
  typed: (input: string) => string | undefined
  problems: readonly Problem[]
  /** Rate limited: the form is shown again with its input. */
  isBusy: boolean
  isSandbox: boolean
  /** Whether this installation has a provider to pay with. */
  takesPayments: boolean
  path: string
  language: Language
}

/** A form field as the template renders it. */
type Input = {
  id: string
  name: string
  kind: 'text' | 'number' | 'date' | 'choice' | 'box'
  label: string
  /** The label without "(optional)". */
  bare: string
  hint?: string | undefined
  value: string
  type?: string | undefined
  inputMode?: string | undefined
  autocomplete?: string | undefined
  maxLength?: number | undefined
  options?: { value: string; isChosen: boolean }[] | undefined
}

type DrawnInput = Omit<Input, 'id'>

/** The institute's label, else the usual name of the fee. */
function nameOfLine({ label, componentType }: PageLine, language: Language): string {
  return label ?? feeName(componentType, language)
}

const LONGEST_ECHO = 2_000

function typedInto({ typed }: PaymentPageData, name: string): string | undefined {
  return typed(name)?.slice(0, LONGEST_ECHO)
}

/** Inputs of the lines that leave a choice. */
function lineInputs(pageData: PaymentPageData, texts: PaymentPageTexts): DrawnInput[] {
  const isBack = pageData.problems.length > 0 || pageData.isBusy
  return pageData.file.page.lines.flatMap((line): DrawnInput[] => {
    const { price, isOptional } = line
    const name = inputOfLine(line)
    const bare = nameOfLine(line, pageData.language)
    const value = typedInto(pageData, name)
    const label = isOptional ? fill(texts.optional, { label: bare }) : bare
    if (price.kind === 'chosen') {
      const hint = boundsText(line, texts)
      return [
        { name, kind: 'number', label, bare, hint, value: value ?? '', inputMode: 'decimal', maxLength: 20 },
      ]
    }
    const amount = formatRupees(price.amountPaise)
    const least = isOptional ? 0 : 1
    if (price.maxQuantity > 1) {
      const hint = fill(texts.each, { amount, least: String(least), most: String(price.maxQuantity) })
      const many = { name, kind: 'number' as const, label: fill(texts.howMany, { label: bare }), bare, hint }
      return [{ ...many, value: value ?? (isBack ? '' : String(least)), inputMode: 'numeric', maxLength: 3 }]
    }
    return isOptional ? [{ name, kind: 'box', label, bare, hint: amount, value: value ?? '' }] : []
  })
}

function boundsText({ price }: PageLine, texts: PaymentPageTexts): string {
  if (price.kind !== 'chosen') return ''
  const { least, most } = boundsOf(price)
  const values = { least: formatRupees(least), most: formatRupees(most) }
  if (price.maxPaise !== null) return fill(texts.between, values)
  return fill(price.minPaise > 100 ? texts.atLeast : texts.inRupees, values)
}

/** Contact details and the institute's own fields. */
function detailInputs(pageData: PaymentPageData, texts: PaymentPageTexts): DrawnInput[] {
  const contact = (name: 'name' | 'phone' | 'email', rest: Partial<Input>): DrawnInput => ({
    name,
    kind: 'text',
    label: texts[name],
    bare: texts[name],
    value: typedInto(pageData, name) ?? '',
    maxLength: 500,
    ...rest,
  })
  return [
    contact('name', { autocomplete: 'name' }),
    contact('phone', { autocomplete: 'tel', type: 'tel' }),
    contact('email', { autocomplete: 'email', type: 'email' }),
    ...pageData.file.page.fields.map(field => fieldInput(field, pageData, texts)),
  ]
}

function fieldInput(field: PageField, pageData: PaymentPageData, texts: PaymentPageTexts): DrawnInput {
  const { key, label: given, isRequired, options } = field
  const name = inputOfField(field)
  const bare = given ?? (isKnownField(key) ? texts.known[key] : key)
  const label = isRequired ? bare : fill(texts.optional, { label: bare })
  const value = typedInto(pageData, name) ?? ''
  const shared = { name, label, bare, value }
  if (options.length > 0) {
    const choices = options.map(option => ({ value: option, isChosen: option === value }))
    return { ...shared, kind: 'choice', options: choices }
  }
  if (key === 'date_of_birth')
    return { ...shared, kind: 'date', hint: texts.dayHint, maxLength: 40, autocomplete: 'off' }
  return { ...shared, kind: 'text', maxLength: longest(key), autocomplete: 'off' }
}

function problemText(problem: Problem, input: Input, texts: PaymentPageTexts): string {
  const label = input.bare
  switch (problem.why) {
    case 'missing':
      return missingText(input, texts)
    case 'too_long':
      return fill(texts.tooLong, { label, most: String(input.maxLength ?? 500) })
    case 'phone':
      return texts.badPhone
    case 'email':
      return texts.badEmail
    case 'day':
      return fill(texts.badDay, { label })
    case 'future':
      return fill(texts.future, { label })
    case 'option':
      return fill(texts.badOption, { label })
    case 'amount':
      return fill(texts.badAmount, { label })
    case 'below':
      return fill(texts.below, { label, bound: formatRupees(problem.bound) })
    case 'above':
      return fill(texts.above, { label, bound: formatRupees(problem.bound) })
    case 'quantity':
      return fill(texts.quantity, { label, least: String(problem.least), most: String(problem.most) })
    case 'nothing':
      return texts.nothing
    default:
      return assertNever(problem)
  }
}

function missingText({ name, kind, bare }: Input, texts: PaymentPageTexts): string {
  if (name === 'name' || name === 'phone' || name === 'email') return texts.missing[name]
  const how = kind === 'choice' ? 'option' : kind === 'number' ? 'amount' : 'answer'
  return fill(texts.missing[how], { label: bare })
}
