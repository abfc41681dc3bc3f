import type { Institute } from '../../institutes/institutes.rules.ts'
import {
  stateAt,
  totalOf,
  type OrderToPay,
  type OrderLine,
  type OrderState,
} from '../../orders/orders.rules.ts'
import type { Page } from '../../payment-pages/pages.rules.ts'
import { AMOUNT_DIFFERS, type Payment } from '../../payments/payments.rules.ts'
import type { Refund } from '../../payments/refunds/refunds.rules.ts'
import type { OpenVirtualAccount } from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import type { OfferedWay, Ways } from '../../providers/accounts/accounts.rules.ts'
import type { PaymentMode } from '../../providers/port.ts'
import { transferOf } from '../parents/children.ts'
import { assertNever } from '../../platform/assert.ts'
import { lastMoment, dayOf } from '../../platform/calendar.ts'
import { formatRupees, ZERO } from '../../platform/money.ts'
import { OWN_PAGES } from './callback.service.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import { textsIn, failureText, type CheckoutTexts } from '../texts/texts.ts'
import { feeName, localMoment, whyRefunded } from '../../messages/texts/texts.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import type { IssuedReceipt } from '../../payments/order-receipt.service.ts'
import type { CarriedTo } from '../../students/rollover/rollover.service.ts'
import { schoolHead } from '../layout.ts'
import { FAMILY_ADDRESS } from '../../institutes/institutes.service.ts'
import { yearName } from '../../students/students.rules.ts'

/** Everything the order page depends on; describing it is pure. */
export type OrderPageData = {
  institute: Institute
  order: OrderToPay
  /** Newest first. */
  payments: readonly Payment[]
  /** The order itself, or those of several children that are paid at once. */
  parts: readonly { order: OrderToPay; receipt: IssuedReceipt | null; refunds: readonly Refund[] }[]
  /** Where the payer goes on; the parents' pages when several children are paid for, null where they would not open. */
  callbackUrl: string | null
  /** The later year with whose fees its dues are owed since a rollover closed it; null if none did. */
  carriedTo: CarriedTo | null
  /** The public payment page that created the order, if any. */
  page: Page | null
  now: Date
  isSandbox: boolean
  /** How it can be paid through the branch's account; null when nothing is set up. */
  ways: Ways | null
  /** A way that was chosen and does not take it. */
  refused: PaymentMode | null
  /** The number of the child whose dues they are. */
  account: OpenVirtualAccount | null
  /** The parent switched the automatic refresh off. */
  isRefreshPaused: boolean
  path: string
  language: Language
}

type StatusBanner = {
  tone: 'unpaid' | 'paid' | 'failed' | 'expired' | 'cancelled'
  statusText: string
  say: string
  canPay?: 'start' | 'go on'
  /** Whether to link back to the institute; not while the payment may still succeed. */
  canGoBack?: boolean
  refreshSeconds?: number
}

type OrderPage = { title: string; data: Record<string, unknown>; refreshSeconds: number | undefined }

const WAITING_REFRESH_SECONDS = 5
const STARTED_REFRESH_SECONDS = 20

export function describePage(pageData: OrderPageData): OrderPage {
  const { institute, order, page, path, language } = pageData
  const texts = textsIn(language).checkout
  const total = formatRupees(totalOf(order))
  const who = order.studentName ?? order.identifier
  const branches = new Set(pageData.parts.map(part => part.order.collectorCode))
  const branchOf = (code: string): string | undefined =>
    institute.branches.find(candidate => candidate.collectorCode === code)?.name
  const banner = bannerFor(pageData, texts)
  // The signed-in pages know of pending payments, so linking back to them cannot cause a second payment.
  const back =
    banner.canGoBack === true || isFromParents(pageData) || isFamily(pageData)
      ? returnLink(pageData, banner)
      : null
  const isWaiting = banner.refreshSeconds === WAITING_REFRESH_SECONDS
  const data = {
    ...schoolHead(institute),
    // Children of two branches are paid for at the institute; each says its own.
    branch: institute.branches.length > 1 && branches.size === 1 ? branchOf(order.collectorCode) : undefined,
    heading: page?.title ?? (who === null ? texts.fees : fill(texts.feesFor, { who })),
    about: aboutOf(order, texts),
    refunds: refundNotes(pageData.parts, institute, language),
    isSandbox: pageData.isSandbox,
    total,
    parts: pageData.parts.map(part => ({
      who: isFamily(pageData) ? part.order.studentName : null,
      branch: branches.size > 1 ? branchOf(part.order.collectorCode) : undefined,
      lines: part.order.lines.map(line => ({
        label: labelOf(line, pageData),
        amount: formatRupees(line.amountPaise),
      })),
    })),
    tone: banner.tone,
    statusText: banner.statusText,
    say: isWaiting && pageData.isRefreshPaused ? texts.waitingStill : banner.say,
    waiting: isWaiting
      ? { checkUrl: path, stillUrl: pageData.isRefreshPaused ? null : `${path}?still=1` }
      : null,
    form: formOf(banner, texts, total, {
      path,
      lastMode: pageData.payments[0]?.mode,
      ways: pageData.ways,
    }),
    problem: refusedSay(pageData, texts),
    transfer: isToPay(banner) ? transferFor(pageData) : null,
    receipts: receiptsOf(pageData, texts),
    thanks: banner.tone === 'paid' ? (page?.successMessage ?? undefined) : undefined,
    back,
    isBackMain: isBackMain(pageData, banner),
    reference: order.id,
  }
  return {
    title: titleOf(banner, pageData),
    data,
    refreshSeconds: pageData.isRefreshPaused ? undefined : banner.refreshSeconds,
  }
}

