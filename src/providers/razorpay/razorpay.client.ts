import { createHmac, timingSafeEqual } from 'node:crypto'
import { unavailable } from '../../platform/errors.ts'
import { paiseOf } from '../../platform/money.ts'
import { type Call, type CallerOptions, createCaller } from '../http.ts'
import { type ProviderEntry, valueOf } from '../entry.ts'
import {
  ignoreRefusal,
  type PaymentAtProvider,
  type PaymentOutcome,
  type PaymentReport,
  type Provider,
  ProviderRefused,
  type RefundReport,
  type RefundRequest,
  type StartedAtProvider,
  type StartRequest,
  UPI_MOST,
} from '../port.ts'
import {
  announceDebit,
  presentDebit,
  readDebit,
  readDebitOutcome,
  cancelMandate,
  readMandate,
  registerMandate,
  UPI_REGISTRATION_PAISE,
} from './mandates.client.ts'
import {
  readDisputeEvent,
  readDisputes,
  readUnasked,
  readSettlements,
  refundOnce,
} from './settlements.client.ts'
import { createSplits, reverseParts, toTransfers } from './route.client.ts'
import { createVirtualAccounts } from './virtual-accounts.client.ts'
import { outcomeOfLink, outcomeOfPayment, outcomeOfRefund, reportsOf } from './reports.ts'
import * as shapes from './shapes.ts'

export const razorpay: ProviderEntry = {
  title: 'Razorpay',
  settings: [
    {
      field: 'key_id',
      env: 'RAZORPAY_KEY_ID',
      label: 'Key id',
      help: 'In the dashboard of Razorpay under Account & Settings, API keys. It begins with rzp_live_ or rzp_test_.',
      describes: 'takes payments through Razorpay instead of the sandbox bank',
    },
    {
      field: 'key_secret',
      env: 'RAZORPAY_KEY_SECRET',
      label: 'Key secret',
      help: 'Shown once, when the key is generated.',
      describes: 'secret of that key',
      isSecret: true,
    },
    {
      field: 'webhook_secret',
      env: 'RAZORPAY_WEBHOOK_SECRET',
      label: 'Webhook secret',
      help: 'Choose a long random one, and enter the same in the dashboard under Webhooks.',
      describes: 'secret of the webhook at PUBLIC_URL/callbacks/razorpay',
      isSecret: true,
    },
  ],
  apiUrlEnv: 'RAZORPAY_API_URL',
  create: (values, { apiUrl, onCall } = {}) =>
    createRazorpay({
      keyId: valueOf(values, 'key_id'),
      keySecret: valueOf(values, 'key_secret'),
      webhookSecret: valueOf(values, 'webhook_secret'),
      onCall,
      ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }),
    }),
  describe(values) {
    const keyId = valueOf(values, 'key_id')
    const [, key = null] = /^rzp_(test|live)_./.exec(keyId) ?? []
    return { field: 'key_id', key: key as 'test' | 'live' | null, hint: `…${keyId.slice(-4)}` }
  },
}

/**
 * Razorpay by Payment Links: the payer's browser goes to a page of theirs by its address, without a script of ours.
 *
 * One payment of ours is one link, found again by its `reference_id`, which Razorpay keeps unique; one refund is one
 * `receipt`, sent under the same idempotency key. So every call can be repeated, also after a lost answer. A payment
 * is known by its link (`plink_…`), because attempts (`pay_…`) fail and are repeated on the same link.
 */
type RazorpayOptions = {
  keyId: string
  keySecret: string
  webhookSecret: string
  baseUrl?: string
  timeoutMs?: number
  onCall?: CallerOptions['onCall']
}

const BASE_URL = 'https://api.razorpay.com'
const TIMEOUT_MS = 15_000
const DESCRIPTION_CHARACTERS = 2_048
/** The least is a rupee. What an account may take at most, Razorpay agrees with each merchant and does not tell. */
const ACCEPTS = {
  methods: ['upi', 'card', 'netbanking'],
  minPaise: paiseOf(100),
  maxPaise: null,
  maxPaiseOf: { upi: UPI_MOST },
} as const

