import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEYS } from '../../../emulators/cashfree/books.ts'
import { endRefund, movePayment, payOrder } from '../../../emulators/cashfree/orders.ts'
import { answerWith, lose, status } from '../../../emulators/faults.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { createCashfree } from '../../../src/providers/cashfree/cashfree.client.ts'
import { ProviderRefused } from '../../../src/providers/port.ts'
import { assertUnavailable, failureOf } from '../failures.ts'
import {
  amountPaise,
  cashfree,
  fake,
  heard,
  instituteId,
  order,
  orderId,
  outcomeOf,
  paymentId,
  posts,
  refundId,
} from './support.ts'

const refund = {
  instituteId,
  refundId,
  payment: { paymentId, providerRef: orderId },
  amountPaise: paiseOf(50_000),
}

test('a start makes an order under our own id, in exact rupees, with the method the payer chose', async () => {
  const started = await cashfree.start(order)
  assert.equal(started.providerRef, orderId)
  assert.match(started.redirectUrl, /^http:\/\/127\.0\.0\.1:\d+\/checkout\/payment\/session_/)
  assert.deepEqual(fake.seen[0]?.body, {
    order_id: orderId,
    order_amount: 12_500.5,
    order_currency: 'INR',
    customer_details: {
      customer_id: '41x9876543210',
      customer_phone: '9876543210',
      customer_name: 'Asha Rao',
    },
    order_meta: { return_url: 'https://fees.example.edu/return/1', payment_methods: 'upi' },
    order_note: 'Fees for Ravi Rao',
    order_tags: { institute_id: '41', payment_id: paymentId },
  })
})

test('a start repeated, also after a lost answer, gives the same order', async () => {
  fake.spoil('POST /pg/orders', lose)
  await assertUnavailable(cashfree.start(order), /Cashfree cannot be reached/)
  const again = await cashfree.start(order)
  fake.books.answers.clear()
  assert.deepEqual(await cashfree.start(order), again)
  assert.deepEqual([...fake.books.orders.keys()], [orderId])
})

test('a start of another amount under a known id is refused', async () => {
  await cashfree.start(order)
  fake.books.answers.clear()
  const error = await failureOf(cashfree.start({ ...order, amountPaise: paiseOf(100) }))
  assert.ok(error instanceof ProviderRefused)
  assert.match(error.message, /other contents/)
})

test('a refused start says why, without our secret', async () => {
  const message = `bad request with ${KEYS.clientSecret}`
  fake.spoil('POST /pg/orders', status(400, JSON.stringify({ message, code: 'order_amount_invalid' })))
  fake.spoil('GET /pg/orders', status(404, JSON.stringify({ message: 'none', code: 'order_not_found' })))
  const error = await failureOf(cashfree.start(order))
  assert.ok(error instanceof ProviderRefused)
  assert.equal(error.message, 'bad request with …')
  assert.equal(error.code, 'order_amount_invalid')
})

test('the status follows the order: never taken up, open, failed, pending, captured', async () => {
  assert.deepEqual(await outcomeOf(null), { kind: 'open' })
  await cashfree.start(order)
  assert.deepEqual(await outcomeOf(orderId), { kind: 'open' })
  payOrder(fake.books, orderId, {
    payment_status: 'FAILED',
    error_details: {
      error_code: 'TRANSACTION_DECLINED',
      error_description: 'Your bank declined it.',
      error_reason: 'auth_declined',
      error_source: 'bank',
    },
  })
  assert.deepEqual(await outcomeOf(orderId), {
    kind: 'failed',
    code: 'TRANSACTION_DECLINED',
    message: 'Your bank declined it.',
  })
  const { cf_payment_id: id } = payOrder(fake.books, orderId, { payment_status: 'PENDING' })
  assert.deepEqual(await outcomeOf(orderId), { kind: 'pending' })
  movePayment(fake.books, id, { payment_status: 'SUCCESS' })
  assert.deepEqual(await outcomeOf(null), {
    kind: 'captured',
    amountPaise,
    mode: 'upi',
    transactionId: fake.books.payments.at(-1)?.bank_reference,
    providerPaymentId: id,
    capturedAt: new Date('2026-06-10T06:30:00Z'),
  })
})

