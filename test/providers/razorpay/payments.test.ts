import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import { ProviderRefused } from '../../../src/providers/port.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { assertUnavailable, failureOf } from '../failures.ts'
import {
  amountPaise,
  answerWith,
  fake,
  instituteId,
  lose,
  moveClock,
  NOTES,
  order,
  outcomeOf,
  paymentId,
  razorpay,
  refundId,
  startPaid,
  status,
} from './support.ts'

const post = (path: string): number =>
  fake.seen.filter(({ method, path: at }) => method === 'POST' && at.endsWith(path)).length

test('a start makes a link as the documentation asks and sends the payer to its address', async () => {
  const started = await razorpay.start(order)
  assert.match(started.providerRef, /^plink_/)
  assert.equal(started.redirectUrl, `${fake.url}/i/${started.providerRef}`)
  assert.deepEqual(fake.seen[0]?.body, {
    amount: 1_250_050,
    currency: 'INR',
    accept_partial: false,
    reference_id: paymentId,
    description: 'Fees for Ravi Rao',
    customer: { name: 'Asha Rao', contact: '+919876543210' },
    notify: { sms: false, email: false },
    reminder_enable: false,
    expire_by: Date.UTC(2026, 10, 15, 2) / 1_000,
    notes: NOTES,
    callback_url: 'https://fees.example.edu/return/1',
    callback_method: 'get',
    options: { checkout: { method: { upi: true, card: false, netbanking: false, wallet: false } } },
  })
})

test('a start repeated, also after a lost answer, gives the same link', async () => {
  fake.spoil('POST /v1/payment_links', lose)
  await assertUnavailable(razorpay.start(order), /cannot be reached/)
  const again = await razorpay.start(order)
  assert.deepEqual(await razorpay.start(order), again)
  assert.deepEqual([...fake.links.keys()], [again.providerRef])
})

test('a stranger’s link in a list that was not filtered is not taken for ours', async () => {
  await razorpay.start({ ...order, paymentId: 'pay_other' })
  const stranger = { payment_links: [...fake.links.values()] }
  await razorpay.start(order)
  fake.spoil('GET /v1/payment_links', answerWith(stranger))
  await assertUnavailable(razorpay.start(order), /does not show it yet/)
})

test('a start of another amount under a known id is refused', async () => {
  await razorpay.start(order)
  const error = await failureOf(razorpay.start({ ...order, amountPaise: paiseOf(100) }))
  assert.ok(error instanceof ProviderRefused)
  assert.match(error.message, /other contents/)
})

test('a link that leads to anything but an https page is not handed on', async () => {
  await razorpay.start(order)
  const [link] = fake.links.values()
  fake.spoil('POST /v1/payment_links', answerWith({ ...link, short_url: 'javascript:alert(1)' }))
  await assertUnavailable(razorpay.start(order), /payment_link\.short_url must be an https address/)
})

test('the status follows the link: open, captured, expired, cancelled, failed, never taken up', async () => {
  const { outcome, providerRef } = await razorpay.status({ instituteId, paymentId, providerRef: null })
  assert.equal(providerRef, '')
  // Not failed: the request may still be on its way.
  assert.deepEqual(outcome, { kind: 'open' })

  const started = await razorpay.start(order)
  const link = fake.links.get(started.providerRef) ?? {}
  assert.deepEqual(await outcomeOf(started.providerRef), { kind: 'open' })
  Object.assign(link, { status: 'expired' })
  assert.equal(((await outcomeOf(started.providerRef)) as { code?: string }).code, 'expired')
  Object.assign(link, { status: 'cancelled' })
  assert.equal(((await outcomeOf(started.providerRef)) as { code?: string }).code, 'cancelled')

  const failure = {
    error_code: 'BAD_REQUEST_ERROR',
    error_reason: 'incorrect_otp',
    error_description: 'Wrong OTP.',
  }
  moveClock(60)
  const failed = fake.pay(started.providerRef, { status: 'failed', ...failure })
  Object.assign(link, { status: 'created', payments: [{ payment_id: failed['id'], status: 'failed' }] })
  assert.deepEqual(await outcomeOf(started.providerRef), {
    kind: 'failed',
    code: 'incorrect_otp',
    message: 'Wrong OTP.',
  })

  const paid = fake.pay(started.providerRef)
  const { rrn } = paid.acquirer_data as { rrn: string }
  const captured = {
    kind: 'captured',
    amountPaise,
    mode: 'upi',
    transactionId: rrn,
    providerPaymentId: paid.id,
    capturedAt: new Date(1_794_700_860_000),
  }
  assert.deepEqual(await outcomeOf(started.providerRef), captured)
  assert.deepEqual(await outcomeOf(null), captured)
})

