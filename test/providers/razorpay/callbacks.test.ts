import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import type { Fields } from '../../../emulators/server.ts'
import {
  fake,
  instituteId,
  moveClock,
  NOTES,
  outcomeOf,
  paymentId,
  razorpay,
  refundId,
  startPaid,
} from './support.ts'

function read(name: string, entities: Fields) {
  moveClock(200)
  return razorpay.readCallback(fake.event(name, entities))
}

test('each kind of event becomes its report, and the unknown ones none', async () => {
  const { linkId, payment } = await startPaid()
  const link = fake.links.get(linkId)
  const about = { about: 'payment', instituteId, paymentId }
  const captured = await outcomeOf(linkId)
  assert.deepEqual(await read('payment_link.paid', { payment_link: link, payment, order: {} }), [
    { ...about, providerRef: linkId, outcome: captured },
  ])
  for (const [end, message] of [
    ['expired', 'The time to pay ran out.'],
    ['cancelled', 'The payment was cancelled.'],
  ] as const) {
    assert.deepEqual(await read(`payment_link.${end}`, { payment_link: { ...link, status: end } }), [
      { ...about, providerRef: linkId, outcome: { kind: 'failed', code: end, message } },
    ])
  }
  const noted = { ...payment, notes: NOTES }
  assert.deepEqual(await read('payment.captured', { payment: noted }), [
    { ...about, providerRef: payment['id'], outcome: captured },
  ])
  const failure = { status: 'failed', error_code: 'GATEWAY_ERROR', error_description: 'The bank is away.' }
  assert.deepEqual(await read('payment.failed', { payment: { ...noted, ...failure } }), [
    {
      ...about,
      providerRef: payment['id'],
      outcome: { kind: 'failed', code: 'GATEWAY_ERROR', message: 'The bank is away.' },
    },
  ])
  const refund = {
    id: 'rfnd_1',
    amount: 100,
    currency: 'INR',
    receipt: refundId,
    created_at: 1_794_700_900,
    notes: { ...NOTES, refund_id: refundId },
  }
  const returned = { about: 'refund', instituteId, refundId, providerRef: 'rfnd_1' }
  assert.deepEqual(
    await read('refund.processed', {
      refund: { ...refund, status: 'processed', acquirer_data: { arn: 'A77' } },
    }),
    [{ ...returned, outcome: { kind: 'processed', utr: 'A77', processedAt: new Date(1_794_701_000_000) } }],
  )
  assert.deepEqual(
    await read('refund.failed', { refund: { ...refund, status: 'failed', acquirer_data: {} } }),
    [{ ...returned, outcome: { kind: 'failed', message: 'Razorpay could not make this refund.' } }],
  )
  assert.deepEqual(await read('order.paid', {}), [])
  assert.deepEqual(await read('payment.captured', { payment }), [], 'without our notes it is not ours')
  assert.deepEqual(
    await read('payment_link.expired', { payment_link: { ...link, notes: [], status: 'expired' } }),
    [],
  )
})

test('only an untouched body under its own signature is believed', async () => {
  const { linkId, payment } = await startPaid()
  const event = fake.event('payment_link.paid', { payment_link: fake.links.get(linkId), payment })
  const other = fake.event('payment_link.expired', { payment_link: fake.links.get(linkId) })
  const signature = event.headers['x-razorpay-signature'] ?? ''
  const tampered = Buffer.from(event.rawBody.toString().replace('1250050', '9250050'))
  const refused = async (headers: Record<string, string>, rawBody = event.rawBody): Promise<void> =>
    assert.equal(await razorpay.readCallback({ headers, rawBody }), null)
  await refused({})
  await refused({ 'x-razorpay-signature': '' })
  await refused({ 'x-razorpay-signature': '0'.repeat(64) })
  await refused({ 'x-razorpay-signature': signature.slice(0, 62) })
  await refused({ 'x-razorpay-signature': `${signature}00` })
  await refused({ 'x-razorpay-signature': 'é'.repeat(64) })
  await refused(other.headers)
  await refused(event.headers, tampered)
  await refused(event.headers, Buffer.concat([event.rawBody, Buffer.from(' ')]))
  const stranger = createRazorpay({ ...KEYS, webhookSecret: KEYS.keySecret })
  assert.equal(await stranger.readCallback(event), null)
  assert.equal((await razorpay.readCallback(event))?.length, 1)
})

test('a signed event of a wrong shape is an error that names the field', async () => {
  const { linkId, payment } = await startPaid()
  const payment_link = fake.links.get(linkId)
  await assert.rejects(read('payment_link.paid', { payment_link }), /payload\.payment must be an object/)
  await assert.rejects(
    read('payment_link.paid', { payment_link, payment: { ...payment, amount: '100' } }),
    /payload\.payment\.entity\.amount must be a whole number/,
  )
  await assert.rejects(
    read('payment_link.paid', { payment_link, payment: { ...payment, currency: 'USD' } }),
    /payload\.payment\.entity\.currency must be INR/,
  )
})

test('empty secrets are refused: anybody could sign with them', () => {
  for (const key of ['keyId', 'keySecret', 'webhookSecret']) {
    assert.throws(() => createRazorpay({ ...KEYS, [key]: '' }), /needs a key id/)
  }
})

test('what others do on the same account is not read, whatever its currency or shape', async () => {
  const stranger = { id: 'pay_1', amount: 'many', currency: 'USD', notes: [] }
  for (const name of ['payment.captured', 'payment.failed', 'payment.authorized', 'invoice.paid'])
    assert.deepEqual(await read(name, { payment: stranger }), [])
  assert.deepEqual(await read('refund.processed', { refund: { currency: 'USD' } }), [])
  assert.deepEqual(await read('payment_link.paid', { payment_link: { currency: 'USD' } }), [])
  assert.deepEqual(await read('payment.dispute.created', { payment: stranger, dispute: {} }), [])
  assert.deepEqual(await read('payment.downtime.started', { 'payment.downtime': {} }), [])
})
