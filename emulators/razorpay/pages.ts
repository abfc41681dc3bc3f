import { createHmac } from 'node:crypto'
import { button, escape, list, page as pageOf } from '../page.ts'
import { type EmulatorAnswer, type SeenRequest, textOf } from '../server.ts'
import { type Books, refuse } from './books.ts'
import type { Invoice, Link, Payment } from './entities.ts'
import { endRefund, payLink, refundInDashboard } from './links.ts'
import { authorise, declineRegistration, moveToken, type TokenStatus } from './mandates.ts'
import { endDebit } from './orders.ts'
import { payOutLinked } from './route.ts'
import { disputePayment, moveDispute, payOut, type DisputeStatus } from './settlements.ts'
import { transfer } from './virtual-accounts.ts'

/** The pages that a person sees: the payer's at `/i/…`, and at `/` a desk from which banks and banking days are played. */
export function servePages(books: Books, { method, path, body }: SeenRequest): EmulatorAnswer {
  const id = path.startsWith('/i/') ? path.slice(3) : ''
  const link = books.links.get(id)
  const invoice = books.invoices.get(id)
  if (method === 'POST' && path === '/act') {
    act(books, textOf(body, 'on'), textOf(body, 'do'))
    return { status: 303, location: './' }
  }
  if (method === 'POST' && link !== undefined) return visitLink(books, link, textOf(body, 'do'))
  if (method === 'POST' && invoice !== undefined) return visitInvoice(books, invoice, textOf(body, 'do'))
  if (link !== undefined) return { status: 200, body: linkPage(link) }
  if (invoice !== undefined) return { status: 200, body: invoicePage(books, invoice) }
  return path === '/' ? { status: 200, body: deskPage(books) } : refuse('Not found', 404)
}

/** As documented, the browser comes back to `callback_url` with the ids and a signature over them. */
function visitLink(books: Books, link: Link, outcome: string): EmulatorAnswer {
  if (link.status !== 'created') return { status: 200, body: linkPage(link) }
  const [result, method = 'upi'] = outcome.split(' ')
  const failure = {
    error_code: 'BAD_REQUEST_ERROR',
    error_description: 'The bank declined the payment.',
    error_reason: 'payment_failed',
  }
  const payment = payLink(
    books,
    link.id,
    result === 'pay' ? { method } : { method, status: 'failed', ...failure },
  )
  const { callback_url: back } = link
  if (result !== 'pay' || typeof back !== 'string') return { status: 200, body: linkPage(link) }
  const url = new URL(back)
  const signed = `${link.id}|${link.reference_id}|${link.status}|${payment.id}`
  for (const [key, value] of Object.entries({
    razorpay_payment_id: payment.id,
    razorpay_payment_link_id: link.id,
    razorpay_payment_link_reference_id: link.reference_id,
    razorpay_payment_link_status: link.status,
    razorpay_signature: createHmac('sha256', books.keys.keySecret).update(signed).digest('hex'),
  }))
    url.searchParams.set(key, value)
  return { status: 303, location: url.href }
}

/** As documented, a registration link leads nowhere when the payer is done. */
function visitInvoice(books: Books, invoice: Invoice, choice: string): EmulatorAnswer {
  if (invoice.status === 'issued') {
    if (choice === 'decline') declineRegistration(books, invoice.id)
    else authorise(books, invoice.id, choice)
  }
  return { status: 200, body: invoicePage(books, invoice) }
}

/** What banks do, by the id of what it happens to. */
function act(books: Books, on: string, verb: string): void {
  const payment = books.payments.get(on)
  const refund = books.refunds.find(one => one.id === on)
  const dispute = books.disputes.get(on)
  if (verb === 'pay out') {
    payOut(books)
    payOutLinked(books)
  }
  if (books.virtualAccounts.has(on) && verb === 'send')
    transfer(books, on, { paise: 1_000_00, utr: `HDFCN${Date.now()}`, name: 'Asha Rao' })
  if (books.tokens.has(on))
    moveToken(books, on, verb as TokenStatus, verb === 'rejected' ? 'Rejected by bank' : null)
  if (refund?.status === 'pending') endRefund(books, refund, verb as 'processed' | 'failed')
  if (dispute !== undefined && !DECIDED.has(dispute.status))
    moveDispute(books, dispute, verb as DisputeStatus)
  if (payment?.status === 'captured' && verb === 'dispute') disputePayment(books, payment)
  if (payment?.status === 'captured' && verb === 'refund') refundRest(books, payment)
  if (payment?.status === 'created') endDebit(books, payment, verb === 'captured' ? verb : { reason: verb })
}

