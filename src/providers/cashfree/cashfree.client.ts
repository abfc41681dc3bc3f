import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { paiseOf, toRupees } from '../../platform/money.ts'
import {
  checkoutUrl,
  type Connection,
  type DebitRef,
  find,
  hostedPage,
  phoneOf,
  readDebitRef,
  refusal,
  repeatable,
  toCashfreeId,
  withoutEmpty,
} from './connection.ts'
import { createSplits, readVendorSettlements, toVendorSplits } from './easy-split.client.ts'
import { noticeOf, reportOfExecution } from './controlled.client.ts'
import { createMandates, readDebit } from './mandates.client.ts'
import {
  aboutDispute,
  outcomeOfOrder,
  outcomeOfPayment,
  outcomeOfRefund,
  readDisputes,
  reportsOf,
} from './reports.ts'
import { readSettlements, reportOfUnasked } from './settlements.client.ts'
import * as shapes from './shapes.ts'
import { createVirtualAccounts, orderOfCredit, readCredited } from './virtual-accounts.client.ts'
import { type Call, type CallerOptions, createCaller } from '../http.ts'
import { type KeyKind, type ProviderEntry, valueOf } from '../entry.ts'
import {
  type Callback,
  type DisputedPayment,
  type DisputeReport,
  ignoreRefusal,
  type PaymentAtProvider,
  type PaymentMode,
  type PaymentOutcome,
  type PaymentReport,
  type Provider,
  ProviderRefused,
  type RefundReport,
  type RefundRequest,
  type Report,
  type SettlementReport,
  type StartedAtProvider,
  type StartRequest,
  UPI_MOST,
} from '../port.ts'

export const cashfree: ProviderEntry = {
  title: 'Cashfree',
  settings: [
    {
      field: 'client_id',
      env: 'CASHFREE_CLIENT_ID',
      label: 'App id',
      help: 'In the merchant dashboard under Payment Gateway, Developers, API keys. Those of the test environment begin with TEST.',
      describes: 'takes payments and mandates through Cashfree instead of the sandbox bank',
    },
    {
      field: 'client_secret',
      env: 'CASHFREE_CLIENT_SECRET',
      label: 'Secret key',
      help: 'Beside the app id. Cashfree signs its webhooks with it, so there is no other secret to enter.',
      describes:
        'secret of that app id; Cashfree signs its callbacks to PUBLIC_URL/callbacks/cashfree with it',
      isSecret: true,
    },
  ],
  apiUrlEnv: 'CASHFREE_API_URL',
  hostedPage,
  create(values, { apiUrl, now, onCall } = {}) {
    const clientId = valueOf(values, 'client_id')
    const clientSecret = valueOf(values, 'client_secret')
    return createCashfree({
      clientId,
      clientSecret,
      onCall,
      environment: keyKindOf(clientId, clientSecret) === 'live' ? 'production' : 'sandbox',
      ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }),
      ...(now === undefined ? {} : { now }),
    })
  },
  describe(values) {
    const clientId = valueOf(values, 'client_id')
    const key = keyKindOf(clientId, valueOf(values, 'client_secret'))
    return { field: 'client_id', key, hint: `…${clientId.slice(-4)}` }
  },
}

/** Newer secrets say which money they move, and so do the app ids of the test environment; old live ones say nothing. */
function keyKindOf(clientId: string, clientSecret: string): KeyKind | null {
  const [, environment] = /^cfsk_[a-z]+_(test|prod)_./.exec(clientSecret) ?? []
  if (environment === 'test' || clientId.startsWith('TEST')) return 'test'
  return environment === 'prod' || /^[0-9a-zA-Z]{16,}$/.test(clientId) ? 'live' : null
}

/**
 * Cashfree by Orders and its hosted checkout, and by Subscriptions on demand (mandates.client.ts).
 *
 * One payment of ours is one order, one refund one refund, under ids of ours that Cashfree keeps unique; so every call can
 * be repeated, also after a lost answer: what was refused because it is there already is read and taken as the answer.
 * Orders rather than Payment Links, because a link makes orders under ids of Cashfree's own, and those are all that a
 * refund's callback and the reconciliation carry.
 */
