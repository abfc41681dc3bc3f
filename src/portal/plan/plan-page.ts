import { chosenOf } from '../../dues/allocation.rules.ts'
import type { Dues } from '../../dues/dues.service.ts'
import { MANDATE_ENDED } from '../../flex/mandates/end-mandate.ts'
import {
  chargeTold,
  sumLines,
  isAtBank,
  isOpen,
  sumsOf,
  type Holder,
  type Instalment,
  type LoadedPlan,
} from '../../flex/rules/plan.rules.ts'
import { meaningOf } from '../../flex/rules/returns.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { ALL_FEES, boxOf, PAY, type Payable } from '../parents/choose-page.ts'
import { COMING, debitDay, localDay, mandateOf, nextOf, payOnlineOf, stoppableOf } from './page-parts.ts'
import { fill, type Language } from '../../platform/languages.ts'
import { type ParentsTexts, textsIn } from '../texts/texts.ts'

/** Everything the instalments page depends on; describing it is pure. */
export type PlanPageData = {
  institute: Institute
  dues: Dues
  /** A part of what is owed is on the way: no plan is begun over it. */
  isOnTheWay: boolean
  file: LoadedPlan | null
  /** Who paused it last; only meaningful while it is held. */
  heldBy: Holder
  /** The child's fees that are to be paid by hand; null when none are, or none can be paid now. */
  payable: Payable | null
  takesMandates: boolean
  /** Hours between a notice and its debit. */
  noticeHours: number
  language: Language
}

export type PlanAct = 'hold' | 'resume' | 'cancel'

type StatusBanner = {
  tone: 'unpaid' | 'paid' | 'failed' | 'cancelled'
  status: string
  say: string
  /** A form that creates a plan, or a link to its set-up page. */
  main?: { kind: 'start' | 'set up'; text: string }
}

export function describePlan(
  pageData: PlanPageData,
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { dues, file, institute, language } = pageData
  const { student } = dues.context
  const who = student.fullname
  const where = institute.name
  const setupTexts = textsIn(language).planSetup
  const banner = bannerFor(pageData, texts)
  const path = pathOfStudent(student.id)
  const setUpUrl = file === null ? undefined : `/flex/${institute.code}/${file.plan.id}`
  const acts = actsOf(pageData)
  const pay = payOf(pageData, texts)
  const data = {
    heading: fill(texts.plan.heading, { who }),
    up: { url: path, text: fill(texts.student.heading, { who }) },
    cameBack: cameBackOf(pageData, texts),
    ...(pay?.figure ?? figureOf(pageData, texts)),
    pay,
    tone: banner.tone,
    statusText: banner.status,
    say: [
      fill(banner.say, { where, who, hours: String(pageData.noticeHours) }),
      (file && pay === null && payOnlineOf(file, where, setupTexts)) || '',
    ]
      .join(' ')
      .trim(),
    next: banner.tone === 'paid' && file !== null ? nextOf(file, setupTexts, language) : undefined,
    start: banner.main?.kind === 'start' ? { action: `${path}/plan/start`, text: banner.main.text } : null,
    setUp: banner.main?.kind === 'set up' ? { url: setUpUrl, text: banner.main.text } : null,
    charges:
      file === null ? null : stoppableOf(file, setupTexts, { language, action: `${path}/plan/stop-charge` }),
    tables: file === null || file.plan.state === 'draft' ? [] : tablesOf(pageData, file, texts),
    mandate: file === null ? null : mandateOf(file.mandate, setupTexts, language),
    mandateHead: setupTexts.mandate,
    acts: acts.map(act => ({ url: `${path}/plan/${act}`, text: actText(act, texts) })),
    atBank: acts.length > 0 ? texts.plan.atBank : undefined,
    detailsUrl: isLive(file) ? setUpUrl : undefined,
    reference: file?.plan.id,
  }
  return { title: fill(texts.plan.title, { who, where }), data }
}

/** What the bank returned, each with what follows. It comes before everything else on the page. */
function cameBackOf({ file, language }: PlanPageData, texts: ParentsTexts) {
  if (!isLive(file)) return null
  const { cameBack, cameBackDue, cameBackAgain } = texts.plan
  const says = file.instalments.flatMap(one => {
    const why = returnedWhy(one, texts)
    if (why === null) return []
    const say = { amount: amountOf([one]), day: localDay(one.presentedOn ?? one.dueOn, language), why }
    if (one.state === 'bounced' || one.state === 'reversed') return [fill(cameBackDue, say)]
    if (one.state !== 'scheduled' && one.state !== 'confirmed') return []
    return [fill(cameBackAgain, { ...say, again: localDay(one.presentOn, language) })]
  })
  return says.length === 0 ? null : { heading: cameBack, says }
}