test('an order that ends unpaid has failed, and a state that is not known yet stays open to be asked again', async () => {
  await cashfree.start(order)
  const [made] = fake.books.orders.values()
  assert.ok(made !== undefined)
  const kinds: string[] = []
  for (const state of ['EXPIRED', 'TERMINATED', 'TERMINATION_REQUESTED', 'PAID', 'SOMETHING_NEW']) {
    fake.spoil(`GET /pg/orders/${orderId}`, answerWith({ ...made, order_status: state }))
    kinds.push((await outcomeOf(orderId)).kind)
  }
  assert.deepEqual(kinds, ['failed', 'failed', 'pending', 'pending', 'pending'])
  payOrder(fake.books, orderId, { payment_status: 'A_NEW_STATE' as 'PENDING' })
  assert.deepEqual(await outcomeOf(orderId), { kind: 'pending' })
})

test('a fee that the payer pays on top is not taken for money of the order', async () => {
  await cashfree.start(order)
  payOrder(fake.books, orderId, { payment_amount: 12_750.75 })
  const outcome = await outcomeOf(orderId)
  assert.ok(outcome.kind === 'captured')
  assert.equal(outcome.amountPaise, amountPaise)
})

test('callbacks tell of success, failure and a payer who left, and say what asking says', async () => {
  await cashfree.start(order)
  payOrder(fake.books, orderId, { payment_status: 'FAILED', payment_message: 'declined' })
  payOrder(fake.books, orderId, { payment_status: 'USER_DROPPED' })
  payOrder(fake.books, orderId)
  const reports = await heard()
  assert.deepEqual(
    reports.map(report => ('outcome' in report ? report.outcome.kind : '')),
    ['failed', 'failed', 'captured'],
  )
  const asked = await cashfree.status({ instituteId, paymentId, providerRef: null })
  assert.deepEqual(reports.at(-1), asked)
})

test('a refund is made once, however often it is asked for, and told of when the bank has made it', async () => {
  await cashfree.start(order)
  payOrder(fake.books, orderId)
  await heard()
  fake.spoil(`POST /pg/orders/${orderId}/refunds`, lose)
  await assertUnavailable(cashfree.refund(refund), /cannot be reached/)
  fake.books.answers.clear()
  const pending = await cashfree.refund(refund)
  assert.deepEqual(pending.outcome, { kind: 'pending' })
  assert.equal(fake.books.refunds.size, 1)
  endRefund(fake.books, `41-${refundId}`, 'SUCCESS')
  const [told] = await heard()
  assert.deepEqual(told, {
    about: 'refund',
    instituteId,
    refundId,
    providerRef: pending.providerRef,
    outcome: {
      kind: 'processed',
      utr: fake.books.refunds.get(`41-${refundId}`)?.refund_arn,
      processedAt: new Date('2026-06-10T06:30:00Z'),
    },
  })
  assert.deepEqual(await cashfree.refund(refund), told)
})

test('a refund of another amount under a known id, and one of an unpaid order, are refused', async () => {
  await cashfree.start(order)
  assert.ok((await failureOf(cashfree.refund(refund))) instanceof ProviderRefused)
  payOrder(fake.books, orderId)
  await cashfree.refund(refund)
  fake.books.answers.clear()
  const error = await failureOf(cashfree.refund({ ...refund, amountPaise: paiseOf(1) }))
  assert.match(error.message, /other contents/)
  assert.equal(posts('/refunds'), 2)
})

test('too many requests, a server error, a time-out and wrong keys leave open what happened', async () => {
  const limit = { message: 'too many requests', code: 'request_failed', type: 'rate_limit_error' }
  fake.spoil('POST /pg/orders', status(429, JSON.stringify(limit), { 'x-ratelimit-retry': '30' }))
  await assertUnavailable(cashfree.start(order), /status 429/)
  fake.spoil('POST /pg/orders', status(502, 'bad gateway'))
  await assertUnavailable(cashfree.start(order), /status 502/)
  fake.spoil('POST /pg/orders', () => {})
  await assertUnavailable(cashfree.start(order), /did not answer within 2000 ms/)
  const stranger = createCashfree({
    ...KEYS,
    clientSecret: 'x',
    environment: 'sandbox',
    baseUrl: fake.apiUrl,
  })
  await assertUnavailable(stranger.start(order), /does not accept the configured key/)
})

test('the connection is checked by a call that changes nothing', async () => {
  await cashfree.checkConnection?.()
  assert.equal(fake.books.orders.size, 0)
  const stranger = createCashfree({
    ...KEYS,
    clientSecret: 'x',
    environment: 'sandbox',
    baseUrl: fake.apiUrl,
  })
  await assertUnavailable(stranger.checkConnection?.() ?? Promise.resolve(), /configured key/)
  const elsewhere = createCashfree({
    ...KEYS,
    environment: 'sandbox',
    baseUrl: fake.apiUrl.replace(/\/pg$/, ''),
  })
  await assertUnavailable(elsewhere.checkConnection?.() ?? Promise.resolve(), /ends in \/pg/)
})