type CashfreeOptions = {
  clientId: string
  clientSecret: string
  environment: Connection['environment']
  /** An emulator's address in place of Cashfree's. */
  baseUrl?: string
  timeoutMs?: number
  now?: () => Date
  onCall?: CallerOptions['onCall']
}

const API_VERSION = '2025-01-01'
const ROOTS = { sandbox: 'https://sandbox.cashfree.com/pg', production: 'https://api.cashfree.com/pg' }
const TIMEOUT_MS = 15_000
const NOTE_CHARACTERS = 200

export function createCashfree(options: CashfreeOptions): Provider {
  const { clientId, clientSecret, environment, baseUrl, timeoutMs = TIMEOUT_MS } = options
  // An empty secret would sign anything for anybody.
  if (clientId === '' || clientSecret === '')
    throw new Error('Cashfree needs a client id and a client secret')
  const now = options.now ?? (() => new Date())
  const begin = createCaller({
    title: 'Cashfree',
    baseUrl: baseUrl ?? ROOTS[environment],
    timeoutMs,
    onCall: options.onCall,
    headers: { 'x-client-id': clientId, 'x-client-secret': clientSecret, 'x-api-version': API_VERSION },
    secret: clientSecret,
    readRefusal: shapes.readRefusal,
    // The same request is being worked on, or this account may not do it yet: neither says anything of the payment.
    mayPass: (httpStatus, { code }) => httpStatus === 403 || code === 'request_in_progress',
  })
  const connection: Connection = { begin, now, environment, emulatorUrl: baseUrl ?? null }
  return {
    name: 'cashfree',
    accepts: {
      methods: ['upi', 'card', 'netbanking'],
      minPaise: paiseOf(100),
      maxPaise: null,
      maxPaiseOf: { upi: UPI_MOST },
    },
    start: order => startPayment(connection, order),
    readCallback: async callback =>
      isSigned(callback, clientSecret, [now(), new Date()])
        ? readEvent(shapes.readEvent(callback.rawBody))
        : null,
    status: payment => readStatus(connection, payment),
    closePage: payment => terminateOrder(connection, payment),
    refund: order => refundOnce(connection, order),
    disputes: payment => listDisputes(connection, payment),
    settlements: (day, vendorIds) => readAllSettlements(connection, day, vendorIds),
    checkConnection: () => checkConnection(begin()),
    mandates: createMandates(connection),
    virtualAccounts: createVirtualAccounts(connection),
    splits: createSplits(connection),
  }
}

async function* readAllSettlements(
  connection: Connection,
  day: string,
  vendorIds: readonly string[] = [],
): AsyncGenerator<SettlementReport> {
  yield* readSettlements(connection, day)
  for (const vendorId of vendorIds) yield* readVendorSettlements(connection, day, vendorId)
}

/** A debit's order has an id of Cashfree's own: its disputes are asked for by the number that it got when it was paid. */
async function listDisputes(
  { begin, now }: Connection,
  { instituteId, paymentId, providerRef, transactionId }: DisputedPayment,
): Promise<DisputeReport[]> {
  const isDebit = readDebitRef(providerRef) !== null
  if (isDebit && transactionId === null) return []
  const path = isDebit
    ? `/payments/${encodeURIComponent(transactionId ?? '')}/disputes`
    : `/orders/${toCashfreeId(instituteId, paymentId)}/disputes`
  const disputes = (await find(begin(), path, readDisputes)) ?? []
  return disputes.map(one => aboutDispute(one, { instituteId, paymentId }, one.at ?? now()))
}

/** Asks for an order that nobody has: a 404 without Cashfree's own word for it comes from another address. */
async function checkConnection(call: Call): Promise<void> {
  const found = await call('GET', '/orders/connection-check', shapes.readOrder).catch(refusal)
  if (!(found instanceof ProviderRefused) || found.code === 'order_not_found') return
  if (found.httpStatus !== 404) throw found
  throw unavailable('Cashfree was not found at this address. It ends in /pg.', found)
}