/** The form that pays instalments which no debit of a running plan takes any more, with their late fees, in one sum. */
function payOf({ file, payable, language }: PlanPageData, texts: ParentsTexts) {
  if (payable === null || file?.plan.state !== 'active' || file.plan.isHeld) return null
  const missed = file.instalments.filter(one => isOpen(one) && !isToCome(one))
  if (missed.length === 0) return null
  const { studentId, dues } = payable
  const types = new Set(missed.flatMap(({ lines }) => lines.map(line => line.componentType)))
  const open = dues.lines.filter(line => line.owedPaise > 0)
  const parts = open.filter(line => types.has(line.componentType)).map(line => line.componentType)
  if (parts.length === 0) return null
  const isWhole = !dues.partPayment.isAllowed
  const { totalPaise, lateFeePaise } = isWhole ? dues : chosenOf(dues, parts)
  const amount = formatRupees(totalPaise)
  return {
    action: PAY,
    studentId,
    fees: (isWhole ? [ALL_FEES] : parts).map(type => boxOf(studentId, type)),
    button: fill(textsIn(language).planSetup.payNow, { amount }),
    hint: lateFeePaise === 0 ? undefined : fill(texts.choose.lateFee, { amount: formatRupees(lateFeePaise) }),
    figure: { amount, meaning: texts.plan.toPayNow },
  }
}

function isLive(file: LoadedPlan | null): file is LoadedPlan {
  return file !== null && ['setup', 'active', 'locked'].includes(file.plan.state)
}

/** A parent may always cancel, but may not resume a plan that the institute paused. */
export function actsOf({ file, heldBy }: Pick<PlanPageData, 'file' | 'heldBy'>): PlanAct[] {
  if (!isLive(file)) return []
  const { state, isHeld } = file.plan
  const canPause = !isHeld && (state === 'active' || state === 'setup')
  return [
    ...(canPause ? ['hold' as const] : []),
    ...(isHeld && heldBy === 'payer' ? ['resume' as const] : []),
    'cancel',
  ]
}

function actText(act: PlanAct, { plan }: ParentsTexts): string {
  return { hold: plan.pause, resume: plan.resume, cancel: plan.stop }[act]
}

function bannerFor(pageData: PlanPageData, texts: ParentsTexts): StatusBanner {
  const { file, language } = pageData
  const setupTexts = textsIn(language).planSetup
  const { plan } = texts
  if (file === null)
    return startBanner(pageData, { tone: 'unpaid', status: plan.none, say: plan.noneSay }, texts)
  switch (file.plan.state) {
    case 'cancelled': {
      const banner: StatusBanner = { tone: 'cancelled', status: setupTexts.cancelled, say: plan.cancelledSay }
      const start = startBanner(pageData, banner, texts)
      if (!isAtBank(file)) return start
      return { ...start, status: setupTexts.cancelling, say: setupTexts.cancellingSay }
    }
    case 'closed': {
      const banner: StatusBanner = { tone: 'paid', status: setupTexts.closed, say: setupTexts.closedSay }
      return pageData.dues.owedPaise > 0 ? startBanner(pageData, banner, texts) : banner
    }
    case 'draft':
      if (pageData.dues.context.student.status === 'dropped')
        return { tone: 'cancelled', status: plan.none, say: plan.leftSay }
      return {
        tone: 'unpaid',
        status: setupTexts.toSetUp,
        say: plan.draftSay,
        main: { kind: 'set up', text: plan.setUp },
      }
    case 'locked':
      if (file.plan.lockReason === MANDATE_ENDED)
        return {
          tone: 'failed',
          status: setupTexts.ended,
          say: setupTexts.endedSay,
          main: { kind: 'set up', text: plan.newMandate },
        }
      return { tone: 'unpaid', status: setupTexts.locked, say: setupTexts.lockedSay }
    default:
      return runningBanner(pageData, file, texts)
  }
}

function runningBanner(
  { language, heldBy }: PlanPageData,
  file: LoadedPlan,
  { plan }: ParentsTexts,
): StatusBanner {
  const setupTexts = textsIn(language).planSetup
  if (file.plan.isHeld) {
    const say = { payer: plan.heldByYou, upi_app: plan.heldInApp, institute: plan.heldByThem }[heldBy]
    return { tone: 'unpaid', status: setupTexts.held, say }
  }
  if (file.plan.state === 'setup')
    return { tone: 'unpaid', status: setupTexts.confirming, say: plan.waitingSay }
  return { tone: 'paid', status: setupTexts.active, say: setupTexts.activeSay }
}

