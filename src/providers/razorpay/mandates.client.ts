import { addDays, startOfDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import type { Call } from '../http.ts'
import {
  ProviderRefused,
  type MandateAtProvider,
  type MandateOutcome,
  type MandateReport,
  type MandateRequest,
  type Rail,
  type StartedAtProvider,
  type Announcement,
  type DebitRequest,
  type PaymentAtProvider,
  type PaymentOutcome,
} from '../port.ts'
import {
  mandateRefOf,
  parseMandateRef,
  readItems,
  readPayment,
  readRegistration,
  readToken,
  registeredBy,
  type Registration,
  type Token,
  type TokenRef,
  type Order,
  type RazorpayPayment,
  readCharge,
  readOrder,
} from './shapes.ts'
import { railOf, isReason, returnCodeOf } from './return-codes.rules.ts'
import { outcomeOfDebit } from './reports.ts'

/**
 * Mandates by registration links: the payer authorises on a page of Razorpay's, and a token comes of it. A link is found
 * again by its `receipt`, our mandate id. Whether Razorpay refuses a second link with the same receipt is not documented,
 * so each is looked for before it is made.
 */
const DESCRIPTION_CHARACTERS = 2_048
export const UPI_REGISTRATION_PAISE = paiseOf(100)
/** Its own placeholder: an email address is required, and families may have none. */
const NO_EMAIL = 'void@razorpay.com'
const OPEN_DAYS = 15
const END_OF_DAY_S = 86_399

export async function registerMandate(call: Call, request: MandateRequest): Promise<StartedAtProvider> {
  const link = (await findRegistration(call, request.mandateId)) ?? (await createRegistration(call, request))
  return { providerRef: link.id, redirectUrl: link.shortUrl }
}

function createRegistration(call: Call, request: MandateRequest): Promise<Registration> {
  const { instituteId, mandateId, rail, payer, capPaise } = request
  const isUpi = rail === 'upi_autopay'
  const body = {
    customer: { name: payer.name, email: payer.email || NO_EMAIL, contact: payer.phone },
    type: 'link',
    // Registering costs nothing on eNACH; UPI has no mandate without a first rupee.
    amount: isUpi ? UPI_REGISTRATION_PAISE : 0,
    currency: 'INR',
    description: request.description.slice(0, DESCRIPTION_CHARACTERS),
    subscription_registration: {
      method: isUpi ? 'upi' : 'emandate',
      max_amount: capPaise,
      expire_at: lastSecondOf(request.endOn),
      ...(isUpi ? { frequency: 'as_presented' } : {}),
    },
    receipt: mandateId,
    expire_by: lastSecondOf(addDays(request.startOn, OPEN_DAYS)),
    // Bursar writes to payers itself.
    sms_notify: false,
    email_notify: false,
    notes: { institute_id: String(instituteId), mandate_id: mandateId },
  }
  return call('POST', '/v1/subscription_registration/auth_links', readRegistration, { body })
}

function lastSecondOf(day: string): number {
  return startOfDay(day).getTime() / 1_000 + END_OF_DAY_S
}

async function findRegistration(call: Call, mandateId: string): Promise<Registration | null> {
  const query = new URLSearchParams({ receipt: mandateId })
  const links = await call('GET', `/v1/invoices?${query}`, answer => readItems(answer, readRegistration))
  // Compared here too, should the filter ever be ignored; the newest come first, and the first made was shown.
  return links.findLast(link => link.receipt === mandateId) ?? null
}

export async function readMandate(call: Call, mandate: MandateAtProvider): Promise<MandateReport> {
  const { instituteId, mandateId } = mandate
  const found = await locate(call, mandate)
  const providerRef = found.token === null ? (found.link?.id ?? '') : mandateRefOf(found.token)
  const outcome =
    found.token === null ? outcomeOfLink(found.link) : outcomeOfToken(await fetchToken(call, found.token))
  return { about: 'mandate', instituteId, mandateId, providerRef, outcome }
}

type LocatedMandate = { token: TokenRef | null; link: Registration | null }

/** Its token if the payer has authorised it, else its link. */
async function locate(call: Call, { mandateId, providerRef }: MandateAtProvider): Promise<LocatedMandate> {
  const token = providerRef === null ? null : parseMandateRef(providerRef)
  if (token !== null) return { token, link: null }
  const link =
    providerRef?.startsWith('inv_') === true
      ? await call('GET', `/v1/invoices/${encodeURIComponent(providerRef)}`, readRegistration)
      : await findRegistration(call, mandateId)
  if (link === null) return { token: null, link }
  if (link.receipt !== mandateId)
    throw new ProviderRefused(`Razorpay's ${link.id} belongs to another mandate.`)
  return { token: await registeredToken(call, link), link }
}

async function registeredToken(call: Call, { orderId }: Registration): Promise<TokenRef | null> {
  const path = `/v1/orders/${encodeURIComponent(orderId)}/payments`
  const payments = await call('GET', path, answer => readItems(answer, readPayment))
  return payments.map(registeredBy).find(one => one !== null) ?? null
}

/** What to debit under: we may know a mandate by its link only. */
async function tokenOf(call: Call, mandateRef: string): Promise<TokenRef | null> {
  const token = parseMandateRef(mandateRef)
  if (token !== null || !mandateRef.startsWith('inv_')) return token
  const path = `/v1/invoices/${encodeURIComponent(mandateRef)}`
  return registeredToken(call, await call('GET', path, readRegistration))
}

function outcomeOfLink(link: Registration | null): MandateOutcome {
  switch (link?.status) {
    case 'expired':
      return { kind: 'rejected', code: 'expired', message: 'The time to authorise the mandate ran out.' }
    case 'cancelled':
      return { kind: 'cancelled', code: 'merchant_cancelled', message: 'The mandate was cancelled as asked.' }
    default:
      return { kind: 'open' }
  }
}

/**
 * Null when Razorpay no longer shows it: a deleted token is one whose mandate is being cancelled. Only if it still knows
 * the customer: with the keys of another account it would know neither, and no mandate has ended for that.
 */
async function fetchToken(given: Call, ref: TokenRef): Promise<Token | null> {
  try {
    return await given('GET', pathOf(ref), readToken)
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    if (!/does not exist/i.test(error.message)) throw unsure(error)
  }
  const path = `/v1/customers/${encodeURIComponent(ref.customerId)}`
  await unsureReads(given)('GET', path, answer => answer)
  return null
}

function unsure(error: ProviderRefused): Error {
  return unavailable(`Razorpay did not say how it stands: ${error.message}`, error)
}

/** A question that is refused says nothing about what was asked: it is asked again later. */
function unsureReads(call: Call): Call {
  return (method, path, read, extras) =>
    call(method, path, read, extras).catch((error: unknown) => {
      throw method === 'GET' && error instanceof ProviderRefused ? unsure(error) : error
    })
}

function pathOf({ tokenId, customerId }: TokenRef): string {
  return `/v1/customers/${encodeURIComponent(customerId)}/tokens/${encodeURIComponent(tokenId)}`
}

const WITHDRAWN: Record<Rail, string> = { enach: '29', upi_autopay: 'QA' }

/** A status that we do not know is no reason to end a mandate, nor to debit under it: what is known stays. */
function outcomeOfToken(token: Token | null): MandateOutcome {
  const references =
    token === null ? {} : { umrn: token.umrn ?? undefined, upiReference: token.upiAddress ?? undefined }
  switch (token?.status) {
    case 'initiated':
      return { kind: 'authorised', ...references }
    // The payer may let a paused one run again; until then its debits come back.
    case 'confirmed':
    case 'paused':
      return { kind: 'active', ...references, isPausedByPayer: token.status === 'paused' }
    case 'rejected':
      return {
        kind: 'rejected',
        code: 'bank_refused',
        message: token.failureReason ?? "The payer's bank refused the mandate.",
      }
    case undefined:
    case 'cancellation_initiated':
    case 'cancelled': {
      const code = WITHDRAWN[railOf(token?.method ?? 'emandate') ?? 'enach']
      return { kind: 'cancelled', code, message: 'The mandate was withdrawn.' }
    }
    case 'expired':
      return { kind: 'expired' }
    default:
      return { kind: 'open' }
  }
}

/** Cancelling begins here and is confirmed by NPCI later; nothing is debited meanwhile, because we send nothing. */
export async function cancelMandate(call: Call, mandate: MandateAtProvider): Promise<void> {
  const { token: ref, link } = await locate(call, mandate)
  if (ref === null) {
    if (link?.status === 'issued')
      await call('POST', `/v1/invoices/${encodeURIComponent(link.id)}/cancel`, readRegistration)
    return
  }
  const token = await fetchToken(call, ref)
  if (token === null || ['cancellation_initiated', 'cancelled', 'rejected'].includes(token.status)) return
  // Razorpay documents that deletion begins the cancellation of eNACH; for UPI it would leave the mandate alive.
  const ends = railOf(token.method) === 'enach' ? (['DELETE', ''] as const) : (['PUT', '/cancel'] as const)
  try {
    await call(ends[0], `${pathOf(ref)}${ends[1]}`, answer => answer)
  } catch (error) {
    if (error instanceof ProviderRefused) throw unavailable('Razorpay did not cancel the mandate yet.', error)
    throw error
  }
}

/**
 * A debit is an order with our payment id as its receipt, and one charge of the token under it. A charge has no
 * idempotency key: what stands between a lost answer and a second debit is that the order's payments are read first, and
 * that an order is charged once. A debit is known by its order (`order_…`).
 */

export async function presentDebit(given: Call, request: DebitRequest): Promise<{ providerRef: string }> {
  const call = unsureReads(given)
  const { paymentId, announcedRef, rail } = request
  const order =
    announcedRef === null
      ? ((await findOrder(call, paymentId)) ?? (await createOrder(call, request).catch(refusal(rail))))
      : await call('GET', `/v1/orders/${encodeURIComponent(announcedRef)}`, readOrder)
  refuseOtherAmount(order, request)
  if ((await readAttempts(call, order.id, paymentId)).length === 0) await charge(call, order, request)
  return { providerRef: order.id }
}

/** The order of a debit is made ahead with the moment of the debit, so that Razorpay notifies the payer's bank. */
export async function announceDebit(call: Call, request: Announcement): Promise<{ providerRef: string }> {
  const { noticeId, mandateRef, instituteId, amountPaise, debitAt, rail } = request
  const known = await findOrder(call, noticeId)
  if (known !== null) return { providerRef: refuseOtherAmount(known, request).id }
  const token = await tokenOf(call, mandateRef)
  if (token === null) throw neverAuthorised(rail)
  const body = {
    amount: amountPaise,
    currency: 'INR',
    payment_capture: true,
    receipt: noticeId,
    notification: { token_id: token.tokenId, payment_after: Math.floor(debitAt.getTime() / 1_000) },
    notes: { institute_id: String(instituteId) },
  }
  return { providerRef: (await call('POST', '/v1/orders', readOrder, { body })).id }
}

function refuseOtherAmount(order: Order, { amountPaise }: { amountPaise: Paise }): Order {
  if (order.amountPaise === amountPaise) return order
  throw new ProviderRefused(`Razorpay has ${order.id} under this debit's id with another amount.`)
}

function neverAuthorised(rail: Rail): ProviderRefused {
  return new ProviderRefused('The mandate was never authorised.', returnCodeOf('invalid_token', rail))
}

function createOrder(call: Call, request: DebitRequest): Promise<Order> {
  const { amountPaise, paymentId } = request
  const body = {
    amount: amountPaise,
    currency: 'INR',
    payment_capture: true,
    receipt: paymentId,
    notes: notesOf(request),
  }
  return call('POST', '/v1/orders', readOrder, { body })
}

async function charge(call: Call, order: Order, request: DebitRequest): Promise<void> {
  const { amountPaise, mandateRef, payer, rail, description } = request
  const token = await tokenOf(call, mandateRef)
  if (token === null) throw neverAuthorised(rail)
  const body = {
    email: payer.email || NO_EMAIL,
    contact: payer.phone,
    amount: amountPaise,
    currency: 'INR',
    order_id: order.id,
    customer_id: token.customerId,
    token: token.tokenId,
    recurring: true,
    description,
    notes: notesOf(request),
  }
  try {
    await call('POST', '/v1/payments/create/recurring', readCharge, { body })
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    // Refused because another of us was first: then the debit stands.
    if ((await readAttempts(call, order.id, request.paymentId)).length > 0) return
    refusal(rail)(error)
  }
}

const NEVER_SENT = 'abandoned'

/** A refusal before there is a charge has reached no bank, unless Razorpay says that mandate or account are over. */
function refusal(rail: Rail): (error: unknown) => never {
  return error => {
    if (!(error instanceof ProviderRefused)) throw error
    const reason = error.code ?? ''
    const code = isReason(reason) ? returnCodeOf(reason, rail) : NEVER_SENT
    throw new ProviderRefused(`${error.message} (Razorpay: ${reason})`, code)
  }
}

function notesOf({ instituteId, paymentId }: DebitRequest): Record<string, string> {
  return { institute_id: String(instituteId), payment_id: paymentId }
}

async function findOrder(call: Call, paymentId: string): Promise<Order | null> {
  const query = new URLSearchParams({ receipt: paymentId })
  const orders = await call('GET', `/v1/orders?${query}`, answer => readItems(answer, readOrder))
  // Compared here too, should the filter ever be ignored; of several the first made is the one that was charged.
  return orders.findLast(order => order.receipt === paymentId) ?? null
}

/** An announced order may be charged again after a bounce, by a later payment of ours: each has its own attempts. */
async function readAttempts(call: Call, orderId: string, paymentId: string): Promise<RazorpayPayment[]> {
  const path = `/v1/orders/${encodeURIComponent(orderId)}/payments`
  const payments = await call('GET', path, answer => readItems(answer, readPayment))
  return payments.filter(({ notes }) => notes.paymentId === null || notes.paymentId === paymentId)
}

/** The payment that tells how a debit stands: one that took money, else one under way, else the last that failed. */
export async function readDebit(
  call: Call,
  orderId: string,
  paymentId: string,
): Promise<RazorpayPayment | null> {
  const attempts = await readAttempts(call, orderId, paymentId)
  const paid = attempts.find(({ status }) => status === 'captured' || status === 'refunded')
  return paid ?? attempts.find(({ status }) => status !== 'failed') ?? attempts.at(-1) ?? null
}

/** Null: there is no order, so it was never presented. */
export async function readDebitOutcome(
  call: Call,
  { paymentId, providerRef }: PaymentAtProvider,
): Promise<{ orderId: string; outcome: PaymentOutcome } | null> {
  const orderId =
    providerRef?.startsWith('order_') === true ? providerRef : (await findOrder(call, paymentId))?.id
  if (orderId === undefined) return null
  const payment = await readDebit(call, orderId, paymentId)
  return { orderId, outcome: payment === null ? { kind: 'open' } : outcomeOfDebit(payment) }
}
