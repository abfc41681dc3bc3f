import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { KEYS, signEvent } from '../../../emulators/cashfree/books.ts'
import { payOrder } from '../../../emulators/cashfree/orders.ts'
import { cashfree, clock, fake, order, orderId } from './support.ts'

const MINUTE = 60_000

async function paid(): Promise<{ rawBody: Buffer; headers: Record<string, string> }> {
  await cashfree.start(order)
  payOrder(fake.books, orderId)
  const [event] = fake.books.outbox
  return event ?? assert.fail('nothing was told')
}

test('a callback is believed with the signature over its time and its body, and only so', async () => {
  const { rawBody, headers } = await paid()
  assert.equal((await cashfree.readCallback({ rawBody, headers }))?.length, 1)
  const timestamp = headers['x-webhook-timestamp'] ?? ''
  const foreign = createHmac('sha256', 'another').update(timestamp).update(rawBody).digest('base64')
  const bodyOnly = createHmac('sha256', KEYS.clientSecret).update(rawBody).digest('base64')
  for (const changed of [
    {},
    { ...headers, 'x-webhook-signature': foreign },
    { ...headers, 'x-webhook-signature': bodyOnly },
    { ...headers, 'x-webhook-signature': '' },
    { ...headers, 'x-webhook-timestamp': String(Number(timestamp) + 1) },
    { ...headers, 'x-webhook-timestamp': 'now' },
  ]) {
    assert.equal(await cashfree.readCallback({ rawBody, headers: changed }), null)
  }
  const other = Buffer.from(rawBody.toString().replace('SUCCESS', 'FAILED'))
  assert.equal(await cashfree.readCallback({ rawBody: other, headers }), null)
})

test('a callback that was overheard cannot be played again days later, nor one from the future', async () => {
  const callback = await paid()
  const sentAt = clock.now.getTime()
  for (const [minutes, isBelieved] of [
    [23 * 60, true],
    [25 * 60, false],
    [-4, true],
    [-6, false],
  ] as const) {
    clock.now = new Date(sentAt + minutes * MINUTE)
    assert.equal((await cashfree.readCallback(callback)) !== null, isBelieved, `${minutes} minutes later`)
  }
})

test('an event about what is not ours, and one that we do not know, say nothing', async () => {
  const stranger = {
    order: { order_id: 'shop-17', order_amount: 10, order_currency: 'INR' },
    payment: {},
  }
  for (const [type, data] of [
    ['PAYMENT_SUCCESS_WEBHOOK', stranger],
    ['REFUND_STATUS_WEBHOOK', { refund: { refund_id: 'refund_17' } }],
    [
      'SUBSCRIPTION_STATUS_CHANGED',
      { subscription_details: { subscription_id: 's', subscription_status: 'ACTIVE' } },
    ],
    ['SETTLEMENT_SUCCESS', {}],
    ['SOMETHING_NEW', {}],
  ] as const) {
    assert.deepEqual(await cashfree.readCallback(signEvent(fake.books, type, { ...data })), [], type)
  }
})
