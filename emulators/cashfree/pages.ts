import { button, escape, list, page } from '../page.ts'
import { type EmulatorAnswer, type SeenRequest, textOf } from '../server.ts'
import { type Books, refuse } from './books.ts'
import { endExecution } from './controlled.ts'
import { loseDispute, openDispute, winDispute } from './disputes.ts'
import type { Charge, Dispute, Execution, Order, Payment, Subscription } from './entities.ts'
import { endRefund, payOrder } from './orders.ts'
import { settle } from './settlements.ts'
import {
  authorise,
  confirm,
  decline,
  endCharge,
  endChargeRefund,
  moveSubscription,
  subscriptionOf,
} from './subscriptions.ts'
import { settleVendors } from './vendors.ts'
import { transfer } from './virtual-accounts.ts'

/** The pages that a person sees: the payer's under `/checkout/…`, and at `/` a desk from which banks are played. */
export function servePages(books: Books, { method, path, body }: SeenRequest): EmulatorAnswer {
  const [, , kind, session] = path.split('/')
  const order = [...books.orders.values()].find(one => one.payment_session_id === session)
  const subscription = [...books.subscriptions.values()].find(one => one.subscription_session_id === session)
  const verb = method === 'POST' ? textOf(body, 'do') : null
  if (path === '/act' && verb !== null) {
    act(books, textOf(body, 'on'), verb)
    return { status: 303, location: './' }
  }
  if (kind === 'payment' && order !== undefined) return visitOrder(books, order, verb)
  if (kind === 'mandate' && subscription !== undefined) return visitSubscription(books, subscription, verb)
  return path === '/' ? { status: 200, body: deskPage(books) } : refuse(404, 'not_found', 'Not found')
}

/** As documented, the browser comes back to the return address when the payer has tried. */
function visitOrder(books: Books, order: Order, verb: string | null): EmulatorAnswer {
  const { order_id: id, order_status: status, order_meta: meta } = order
  if (verb !== null && status === 'ACTIVE') {
    payOrder(
      books,
      id,
      verb === 'pay' ? {} : { payment_status: 'FAILED', payment_message: 'The bank declined it.' },
    )
    return { status: 303, location: meta.return_url ?? '/' }
  }
  const buttons =
    status === 'ACTIVE' ? [button('', 'pay', 'Pay'), button('', 'fail', 'Let the payment fail')] : []
  const title = `${rupees(order.order_amount)} for ${order.order_note}`
  return { status: 200, body: show(title, [`<p>Order ${id}: ${status}.</p>`, ...buttons]) }
}

function visitSubscription(books: Books, subscription: Subscription, verb: string | null): EmulatorAnswer {
  const { subscription_id: id, subscription_status: status, plan_details: plan } = subscription
  if (verb !== null && status === 'INITIALIZED') {
    if (verb === 'authorise') authorise(books, id)
    else decline(books, id, 'The customer declined the mandate')
    return { status: 303, location: subscription.subscription_meta.return_url ?? '/' }
  }
  const buttons =
    status === 'INITIALIZED'
      ? [button('', 'authorise', `Authorise by ${books.methods.get(id)}`), button('', 'decline', 'Decline')]
      : []
  const title = `A mandate of up to ${rupees(plan.plan_max_amount)} a debit`
  return { status: 200, body: show(title, [`<p>Subscription ${id}: ${status}.</p>`, ...buttons]) }
}

const BOUNCES: Record<string, string> = {
  'no money': 'Insufficient Funds In Customer (Remitter) Account',
  'bank down': 'Remitter bank is unavailable',
  revoked: 'Mandate has been revoked by the customer',
  closed: 'Account is closed',
}

/** What banks do, by the id of what it happens to. */
function act(books: Books, on: string, verb: string): void {
  if (verb === 'pay out') {
    settle(books)
    settleVendors(books)
  }
  if (books.virtualAccounts.has(on) && verb === 'send')
    transfer(books, on, { rupees: 1_000, utr: `HDFCN${Date.now()}`, name: 'Asha Rao' })
  if (books.subscriptions.has(on)) actOnMandate(books, on, verb)
  const charge = books.charges.get(on)
  if (charge !== undefined) actOnCharge(books, charge, verb)
  const execution = books.executions.get(on)
  if (execution !== undefined) actOnExecution(books, execution, verb)
  const payment = books.payments.find(one => one.cf_payment_id === on && one.payment_status === 'SUCCESS')
  if (payment !== undefined && verb === 'dispute') openDispute(books, disputedOf(payment))
  const dispute = books.disputes.find(one => String(one.dispute_id) === on && one.resolved_at === '')
  if (dispute !== undefined) endDispute(books, dispute, verb)
  if (books.refunds.get(on)?.refund_status === 'PENDING')
    endRefund(books, on, verb === 'processed' ? 'SUCCESS' : 'CANCELLED')
  if (books.chargeRefunds.get(on)?.refund_status === 'INITIALIZED')
    endChargeRefund(books, on, verb === 'processed' ? 'SUCCESS' : 'FAILED')
}

function disputedOf({ order_id: orderId, cf_payment_id: paymentId, payment_amount: amount }: Payment) {
  return { orderId, paymentId, amount }
}

function endDispute(books: Books, dispute: Dispute, verb: string): void {
  const { order_id: orderId, cf_payment_id: paymentId, payment_amount: amount } = dispute.order_details
  if (verb === 'won') winDispute(books, dispute)
  if (verb === 'lost') loseDispute(books, { orderId, paymentId, amount }, dispute)
}

