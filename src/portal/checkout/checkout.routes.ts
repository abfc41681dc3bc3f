import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findPending, findRival, takeOverRivals } from '../../dues/on-the-way.service.ts'
import { familyOf, findFamilyOrders } from '../../dues/pay-dues.service.ts'
import {
  findVirtualAccount,
  type OpenVirtualAccount,
} from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import { sendIfNew } from '../../http/assets.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { type OrderState, type OrderToPay, stateAt } from '../../orders/orders.rules.ts'
import { findOrderToPay } from '../../orders/orders.service.ts'
import { pageOfOrder } from '../../payment-pages/page-payments.service.ts'
import { checkReturned, listPayments } from '../../payments/payments.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import {
  readWays,
  giveUpOtherMode,
  startPayment,
  startTogether,
} from '../../payments/start/start-payment.service.ts'
import { findReceipt, findReceiptFile } from '../../payments/order-receipt.service.ts'
import { PAYMENT_MODES } from '../../payments/payments.rules.ts'
import { listRefunds } from '../../payments/refunds/refunds.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { fill } from '../../platform/languages.ts'
import { callbackUrlFor, isFromPoster } from './callback.service.ts'
import { describePage } from './order-page.ts'
import { formField, languageOf, sendPage, sendWrongLink } from '../layout.ts'
import { HOME, hasParentSession } from '../parents/access.ts'
import { describeOrderBeingPaid } from '../parents/being-paid-page.ts'
import { waitingOf } from '../parents/children.ts'
import { maskedName } from '../poster/poster.rules.ts'
import { textsIn } from '../texts/texts.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'
import type { HostedPage } from '../../providers/entry.ts'
import type { PaymentMode } from '../../providers/port.ts'
import { type CarriedTo, findCarriedTo } from '../../students/rollover/rollover.service.ts'

const URL_PATH = '/pay/:institute/:order_id'

/** What is paid: an order, or those of several children at once, as one. */
type CheckoutSubject = {
  institute: Institute
  order: OrderToPay
  orders: readonly OrderToPay[]
  path: string
}

/** The page at an order's `redirect_url`, with its start, return and receipt routes. */
export function checkoutRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  app.get(
    URL_PATH,
    withOrder(ctx, (found, request, reply) => showOrder(ctx, found, request, reply)),
  )

  // A repeated POST (second tab, double click, back button) leads to the same payment.
  const start = withOrder(ctx, async (found, request, reply) => {
    const { institute, order, orders, path } = found
    // An expired or cancelled order never redirects to the bank, not even to finish a started payment.
    if (stateAt(order, ctx.clock.now()) !== 'unpaid') return reply.redirect(path, 303)
    const mode = PAYMENT_MODES.find(candidate => candidate === formField(request, 'mode')) ?? 'upi'
    try {
      if (formField(request, 'take_over') === '1')
        for (const one of orders) await takeOverRivals(ctx, institute.id, one)
      if (formField(request, 'another') === '1') await giveUpOtherMode(ctx, institute.id, orders, mode)
      const options = { mode, returnUrl: `${ctx.publicUrl}${path}/return` }
      const ids = orders.map(({ id }) => id)
      const { redirectUrl } = isFamily(found)
        ? await startTogether(ctx, institute, ids, options)
        : await startPayment(ctx, institute, order, options)
      return await reply.redirect(redirectUrl ?? path, 303)
    } catch (error) {
      if (error instanceof BursarError && error.code === 'HUE00002')
        return showConflict(ctx, found, { mode, request, reply })
      throw error
    }
  })
  app.post(`${URL_PATH}/start`, start)
  app.get(
    `${URL_PATH}/start`,
    withOrder(ctx, async ({ path }, _request, reply) => reply.redirect(path, 303)),
  )

  // Return from the provider: a paid order with a callback_url continues to the institute, any other to its page.
  const comeBack = withOrder(ctx, async (found, request, reply) => {
    const { institute, order: before, orders, path } = found
    const isOpen = before.state === 'unpaid'
    if (isOpen) await checkReturned(ctx, institute.id, orders[0]?.id ?? before.id)
    if (isFamily(found)) return reply.redirect(path, 303)
    const after = isOpen ? await findOrderToPay(ctx, institute.code, before.id) : null
    const order = after?.order ?? before
    const url = order.state === 'paid' ? await wayBack(ctx, { ...found, order }, request) : null
    return reply.redirect(url ?? path, 303)
  })
  app.get(`${URL_PATH}/return`, comeBack)

  // Each of several children that are paid at once has its own receipt.
  const receipt = withOrder(ctx, async (found, request, reply) => {
    const { institute, order } = found
    const file = isFamily(found) ? null : await findReceiptFile(ctx, institute, order)
    if (file === null) return sendWrongLink(request, reply)
    reply.header('content-disposition', `attachment; filename="receipt-${order.id}.pdf"`)
    // Kept by the browser that asked, and asked for again by its tag: it may be cancelled meanwhile.
    return sendIfNew(request, reply.header('cache-control', 'private, no-cache'), file)
  })
  app.get(`${URL_PATH}/receipt.pdf`, receipt)
}