test('a payment without a bank’s number goes by Razorpay’s own; one under way is pending', async () => {
  const { linkId, payment } = await startPaid({ acquirer_data: [], method: 'card' })
  assert.equal(((await outcomeOf(linkId)) as { transactionId?: string }).transactionId, payment['id'])
  payment['status'] = 'authorized'
  assert.deepEqual(await outcomeOf(linkId), { kind: 'pending' })
})

test('a link of another payment tells nothing about ours', async () => {
  const other = await razorpay.start({ ...order, paymentId: 'pay_other' })
  assert.ok((await failureOf(outcomeOf(other.providerRef))) instanceof ProviderRefused)
})

test('a refund is asked for as documented and made once, however often and however badly it is answered', async () => {
  const { linkId, payment } = await startPaid()
  const request = {
    instituteId,
    refundId,
    payment: { paymentId, providerRef: linkId },
    amountPaise: paiseOf(50_000),
  }
  moveClock(100)
  fake.spoil('POST /v1/payments', lose)
  await assertUnavailable(razorpay.refund(request), /cannot be reached/)
  const report = await razorpay.refund(request)
  const id = String(fake.refunds[0]?.['id'])
  assert.deepEqual(report, {
    about: 'refund',
    instituteId,
    refundId,
    providerRef: id,
    outcome: { kind: 'pending' },
  })
  assert.equal(post('/refund'), 1, 'found, not asked for again')
  const asked = fake.seen.find(({ path }) => path === `/v1/payments/${payment.id}/refund`)
  assert.equal(asked?.headers['x-refund-idempotency'], refundId)
  assert.deepEqual(asked?.body, {
    amount: 50_000,
    speed: 'normal',
    receipt: refundId,
    notes: { ...NOTES, refund_id: refundId },
  })

  // Two of us at once: both look before either has made it.
  const hidden = answerWith({ entity: 'collection', count: 0, items: [] })
  fake.spoil('GET /v1/payments', hidden)
  assert.deepEqual(await razorpay.refund(request), report)
  assert.equal(post('/refund'), 2)
  assert.equal(fake.refunds.length, 1)

  Object.assign(fake.refunds[0] ?? {}, { status: 'processed', acquirer_data: { arn: '10000000000000' } })
  assert.deepEqual((await razorpay.refund(request)).outcome, {
    kind: 'processed',
    utr: '10000000000000',
    processedAt: new Date(1_794_700_900_000),
  })
})

test('a refund is found among more than a page of others', async () => {
  const { linkId } = await startPaid()
  const request = {
    instituteId,
    refundId,
    payment: { paymentId, providerRef: linkId },
    amountPaise: paiseOf(100),
  }
  await razorpay.refund(request)
  for (let i = 0; i < 120; i++) await razorpay.refund({ ...request, refundId: `rfd_another_${i}` })
  await razorpay.refund(request)
  assert.equal(post('/refund'), 121, 'found, not asked for again')
  assert.equal(fake.refunds.length, 121)
})

test('a refund that cannot be is refused in Razorpay’s words; one still under way is asked for later', async () => {
  const { providerRef } = await razorpay.start(order)
  const request = {
    instituteId,
    refundId,
    payment: { paymentId, providerRef },
    amountPaise: paiseOf(amountPaise + 1),
  }
  assert.match((await failureOf(razorpay.refund(request))).message, /Nothing was captured/)
  fake.pay(providerRef)
  const error = await failureOf(razorpay.refund(request))
  assert.ok(error instanceof ProviderRefused)
  assert.equal(error.message, 'The refund amount provided is greater than amount captured.')
  assert.equal(error.code, 'BAD_REQUEST_ERROR')
  const busy = {
    error: { description: 'Another request with the same idempotency key is still in progress.' },
  }
  fake.spoil('POST /v1/payments', status(409, JSON.stringify(busy)))
  await assertUnavailable(razorpay.refund(request), /status 409/)
  await razorpay.refund({ ...request, amountPaise: paiseOf(100) })
  assert.match(
    (await failureOf(razorpay.refund({ ...request, amountPaise: paiseOf(200) }))).message,
    /another amount/,
  )
})

test('a connection is checked by a call that changes nothing, and a wrong key is named', async () => {
  const before = fake.links.size
  await razorpay.checkConnection?.()
  assert.equal(fake.links.size, before)
  const stranger = createRazorpay({ ...KEYS, keySecret: 'wrong', baseUrl: fake.url })
  await assert.rejects(async () => stranger.checkConnection?.(), /does not accept the configured key/)
})
