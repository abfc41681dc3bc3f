import type { Lender, Offer } from '../../loans/lender-port.ts'
import {
  canAccept,
  canEnd,
  isOver,
  emiOf,
  type Application,
  type LoanFile,
  type LoanState,
} from '../../loans/loans.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import {
  formatRupees,
  minPaise,
  paiseOf,
  subtractPaise,
  sumPaise,
  ZERO,
  type Paise,
} from '../../platform/money.ts'
import { fill, plural, type Language } from '../../platform/languages.ts'
import { textsIn, type LoanTexts } from '../texts/texts.ts'
import { localDay } from '../plan/page-parts.ts'
import { schoolHead, formField } from '../layout.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { withoutPlanned } from '../../dues/dues.rules.ts'
import { readDuesLeft } from '../../dues/on-the-way.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { lenderFor, lenderOf } from '../../loans/lenders/lenders.service.ts'
import { acceptOffer } from '../../loans/applications.service.ts'
import { sendToLender } from '../../loans/lender-sync.service.ts'
import { askLender } from '../../loans/lender-updates.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'

/** Everything the loan page depends on; describing it is pure. */
export type LoanPageData = {
  institute: Institute
  collectorCode: string
  studentName: string
  isActive: boolean
  /** What neither instalments nor a payment on its way take; late fees are not lent. */
  owedPaise: Paise
  /** All that is owed comes in one of these ways. */
  isTaken: boolean
  lender: Lender
  /** The newest application; null when there is none. */
  file: LoanFile | null
  problem: LoanProblem | undefined
  /** The amount as the parent typed it. */
  wrote: string | undefined
  isSandbox: boolean
  /** URL of this page; its forms post below it. */
  path: string
  /** A signed-in parent may apply and withdraw; the link of an application only continues that application. */
  isParent: boolean
  /** Came by the family's own link or is signed in; others see no form. */
  isFamily: boolean
  language: Language
}

export type LoanProblem = keyof LoanTexts['problems'] | 'away'

type StatusBanner = {
  tone: 'unpaid' | 'paid' | 'failed' | 'expired' | 'cancelled'
  status: string
  say: string
  form?: 'apply' | 'consent' | 'go on' | 'accept'
}

type LoanPage = { title: string; data: Record<string, unknown> }

export function describeLoan(pageData: LoanPageData): LoanPage {
  const { institute, language, path, file } = pageData
  const l = textsIn(language).loan
  const banner = bannerFor(pageData, l)
  const values = valuesOf(pageData)
  const branch = institute.branches.find(one => one.collectorCode === pageData.collectorCode)
  const isReading = banner.form === 'apply' || banner.form === 'consent'
  const application = file?.application ?? null
  const shown = banner.form === 'apply' ? null : file
  const data = {
    l,
    isSandbox: pageData.isSandbox,
    ...schoolHead(institute),
    branch: institute.branches.length > 1 ? branch?.name : undefined,
    heading: fill(l.heading, values),
    ...figureOf(pageData, banner, l),
    alert: alertOf(pageData, l, values),
    tone: banner.tone,
    statusText: banner.status,
    say: fill(banner.say, values),
    quote: application?.state === 'rejected' ? application.reason : undefined,
    quoteHead: fill(l.theySay, values),
    checkUrl: application?.state === 'filled' ? path : undefined,
    timeline: shown === null || isReading ? [] : timelineOf(shown.application, pageData, l),
    tranches: shown === null ? [] : tranchesOf(shown, pageData, l),
    moneyHead: fill(l.moneyHead, values),
    emis: (shown?.emis ?? []).map(emi => ({
      label: localDay(dayOf(emi.paidAt), language),
      amount: formatRupees(emi.amountPaise),
    })),
    terms: isReading ? l.terms.map(term => fill(term, values)) : [],
    ...describeCost(pageData, { form: banner.form, amountPaise: amountOf(pageData), values }, l),
    form: formOf(pageData, banner, l, values),
    againUrl: canApplyAgain(pageData) ? `${path}?apply=1` : undefined,
    withdrawUrl: canWithdraw(pageData) ? `${path}/withdraw` : undefined,
    reference: shown?.application.id,
  }
  const isPlain = banner.form === 'apply'
  return { title: fill(isPlain ? l.title : l.titleWithStatus, { ...values, status: banner.status }), data }
}

type Values = Record<string, string>

