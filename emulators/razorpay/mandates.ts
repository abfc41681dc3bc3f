import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { emit, found, newId, newPayment, page, refuse, type Books } from './books.ts'
import type { Invoice, Notes, Token } from './entities.ts'
import { createOrder } from './orders.ts'

/** Registration links and the tokens that come of them. */
const FORTY_YEARS_S = 40 * 366 * 86_400
const UPI_CAP_PAISE = 99_999_00
const EMANDATE_CAP_PAISE = 1_00_00_000_00

export function createRegistrationLink(books: Books, body: Fields): EmulatorAnswer {
  const asked = (body['subscription_registration'] ?? {}) as Fields
  const customer = (body['customer'] ?? {}) as Record<string, string>
  const problem = problemOf(books, body, asked, customer)
  if (problem !== null) return refuse(problem)
  const customerId = customerOf(books, customer)
  const made = createOrder(books, {
    amount: Number(body['amount']),
    currency: 'INR',
    receipt: null,
    notes: body['notes'],
  })
  const order = made.body as { id: string }
  const [now, id, amount] = [books.now(), newId('inv'), Number(body['amount'])]
  const invoice: Invoice = {
    id,
    entity: 'invoice',
    receipt: (body['receipt'] as string | undefined) ?? null,
    invoice_number: (body['receipt'] as string | undefined) ?? null,
    customer_id: customerId,
    customer_details: { id: customerId, ...customer },
    order_id: order.id,
    line_items: [],
    payment_id: null,
    status: 'issued',
    expire_by: (body['expire_by'] as number | undefined) ?? null,
    issued_at: now,
    paid_at: null,
    cancelled_at: null,
    expired_at: null,
    sms_status: body['sms_notify'] === false ? null : 'pending',
    email_status: body['email_notify'] === false ? null : 'pending',
    date: now,
    terms: null,
    partial_payment: false,
    gross_amount: amount,
    tax_amount: 0,
    taxable_amount: 0,
    amount,
    amount_paid: 0,
    amount_due: amount,
    currency: 'INR',
    currency_symbol: '₹',
    description: String(body['description']),
    notes: (body['notes'] as Notes | undefined) ?? [],
    comment: null,
    short_url: `${books.pages}/i/${id}`,
    view_less: true,
    billing_start: null,
    billing_end: null,
    type: 'link',
    group_taxes_discounts: false,
    created_at: now,
    idempotency_key: null,
  }
  books.invoices.set(id, invoice)
  books.registrations.set(id, asked)
  return { status: 200, body: invoice }
}

function problemOf(
  books: Books,
  body: Fields,
  asked: Fields,
  customer: Record<string, string>,
): string | null {
  const isUpi = asked['method'] === 'upi'
  if (!isUpi && asked['method'] !== 'emandate') return 'The selected method is invalid.'
  for (const field of ['name', 'email', 'contact'])
    if ((customer[field] ?? '') === '') return `The customer ${field} field is required.`
  if (textOf(body, 'description') === '') return 'The description field is required.'
  if (textOf(body, 'receipt').length > 40) return 'The receipt may not be greater than 40 characters.'
  if (isUpi ? Number(body['amount']) < 100 : Number(body['amount']) !== 0)
    return isUpi ? 'The amount must be at least INR 1.00.' : 'The amount must be 0 for emandate.'
  const [cap, most] = [Number(asked['max_amount']), isUpi ? UPI_CAP_PAISE : EMANDATE_CAP_PAISE]
  if (!(cap >= 100 && cap <= most)) return `The max amount must be between 100 and ${most}.`
  const expireAt = Number(asked['expire_at'] ?? 0)
  if (expireAt !== 0 && (expireAt <= books.now() || expireAt > books.now() + FORTY_YEARS_S))
    return 'The expire at is invalid.'
  return isUpi && asked['frequency'] === undefined ? 'The frequency field is required.' : null
}

/** One customer for one email and phone, as the Customers API keeps them. */
function customerOf(books: Books, asked: Record<string, string>): string {
  const { name = '', email = '', contact = '' } = asked
  for (const one of books.customers.values())
    if (one.email === email && one.contact === contact) return one.id
  const id = newId('cust')
  books.customers.set(id, { id, name, email, contact })
  return id
}

export function listInvoices(books: Books, query: URLSearchParams): EmulatorAnswer {
  const receipt = query.get('receipt')
  const all = [...books.invoices.values()].filter(one => receipt === null || one.receipt === receipt)
  return page(all.toReversed(), query)
}

export function cancelInvoice(books: Books, id: string): EmulatorAnswer {
  const invoice = books.invoices.get(id)
  if (invoice?.status === 'paid') return refuse('Invoice cannot be cancelled in paid status.')
  if (invoice !== undefined) Object.assign(invoice, { status: 'cancelled', cancelled_at: books.now() })
  return found(invoice)
}