/** Somebody at the school does it in the dashboard, with all that the API has not asked to give back. */
function refundRest(books: Books, { id, amount }: Payment): void {
  const before = books.refunds.filter(one => one.payment_id === id && one.status !== 'failed')
  const rest = amount - before.reduce((sum, one) => sum + one.amount, 0)
  if (rest > 0) refundInDashboard(books, id, rest)
}

function linkPage(link: Link): string {
  const buttons = ['upi', 'card', 'netbanking'].map(way => button('', `pay ${way}`, `Pay by ${way}`))
  const isOpen = link.status === 'created'
  return page(`${rupees(link.amount)} for ${textOf(link, 'description')}`, [
    `<p>Payment link ${link.id}: ${link.status}.</p>`,
    ...(isOpen ? [...buttons, button('', 'fail', 'Let the payment fail')] : []),
  ])
}

function invoicePage(books: Books, invoice: Invoice): string {
  const asked = books.registrations.get(invoice.id)
  const ways = asked?.['method'] === 'upi' ? ['upi'] : ['netbanking', 'debitcard', 'aadhaar']
  const buttons = ways.map(way => button('', way, `Authorise by ${way}`))
  return page(`A mandate of up to ${rupees(Number(asked?.['max_amount']))} a debit`, [
    `<p>${escape(invoice.description)}. Registration link ${invoice.id}: ${invoice.status}.</p>`,
    ...(invoice.status === 'issued' ? [...buttons, button('', 'decline', 'Decline')] : []),
    ...(invoice.status === 'paid' ? ['<p>Done. You can close this page.</p>'] : []),
  ])
}

const DECIDED: ReadonlySet<string> = new Set(['won', 'lost', 'closed'])
const BOUNCES = ['insufficient_funds', 'bank_technical_error', 'mandate_cancelled', 'bank_account_invalid']

function deskPage(books: Books): string {
  const debits = [...books.payments.values()].filter(one => one.status === 'created')
  const captured = [...books.payments.values()].filter(one => one.status === 'captured' && one.amount > 0)
  const open = [...books.links.values(), ...books.invoices.values()].filter(one =>
    ['created', 'issued'].includes(one.status),
  )
  return page('Razorpay, played by you', [
    list('Pages that payers have open', open, one => `<a href="/i/${one.id}">${one.id}</a>`),
    list('Mandates', [...books.tokens.values()], ({ token }) => {
      const { status } = token.recurring_details
      const acts = ['confirmed', 'rejected', 'paused', 'cancelled'].filter(one => one !== status)
      return `${token.id} by ${token.method}: ${status} ${acts.map(one => button(token.id, one)).join('')}`
    }),
    list('Account numbers', [...books.virtualAccounts.values()], ({ id, description, status }) =>
      [`${id} of ${escape(description)}: ${status}`, button(id, 'send', 'send ₹1,000')].join(' '),
    ),
    list('Debits that wait for their bank', debits, payment =>
      [
        describe(payment),
        button(payment.id, 'captured'),
        ...BOUNCES.map(one => button(payment.id, one)),
      ].join(' '),
    ),
    list('Paid', captured, payment =>
      [
        describe(payment),
        button(payment.id, 'dispute'),
        button(payment.id, 'refund', 'refund the rest in the dashboard'),
      ].join(' '),
    ),
    list('Refunds', books.refunds, ({ id, amount, status }) =>
      [
        `${id} ${rupees(amount)}: ${status}`,
        ...(status === 'pending' ? [button(id, 'processed'), button(id, 'failed')] : []),
      ].join(' '),
    ),
    list('Disputes', [...books.disputes.values()], ({ id, status, payment_id }) =>
      [
        `${id} of ${payment_id}: ${status}`,
        ...(DECIDED.has(status) ? [] : [...DECIDED].map(one => button(id, one))),
      ].join(' '),
    ),
    `<h2>Pay-outs</h2>${button('', 'pay out', 'Pay everything out', 'act')}`,
  ])
}

const describe = ({ id, amount, method }: Payment): string => `${id} ${rupees(amount)} by ${method}`

function rupees(paise: number): string {
  return `₹${(paise / 100).toLocaleString('en-IN', { minimumFractionDigits: 2 })}`
}

function page(title: string, parts: readonly string[]): string {
  return pageOf('Razorpay', title, parts)
}
