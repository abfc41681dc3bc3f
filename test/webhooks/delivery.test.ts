import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { DELIVERIES, EVENTS, HOOKS, SECRET, STANDARD_SECRET } from './support.ts'
import { deliveryIn, listDeliveries, startDelivering, startReceiver, subscribe, trigger } from './support.ts'

const bursar = await startDelivering({ after })

const unsubscribeAll = async (): Promise<void> => {
  const { body } = await bursar.demo.get(HOOKS)
  for (const { id } of body.data) await bursar.demo.delete(`${HOOKS}/${id}`)
}

const mac = (key: string, body: string): string => createHmac('sha256', key).update(body).digest('hex')

test('a delivery carries the event as it was recorded, under headers that name and date it', async t => {
  const receiver = await startReceiver(t)
  const webhookId = await subscribe(bursar.demo, receiver.url)
  t.after(unsubscribeAll)
  const eventId = await trigger(bursar.demo)
  const [request] = await receiver.waitForRequests(1)
  assert.equal(request?.method, 'POST')
  assert.equal(request.headers['content-type'], 'application/json')
  assert.equal(request.headers['webhook-id'], eventId)
  const body = JSON.parse(request.body)
  const events = (await bursar.demo.get(`${EVENTS}?limit=1`)).body.data
  assert.deepEqual(body, events[0])
  assert.deepEqual(Object.keys(body), ['event_id', 'event', 'timestamp', 'version', 'sequence', 'payload'])
  assert.equal(body.event, 'pay.payment.debited')
  assert.equal(body.version, '1.0')
  const delivery = await deliveryIn(bursar.demo, eventId, 'delivered')
  assert.equal(delivery.webhook_id, webhookId)
  assert.equal(delivery.attempts.length, 1)
  assert.equal(delivery.attempts[0].http_status, 200)
  assert.equal(delivery.attempts[0].response, 'ok')
  assert.equal('next_attempt_at' in delivery, false)
})

test('a delivery is verified by the published verifiers, unchanged, and by one line of HMAC', async t => {
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, receiver.url)
  t.after(unsubscribeAll)
  await trigger(bursar.demo)
  const [request] = await receiver.waitForRequests(1)
  assert.ok(request)
  const headers = request.headers as Record<string, string>
  new Standard(STANDARD_SECRET).verify(request.body, headers)
  new Svix(STANDARD_SECRET).verify(request.body, headers)
  assert.equal(headers['x-signature'], mac(SECRET, request.body))
  assert.throws(() => new Svix(STANDARD_SECRET).verify(`${request.body} `, headers))
})

test('a delivery is signed by the bytes behind whsec_ when the key is a standard one', async t => {
  const receiver = await startReceiver(t)
  const key = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  await subscribe(bursar.demo, receiver.url, { secret_key: key })
  t.after(unsubscribeAll)
  await trigger(bursar.demo)
  const [request] = await receiver.waitForRequests(1)
  assert.ok(request)
  new Svix(key).verify(request.body, request.headers as Record<string, string>)
})

test('a delivery is signed by the new key and the old one for a day after a change, then by the new one alone', async t => {
  const receiver = await startReceiver(t)
  const id = await subscribe(bursar.demo, receiver.url)
  t.after(unsubscribeAll)
  await subscribe(bursar.demo, receiver.url, { secret_key: 'the-next-secret-one' })
  await trigger(bursar.demo)
  const [first] = await receiver.waitForRequests(1)
  assert.ok(first)
  const next = `whsec_${Buffer.from('the-next-secret-one').toString('base64')}`
  for (const key of [STANDARD_SECRET, next]) {
    new Standard(key).verify(first.body, first.headers as Record<string, string>)
  }
  assert.equal(first.headers['x-signature'], mac('the-next-secret-one', first.body))
  assert.equal(first.headers['x-signature-previous'], mac(SECRET, first.body))

  await bursar.sql('update webhook_subscriptions set previous_secret_until = now() where id = $1', [id])
  await trigger(bursar.demo)
  const [, second] = await receiver.waitForRequests(2)
  assert.ok(second)
  assert.equal('x-signature-previous' in second.headers, false)
  assert.throws(() =>
    new Standard(STANDARD_SECRET).verify(second.body, second.headers as Record<string, string>),
  )
})