function valuesOf(pageData: LoanPageData): Values {
  const { file, language, lender } = pageData
  const { leastPaise } = lender.limits
  const application = file?.application
  return {
    where: pageData.institute.name,
    who: pageData.studentName,
    lender: lender.title,
    amount: formatRupees(application?.amountPaise ?? pageData.owedPaise),
    day: application === undefined ? '' : localDay(dayOf(application.expiresAt), language),
    least: formatRupees(leastPaise),
    most: formatRupees(mostOf(pageData)),
  }
}

/** The highest amount that can be applied for. */
export function mostOf({ owedPaise, lender }: Pick<LoanPageData, 'owedPaise' | 'lender'>): Paise {
  return minPaise(owedPaise, lender.limits.mostPaise)
}

function amountOf(pageData: LoanPageData): Paise {
  const application = pageData.file?.application
  return application === undefined || isOver(application.state) ? mostOf(pageData) : application.amountPaise
}

function bannerFor(pageData: LoanPageData, l: LoanTexts): StatusBanner {
  const { file } = pageData
  if (file === null) return offerBanner(pageData, { tone: 'unpaid', status: l.offer, say: l.offerSay }, l)
  const { state, sentAt, ending } = file.application
  const status = l.states[state]
  if (ending !== null && canEnd(state)) return { tone: 'unpaid', status, say: l.endingSay }
  switch (state) {
    case 'started':
      return sentAt === null
        ? { tone: 'unpaid', status, say: l.newSay, form: 'consent' }
        : { tone: 'unpaid', status, say: l.says.started, form: 'go on' }
    case 'filled':
      return { tone: 'unpaid', status, say: l.says.filled }
    case 'final_approved':
      if (canAccept(file.application)) return { tone: 'paid', status, say: l.offerHereSay, form: 'accept' }
      if (file.application.acceptedAt !== null) return { tone: 'paid', status, say: l.acceptedSay }
      return { tone: 'paid', status, say: l.says.final_approved, form: 'go on' }
    case 'agreement_signed':
    case 'disbursed':
      return { tone: 'paid', status, say: l.says[state] }
    default:
      return endBanner(state, l)
  }
}

function endBanner(state: 'rejected' | 'canceled' | 'expired', l: LoanTexts): StatusBanner {
  const tone = state === 'rejected' ? 'failed' : state === 'canceled' ? 'cancelled' : 'expired'
  return { tone, status: l.states[state], say: l.says[state] }
}

function offerBanner(pageData: LoanPageData, banner: StatusBanner, l: LoanTexts): StatusBanner {
  const { owedPaise, isTaken, lender, isActive } = pageData
  if (!isActive) return { ...banner, tone: 'cancelled', status: l.nothing, say: l.leftSay }
  if (owedPaise === 0)
    return { ...banner, tone: 'paid', status: l.nothing, say: isTaken ? l.takenSay : l.nothingSay }
  if (owedPaise < lender.limits.leastPaise) return { ...banner, status: l.nothing, say: l.littleSay }
  return { ...banner, form: 'apply' }
}

export function canApply(pageData: LoanPageData): boolean {
  return bannerFor(pageData, textsIn('en').loan).form === 'apply'
}

/** Whether a new application can follow the one on the page. */
export function canApplyAgain({ file, isParent, isActive, owedPaise, lender }: LoanPageData): boolean {
  const isFree = file !== null && isOver(file.application.state)
  return isParent && isFree && isActive && owedPaise >= lender.limits.leastPaise
}

export function canWithdraw({ file, isParent }: LoanPageData): boolean {
  if (file === null || !isParent) return false
  return canEnd(file.application.state) && file.application.ending === null
}

function figureOf(pageData: LoanPageData, { form }: StatusBanner, l: LoanTexts): Record<string, unknown> {
  const { file, owedPaise } = pageData
  if (form === 'apply') return { amount: formatRupees(mostOf(pageData)), meaning: l.meaning }
  if (file === null) return owedPaise === 0 ? {} : { amount: formatRupees(owedPaise) }
  const { state, amountPaise } = file.application
  const meaning: Partial<Record<LoanState, string>> = {
    started: l.asked,
    filled: l.asked,
    final_approved: l.approved,
    agreement_signed: l.borrowed,
    disbursed: l.borrowed,
  }
  return meaning[state] === undefined ? {} : { amount: formatRupees(amountPaise), meaning: meaning[state] }
}

function alertOf({ problem, isFamily }: LoanPageData, l: LoanTexts, values: Values): string | undefined {
  if (!isFamily) return l.linkSay
  if (problem === 'away') return fill(l.tryLaterSay, values)
  return problem === 'changed' ? l.problems.changed : undefined
}

type Step = { label: string; when: string; tone: string | undefined }

