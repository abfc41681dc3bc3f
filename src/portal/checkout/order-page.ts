import type { Institute } from '../../institutes/institutes.rules.ts'
import { stateAt, totalOf, type Order, type OrderState } from '../../orders/orders.rules.ts'
import type { Page } from '../../payment-pages/pages.rules.ts'
import { PAYMENT_MODES, type Payment } from '../../payments/payments.rules.ts'
import { receiptNumber, type IssuedReceipt } from '../../payments/receipts/receipts.service.ts'
import { assertNever } from '../../platform/assert.ts'
import { formatRupees } from '../../platform/money.ts'
import { OWN_PAGES } from './callback.service.ts'
import { PARENTS_WORDS } from '../parents/parents.texts.ts'
import { PAYMENT_PAGE_WORDS } from '../payment-page/payment-page.texts.ts'
import { sayFee, sayMoment, sayWhy } from '../language.ts'
import { fill, WORDS, type Language, type Words } from './checkout.texts.ts'

/** What the order page shows, decided without touching anything. */
export type OrderScene = {
  institute: Institute
  order: Order
  /** Newest first. */
  payments: readonly Payment[]
  receipt: IssuedReceipt | null
  callbackUrl: string | null
  /** The public page that the payer filled in, if that is where the order came from. */
  page: Page | null
  now: Date
  isSandbox: boolean
  /** Whether this installation has a provider to pay with. */
  takesPayments: boolean
  /** The parent asked that the page does not reload by itself. */
  isStill: boolean
  path: string
  language: Language
}

type Face = {
  tone: 'unpaid' | 'paid' | 'failed' | 'expired' | 'cancelled'
  statusText: string
  say: string
  canPay?: 'start' | 'go on'
  /** Offers the way back to the institute; not while the bank may still say yes. */
  canGoBack?: boolean
  refreshSeconds?: number
}

type OrderPage = { title: string; data: Record<string, unknown>; refreshSeconds: number | undefined }

const WAITING_REFRESH_SECONDS = 5
const STARTED_REFRESH_SECONDS = 20

export function describePage(scene: OrderScene): OrderPage {
  const { institute, order, receipt, page, path, language } = scene
  const words = WORDS[language]
  const total = formatRupees(totalOf(order))
  const who = order.studentName ?? order.identifier
  const branch = institute.branches.find(candidate => candidate.collectorCode === order.collectorCode)
  const face = faceOf(scene, words)
  // Back on a parent's own page nobody is tempted to pay again: it knows what is on its way.
  const back = face.canGoBack === true || isFromParents(scene) ? wayBack(scene, face) : null
  const isWaiting = face.refreshSeconds === WAITING_REFRESH_SECONDS
  const data = {
    institute: institute.name,
    branch: institute.branches.length > 1 ? branch?.name : undefined,
    heading: page?.title ?? (who === null ? words.fees : fill(words.feesFor, { who })),
    isSandbox: scene.isSandbox,
    total,
    lines: order.lines.map(line => ({
      label: labelOf(line.componentType, scene),
      amount: formatRupees(line.amountPaise),
    })),
    tone: face.tone,
    statusText: face.statusText,
    say: isWaiting && scene.isStill ? words.waitingStill : face.say,
    waiting: isWaiting ? { checkUrl: path, stillUrl: scene.isStill ? null : `${path}?still=1` } : null,
    form: formOf(face, words, total, { path, lastMode: scene.payments[0]?.mode }),
    receipt: receipt === null ? null : receiptOf(receipt, words, path),
    thanks: face.tone === 'paid' ? (page?.successMessage ?? undefined) : undefined,
    back,
    isBackMain: isBackMain(scene, face),
    reference: order.id,
  }
  return {
    title: titleOf(face, scene),
    data,
    refreshSeconds: scene.isStill ? undefined : face.refreshSeconds,
  }
}

function titleOf({ statusText: status }: Face, { institute, page, language }: OrderScene): string {
  const words = WORDS[language]
  const texts = page === null ? words : PAYMENT_PAGE_WORDS[language]
  const names = { status, where: institute.name, title: page?.title ?? '' }
  return fill(status === words.toPay ? texts.title : texts.titleWithStatus, names)
}

/** As the page called it, if it still has it. */
function labelOf(componentType: string, { page, language }: OrderScene): string {
  const line = page?.lines.find(candidate => candidate.componentType === componentType)
  return line?.label ?? sayFee(componentType, language)
}

function isFromParents({ callbackUrl }: OrderScene): boolean {
  return callbackUrl?.startsWith(OWN_PAGES) === true
}