async function showOrder(
  ctx: PaymentContext,
  found: CheckoutSubject,
  request: FastifyRequest,
  reply: FastifyReply,
  refused: PaymentMode | null = null,
): Promise<FastifyReply> {
  const { institute, order, orders, path } = found
  const family = isFamily(found) ? null : await familyOf(ctx, institute.id, order)
  // Paid by itself it would leave the others; once it is paid or closed its own page says so.
  if (family !== null && order.state === 'unpaid')
    return reply.redirect(`/pay/${institute.code}/${family}`, 303)
  const language = languageOf(request, reply, institute)
  const { still } = request.query as { still?: unknown }
  const payments = await listPayments(ctx, institute.id, orders[0]?.id ?? order.id)
  const paymentsOf = (one: OrderToPay) => (orders.length === 1 && one === orders[0] ? payments : undefined)
  const hasMoney = payments.some(({ state }) => state === 'captured')
  const { title, data, refreshSeconds } = describePage({
    institute,
    order: shownTo(ctx, institute, order),
    parts: await Promise.all(
      orders.map(async one => ({
        order: one,
        receipt: one.state === 'paid' ? await findReceipt(ctx, institute, one, paymentsOf(one)) : null,
        refunds: hasMoney ? await listRefunds(ctx, institute.id, one.id) : [],
      })),
    ),
    payments,
    callbackUrl: await wayBack(ctx, found, request),
    carriedTo: isFamily(found) ? null : await carriedTo(ctx, institute.id, order),
    page: await pageOfOrder(ctx, institute, order),
    now: ctx.clock.now(),
    isSandbox: ctx.mode === 'sandbox',
    ways: await readWays(ctx, institute.id, orders),
    refused,
    account: await accountNumberOf(ctx, found),
    isRefreshPaused: still === '1',
    path,
    language,
  })
  // The language switch is a GET link, and a refusal answers a POST.
  const refusal = refused === null ? {} : { status: 409, hasSwitch: false }
  return sendPage(reply, { template: 'order', title, language, refreshSeconds, data, ...refusal })
}

/** Above what other ways take, a transfer to the child's own number pays these dues. */
async function accountNumberOf(
  ctx: PaymentContext,
  { institute, orders }: CheckoutSubject,
): Promise<OpenVirtualAccount | null> {
  const [only, ...others] = orders
  if (only?.kind !== 'student' || only.studentId === null || others.length > 0) return null
  return findVirtualAccount(ctx, { instituteId: institute.id, studentId: only.studentId })
}

/** Where the payment leads back to. The parents' pages open only where a payer is signed in: a code or link is paid anywhere. */
async function wayBack(
  ctx: PaymentContext,
  found: CheckoutSubject,
  request: FastifyRequest,
): Promise<string | null> {
  const { institute, order, orders } = found
  const url = isFamily(found) ? HOME : await callbackUrlFor(ctx, institute, order)
  if (url === null || !url.startsWith(HOME)) return url
  const studentIds = orders.flatMap(({ studentId }) => studentId ?? [])
  return (await hasParentSession(ctx, request, { instituteId: institute.id, studentIds })) ? url : null
}

/** The rollover that carries dues closes what asks for them at the same moment. */
async function carriedTo(
  ctx: PaymentContext,
  instituteId: number,
  { state, studentId, closedAt: at }: OrderToPay,
): Promise<CarriedTo | null> {
  if (state !== 'cancelled' || studentId === null || at === null) return null
  return findCarriedTo(ctx, { instituteId, studentId, at })
}