/** The payer says yes on the hosted page. UPI asks the payer's bank at once; eNACH is confirmed later. */
export function authorise(books: Books, invoiceId: string, authType = 'netbanking'): Token {
  const invoice = books.invoices.get(invoiceId)
  const asked = books.registrations.get(invoiceId)
  if (invoice === undefined || asked === undefined) throw new Error(`no registration link ${invoiceId}`)
  if (invoice.status !== 'issued') throw new Error(`the registration link is ${invoice.status}`)
  const isUpi = asked['method'] === 'upi'
  const now = books.now()
  const token: Token = {
    id: newId('token'),
    entity: 'token',
    token: newId('t').slice(2),
    bank: isUpi ? null : 'HDFC',
    wallet: null,
    method: String(asked['method']),
    vpa: isUpi ? { username: 'asha.rao', handle: 'upi', name: null } : null,
    recurring: true,
    recurring_details: { status: isUpi ? 'confirmed' : 'initiated', failure_reason: null },
    auth_type: isUpi ? null : authType,
    mrn: null,
    used_at: now,
    created_at: now,
    start_time: now,
    expired_at: Number(asked['expire_at'] ?? now + FORTY_YEARS_S),
    max_amount: Number(asked['max_amount']),
    dcc_enabled: false,
  }
  books.tokens.set(token.id, { token, customerId: invoice.customer_id, isDeleted: false })
  payRegistration(books, invoice, token)
  if (isUpi) emit(books, 'token.confirmed', { token })
  return token
}

function payRegistration(books: Books, invoice: Invoice, token: Token): void {
  const isDummy = token.method === 'upi' && books.habits.upiRegistration === 'dummy'
  const payment = newPayment(books, {
    amount: invoice.amount,
    status: isDummy ? 'failed' : 'captured',
    method: token.method,
    order_id: invoice.order_id,
    invoice_id: invoice.id,
    customer_id: invoice.customer_id,
    token_id: token.id,
    description: `Invoice #${invoice.id}`,
    notes: invoice.notes,
    ...(isDummy
      ? {
          error_code: 'BAD_REQUEST_ERROR',
          error_description: 'Payment was a dummy payment for one time mandate registration.',
          error_source: 'business',
          error_step: 'payment_initiation',
          error_reason: 'upi_dummy_payment',
        }
      : {}),
  })
  if (isDummy) return emit(books, 'payment.failed', { payment })
  emit(books, 'payment.authorized', { payment: { ...payment, status: 'authorized', captured: false } })
  emit(books, 'payment.captured', { payment })
  Object.assign(invoice, {
    status: 'paid',
    payment_id: payment.id,
    paid_at: books.now(),
    amount_paid: invoice.amount,
    amount_due: 0,
  })
  const order = books.orders.get(invoice.order_id)
  if (order !== undefined) Object.assign(order, { status: 'paid', amount_paid: order.amount, amount_due: 0 })
  emit(books, 'invoice.paid', { payment, order, invoice })
}

/** The payer gives up on the hosted page; the link stays open for another try. */
export function declineRegistration(books: Books, invoiceId: string): void {
  const invoice = books.invoices.get(invoiceId)
  if (invoice === undefined) throw new Error(`no registration link ${invoiceId}`)
  const payment = newPayment(books, {
    amount: invoice.amount,
    status: 'failed',
    method: String(books.registrations.get(invoiceId)?.['method']),
    order_id: invoice.order_id,
    invoice_id: invoice.id,
    customer_id: invoice.customer_id,
    notes: invoice.notes,
    error_code: 'BAD_REQUEST_ERROR',
    error_description: 'Payment processing cancelled by user',
    error_source: 'customer',
    error_step: 'payment_authentication',
    error_reason: 'payment_cancelled',
  })
  emit(books, 'payment.failed', { payment })
}

export type TokenStatus = 'confirmed' | 'rejected' | 'paused' | 'cancelled'

/** What the bank, NPCI or the payer's app makes of a mandate. */
export function moveToken(
  books: Books,
  tokenId: string,
  status: TokenStatus,
  failureReason: string | null = null,
): void {
  const held = books.tokens.get(tokenId)
  if (held === undefined) throw new Error(`no token ${tokenId}`)
  held.token.recurring_details = { status, failure_reason: failureReason }
  emit(books, `token.${status}`, { token: held.token })
}

export function readToken(books: Books, customerId: string, tokenId: string): EmulatorAnswer {
  const held = books.tokens.get(tokenId)
  return found(held?.customerId === customerId && !held.isDeleted ? held.token : undefined)
}

/** As documented: cancelling is asked of NPCI and told later. Deleting an eNACH token begins its cancellation too. */
export function cancelToken(
  books: Books,
  customerId: string,
  tokenId: string,
  verb: 'cancel' | 'delete',
): EmulatorAnswer {
  const held = books.tokens.get(tokenId)
  if (held === undefined || held.isDeleted || held.customerId !== customerId)
    return refuse('The id provided does not exist')
  const { status } = held.token.recurring_details
  if (!['initiated', 'confirmed', 'paused'].includes(status))
    return refuse(`Token cannot be cancelled in ${status} state.`)
  held.token.recurring_details = { status: 'cancellation_initiated', failure_reason: null }
  // Its mandate ends at NPCI on the next working day, and that is told.
  if (verb === 'delete') held.isDeleted = true
  return { status: 200, body: verb === 'cancel' ? { status: 'cancellation_initiated' } : { deleted: true } }
}
