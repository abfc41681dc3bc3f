import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook as Standard } from 'standardwebhooks'
import type { Behaviour, Receiver } from '../harness/receiver.ts'
import { DELIVERIES, HOOKS, STANDARD_SECRET, deliveryIn, listDeliveries } from './support.ts'
import { startDelivering, startReceiver, subscribe, subscribeFor, trigger } from './support.ts'

/** What somebody asks for by hand: one delivery again, or a test. Two attempts, then it is given up. */
const bursar = await startDelivering({ after }, { WEBHOOK_RETRY_SECONDS: '0.02' })
const { demo } = bursar

const idsAt = (receiver: Receiver): string[] =>
  receiver.requests.map(({ headers }) => String(headers['webhook-id']))

test('a redelivery adds its attempt to the same delivery and can still bring it home', async t => {
  const receiver = await startReceiver(t)
  let isUp = false
  receiver.answer(() => ({ status: isUp ? 200 : 500 }))
  await subscribeFor(t, demo, receiver.url)
  const eventId = await trigger(demo)
  const lost = await deliveryIn(demo, eventId, 'exhausted')
  assert.equal(lost.attempts.length, 2)
  isUp = true
  const again = await demo.post(`${DELIVERIES}/${lost.id}/redeliver`)
  assert.equal(again.status, 200, again.text)
  assert.deepEqual([again.body.data.id, again.body.data.status], [lost.id, 'retrying'])
  const found = await deliveryIn(demo, eventId, 'delivered')
  assert.equal(found.id, lost.id)
  assert.deepEqual(found.attempts.slice(0, 2), lost.attempts)
  assert.equal(found.attempts.length, 3)
  assert.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1)
  assert.deepEqual(idsAt(receiver), [eventId, eventId, eventId])
})

test('a redelivery that fails goes through the whole schedule again', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 500 }))
  await subscribeFor(t, demo, receiver.url)
  const eventId = await trigger(demo)
  const { id } = await deliveryIn(demo, eventId, 'exhausted')
  await demo.post(`${DELIVERIES}/${id}/redeliver`)
  await receiver.waitForRequests(4)
  assert.equal((await deliveryIn(demo, eventId, 'exhausted')).attempts.length, 4)
})

test('a redelivery sends even what was received, and once for each asking', async t => {
  const receiver = await startReceiver(t)
  await subscribeFor(t, demo, receiver.url)
  const eventId = await trigger(demo)
  const { id } = await deliveryIn(demo, eventId, 'delivered')
  await demo.post(`${DELIVERIES}/${id}/redeliver`)
  await receiver.waitForRequests(2)
  assert.equal((await deliveryIn(demo, eventId, 'delivered')).attempts.length, 2)
})

test('a redelivery is refused while an attempt is under way', async t => {
  const receiver = await startReceiver(t)
  const answer = Promise.withResolvers<Behaviour>()
  receiver.answer(() => answer.promise)
  await subscribeFor(t, demo, receiver.url)
  const eventId = await trigger(demo)
  await receiver.waitForRequests(1)
  const [delivery] = await listDeliveries(demo, `?event_id=${eventId}`)
  assert.equal('next_attempt_at' in delivery, false)
  const refused = await demo.post(`${DELIVERIES}/${delivery.id}/redeliver`)
  assert.equal(refused.status, 409, refused.text)
  answer.resolve({ status: 200 })
  assert.equal((await deliveryIn(demo, eventId, 'delivered')).attempts.length, 1)
})