/** Another payer is at the bank's page with the same fees; or it was paid, expired or cancelled, which the order's page shows. */
async function showConflict(
  ctx: PaymentContext,
  found: CheckoutSubject,
  { mode, request, reply }: { mode: PaymentMode; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { institute, orders, path } = found
  const language = languageOf(request, reply, institute)
  const pending = await firstOf(orders, order => findPending(ctx, institute.id, order))
  if (pending !== null) {
    const texts = textsIn(language).parents
    const [waiting] = waitingOf([pending.found], { institute, texts, language })
    const link = { url: path, text: texts.beingPaid.wait }
    const data = { heading: waiting?.heading, say: waiting?.say, link }
    const title = fill(texts.beingPaid.title, { where: institute.name })
    return sendPage(reply, { template: 'message', title, status: 409, hasSwitch: false, language, data })
  }
  const rival = await firstOf(orders, order => findRival(ctx, institute.id, order))
  if (rival === null) {
    const ways = await readWays(ctx, institute.id, orders)
    const isRefused = ways !== null && ways.offered.every(way => way.mode !== mode)
    return isRefused ? showOrder(ctx, found, request, reply, mode) : reply.redirect(path, 303)
  }
  const shown = shownTo(ctx, institute, rival.order)
  const pageData = { institute, order: shown, started: rival.found, path, language }
  const { title, data } = describeOrderBeingPaid(pageData, textsIn(language).parents)
  // The language switch is a GET link, and this address only answers POST.
  return sendPage(reply, {
    template: 'being-paid',
    title,
    status: 409,
    hasSwitch: false,
    language,
    data: { ...data, mode },
  })
}

/** Who pays from the poster is not told the child's name and class before the money is there. */
function shownTo(ctx: PaymentContext, institute: Institute, order: OrderToPay): OrderToPay {
  if (order.state === 'paid' || !isFromPoster(ctx, institute, order)) return order
  return { ...order, studentName: maskedName(order.studentName ?? order.name), grade: null }
}

/** The first of the orders that something stands in the way of. */
async function firstOf<Thing>(
  orders: readonly OrderToPay[],
  find: (order: OrderToPay) => Promise<Thing | null>,
): Promise<{ order: OrderToPay; found: Thing } | null> {
  for (const order of orders) {
    const found = await find(order)
    if (found !== null) return { order, found }
  }
  return null
}

type Handler = (found: CheckoutSubject, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function withOrder(ctx: PaymentContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, order_id: id } = request.params as { institute: string; order_id: string }
    const found = isIdShaped(code) && isIdShaped(id) ? await findOrderToPay(ctx, code, id) : null
    if (found === null) return sendWrongLink(request, reply)
    const { institute, order: single } = found
    const orders =
      single !== null ? [single] : id.startsWith(FAMILY) ? await findFamilyOrders(ctx, institute, id) : []
    const order = single ?? asOneOrder(id, orders)
    if (order === null) return sendWrongLink(request, reply)
    return handle({ institute, order, orders, path: `/pay/${institute.code}/${order.id}` }, request, reply)
  }
}

const FAMILY = 'family_'

function isFamily({ order }: Pick<CheckoutSubject, 'order'>): boolean {
  return order.id.startsWith(FAMILY)
}

/** What the checkout shows of several orders that are paid at once; null without any. */
function asOneOrder(id: string, orders: readonly OrderToPay[]): OrderToPay | null {
  const [first] = orders
  if (first === undefined) return null
  return {
    ...first,
    id,
    state: stateOf(orders),
    studentName: orders.map(order => order.studentName ?? order.identifier ?? '').join(', '),
    identifier: null,
    grade: null,
    lines: orders.flatMap(order => order.lines),
  }
}

/** Once one of them was paid or closed by itself, they are not paid at once any more. */
function stateOf(orders: readonly OrderToPay[]): OrderState {
  const states = new Set(orders.map(order => order.state))
  const [only] = states
  return states.size === 1 && only !== undefined ? only : 'cancelled'
}

type Params = { provider: string; '*': string }

/**
 * The page that opens a provider's checkout where only a script of the provider's does. It is the one page of ours that
 * runs a script of others, so it holds nothing but the session, and its policy lets it reach that provider alone.
 */
export function hostedPages(app: FastifyInstance): void {
  app.get<{ Params: Params }>('/hosted/:provider/*', (request, reply) => {
    const { provider, '*': path } = request.params
    const page = PROVIDERS[provider]?.hostedPage
    if (page !== undefined && path === 'open.js')
      return reply.header('content-type', 'text/javascript; charset=utf-8').send(page.script)
    if (page === undefined || !page.path.test(path)) return sendWrongLink(request, reply)
    const language = languageOf(request, reply)
    const { hostedTitle: title } = textsIn(language).checkout
    const scripts = [page.libraryUrl, `/hosted/${provider}/open.js`]
    reply.header('content-security-policy', policyOf(page))
    return sendPage(reply, { template: 'hosted', title, language, hasSwitch: false, data: { scripts } })
  })
}

function policyOf({ origins }: HostedPage): string {
  const theirs = origins.join(' ')
  return [
    "default-src 'none'",
    `script-src 'self' ${theirs}`,
    // The library sets styles of its own.
    "style-src 'unsafe-inline' 'self'",
    "font-src 'self'",
    `img-src 'self' data: ${theirs}`,
    `connect-src ${theirs}`,
    `frame-src ${theirs}`,
    `form-action ${theirs}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