/** Adds the button that starts a plan, or the reason why none can be started. */
function startBanner(
  { dues, isOnTheWay, takesMandates, language, file }: PlanPageData,
  banner: StatusBanner,
  { plan }: ParentsTexts,
): StatusBanner {
  if (dues.context.student.status === 'dropped') return { ...banner, say: plan.leftSay }
  if (dues.owedPaise === 0) return file === null ? { ...banner, say: plan.nothingSay } : banner
  if (isOnTheWay) return { ...banner, say: plan.onTheWaySay }
  if (!takesMandates) return { ...banner, say: textsIn(language).planSetup.awaySay }
  return { ...banner, main: { kind: 'start', text: file === null ? plan.start : plan.again } }
}

function figureOf({ file, dues, language }: PlanPageData, { plan }: ParentsTexts): Record<string, unknown> {
  if (file === null || file.plan.state === 'draft')
    return { amount: dues.owedPaise > 0 ? formatRupees(dues.owedPaise) : undefined }
  if (!isLive(file))
    return { amount: formatRupees(sumsOf(file).paidPaise), meaning: textsIn(language).planSetup.paidSoFar }
  const toCome = file.instalments.filter(isToCome)
  return { amount: amountOf(toCome), meaning: plan.left }
}

function amountOf(instalments: readonly Instalment[]): string {
  return formatRupees(sumPaise(instalments.map(({ lines }) => sumLines(lines))))
}

function isToCome({ state }: Instalment): boolean {
  return COMING.includes(state)
}

/** Upcoming instalments, then past ones with the newest first. */
function tablesOf(pageData: PlanPageData, { instalments }: LoadedPlan, texts: ParentsTexts) {
  const byDay = instalments.toSorted((one, other) => (debitDay(one) < debitDay(other) ? -1 : 1))
  const tables = [
    { caption: texts.plan.coming, rows: byDay.filter(isToCome) },
    { caption: texts.plan.past, rows: byDay.filter(one => !isToCome(one)).toReversed() },
  ]
  return tables
    .filter(({ rows }) => rows.length > 0)
    .map(({ caption, rows }) => ({ caption, rows: rows.map(row => rowOf(row, pageData, texts)) }))
}

function rowOf(one: Instalment, { language }: PlanPageData, texts: ParentsTexts) {
  const setupTexts = textsIn(language).planSetup
  const why = whyOf(one, texts)
  return {
    label: one.isDownpayment ? setupTexts.atStart : localDay(debitDay(one), language),
    notes: [
      ...(one.isCharge ? [{ text: chargeTold(one)?.reason ?? '', tone: undefined }] : []),
      ...(one.state === 'scheduled' ? [] : [{ text: setupTexts.states[one.state], tone: toneOf(one) }]),
      ...(why === null ? [] : [{ text: why, tone: undefined }]),
    ],
    amount: formatRupees(sumLines(one.lines)),
  }
}

/** Why the bank returned it; for a retry, why the last attempt was returned. */
function whyOf(one: Instalment, texts: ParentsTexts): string | null {
  const reason = returnedWhy(one, texts)
  if (reason === null || one.state === 'bounced' || one.state === 'reversed') return reason
  return COMING.includes(one.state) ? fill(texts.plan.triedBefore, { why: reason }) : null
}

function returnedWhy({ returnCode }: Instalment, { why }: ParentsTexts): string | null {
  return returnCode === null ? null : why[meaningOf(returnCode).category]
}

function toneOf({ state }: Instalment): string | undefined {
  if (['debited', 'settled', 'covered'].includes(state)) return 'paid'
  if (state === 'bounced' || state === 'reversed') return 'failed'
  return ['skipped', 'presented', 'due'].includes(state) ? 'unpaid' : undefined
}

/** The confirmation before pausing, resuming or cancelling. */
export function describeConfirm(
  act: PlanAct,
  pageData: PlanPageData & { file: LoadedPlan },
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { dues, institute, file } = pageData
  const { student } = dues.context
  const { heading, say, button } = texts.confirm[act]
  const path = `${pathOfStudent(student.id)}/plan`
  const left = amountOf(file.instalments.filter(isOpen))
  const data = {
    heading,
    about: fill(texts.plan.heading, { who: student.fullname }),
    say: fill(say, { left, where: institute.name }),
    form: { action: `${path}/${act}`, button, planId: file.plan.id },
    no: { url: path, text: texts.confirm.no },
  }
  return { title: `${heading} ${fill(texts.plan.heading, { who: student.fullname })}`, data }
}
