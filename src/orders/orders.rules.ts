import { badField, conflict, notFound } from '../platform/errors.ts'
import { type Paise, sumPaise, ZERO } from '../platform/money.ts'
import { readableComponent } from '../platform/names.ts'
import type { ReceiptKey } from '../receipts/receipts.rules.ts'
import { newId } from '../platform/ids.ts'
import type { Student } from '../students/students.rules.ts'

/** What the API makes and shows. */
export type PublicKind = 'order' | 'link'

/**
 * The API makes orders and links. A plan makes a down payment, which the parent pays at the checkout, and an instalment, one
 * order for each presentation to the bank. The others pay a student's dues, a public page, or a loan's tranche.
 */
export type OrderKind = PublicKind | 'downpayment' | 'instalment' | 'student' | 'page' | 'loan'

/** The order routes read, refund and receipt these kinds. */
export const PAY_ORDER_KINDS = ['order', 'student', 'instalment', 'downpayment', 'page', 'loan'] as const

/**
 * The state as stored. An order that was closed is `cancelled` here; its view reads `unpaid` plus `closed_at`. One is `reversed`
 * when the bank took a confirmed debit back.
 */
export type OrderState = 'unpaid' | 'paid' | 'expired' | 'cancelled' | 'reversed'

export type OrderLine = {
  componentType: string
  /** What a payment page called it when it was ordered; null where the component says it all. */
  label: string | null
  amountPaise: Paise
  settlementUtr: string | null
  settledAt: Date | null
}

type Note = { key: string; value: string }

/** What an order is for that Bursar made by itself. */
type MadeFor = {
  /** Whose fees it pays, also of an order or link that says so. */
  studentId: string | null
  pageId: string | null
  planId: string | null
  instalmentId: string | null
}

export type Order = MadeFor & {
  id: string
  kind: OrderKind
  collectorCode: string
  state: OrderState
  name: string
  phone: string
  email: string
  identifier: string | null
  studentName: string | null
  grade: string | null
  stream: string | null
  academicYearStart: number | null
  academicYearEnd: number | null
  newAdmission: boolean
  dateOfBirth: string | null
  customIdentifier: string | null
  notes: Note[]
  callbackUrl: string | null
  expiresAt: Date | null
  transactionId: string | null
  paidAt: Date | null
  closedAt: Date | null
  createdAt: Date
  lines: OrderLine[]
  /** Asked for and not failed; what goes back of a duplicate payment does not count. */
  refundedPaise: Paise
  /** The receipt of the payment that paid it. */
  receipt: ReceiptKey | null
}

/** What decides whether and how an order is paid; what followed its payment takes another statement to read. */
export type OrderToPay = Omit<Order, 'refundedPaise' | 'receipt'>

/** Which move leads where; money wins, so a payment can still turn an expired or cancelled one paid. */
const MOVES: Record<OrderState, readonly OrderState[]> = {
  unpaid: ['paid', 'expired', 'cancelled'],
  expired: ['paid'],
  cancelled: ['paid'],
  paid: ['reversed'],
  reversed: [],
}

type MadeHere = 'state' | 'transactionId' | 'paidAt' | 'closedAt' | 'lines' | 'refundedPaise' | 'receipt'

export type NewOrder = Omit<Order, MadeHere | keyof MadeFor> &
  Partial<MadeFor> & {
    lines: readonly (Pick<OrderLine, 'componentType' | 'amountPaise'> & Partial<Pick<OrderLine, 'label'>>)[]
  }

/** An order that nobody has paid yet. */
export function unpaidOrder(input: NewOrder): Order {
  return {
    studentId: null,
    pageId: null,
    planId: null,
    instalmentId: null,
    ...input,
    state: 'unpaid',
    transactionId: null,
    paidAt: null,
    closedAt: null,
    lines: input.lines.map(({ componentType, amountPaise, label = null }) => ({
      componentType,
      label,
      amountPaise,
      settlementUtr: null,
      settledAt: null,
    })),
    refundedPaise: ZERO,
    receipt: null,
  }
}

/** What a line is for, for people. */
export function lineName({ label, componentType }: Pick<OrderLine, 'label' | 'componentType'>): string {
  return label ?? readableComponent(componentType)
}

export function canMove(from: OrderState, to: OrderState): boolean {
  return MOVES[from].includes(to)
}

/** The state at a moment: one past its expiry is expired at once, before anything has written so. */
export function stateAt(order: Pick<Order, 'state' | 'expiresAt'>, now: Date): OrderState {
  const isPast = order.expiresAt !== null && order.expiresAt <= now
  return order.state === 'unpaid' && isPast ? 'expired' : order.state
}

export type OrderStatus = 'paid' | 'unpaid' | 'expired' | 'cancelled'

/** The status in the read view: a pay order knows only paid and unpaid. */
export function statusAt(order: Pick<Order, 'kind' | 'state' | 'expiresAt'>, now: Date): OrderStatus {
  const state = stateAt(order, now)
  if (order.kind === 'link' && state !== 'reversed') return state
  return state === 'paid' ? 'paid' : 'unpaid'
}