/** Past steps with their days, then the next and the remaining ones. */
function timelineOf(application: Application, { institute, language }: LoanPageData, l: LoanTexts): Step[] {
  const { createdAt, filledAt, approvedAt, signedAt, endedAt, state } = application
  const moments: [keyof LoanTexts['steps'], Date | null][] = [
    ['started', createdAt],
    ['filled', filledAt],
    ['final_approved', approvedAt],
    ['agreement_signed', signedAt],
    ['disbursed', state === 'disbursed' ? endedAt : null],
  ]
  const done = moments.filter(([, at]) => at !== null)
  const isEnded = isOver(state) && state !== 'disbursed'
  const steps = (isEnded ? done : moments).map(([step, at], index): Step => {
    const label = fill(l.steps[step], { where: institute.name })
    if (at !== null) return { label, when: localDay(dayOf(at), language), tone: 'paid' }
    const isNext = index === done.length
    return { label, when: isNext ? l.next : l.toCome, tone: isNext ? 'unpaid' : undefined }
  })
  if (!isEnded || endedAt === null) return steps
  return [...steps, { label: l.states[state], when: localDay(dayOf(endedAt), language), tone: 'failed' }]
}

function tranchesOf({ tranches }: LoanFile, { language }: LoanPageData, l: LoanTexts) {
  return tranches.map(({ plannedOn, state, amountPaise, disbursedPaise }) => ({
    label: localDay(plannedOn, language),
    note: l.tranches[state],
    tone: state === 'disbursed' ? 'paid' : state === 'failed' ? 'failed' : undefined,
    amount: formatRupees(disbursedPaise ?? amountPaise),
  }))
}

function formOf(pageData: LoanPageData, banner: StatusBanner, l: LoanTexts, values: Values) {
  const { path, problem, wrote, isFamily } = pageData
  if (!isFamily) return null
  const say = (text: string): string => fill(text, values)
  const isAmount = problem === 'amount' || problem === 'tooMuch' || problem === 'tooLittle'
  const consent = {
    text: say(l.consent),
    problem: problem === 'consent' ? l.problems.consent : undefined,
  }
  switch (banner.form) {
    case undefined:
      return null
    case 'go on': {
      const isOffer = pageData.file?.application.state === 'final_approved'
      return { action: `${path}/lender`, button: say(isOffer ? l.seeOffer : l.goOnThere) }
    }
    case 'accept':
      return {
        action: `${path}/accept`,
        button: say(l.acceptOffer),
        consent: { ...consent, text: say(l.acceptConsent) },
        offer: pageData.file?.application.offer?.ref,
      }
    case 'consent':
      return { action: `${path}/lender`, button: say(l.goOn), consent }
    case 'apply':
      return {
        action: `${path}/start`,
        button: say(l.goOn),
        consent,
        amount: {
          value: wrote ?? formatRupees(mostOf(pageData)).replace('₹', ''),
          hint: say(l.amountHint),
          problem: isAmount ? say(l.problems[problem]) : undefined,
        },
      }
    default:
      return assertNever(banner.form)
  }
}

type ShownCost = { form: string | undefined; amountPaise: Paise; values: Record<string, string> }

/** The lender's typical cost before one applies, then the offer itself. */
function describeCost(
  { lender, file, language }: { lender: Lender; file: LoanFile | null; language: Language },
  { form, amountPaise, values }: ShownCost,
  l: LoanTexts,
) {
  const offer = file?.application.offer ?? null
  if (form === 'accept' && offer !== null) {
    const caption = fill(l.offerCostHead, values)
    const cost = { ...costOf(amountPaise, offer, l, language), caption }
    return { cost, costSay: fill(l.offerCostSay, values), termsUrl: offer.termsUrl }
  }
  if (form !== 'apply' && form !== 'consent') return { cost: null }
  const typical = { ...lender.terms, emiPaise: emiOf(amountPaise, lender.terms), feesPaise: ZERO }
  const caption = fill(l.costHead, { amount: formatRupees(amountPaise) })
  return { cost: { ...costOf(amountPaise, typical, l, language), caption }, costSay: fill(l.costSay, values) }
}

type Cost = Pick<Offer, 'yearlyRatePercent' | 'months' | 'emiPaise' | 'feesPaise'>