const METHODS: Record<PaymentMode, string> = { upi: 'upi', card: 'cc,dc', netbanking: 'nb' }

async function startPayment(connection: Connection, order: StartRequest): Promise<StartedAtProvider> {
  const { instituteId, paymentId, payer, mode } = order
  const call = connection.begin()
  const orderId = toCashfreeId(instituteId, paymentId)
  const customer = {
    customer_id: `${instituteId}x${phoneOf(payer.phone)}`,
    customer_phone: phoneOf(payer.phone),
    customer_name: payer.name.slice(0, 100),
    customer_email: payer.email,
  }
  const body = {
    order_id: orderId,
    order_amount: toRupees(order.amountPaise),
    order_currency: 'INR',
    customer_details: withoutEmpty(customer),
    order_meta: { return_url: order.returnUrl, payment_methods: METHODS[mode] },
    order_note: order.description.slice(0, NOTE_CHARACTERS),
    order_tags: { institute_id: String(instituteId), payment_id: paymentId },
    ...toVendorSplits('order_splits', order.parts),
  }
  const made = await call('POST', '/orders', shapes.readOrder, { body, headers: repeatable(orderId) }).catch(
    refusal,
  )
  const found =
    made instanceof ProviderRefused ? await find(call, `/orders/${orderId}`, shapes.readOrder) : made
  if (found === null) throw made
  if (found.orderId !== orderId || found.amountPaise !== order.amountPaise)
    throw new ProviderRefused(`Cashfree has ${orderId} with other contents.`)
  if (found.sessionId === '') throw unavailable('Cashfree gave no session for this payment.')
  return {
    providerRef: orderId,
    redirectUrl: checkoutUrl(connection, {
      kind: 'payment',
      session: found.sessionId,
      returnUrl: order.returnUrl,
    }),
  }
}

async function readStatus(connection: Connection, payment: PaymentAtProvider): Promise<PaymentReport> {
  const { instituteId, paymentId, providerRef } = payment
  const call = connection.begin()
  const found =
    readDebitRef(providerRef) === null
      ? await readOrder(connection, call, payment)
      : await readDebit(connection, call, payment)
  // One that Cashfree has not heard of is open, not failed: our request may still be on its way there.
  const { outcome, ref } = found ?? { outcome: { kind: 'open' as const }, ref: '' }
  return { about: 'payment', instituteId, paymentId, providerRef: ref, outcome }
}

/** The payer may try several times: one that was paid counts, else the last. */
async function readOrder(
  { now }: Connection,
  call: Call,
  { instituteId, paymentId }: PaymentAtProvider,
): Promise<{ outcome: PaymentOutcome; ref: string } | null> {
  const ref = toCashfreeId(instituteId, paymentId)
  const path = `/orders/${ref}`
  const order = await find(call, path, shapes.readOrder)
  if (order === null) return null
  const payments = await call('GET', `${path}/payments`, shapes.readPayments)
  const outcomes = payments.map(one => ({
    at: one.at?.getTime() ?? 0,
    outcome: outcomeOfPayment(one, now()),
  }))
  const paid = outcomes.find(({ outcome }) => outcome.kind === 'captured')
  if (paid !== undefined) return { outcome: paid.outcome, ref }
  const pending = outcomes.find(({ outcome }) => outcome.kind === 'pending')
  if (pending !== undefined) return { outcome: pending.outcome, ref }
  const ofOrder = outcomeOfOrder(order.status)
  const last = outcomes.toSorted((one, other) => other.at - one.at)[0]
  return { outcome: ofOrder.kind === 'open' && last !== undefined ? last.outcome : ofOrder, ref }
}

/** Cashfree refuses it for an order that is paid, expired or terminated, or that it does not know. */
async function terminateOrder(
  { begin }: Connection,
  { instituteId, paymentId }: PaymentAtProvider,
): Promise<void> {
  const path = `/orders/${toCashfreeId(instituteId, paymentId)}`
  const body = { order_status: 'TERMINATED' }
  await begin()('PATCH', path, shapes.readOrder, { body }).catch(ignoreRefusal)
}