/** When an order stopped taking payments without having been paid. */
export function closedAt(order: Order, now: Date): Date | null {
  return stateAt(order, now) === 'expired' ? (order.closedAt ?? order.expiresAt) : order.closedAt
}

/** Where an order is found: a link at its own address, every other at the orders', a page's also below its page. */
export type OrderAddress = PublicKind | 'page'

function isAt(address: OrderAddress, kind: OrderKind): boolean {
  return address === 'order' ? kind !== 'link' : kind === address
}

/** Throws 404 if there is no order, or one of a kind that this address does not show; without an address every kind will do. */
export function requireOrderAt(order: Order | null, address: OrderAddress | undefined): Order {
  if (order !== null && (address === undefined || isAt(address, order.kind))) return order
  throw notFound(address === 'link' ? 'This payment link' : 'This pay order')
}

/** Why somebody cannot close it, by its kind; none for those that they asked for themselves. */
const NOT_CLOSABLE: Partial<Record<OrderKind, string>> = {
  page: 'A payment on a page cannot be closed by itself; take the page off.',
  instalment: 'An instalment is cancelled with its plan.',
  downpayment: 'A down payment is cancelled with its plan.',
  loan: 'What a lender pays out cannot be closed.',
}

export function isClosable(kind: OrderKind): boolean {
  return NOT_CLOSABLE[kind] === undefined
}

export function assertCancellable(order: Order, now: Date): void {
  const refusal = NOT_CLOSABLE[order.kind]
  if (refusal !== undefined) throw conflict(refusal)
  const state = stateAt(order, now)
  if (canMove(state, 'cancelled')) return
  const what = order.kind === 'link' ? 'payment link' : 'pay order'
  const already = order.kind !== 'link' && state === 'cancelled' ? 'closed' : state
  throw conflict(
    `This ${what} is ${already} already and cannot be ${order.kind === 'link' ? 'cancelled' : 'closed'}.`,
  )
}

export function totalOf(order: Pick<Order, 'lines'>): Paise {
  return sumPaise(order.lines.map(line => line.amountPaise))
}

/** What was typed into a search field: an id, or words of which any group may fit. */
export type OrderSearch = { kind: 'id'; id: string } | { kind: 'words'; anyOf: string[][] }

const MOST_WORDS = 8
const PHONE_DIGITS = 10

/** Names by the beginnings of their words, identifiers, phones however they are written. */
export function readSearch(text: string): OrderSearch | null {
  const plain = text.trim()
  if (/^order_[a-z0-9]+$/.test(plain)) return { kind: 'id', id: plain }
  const words = plain.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return null
  const anyOf = [words.slice(0, MOST_WORDS)]
  const digits = plain.replaceAll(/\D/g, '')
  if (digits !== '' && /^[+\d][\d\s().-]*$/.test(plain)) {
    anyOf.push([digits])
    if (digits.length > PHONE_DIGITS) anyOf.push([digits.slice(-PHONE_DIGITS)])
  }
  return { kind: 'words', anyOf }
}

type Mode = 'sandbox' | 'live'

/** Prevents misleading links: https only (http in a sandbox), no credentials or control characters. */
export function isAllowedReturnUrl(text: string, mode: Mode): boolean {
  const url = /[\p{C}\s]/u.test(text) ? null : URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return false
  return url.protocol === 'https:' || (mode === 'sandbox' && url.protocol === 'http:')
}

/** Where payers are sent in live mode, nobody reads along on the way; a sandbox takes whatever a developer tries. */
export function requireReturnUrl(url: string | null | undefined, mode: Mode): void {
  if (mode === 'live' && typeof url === 'string' && !isAllowedReturnUrl(url, mode))
    throw badField('callback_url', 'must be an https URL without credentials')
}

type OrderRequest = {
  kind: OrderKind
  lines: readonly Pick<OrderLine, 'componentType' | 'amountPaise'>[]
  at: Date
  callbackUrl?: string | null
  /** Where the money goes, if not to the student's own branch. */
  collectorCode?: string
  planId?: string
  instalmentId?: string
}

/** An order that Bursar itself makes for a student: dues, a plan's part, a loan's pay-out. */
export function orderFor(student: Student, wanted: OrderRequest): Order {
  const { at, callbackUrl = null, collectorCode = student.collectorCode, ...rest } = wanted
  return unpaidOrder({
    ...rest,
    id: newId('order'),
    studentId: student.id,
    collectorCode,
    name: student.contactName,
    phone: student.contactNumber,
    email: student.contactEmail,
    identifier: student.identifier,
    studentName: student.fullname,
    grade: student.grade,
    stream: null,
    academicYearStart: student.academicYearStart,
    academicYearEnd: student.academicYearEnd,
    newAdmission: student.newAdmission,
    dateOfBirth: student.dateOfBirth,
    customIdentifier: student.customIdentifier,
    notes: [],
    callbackUrl,
    expiresAt: null,
    createdAt: at,
  })
}