test('a test arrives as webhook.test with nothing in it that looks like money, signed like any delivery', async t => {
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const id = await subscribeFor(t, demo, receiver.url)
  await subscribeFor(t, demo, other.url, { event_code: 'refund.processed' })
  const sent = await demo.post(`${HOOKS}/${id}/test`)
  assert.equal(sent.status, 201, sent.text)
  assert.equal(sent.body.data.event_code, 'webhook.test')
  const [request] = await receiver.waitForRequests(1)
  assert.ok(request)
  new Standard(STANDARD_SECRET).verify(request.body, request.headers as Record<string, string>)
  const body = JSON.parse(request.body)
  assert.equal(body.event, 'webhook.test')
  assert.equal(body.event_id, sent.body.data.event_id)
  assert.deepEqual(Object.keys(body.payload).sort(), ['message', 'webhook_id'])
  assert.equal(body.payload.webhook_id, id)
  assert.equal((await deliveryIn(demo, body.event_id, 'delivered')).attempts.length, 1)
  assert.equal(other.connections, 0)
})

test('a test and a redelivery go out at once although the endpoint asked for a pause', async t => {
  const receiver = await startReceiver(t)
  receiver.answer((_, n) => (n === 1 ? { status: 429, headers: { 'retry-after': '3600' } } : { status: 200 }))
  const id = await subscribeFor(t, demo, receiver.url)
  const eventId = await trigger(demo)
  const held = await deliveryIn(demo, eventId, 'retrying')
  const { body } = await demo.post(`${HOOKS}/${id}/test`)
  await deliveryIn(demo, body.data.event_id, 'delivered')
  assert.equal((await listDeliveries(demo, `?event_id=${eventId}`))[0]?.status, 'retrying')
  await demo.post(`${DELIVERIES}/${held.id}/redeliver`)
  await deliveryIn(demo, eventId, 'delivered')
})

test('a test leaves all that waits in peace behind a pause that the endpoint asked for', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 429, headers: { 'retry-after': '3000' } }))
  const id = await subscribeFor(t, demo, receiver.url)
  const first = await trigger(demo)
  await deliveryIn(demo, first, 'retrying')
  const held = [await trigger(demo), await trigger(demo)]
  const { body } = await demo.post(`${HOOKS}/${id}/test`)
  await deliveryIn(demo, body.data.event_id, 'retrying')
  assert.deepEqual(idsAt(receiver), [first, body.data.event_id])
  const pausedUntil = (await demo.get(`${HOOKS}/${id}`)).body.data.paused_until
  for (const eventId of held) {
    const waiting = await deliveryIn(demo, eventId, 'pending')
    assert.equal(waiting.next_attempt_at, pausedUntil, 'it says when it can be sent')
  }
})

test('a test and a redelivery go before all that waits when the circuit is open', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 500 }))
  const id = await subscribeFor(t, demo, receiver.url)
  await bursar.sql(
    `update webhook_subscriptions set failures_in_row = 50, paused_until = now() + interval '1 hour' where id = $1`,
    [id],
  )
  const waiting = [await trigger(demo), await trigger(demo), await trigger(demo)]
  const tested = await demo.post(`${HOOKS}/${id}/test`)
  await deliveryIn(demo, tested.body.data.event_id, 'retrying')
  const [last] = await listDeliveries(demo, `?event_id=${waiting[2]}`)
  const again = await demo.post(`${DELIVERIES}/${last.id}/redeliver`)
  assert.ok(Math.abs(Date.parse(again.body.data.next_attempt_at) - Date.now()) < 60_000, again.text)
  await deliveryIn(demo, waiting[2] ?? '', 'retrying')
  assert.deepEqual(idsAt(receiver), [tested.body.data.event_id, waiting[2]])
})

test('nothing is tested, recovered or sent again under a subscription that is disabled', async t => {
  const receiver = await startReceiver(t)
  const id = await subscribe(demo, receiver.url)
  const delivery = await deliveryIn(demo, await trigger(demo), 'delivered')
  await demo.delete(`${HOOKS}/${id}`)
  const tries = [
    demo.post(`${HOOKS}/${id}/test`),
    demo.post(`${HOOKS}/${id}/recover`, { since: '2026-01-01T00:00:00Z' }),
    demo.post(`${DELIVERIES}/${delivery.id}/redeliver`),
  ]
  for (const { status, text } of await Promise.all(tries)) assert.equal(status, 409, text)
  assert.equal(receiver.requests.length, 1)
})