function readEvent(event: shapes.Event): Report[] {
  const report = reportOfUnasked(event) ?? reportOfExecution(event) ?? readCredited(event)
  return report === null ? reportsOf(event) : [report]
}

async function refundOnce(connection: Connection, order: RefundRequest): Promise<RefundReport> {
  const { instituteId, refundId, amountPaise, payment } = order
  const call = connection.begin()
  const id = toCashfreeId(instituteId, refundId)
  // A debit that was announced may have been charged by the ordinary flow.
  const asked = { ...payment, instituteId }
  const known = noticeOf(payment.providerRef) === null ? null : await readDebit(connection, call, asked)
  const debit = readDebitRef(known?.ref ?? payment.providerRef)
  const orderId = orderOfCredit(payment.providerRef) ?? toCashfreeId(instituteId, payment.paymentId)
  const path =
    debit === null
      ? `/orders/${encodeURIComponent(orderId)}/refunds`
      : `/subscriptions/${debit.subscriptionId}/refunds`
  const body = {
    ...(debit === null ? { refund_speed: 'STANDARD' } : refundOfDebit(debit)),
    refund_id: id,
    refund_amount: toRupees(amountPaise),
    refund_note: 'Refund of fees',
    ...toVendorSplits('refund_splits', order.parts),
  }
  const at = `${path}/${id}`
  // Looked up first: a repetition under the same key is answered as the first time, whatever has become of it since.
  const refund = (await find(call, at, shapes.readRefund)) ?? (await makeRefund(call, { path, at, id, body }))
  if (refund.refundId !== id || refund.amountPaise !== amountPaise)
    throw new ProviderRefused(`Cashfree has ${id} with other contents.`)
  const outcome = outcomeOfRefund(refund, connection.now())
  return { about: 'refund', instituteId, refundId, providerRef: refund.id, outcome }
}

/** Refused because another of us was first, it is there. */
async function makeRefund(
  call: Call,
  { path, at, id, body }: { path: string; at: string; id: string; body: unknown },
): Promise<shapes.CashfreeRefund> {
  const made = await call('POST', path, shapes.readRefund, { body, headers: repeatable(id) }).catch(refusal)
  if (!(made instanceof ProviderRefused)) return made
  const found = await find(call, at, shapes.readRefund)
  if (found === null) throw made
  return found
}

/** Cashfree documents that UPI supports only STANDARD refunds and eNACH only INSTANT ones. */
function refundOfDebit({ rail, subscriptionId, paymentId }: DebitRef): Record<string, string> {
  return {
    subscription_id: subscriptionId,
    payment_id: paymentId,
    refund_speed: rail === 'enach' ? 'INSTANT' : 'STANDARD',
  }
}

/** Whether a repeated callback keeps the time of the first is not documented, and repetitions go on for hours. */
const TIMESTAMP_PAST_MS = DAY_MS
const TIMESTAMP_AHEAD_MS = 5 * 60_000

/**
 * Signed with the time it was sent, so that what somebody overheard cannot be played again later. A sandbox's clock may
 * have been moved, and Cashfree's has not: there either will do.
 */
function isSigned({ headers, rawBody }: Callback, secret: string, clocks: readonly Date[]): boolean {
  const { 'x-webhook-signature': signature = '', 'x-webhook-timestamp': timestamp = '' } = headers
  if (!/^[0-9A-Za-z+/]{43}=$/.test(signature) || !/^\d{10}(\d{3})?$/.test(timestamp)) return false
  const sentMs = Number(timestamp) * (timestamp.length === 10 ? 1_000 : 1)
  if (!clocks.some(now => isRecent(sentMs, now))) return false
  const expected = createHmac('sha256', secret).update(timestamp).update(rawBody).digest()
  return timingSafeEqual(Buffer.from(signature, 'base64'), expected)
}

function isRecent(sentMs: number, now: Date): boolean {
  const ageMs = now.getTime() - sentMs
  return ageMs <= TIMESTAMP_PAST_MS && ageMs >= -TIMESTAMP_AHEAD_MS
}