function actOnMandate(books: Books, id: string, verb: string): void {
  const isPending = subscriptionOf(books, id).subscription_status === 'BANK_APPROVAL_PENDING'
  if (isPending && verb === 'confirm') confirm(books, id)
  if (isPending && verb === 'refuse') decline(books, id)
  if (verb === 'revoke') moveSubscription(books, id, 'CUSTOMER_CANCELLED')
}

function actOnCharge(books: Books, charge: Charge, verb: string): void {
  const { payment_id: id, payment_status: status, cf_txn_id: paymentId = '', payment_amount: amount } = charge
  if (status === 'SUCCESS' && verb === 'dispute') loseDispute(books, { orderId: '', paymentId, amount })
  if (status !== 'PENDING' && status !== 'INITIALIZED') return
  const reason = BOUNCES[verb]
  endCharge(books, id, reason === undefined ? { isPaid: true } : { isPaid: false, reason })
}

function actOnExecution(books: Books, execution: Execution, verb: string): void {
  const {
    execution_id: id,
    execution_status: status,
    cf_txn_id: paymentId,
    payment_amount: amount,
  } = execution
  if (status === 'SUCCESS' && verb === 'dispute') loseDispute(books, { orderId: '', paymentId, amount })
  if (status !== 'INITIALIZED') return
  const reason = BOUNCES[verb]
  endExecution(books, id, reason === undefined ? { isPaid: true } : { isPaid: false, reason })
}

/** States of refunds and debits that the bank has not ended. */
const IN_HAND: ReadonlySet<string> = new Set(['PENDING', 'INITIALIZED'])

type Debit = { id: string; status: string; amount: number; day?: string | undefined }

/** Charges, and executions of what was announced. */
function debitsOf(books: Books): Debit[] {
  return [
    ...[...books.charges.values()].map(one => ({
      id: one.payment_id,
      status: one.payment_status,
      amount: one.payment_amount,
      day: one.payment_schedule_date,
    })),
    ...[...books.executions.values()].map(one => ({
      id: one.execution_id,
      status: one.execution_status,
      amount: one.payment_amount,
    })),
  ]
}

function deskPage(books: Books): string {
  const orders = [...books.orders.values()].filter(one => one.order_status === 'ACTIVE')
  const debits = debitsOf(books)
  const paid = books.payments.filter(one => one.payment_status === 'SUCCESS')
  const waiting = debits.filter(one => IN_HAND.has(one.status))
  const refunds = [...books.refunds.values(), ...books.chargeRefunds.values()]
  return show('Cashfree, played by you', [
    list('Orders that payers have open', orders, one => {
      const { order_id: id, payment_session_id: session } = one
      return `<a href="/checkout/payment/${session}">${escape(id)}</a> ${rupees(one.order_amount)}`
    }),
    list('Mandates', [...books.subscriptions.values()], describeMandate),
    list('Account numbers', [...books.virtualAccounts.entries()], ([id, account]) =>
      [`${id}: ${account.vba_account_number}, ${account.vba_status}`, button(id, 'send', 'send ₹1,000')].join(
        ' ',
      ),
    ),
    list('Debits that wait for their bank', waiting, one =>
      [describeDebit(one), ...['paid', ...Object.keys(BOUNCES)].map(verb => button(one.id, verb))].join(' '),
    ),
    list('Payments', paid, one => `${describePayment(one)} ${button(one.cf_payment_id, 'dispute')}`),
    list(
      'Debits that were paid',
      debits.filter(one => one.status === 'SUCCESS'),
      one => `${describeDebit(one)} ${button(one.id, 'dispute')}`,
    ),
    list('Refunds', refunds, ({ refund_id: id, refund_amount: amount, refund_status: status }) =>
      [
        `${escape(id)} ${rupees(amount)}: ${status}`,
        ...(IN_HAND.has(status) ? [button(id, 'processed'), button(id, 'failed')] : []),
      ].join(' '),
    ),
    list('Disputes', books.disputes, ({ dispute_id: id, dispute_status: status, resolved_at: end }) =>
      [`${id}: ${status}`, ...(end === '' ? [button(`${id}`, 'won'), button(`${id}`, 'lost')] : [])].join(
        ' ',
      ),
    ),
    `<h2>Pay-outs</h2>${button('', 'pay out', 'Pay everything out', 'act')}`,
  ])
}

function describeMandate(one: Subscription): string {
  const { subscription_id: id, subscription_session_id: session, subscription_status: status } = one
  const acts = ['confirm', 'refuse', 'revoke'].map(verb => button(id, verb))
  return `<a href="/checkout/mandate/${session}">${escape(id)}</a>: ${status} ${acts.join('')}`
}

function describePayment({ order_id: id, payment_amount: amount }: Payment): string {
  return `${escape(id)} ${rupees(amount)}`
}

function describeDebit({ id, amount, day }: Debit): string {
  return `${escape(id)} ${rupees(amount)}${day === undefined ? '' : ` on ${day.slice(0, 10)}`}`
}

function rupees(amount: number): string {
  return `₹${amount.toLocaleString('en-IN', { minimumFractionDigits: 2 })}`
}

function show(title: string, parts: readonly string[]): string {
  return page('Cashfree', title, parts)
}