function costOf(amountPaise: Paise, cost: Cost, l: LoanTexts, language: Language) {
  const { yearlyRatePercent, months, emiPaise, feesPaise } = cost
  const repaidPaise = paiseOf(emiPaise * months)
  const interestPaise = repaidPaise > amountPaise ? subtractPaise(repaidPaise, amountPaise) : ZERO
  return {
    rows: [
      { label: l.cost.rate, value: `${yearlyRatePercent} %` },
      {
        label: l.cost.months,
        value: fill(plural(l.cost.monthsValue, months, language), { count: String(months) }),
      },
      { label: l.cost.emi, value: formatRupees(emiPaise) },
      { label: l.cost.interest, value: formatRupees(interestPaise) },
      { label: l.cost.other, value: feesPaise === 0 ? l.cost.none : formatRupees(feesPaise) },
    ],
    total: { label: l.cost.total, value: formatRupees(sumPaise([repaidPaise, feesPaise])) },
  }
}

/** Shared by the public page of an application and the signed-in page of a loan. */
const PROBLEMS: readonly LoanProblem[] = ['consent', 'changed', 'away', 'amount', 'tooMuch', 'tooLittle']

const AGENT_LENGTH = 300

type PageRequest = {
  institute: Institute
  studentId: string
  file: LoanFile | null
  path: string
  isParent: boolean
  isFamily: boolean
  request: FastifyRequest
  language: Language
}

/** Null when there is no such student, or nothing to show because the institute offers no loans. */
export async function readPageData(ctx: LoanContext, asked: PageRequest): Promise<LoanPageData | null> {
  const { institute, studentId, file, request } = asked
  const student = (await readStudentContexts(ctx.db, [{ instituteId: institute.id, studentId }])).get(
    studentId,
  )
  const lender =
    file === null ? await lenderFor(ctx, institute.id) : await lenderOf(ctx, file.application.lender)
  if (student === undefined || lender === null) return null
  const dues = (await readDuesLeft(ctx, institute.id, [studentId])).get(studentId)
  const left = dues && withoutPlanned(dues)
  const { problem, wrote } = request.query as { problem?: unknown; wrote?: unknown }
  return {
    ...asked,
    collectorCode: student.student.collectorCode,
    studentName: student.student.fullname,
    isActive: student.student.status === 'active',
    owedPaise: left?.owedPaise ?? ZERO,
    isTaken: student.owed.some(line => line.amountPaise > 0) && left?.owedPaise === 0,
    lender,
    problem: PROBLEMS.find(one => one === problem),
    wrote: typeof wrote === 'string' ? wrote.slice(0, 20) : undefined,
    isSandbox: ctx.mode === 'sandbox',
  }
}

/** Redirects to the lender; the first time requires the parent's consent. */
export async function redirectToLender(
  ctx: LoanContext,
  { application }: LoanFile,
  { path, request, reply }: { path: string; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (application.sentAt === null && formField(request, 'consent') !== 'yes')
    return reply.redirect(`${path}?problem=consent#agree`, 303)
  const key = { instituteId: application.instituteId, applicationId: application.id }
  return redirectOrShowProblem(path, reply, () => sendToLender(ctx, key, `${ctx.publicUrl}${path}/return`))
}

/** The borrower accepts the offer that the page showed. */
export async function acceptFromPage(
  ctx: LoanContext,
  { application }: LoanFile,
  { path, request, reply }: { path: string; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (formField(request, 'consent') !== 'yes') return reply.redirect(`${path}?problem=consent#agree`, 303)
  const key = { instituteId: application.instituteId, applicationId: application.id }
  return redirectOrShowProblem(path, reply, async () => {
    const from = { ip: request.ip, agent: (request.headers['user-agent'] ?? '').slice(0, AGENT_LENGTH) }
    await acceptOffer(ctx, key, { offerRef: formField(request, 'offer') ?? '', ...from })
    return path
  })
}

/** Return from the lender. The browser may arrive before the callback, so the lender is asked for the status. */
export async function comeBack(
  ctx: LoanContext,
  { application }: LoanFile,
  path: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { instituteId, id: applicationId } = application
  // If the lender does not answer, the reconciler asks later; the page shows the last known state.
  if (application.sentAt !== null) await askLender(ctx, { instituteId, applicationId }).catch(() => {})
  return reply.redirect(path, 303)
}

/** Expected failures (a concurrent change, an unreachable lender) become a message on the page. */
export async function redirectOrShowProblem(
  path: string,
  reply: FastifyReply,
  act: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return await reply.redirect(await act(), 303)
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    if (error.code === 'SYE00001') return reply.redirect(`${path}?problem=away`, 303)
    if (error.code === 'HUE00000' || error.code === 'HUE00002')
      return reply.redirect(`${path}?problem=changed`, 303)
    throw error
  }
}