/** Which child, so that nobody pays for another of the same name. */
function aboutOf({ studentName, identifier, grade }: OrderToPay, texts: CheckoutTexts): string | undefined {
  const parts = [
    // An order without a student's name has the identifier in its heading.
    ...(identifier === null || studentName === null ? [] : [fill(texts.admissionNo, { identifier })]),
    ...(grade === null ? [] : [/^(\d+|[IVX]+)$/.test(grade) ? fill(texts.class, { grade }) : grade]),
  ]
  return parts.length === 0 ? undefined : parts.join(' · ')
}

function titleOf({ statusText: status }: StatusBanner, { institute, page, language }: OrderPageData): string {
  const texts = textsIn(language).checkout
  const titles = page === null ? texts : textsIn(language).paymentPage
  const names = { status, where: institute.name, title: page?.title ?? '' }
  return fill(status === texts.toPay ? titles.title : titles.titleWithStatus, names)
}

/** The line as the payment page called it, with how many; the heading has the page's title. */
function labelOf({ label, componentType }: OrderLine, { page, language }: OrderPageData): string {
  if (label === null || page === null) return label ?? feeName(componentType, language)
  const title = `${page.title}: `
  return label.startsWith(title) ? label.slice(title.length) : label
}

/** Whether several children are paid at once. */
function isFamily({ parts }: OrderPageData): boolean {
  return parts.length > 1
}

function isFromParents({ callbackUrl }: OrderPageData): boolean {
  return callbackUrl?.startsWith(OWN_PAGES) === true
}

/** After paying on a public page the receipt comes first, unless the institute set a callback_url. */
function isBackMain({ page, callbackUrl, carriedTo }: OrderPageData, { tone }: StatusBanner): boolean {
  if (tone === 'paid') return page === null || callbackUrl !== null
  if (carriedTo !== null) return true
  return page !== null && (tone === 'expired' || tone === 'cancelled')
}

/** The institute's callback_url; without a payment, the public form again. */
function returnLink(pageData: OrderPageData, banner: StatusBanner) {
  const { institute, page, callbackUrl, order, language } = pageData
  const { backToAll } = textsIn(language).parents
  const carriedTo = banner.tone === 'cancelled' ? pageData.carriedTo : null
  if (carriedTo !== null && isFromParents(pageData)) return { url: '/parents', text: backToAll }
  if (isFamily(pageData)) return callbackUrl === null ? null : { url: callbackUrl, text: backToAll }
  if (carriedTo !== null && institute.hasParentSignIn) return familyLink(institute, language)
  if (isFromParents(pageData)) {
    const who = order.studentName ?? institute.name
    return { url: callbackUrl, text: fill(textsIn(language).parents.backToChild, { who }) }
  }
  if (callbackUrl !== null && (page === null || banner.tone === 'paid'))
    return { url: callbackUrl, text: fill(textsIn(language).checkout.back, { where: institute.name }) }
  if (page === null) return null
  const text = fill(textsIn(language).paymentPage.backToForm, { title: page.title })
  return { url: `/p/${institute.code}/${page.slug}`, text }
}

