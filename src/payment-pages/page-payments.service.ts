import { createHash } from 'node:crypto'
import { newEvent, type NewEvent } from '../events/define-event.ts'
import { recordEvents } from '../events/events.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { closeUnpaid, openOrders } from '../orders/order-payments.service.ts'
import { type Order, type OrderToPay, stateAt, unpaidOrder } from '../orders/orders.rules.ts'
import { pagePaymentRows } from '../orders/order.list.ts'
import { getOrder } from '../orders/orders.service.ts'
import { type FilledForm, type Problem, readForm } from './page-form.rules.ts'
import { pageEvents } from './page.events.ts'
import { type Page, type PageState, payableUntil, stateOf } from './pages.rules.ts'
import { getPage } from './pages.service.ts'
import * as store from './pages.store.ts'
import type { PaymentContext, PaidOrder, PaymentHandler } from '../payments/context.ts'
import { aboutOrder, paymentEvents, paymentInEvent } from '../payments/payment.events.ts'
import type { Refund } from '../payments/refunds/refunds.rules.ts'
import { listRefunds, type RequestedRefund, requestRefund } from '../payments/refunds/refunds.service.ts'
import { DAY_MS, dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Page as PageOf, PageRange } from '../platform/db/list.ts'
import { notFound } from '../platform/errors.ts'
import type { Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { takeDue } from '../platform/jobs/due-rows.ts'
import { newSecret } from '../platform/secrets.ts'

type Submission =
  | { kind: 'ordered'; orderId: string }
  | { kind: 'problems'; problems: Problem[] }
  | { kind: 'shut'; state: PageState }

const TOKEN = /^[A-Za-z0-9_-]{16,64}$/

/** Makes the token of a shown form: sending the form twice with it counts once. */
export function newFormToken(): string {
  return newSecret()
}

/**
 * Makes an order of a filled-in form. The same form again leads to the same order; changed, it takes the place of the
 * first, which nobody can pay then. On a page with a limit the order keeps its place until it is paid or past its time.
 */
export async function submitForm(
  ctx: Context,
  institute: Institute,
  pageId: string,
  sent: { token: string | undefined; answer: (input: string) => string | undefined },
): Promise<Submission> {
  const token = sent.token !== undefined && TOKEN.test(sent.token) ? sent.token : newFormToken()
  const key: store.FormKey = { instituteId: institute.id, pageId, token }
  return ctx.db.transaction(async tx => {
    const now = ctx.clock.now()
    const page = await store.lockPage(tx, institute.id, pageId)
    if (page === null) throw notFound('This page')
    const shut = stateOf(page, { taken: 0, now })
    const reading = readForm(page, sent.answer, dayOf(now))
    if (reading.kind === 'problems') return shut === 'open' ? reading : { kind: 'shut', state: shut }
    const digest = digestOf(reading.filled)
    const earlier = await store.findForm(tx, key)
    // The page may be full or closed by now: this one got in before.
    if (earlier !== null && digest.equals(earlier.digest) && isStanding(earlier, now))
      return { kind: 'ordered', orderId: earlier.orderId }
    if (shut !== 'open') return { kind: 'shut', state: shut }
    if (earlier !== null) await closeUnpaid(tx, institute.id, [earlier.orderId], now)
    const taken =
      page.maxPayments === null ? 0 : await store.countTaken(tx, institute.id, { id: pageId, now })
    const state = stateOf(page, { taken, now })
    if (state !== 'open') return { kind: 'shut', state }
    const order = orderOf(page, reading.filled, now)
    await openOrders(tx, [{ instituteId: institute.id, order }])
    await store.saveForm(tx, key, { orderId: order.id, digest })
    return { kind: 'ordered', orderId: order.id }
  })
}

const UNPAID_KEPT_MS = 30 * DAY_MS

/** Anybody can fill a form in: what nobody began to pay is deleted a month after it could be paid, a batch at a time. */
export async function purgeUnpaidForms({ db, clock }: Context, limit: number): Promise<number> {
  const closedBefore = new Date(clock.now().getTime() - UNPAID_KEPT_MS)
  const old = await store.findUnpaid(db, closedBefore, limit)
  return takeDue(db, old, (tx, keys) => store.deleteUnpaid(tx, closedBefore, keys))
}

function digestOf(filled: FilledForm): Buffer {
  return createHash('sha256').update(JSON.stringify(filled)).digest()
}

function isStanding(form: store.SentForm, now: Date): boolean {
  const state = stateAt(form, now)
  return state === 'paid' || state === 'unpaid'
}

function orderOf(page: Page, { known, ...filled }: FilledForm, now: Date): Order {
  return unpaidOrder({
    ...filled,
    // Both may be changed later; what was ordered was called this.
    lines: filled.lines.map(line => ({ ...line, label: `${page.title}: ${line.label}` })),
    id: newId('order'),
    kind: 'page',
    pageId: page.id,
    collectorCode: page.collectorCode,
    identifier: known.identifier ?? null,
    studentName: known.student_name ?? null,
    grade: known.grade ?? null,
    stream: known.stream ?? null,
    academicYearStart: null,
    academicYearEnd: null,
    newAdmission: false,
    dateOfBirth: known.date_of_birth ?? null,
    customIdentifier: known.custom_identifier ?? null,
    callbackUrl: page.callbackUrl,
    expiresAt: payableUntil(page, now),
    createdAt: now,
  })
}

/** The page that an order came from; null for orders that came otherwise. */
export async function pageOfOrder(
  ctx: Context,
  institute: Institute,
  order: OrderToPay,
): Promise<Page | null> {
  return order.kind === 'page' ? store.findPageOfOrder(ctx.db, institute.id, order.id) : null
}

type Payment = { institute: Institute; pageId: string; orderId: string }

/** One payment on a page, paid or not. */
export async function getPagePayment(ctx: Context, { institute, pageId, orderId }: Payment): Promise<Order> {
  const order = await getOrder(ctx, institute, 'page', orderId)
  if (order.pageId !== pageId) throw notFound('This payment')
  return order
}

export async function listPagePayments(
  ctx: Context,
  { institute, pageId }: Omit<Payment, 'orderId'>,
  { status }: { status?: 'paid' | 'unpaid' | undefined },
  page: PageRange,
): Promise<PageOf<Order>> {
  await getPage(ctx, institute, pageId)
  return pagePaymentRows.page(ctx, { institute, kind: 'page', pageId }, { status }, page)
}

export async function refundPagePayment(
  ctx: PaymentContext,
  command: Command<RequestedRefund>,
  target: Payment,
  asked: Parameters<typeof requestRefund>[3],
): Promise<RequestedRefund> {
  const { institute, orderId } = target
  await getPagePayment(ctx, target)
  return requestRefund(ctx, command, { institute, address: 'page', orderId }, asked)
}

export async function listPageRefunds(ctx: PaymentContext, target: Payment): Promise<Refund[]> {
  const order = await getPagePayment(ctx, target)
  return listRefunds(ctx, target.institute.id, order.id)
}

type PageEvent = { happened: 'debited' | 'settled'; at: Date }

/** A page's payments: each has the events of every Pay payment, and one more with the page. */
export const PAGE_PAYMENT_HANDLER: PaymentHandler = {
  async captured(tx, paid, at) {
    await recordEvents(tx, eventsOf(paid, { happened: 'debited', at }))
  },
  async settled(tx, paid, at) {
    await recordEvents(
      tx,
      paid.flatMap(one => eventsOf(one, { happened: 'settled', at })),
    )
  },
  // The payer sees it at the checkout and tries again.
  failed: async () => {},
  async reversed(_tx, { payment }) {
    throw new Error(`${payment.id} pays on a page, which no bank takes back`)
  },
}

function eventsOf({ payment, order }: PaidOrder, { happened, at }: PageEvent): NewEvent[] {
  const { pageId } = order
  if (pageId === null) throw new Error(`the order ${order.id} lost its page`)
  const about = aboutOrder(order, payment.instituteId, at)
  const source = { order, payment: paymentInEvent(payment, order), pageId }
  return [
    newEvent(paymentEvents, `pay.payment.${happened}`, about, source),
    newEvent(pageEvents, `page.payment.${happened}`, about, source),
  ]
}