export function createRazorpay(options: RazorpayOptions): Provider {
  const { keyId, keySecret, webhookSecret, baseUrl = BASE_URL, timeoutMs = TIMEOUT_MS } = options
  // An empty secret would sign anything for anybody.
  if (keyId === '' || keySecret === '' || webhookSecret === '') {
    throw new Error('Razorpay needs a key id, a key secret and a webhook secret')
  }
  const begin = createCaller({
    title: 'Razorpay',
    baseUrl,
    timeoutMs,
    onCall: options.onCall,
    headers: { authorization: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}` },
    secret: keySecret,
    readRefusal: shapes.readRefusal,
    // The same refund still under way.
    mayPass: (httpStatus, { description }) => httpStatus === 409 && !/different request/i.test(description),
  })
  const once = createOnce<{ providerRef: string }>()
  const refundOf = createOnce<RefundReport>()
  const virtualAccounts = createVirtualAccounts(begin, createOnce())
  return {
    name: 'razorpay',
    accepts: ACCEPTS,
    start: order => startPayment(begin(), order),
    async readCallback({ headers, rawBody }) {
      if (!isSigned(rawBody, headers['x-razorpay-signature'], webhookSecret)) return null
      const event = shapes.readEvent(rawBody)
      if (event.name.startsWith('payment.dispute.')) return readDisputeEvent(begin(), event)
      const reports = reportsOf(event)
      return event.name === 'refund.processed' && reports.length === 0 ? readUnasked(begin(), event) : reports
    },
    status: payment => readStatus(begin(), payment),
    closePage: payment => cancelLink(begin(), payment),
    refund: order => refundOf(order.refundId, () => refundPayment(begin(), order)),
    async disputes(payment) {
      const call = begin()
      const paid = await paidPaymentOf(call, payment)
      return paid === null ? [] : readDisputes(call, paid, payment)
    },
    settlements: (day, linkedIds) => readSettlements(begin, day, linkedIds),
    splits: createSplits(begin),
    mandates: {
      rails: ['enach', 'upi_autopay'],
      registrationPaise: { upi_autopay: UPI_REGISTRATION_PAISE },
      register: request => registerMandate(begin(), request),
      status: mandate => readMandate(begin(), mandate),
      announcedRails: ['upi_autopay'],
      announce: request => once(request.noticeId, () => announceDebit(begin(), request)),
      present: request => once(request.paymentId, () => presentDebit(begin(), request)),
      // Nothing but a dispute that was lost is documented to take a captured debit back.
      returned: async () => null,
      cancel: mandate => cancelMandate(begin(), mandate),
    },
    virtualAccounts,
    checkConnection: async () => {
      await begin()('GET', '/v1/payment_links?reference_id=connection-check', shapes.readLinks)
    },
  }
}

async function startPayment(call: Call, order: StartRequest): Promise<StartedAtProvider> {
  const { instituteId, paymentId, payer, mode } = order
  const customer = { name: payer.name, contact: payer.phone, email: payer.email }
  const body = {
    amount: order.amountPaise,
    currency: 'INR',
    accept_partial: false,
    reference_id: paymentId,
    description: order.description.slice(0, DESCRIPTION_CHARACTERS),
    customer: Object.fromEntries(Object.entries(customer).filter(([, value]) => value !== '')),
    // Bursar writes to payers itself.
    notify: { sms: false, email: false },
    reminder_enable: false,
    expire_by: Math.floor(order.payableUntil.getTime() / 1_000),
    notes: { institute_id: String(instituteId), payment_id: paymentId },
    callback_url: order.returnUrl,
    callback_method: 'get',
    options: {
      ...toTransfers(order.parts, { institute_id: String(instituteId), payment_id: paymentId }),
      checkout: {
        method: {
          upi: mode === 'upi',
          card: mode === 'card',
          netbanking: mode === 'netbanking',
          wallet: false,
        },
      },
    },
  }
  const link = await call('POST', '/v1/payment_links', shapes.readLink, { body }).catch(
    async (error: unknown) => {
      if (!isTakenReference(error)) throw error
      const existing = await findLink(call, paymentId)
      if (existing !== null) return existing
      throw unavailable('Razorpay knows this payment but does not show it yet.', error)
    },
  )
  if (link.referenceId !== paymentId || link.amountPaise !== order.amountPaise) {
    throw new ProviderRefused(`Razorpay has ${link.id} under this payment's id with other contents.`)
  }
  return { providerRef: link.id, redirectUrl: link.shortUrl }
}

/** The only sign of it is the sentence: code and reason are those of any bad request. */
function isTakenReference(error: unknown): boolean {
  return (
    error instanceof ProviderRefused &&
    /reference_id/i.test(error.message) &&
    /already exists/i.test(error.message)
  )
}

/** Compared here too: were the filter ever ignored, a stranger's link would stand first. */
async function findLink(call: Call, paymentId: string): Promise<shapes.Link | null> {
  const query = new URLSearchParams({ reference_id: paymentId })
  const links = await call('GET', `/v1/payment_links?${query}`, shapes.readLinks)
  return links.find(link => link.referenceId === paymentId) ?? null
}

/** Razorpay refuses it for a link that is paid, being paid, expired or cancelled. */
async function cancelLink(call: Call, payment: PaymentAtProvider): Promise<void> {
  const { paymentId, providerRef } = payment
  const id = providerRef?.startsWith('plink_') === true ? providerRef : (await findLink(call, paymentId))?.id
  if (id === undefined) return
  await call('POST', `/v1/payment_links/${encodeURIComponent(id)}/cancel`, shapes.readLink).catch(
    ignoreRefusal,
  )
}

/** A listed link may come without its payments, so it is read by its id in any case. */
async function readLinkOf(call: Call, payment: PaymentAtProvider): Promise<shapes.Link | null> {
  const { paymentId, providerRef } = payment
  const id = providerRef?.startsWith('plink_') === true ? providerRef : (await findLink(call, paymentId))?.id
  if (id === undefined) return null
  const link = await call('GET', `/v1/payment_links/${encodeURIComponent(id)}`, shapes.readLink)
  if (link.referenceId !== paymentId)
    throw new ProviderRefused(`Razorpay's ${id} belongs to another payment.`)
  return link
}

async function readStatus(call: Call, payment: PaymentAtProvider): Promise<PaymentReport> {
  const { instituteId, paymentId } = payment
  const about = { about: 'payment' as const, instituteId, paymentId }
  const link = payment.providerRef?.startsWith('order_') === true ? null : await readLinkOf(call, payment)
  if (link !== null) return { ...about, providerRef: link.id, outcome: await readOutcome(call, link) }
  const debit = await readDebitOutcome(call, payment)
  if (debit !== null) return { ...about, providerRef: debit.orderId, outcome: debit.outcome }
  // Our request may still be on its way: were it called failed, a debit could be presented a second time.
  return { ...about, providerRef: '', outcome: { kind: 'open' } }
}

async function readOutcome(call: Call, link: shapes.Link): Promise<PaymentOutcome> {
  const attempt = paidAttempt(link) ?? link.payments.at(-1)
  if (attempt !== undefined) {
    const path = `/v1/payments/${encodeURIComponent(attempt.paymentId)}`
    const outcome = outcomeOfPayment(await call('GET', path, shapes.readPayment))
    if (outcome.kind !== 'failed') return outcome
    return link.status === 'created' ? outcome : outcomeOfLink(link.status)
  }
  return outcomeOfLink(link.status)
}

function paidAttempt(link: shapes.Link): shapes.Link['payments'][number] | undefined {
  return link.payments.find(({ status }) => status === 'captured' || status === 'refunded')
}

async function refundPayment(call: Call, order: RefundRequest): Promise<RefundReport> {
  const { instituteId, refundId, amountPaise, payment } = order
  const paid = await paidPaymentOf(call, { instituteId, ...payment })
  if (paid === null) throw new ProviderRefused('Nothing was captured under this payment.')
  const notes = { institute_id: String(instituteId), refund_id: refundId, payment_id: payment.paymentId }
  // Taken back first: what a linked account cannot give back is not paid out of another.
  await reverseParts(call, paid, { refundId, parts: order.parts ?? [], notes })
  const refund = await refundOnce(call, paid, { refundId, amountPaise, notes })
  const outcome = outcomeOfRefund(refund, refund.createdAt)
  return { about: 'refund', instituteId, refundId, providerRef: refund.id, outcome }
}

/** Razorpay's id of the payment that took the money. */
async function paidPaymentOf(call: Call, payment: PaymentAtProvider): Promise<string | null> {
  const { providerRef } = payment
  if (providerRef?.startsWith('order_') === true) {
    const debit = await readDebit(call, providerRef, payment.paymentId)
    return debit?.status === 'captured' || debit?.status === 'refunded' ? debit.id : null
  }
  const link = await readLinkOf(call, payment)
  if (link !== null) return paidAttempt(link)?.paymentId ?? null
  // Money that came to an account number had no link: it is known by the payment itself.
  return providerRef?.startsWith('pay_') === true ? providerRef : null
}

function isSigned(rawBody: Buffer, signature: string | undefined, secret: string): boolean {
  if (signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false
  const expected = createHmac('sha256', secret).update(rawBody).digest()
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

/** Calls for the same key that are under way share one: within a process nothing is asked for twice at once. */
function createOnce<T>(): (key: string, act: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, act) => {
    const known = underWay.get(key)
    if (known !== undefined) return known
    const begun = act().finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }
}