function bannerFor(pageData: OrderPageData, texts: CheckoutTexts): StatusBanner {
  const { order, now, payments } = pageData
  const [latest] = payments
  const state: OrderState = stateAt(order, now)
  const says = pageData.page === null ? texts : textsIn(pageData.language).paymentPage
  if (state !== 'paid' && latest?.state === 'pending' && latest.failureCode === AMOUNT_DIFFERS)
    return { tone: 'unpaid', statusText: texts.differs, say: texts.differsSay }
  if (state !== 'paid' && latest?.state === 'pending') {
    return {
      tone: 'unpaid',
      statusText: texts.waiting,
      say: texts.waitingSay,
      refreshSeconds: WAITING_REFRESH_SECONDS,
    }
  }
  const isOpen = latest?.state === 'created' && latest.redirectUrl !== null
  switch (state) {
    case 'unpaid':
      return isOpen ? startedBanner(texts) : unpaidBanner(pageData, texts)
    case 'paid': {
      const when = localMoment(order.paidAt ?? order.createdAt, pageData.language)
      return { tone: 'paid', statusText: texts.paid, say: fill(texts.paidOn, { when }), canGoBack: true }
    }
    case 'expired': {
      const banner: StatusBanner = { tone: 'expired', statusText: texts.expired, say: says.expiredSay }
      return isOpen ? stillOpen(banner, says.expiredOpenSay, texts) : { ...banner, canGoBack: true }
    }
    case 'reversed':
      return { tone: 'failed', statusText: texts.returned, say: texts.returnedSay }
    case 'cancelled': {
      const statusText = order.kind === 'link' ? texts.cancelled : texts.closed
      if (pageData.carriedTo !== null) {
        const say = carriedSay(pageData, pageData.carriedTo)
        const banner: StatusBanner = { tone: 'cancelled', statusText: texts.closed, say, canGoBack: true }
        return isOpen ? stillOpen(banner, say, texts) : banner
      }
      const say = isFamily(pageData) ? texts.familyChanged : says.cancelledSay
      const banner: StatusBanner = { tone: 'cancelled', statusText, say }
      return isOpen ? stillOpen(banner, says.cancelledOpenSay, texts) : { ...banner, canGoBack: true }
    }
    default:
      return assertNever(state)
  }
}

function startedBanner(texts: CheckoutTexts): StatusBanner {
  return {
    tone: 'unpaid',
    statusText: texts.toPay,
    say: texts.startedSay,
    canPay: 'go on',
    refreshSeconds: STARTED_REFRESH_SECONDS,
  }
}

/** Expired or cancelled while a payment is open: no new redirect to the bank, but a success still counts. */
function stillOpen(banner: StatusBanner, say: string, texts: CheckoutTexts): StatusBanner {
  return { ...banner, say: `${say} ${texts.openStill}`, refreshSeconds: STARTED_REFRESH_SECONDS }
}

function unpaidBanner(pageData: OrderPageData, texts: CheckoutTexts): StatusBanner {
  const { order, payments, language, ways } = pageData
  const [latest] = payments
  if (ways === null || ways.offered.length === 0)
    return { tone: 'unpaid', statusText: texts.toPay, say: noWaySay(pageData, texts), canGoBack: true }
  if (latest?.state === 'failed') {
    const say = fill(texts.failedSay, { why: failureText(latest, language) })
    return { tone: 'failed', statusText: texts.failed, say, canPay: 'start', canGoBack: true }
  }
  const say =
    order.expiresAt === null
      ? texts.due
      : fill(texts.dueUntil, { when: localMoment(lastMoment(order.expiresAt), language) })
  return { tone: 'unpaid', statusText: texts.toPay, say, canPay: 'start' }
}

function formOf(
  banner: StatusBanner,
  texts: CheckoutTexts,
  total: string,
  { path, lastMode, ways }: { path: string; lastMode: string | undefined; ways: Ways | null },
) {
  if (banner.canPay === undefined) return null
  const { offered } = ways ?? { offered: [] }
  const action = `${path}/start`
  if (banner.canPay === 'go on') {
    const others = offered.filter(({ mode }) => mode !== lastMode)
    const pay = fill(texts.pay, { amount: total })
    const modes = others.map((way, index) => ({ ...shownWay(way, texts), isChosen: index === 0 }))
    return { action, button: texts.goOn, another: modes.length === 0 ? null : { modes, button: pay } }
  }
  // The last used way comes first among those that cost the payer the same.
  const modes = offered.toSorted(
    (one, other) =>
      one.feePaise - other.feePaise || Number(other.mode === lastMode) - Number(one.mode === lastMode),
  )
  return {
    action,
    button: fill(texts.pay, { amount: total }),
    modes: modes.map((way, index) => ({ ...shownWay(way, texts), isChosen: index === 0 })),
  }
}

function shownWay({ mode, feePaise }: OfferedWay, texts: CheckoutTexts) {
  const fee = feePaise === 0 ? undefined : fill(texts.fee, { amount: formatRupees(feePaise) })
  return { value: mode, label: texts[mode], fee }
}