/** The one way on; but whoever paid on a public page wants the receipt first, unless the institute awaits them. */
function isBackMain({ page, callbackUrl }: OrderScene, { tone }: Face): boolean {
  if (tone === 'paid') return page === null || callbackUrl !== null
  return page !== null && (tone === 'expired' || tone === 'cancelled')
}

/** Where the institute wants a payer; one who has not paid can fill the public form in again. */
function wayBack(scene: OrderScene, face: Face) {
  const { institute, page, callbackUrl, order, language } = scene
  if (isFromParents(scene)) {
    const who = order.studentName ?? institute.name
    return { url: callbackUrl, text: fill(PARENTS_WORDS[language].backToChild, { who }) }
  }
  if (callbackUrl !== null && (page === null || face.tone === 'paid'))
    return { url: callbackUrl, text: fill(WORDS[language].back, { where: institute.name }) }
  if (page === null) return null
  const text = fill(PAYMENT_PAGE_WORDS[language].backToForm, { title: page.title })
  return { url: `/p/${institute.code}/${page.slug}`, text }
}

function faceOf(scene: OrderScene, words: Words): Face {
  const { order, now, payments } = scene
  const [latest] = payments
  const state: OrderState = stateAt(order, now)
  const says = scene.page === null ? words : PAYMENT_PAGE_WORDS[scene.language]
  if (state !== 'paid' && latest?.state === 'pending') {
    return {
      tone: 'unpaid',
      statusText: words.waiting,
      say: words.waitingSay,
      refreshSeconds: WAITING_REFRESH_SECONDS,
    }
  }
  const isOpen = latest?.state === 'created' && latest.redirectUrl !== null
  switch (state) {
    case 'unpaid':
      return isOpen ? startedFace(words) : unpaidFace(scene, words)
    case 'paid': {
      const when = sayMoment(order.paidAt ?? order.createdAt, scene.language)
      return { tone: 'paid', statusText: words.paid, say: fill(words.paidOn, { when }), canGoBack: true }
    }
    case 'expired': {
      const face: Face = { tone: 'expired', statusText: words.expired, say: says.expiredSay }
      return isOpen ? stillOpen(face, says.expiredOpenSay, words) : { ...face, canGoBack: true }
    }
    case 'reversed':
      throw new Error('an order that the bank debits has no page')
    case 'cancelled': {
      const statusText = order.kind === 'link' ? words.cancelled : words.closed
      const face: Face = { tone: 'cancelled', statusText, say: says.cancelledSay }
      return isOpen ? stillOpen(face, says.cancelledOpenSay, words) : { ...face, canGoBack: true }
    }
    default:
      return assertNever(state)
  }
}

function startedFace(words: Words): Face {
  return {
    tone: 'unpaid',
    statusText: words.toPay,
    say: words.startedSay,
    canPay: 'go on',
    refreshSeconds: STARTED_REFRESH_SECONDS,
  }
}

/** Withdrawn or past its time while the payer is at the bank: nobody is sent there now, and money still wins. */
function stillOpen(face: Face, say: string, words: Words): Face {
  return { ...face, say: `${say} ${words.openStill}`, refreshSeconds: STARTED_REFRESH_SECONDS }
}

function unpaidFace({ order, payments, language, takesPayments }: OrderScene, words: Words): Face {
  const [latest] = payments
  if (!takesPayments) return { tone: 'unpaid', statusText: words.toPay, say: words.awaySay, canGoBack: true }
  if (latest?.state === 'failed') {
    const say = fill(words.failedSay, { why: sayWhy(latest, language) })
    return { tone: 'failed', statusText: words.failed, say, canPay: 'start', canGoBack: true }
  }
  const say =
    order.expiresAt === null
      ? words.due
      : fill(words.dueUntil, { when: sayMoment(order.expiresAt, language) })
  return { tone: 'unpaid', statusText: words.toPay, say, canPay: 'start' }
}

function formOf(
  face: Face,
  words: Words,
  total: string,
  { path, lastMode }: { path: string; lastMode: string | undefined },
) {
  if (face.canPay === undefined) return null
  const action = `${path}/start`
  if (face.canPay === 'go on') return { action, button: words.goOn }
  const chosen = PAYMENT_MODES.find(mode => mode === lastMode) ?? 'upi'
  const modes = [...PAYMENT_MODES].sort((left, right) => Number(right === chosen) - Number(left === chosen))
  return {
    action,
    button: fill(words.pay, { amount: total }),
    modes: modes.map(value => ({ value, label: words[value], isChosen: value === chosen })),
  }
}

function receiptOf({ receipt, payment }: IssuedReceipt, words: Words, path: string) {
  return {
    number: fill(words.receipt, { number: receiptNumber(receipt) }),
    transaction: fill(words.transaction, { id: payment.transactionId ?? payment.id }),
    url: `${path}/receipt.pdf`,
  }
}
