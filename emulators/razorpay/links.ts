import { randomInt, randomUUID } from 'node:crypto'
import { type EmulatorAnswer, type Fields, type SeenRequest, textOf } from '../server.ts'
import { emit, found, newId, newPayment, page, refuse, type Books } from './books.ts'
import type { Link, Notes, Payment, Refund } from './entities.ts'
import { flawOfTransfers, transferParts } from './route.ts'

/** Payment Links and refunds. */
export function createLink(books: Books, body: Fields): EmulatorAnswer {
  const reference = textOf(body, 'reference_id')
  if (reference.length > 40) return refuse('The reference id may not be greater than 40 characters.')
  if (!(Number(body['amount']) >= 100)) return refuse('The amount must be at least INR 1.00.')
  if (textOf(body, 'description').length > 2_048)
    return refuse('The description may not be greater than 2048 characters.')
  const expireBy = Number(body['expire_by'] ?? 0)
  if (expireBy !== 0 && expireBy < books.now() + 15 * 60)
    return refuse('expire_by should be at least 15 minutes after current time.')
  if (reference !== '' && [...books.links.values()].some(link => link.reference_id === reference)) {
    return refuse(
      `payment link with given reference_id: ${reference} already exists. Please create a payment link with a different reference_id`,
    )
  }
  const flaw = flawOfTransfers(books, body)
  if (flaw !== null) return refuse(flaw)
  const id = newId('plink')
  const link: Link = {
    ...body,
    id,
    status: 'created',
    amount: Number(body['amount']),
    amount_paid: 0,
    reference_id: reference,
    expire_by: expireBy,
    cancelled_at: 0,
    expired_at: 0,
    customer: (body['customer'] as Fields | undefined) ?? {},
    user_id: '',
    notes: (body['notes'] as Notes | undefined) ?? [],
    payments: null,
    created_at: books.now(),
    updated_at: books.now(),
    short_url: `${books.pages}/i/${id}`,
  }
  books.links.set(id, link)
  return { status: 200, body: link }
}

/** As documented, lists leave the payments out. */
export function listLinks(books: Books, query: URLSearchParams): EmulatorAnswer {
  const wanted = query.get('reference_id')
  const payment = query.get('payment_id')
  const all = [...books.links.values()]
    .filter(link => wanted === null || link.reference_id === wanted)
    .filter(link => payment === null || link.payments?.some(one => one.payment_id === payment) === true)
  return {
    status: 200,
    body: { payment_links: all.map(link => ({ ...expired(books, link), payments: [] })) },
  }
}

export function readLink(books: Books, id: string): EmulatorAnswer {
  const link = books.links.get(id)
  return found(link === undefined ? undefined : expired(books, link))
}

/** As documented, only a link that waits for money can be cancelled. */
export function cancelLink(books: Books, id: string): EmulatorAnswer {
  const link = books.links.get(id)
  if (link === undefined) return found(undefined)
  const { status } = expired(books, link)
  if (status !== 'created') return refuse(`Payment Link cannot be cancelled in ${status} status.`)
  Object.assign(link, { status: 'cancelled', cancelled_at: books.now(), updated_at: books.now() })
  emit(books, 'payment_link.cancelled', { payment_link: link })
  return { status: 200, body: link }
}

function expired(books: Books, link: Link): Link {
  if (link.status === 'created' && link.expire_by > 0 && link.expire_by <= books.now())
    expireLink(books, link)
  return link
}

function expireLink(books: Books, link: Link): void {
  Object.assign(link, { status: 'expired', expired_at: books.now(), updated_at: books.now() })
  emit(books, 'payment_link.expired', { payment_link: link })
}