test('a delivery is unsigned without a key, and a cleared key stops at once', async t => {
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, receiver.url)
  t.after(unsubscribeAll)
  await subscribe(bursar.demo, receiver.url, { secret_key: null })
  await trigger(bursar.demo)
  const [request] = await receiver.waitForRequests(1)
  for (const name of ['webhook-signature', 'x-signature', 'x-signature-previous']) {
    assert.equal(name in (request?.headers ?? {}), false, name)
  }
  assert.match(String(request?.headers['webhook-timestamp']), /^\d{10}$/)
})

test('a delivery carries the custom header of its subscription as it is now', async t => {
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, receiver.url, { header_key: 'X-Api-Key', header_value: 'first' })
  t.after(unsubscribeAll)
  receiver.answer((_request, n) => ({ status: n === 1 ? 500 : 200 }))
  const eventId = await trigger(bursar.demo)
  await receiver.waitForRequests(1)
  await deliveryIn(bursar.demo, eventId, 'delivered')
  await subscribe(bursar.demo, receiver.url, { header_value: 'second' })
  const { id } = await deliveryIn(bursar.demo, eventId, 'delivered')
  await bursar.demo.post(`${DELIVERIES}/${id}/redeliver`)
  const requests = await receiver.waitForRequests(3)
  assert.equal(requests[0]?.headers['x-api-key'], 'first')
  assert.equal(requests[2]?.headers['x-api-key'], 'second')
})

test('a delivery goes to the subscription of its branch and event code, and nowhere else', async t => {
  const north = await startReceiver(t)
  const south = await startReceiver(t)
  const other = await startReceiver(t)
  await subscribe(bursar.group, north.url, { collector_code: 'NORTH' })
  await subscribe(bursar.group, south.url, { collector_code: 'SOUTH' })
  await subscribe(bursar.group, other.url, { collector_code: 'SOUTH', event_code: 'refund.processed' })
  await bursar.group.post('/api/v1/sandbox/events/trigger', {
    event_code: 'pay.payment.debited',
    collector_code: 'SOUTH',
  })
  await south.waitForRequests(1)
  assert.deepEqual([north.requests.length, other.requests.length], [0, 0])
  assert.equal((await listDeliveries(bursar.group)).length, 1)
})

test('a delivery leaves within 100 ms of the commit, in the median', async t => {
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, receiver.url)
  t.after(unsubscribeAll)
  const waits: number[] = []
  for (let n = 1; n <= 15; n++) {
    await trigger(bursar.demo)
    const answeredAt = Date.now()
    const requests = await receiver.waitForRequests(n)
    waits.push((requests.at(-1)?.at ?? Infinity) - answeredAt)
  }
  const median = waits.sort((left, right) => left - right)[7] ?? Infinity
  assert.ok(median <= 100, `the median is ${median} ms`)
})

test('a delivery is not made for a subscription that was disabled, and what waits is cancelled', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
  const id = await subscribe(bursar.demo, receiver.url)
  const eventId = await trigger(bursar.demo)
  await deliveryIn(bursar.demo, eventId, 'retrying')
  await bursar.demo.delete(`${HOOKS}/${id}`)
  const delivery = await deliveryIn(bursar.demo, eventId, 'cancelled')
  assert.equal(delivery.attempts.length, 1)
  await trigger(bursar.demo)
  assert.equal((await listDeliveries(bursar.demo, `?webhook_id=${id}`)).length, 1)
  const again = await bursar.demo.post(`${DELIVERIES}/${delivery.id}/redeliver`)
  assert.equal(again.status, 409)
})