/** Nothing takes it: no account, or more than any way takes at once. */
function noWaySay(pageData: OrderPageData, texts: CheckoutTexts): string {
  const { order, ways } = pageData
  const amountPaise = totalOf(order)
  const limits = (ways?.limits ?? []).map(one => one.mostPaise ?? ZERO)
  const most = limits.reduce((one, other) => (one > other ? one : other), ZERO)
  if (most === 0 || amountPaise <= most) return texts.awaySay
  const say = transferFor(pageData) === null ? texts.aboveSay : texts.aboveTransferSay
  return fill(say, { amount: formatRupees(amountPaise), most: formatRupees(most) })
}

function refusedSay({ ways, refused }: OrderPageData, texts: CheckoutTexts): string | undefined {
  if (refused === null) return undefined
  const most = ways?.limits.find(one => one.mode === refused)?.mostPaise ?? null
  if (most === null) return fill(texts.wayAway, { way: texts[refused] })
  return fill(texts.wayRefused, { way: texts[refused], most: formatRupees(most) })
}

/** Nothing is paid or under way. */
function isToPay({ tone, canPay, canGoBack }: StatusBanner): boolean {
  return canPay === 'start' || (tone === 'unpaid' && canGoBack === true)
}

/** Where some way does not take the amount. */
function transferFor({ institute, ways, account, order, language }: OrderPageData) {
  if (ways === null || ways.offered.length === ways.limits.length) return null
  const names = { who: order.studentName ?? order.name, school: institute.name }
  const transfer = transferOf(account, names, textsIn(language).parents)
  return transfer === null ? null : { ...transfer, isOpen: ways.offered.length === 0 }
}

/** Each of several children that are paid at once has its own receipt. */
function receiptsOf(pageData: OrderPageData, texts: CheckoutTexts) {
  return pageData.parts.flatMap(({ order, receipt: issued }) => {
    if (issued === null) return []
    const { receipt, payment } = issued
    const number = fill(texts.receipt, { number: receiptNumber(receipt) })
    const who = order.studentName ?? ''
    return [
      {
        number: isFamily(pageData) ? `${who}: ${number}` : number,
        transaction: fill(texts.transaction, { id: payment.transactionId ?? payment.id }),
        url: `/pay/${pageData.institute.code}/${order.id}/receipt.pdf`,
        text: isFamily(pageData) ? fill(texts.receiptFor, { who }) : texts.download,
      },
    ]
  })
}

type OrderRefunds = { order: OrderToPay; refunds: readonly Refund[] }

/** Sentences on the refunds of each child's payment, done or due, with the reason if nobody asked for one. */
function refundNotes(parts: readonly OrderRefunds[], institute: Institute, language: Language): string[] {
  return parts.flatMap(({ order, refunds }) =>
    refunds
      .filter(refund => isTold(refund, refunds))
      .map(refund =>
        noteOf(refund, { who: order.studentName ?? order.name, where: institute.name, language }),
      ),
  )
}

/** A bank's return has its own words on the page. A failed refund is told only where it goes back by itself and no other has. */
function isTold({ kind, state, paymentId }: Refund, all: readonly Refund[]): boolean {
  if (kind === 'returned') return false
  if (state !== 'failed') return true
  return kind === 'duplicate' && all.every(one => one.paymentId !== paymentId || one.state === 'failed')
}

function noteOf(
  { state, amountPaise, processedAt, cause }: Refund,
  { who, where, language }: { who: string; where: string; language: Language },
): string {
  const texts = textsIn(language).checkout.refunded
  const name = state === 'processed' ? 'done' : state
  const day = processedAt === null ? '' : formatDayIn(dayOf(processedAt), language)
  const what = fill(texts[name], { amount: formatRupees(amountPaise), who, where, day })
  return [what, whyRefunded(cause, language), ...(state === 'failed' ? [] : [texts.banks])]
    .filter(text => text !== '')
    .join(' ')
}

/** The texts of an order that a rollover closed: they say where its dues are owed now. */
function carriedSay(
  {
    institute,
    callbackUrl,
    language,
  }: { institute: Institute; callbackUrl: string | null; language: Language },
  { componentType, yearStart, yearEnd }: CarriedTo,
): string {
  const texts = textsIn(language).checkout
  const fee = feeName(componentType, language)
  const say = fill(texts.carriedSay, { year: yearName(yearStart, yearEnd), fee })
  // A family without a page to go to can only ask the institute for a new order.
  const leadsOn = institute.hasParentSignIn || callbackUrl !== null
  return leadsOn ? say : `${say} ${texts.carriedAsk}`
}

/** Where a code opens the family's pages. */
function familyLink({ code }: Institute, language: Language): { url: string; text: string } {
  return { url: `${FAMILY_ADDRESS}/${code}`, text: textsIn(language).signIn.heading }
}