/** The payer's visit to a link: one attempt, paid unless the changes say otherwise. */
export function payLink(books: Books, linkId: string, changes: Partial<Payment> = {}): Payment {
  const link = books.links.get(linkId)
  if (link === undefined) throw new Error(`no link ${linkId}`)
  const payment = newPayment(books, {
    amount: link.amount,
    description: `#${linkId.slice(6)}`,
    notes: books.habits.attemptsInheritNotes ? link.notes : [],
    acquirer_data: referenceOf(changes.method ?? 'upi'),
    ...changes,
  })
  if (payment.status === 'failed') emit(books, 'payment.failed', { payment })
  if (payment.status !== 'captured') return payment
  const { id, amount, method, created_at } = payment
  const entry = { payment_id: id, amount, method, status: 'captured', created_at }
  Object.assign(link, {
    status: 'paid',
    amount_paid: link.amount,
    payments: [entry],
    updated_at: books.now(),
  })
  transferParts(books, link, payment)
  emit(books, 'payment.captured', { payment })
  emit(books, 'payment_link.paid', { payment_link: link, payment })
  return payment
}

/** What the bank calls a payment: as documented, each way to pay has its own name for it. */
function referenceOf(method: string): Fields {
  const number = randomInt(10 ** 11, 10 ** 12)
  if (method === 'card') return { auth_code: String(number).slice(-6) }
  if (method === 'netbanking') return { bank_transaction_id: String(number).slice(-7) }
  return { rrn: String(number), upi_transaction_id: randomUUID().replaceAll('-', '').toUpperCase() }
}

export function createRefund(
  books: Books,
  paymentId: string,
  { headers, body }: Pick<SeenRequest, 'headers' | 'body'>,
): EmulatorAnswer {
  const key = String(headers['x-refund-idempotency'] ?? '')
  const text = JSON.stringify(body)
  const known = books.refundKeys.get(key)
  if (known !== undefined) {
    return known.body === text
      ? { status: 200, body: known.refund }
      : refuse('Different request with the same idempotency key has already been processed.', 409)
  }
  const payment = books.payments.get(paymentId)
  if (payment === undefined) return refuse('The id provided does not exist')
  const amount = Number(body['amount'] ?? payment.amount)
  const before = books.refunds.filter(refund => refund.payment_id === paymentId && refund.status !== 'failed')
  if (before.reduce((sum, refund) => sum + refund.amount, 0) + amount > payment.amount)
    return refuse('The refund amount provided is greater than amount captured.')
  const refund: Refund = {
    ...body,
    id: newId('rfnd'),
    entity: 'refund',
    amount,
    currency: 'INR',
    payment_id: paymentId,
    receipt: (body['receipt'] as string | undefined) ?? null,
    notes: (body['notes'] as Notes | undefined) ?? [],
    acquirer_data: { arn: null },
    created_at: books.now(),
    batch_id: null,
    status: 'pending',
    speed_processed: 'normal',
    speed_requested: 'normal',
  }
  books.refunds.push(refund)
  if (key !== '') books.refundKeys.set(key, { body: text, refund })
  return { status: 200, body: refund }
}

/** Somebody of the merchant refunds a payment in the dashboard: no key and no notes of the API's caller. */
export function refundInDashboard(books: Books, paymentId: string, amount: number): void {
  const answer = createRefund(books, paymentId, { headers: {}, body: { amount } })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const refund = books.refunds.at(-1)
  if (refund !== undefined) endRefund(books, refund, 'processed')
}

export function listRefunds(books: Books, paymentId: string, query: URLSearchParams): EmulatorAnswer {
  return page(books.refunds.filter(refund => refund.payment_id === paymentId).toReversed(), query)
}

export function endRefund(books: Books, refund: Refund, status: 'processed' | 'failed'): void {
  const arn = status === 'processed' ? `7458${books.now()}${books.refunds.indexOf(refund)}` : null
  Object.assign(refund, { status, acquirer_data: { arn } })
  const payment = books.payments.get(refund.payment_id)
  if (payment !== undefined && status === 'processed') {
    payment.amount_refunded += refund.amount
    payment.refund_status = payment.amount_refunded < payment.amount ? 'partial' : 'full'
    if (payment.refund_status === 'full') payment.status = 'refunded'
  }
  emit(books, `refund.${status}`, { refund, payment })
}
