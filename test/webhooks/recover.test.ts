import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook as Standard } from 'standardwebhooks'
import type { Behaviour, Receiver } from '../harness/receiver.ts'
import { DELIVERIES, HOOKS, STANDARD_SECRET, deliveryIn, listDeliveries } from './support.ts'
import { startDelivering, startReceiver, subscribe, subscribeFor, trigger } from './support.ts'

/** Sending again by hand: one delivery, everything since a moment, or a test. Two attempts, then it is given up. */
const bursar = await startDelivering({ after }, { WEBHOOK_RETRY_SECONDS: '0.02' })
const { demo } = bursar

const idsAt = (receiver: Receiver): string[] =>
  receiver.requests.map(({ headers }) => String(headers['webhook-id']))

async function recover(id: string, since: Date): Promise<number> {
  const { status, body, text } = await demo.post(`${HOOKS}/${id}/recover`, { since: since.toISOString() })
  assert.equal(status, 200, text)
  return body.data.deliveries
}

/** The database's moment: deliveries are dated by it. */
async function now(): Promise<Date> {
  const [row] = await bursar.sql<{ now: Date }>('select clock_timestamp() as now')
  return row?.now ?? new Date(0)
}

/** Deliveries that wait behind a pause, so that a disabling finds them waiting. */
async function pause(webhookId: string): Promise<void> {
  await bursar.sql(
    `update webhook_subscriptions set paused_until = now() + interval '1 hour' where id = $1`,
    [webhookId],
  )
}

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

test('a recovery sends what was given up since that moment, each once, and nothing else', async t => {
  const receiver = await startReceiver(t)
  let isUp = false
  receiver.answer(() => ({ status: isUp ? 200 : 500 }))
  const id = await subscribeFor(t, demo, receiver.url)
  const early = await trigger(demo)
  await deliveryIn(demo, early, 'exhausted')
  const since = await now()
  const late = [await trigger(demo), await trigger(demo)]
  for (const eventId of late) await deliveryIn(demo, eventId, 'exhausted')
  isUp = true
  await deliveryIn(demo, await trigger(demo), 'delivered')
  const before = receiver.requests.length
  assert.equal(await recover(id, since), 2)
  for (const eventId of late) await deliveryIn(demo, eventId, 'delivered')
  assert.equal(await recover(id, since), 0)
  assert.deepEqual(idsAt(receiver).slice(before).sort(), late.sort())
  assert.equal((await listDeliveries(demo, `?event_id=${early}`))[0]?.status, 'exhausted')
})

test('a recovery brings what earlier subscriptions of the code missed, each once, however often it is asked', async t => {
  const receiver = await startReceiver(t)
  let status = 500
  receiver.answer(() => ({ status }))
  const since = await now()
  const first = await subscribe(demo, receiver.url)
  const lost = await trigger(demo)
  await deliveryIn(demo, lost, 'exhausted')
  status = 200
  const received = await trigger(demo)
  await deliveryIn(demo, received, 'delivered')
  await pause(first)
  const cut = await trigger(demo)
  await demo.delete(`${HOOKS}/${first}`)

  const second = await subscribe(demo, receiver.url)
  const before = receiver.requests.length
  const answers = await Promise.all([recover(second, since), recover(second, since)])
  assert.equal(answers[0] + answers[1], 2)
  await receiver.waitForRequests(before + 2)
  assert.equal(await recover(second, since), 0)
  assert.deepEqual(idsAt(receiver).slice(before).sort(), [lost, cut].sort())
  const made = await listDeliveries(demo, `?webhook_id=${second}`)
  assert.deepEqual(new Set(made.map(({ event_id }) => event_id)), new Set([lost, cut]))
  assert.equal(made.length, 2)
  for (const { event_id } of made) {
    await deliveryIn(demo, event_id, 'delivered')
    const all = await listDeliveries(demo, `?event_id=${event_id}`)
    assert.equal(all.length, 2, 'the old delivery stays as it was')
  }

  // What the second one received, a third does not miss.
  await pause(second)
  const cutAgain = await trigger(demo)
  await demo.delete(`${HOOKS}/${second}`)
  const third = await subscribeFor(t, demo, receiver.url)
  assert.equal(await recover(third, since), 1)
  await receiver.waitForRequests(before + 3)
  assert.equal(idsAt(receiver).at(-1), cutAgain)
})

test('a recovery brings what was still out when its subscription was disabled', async t => {
  const [silent, receiver] = [await startReceiver(t), await startReceiver(t)]
  silent.answer(() => 'hang')
  const since = await now()
  const old = await subscribe(demo, silent.url)
  const eventId = await trigger(demo)
  await silent.waitForRequests(1)
  await demo.delete(`${HOOKS}/${old}`)
  const id = await subscribeFor(t, demo, receiver.url)
  assert.equal(await recover(id, since), 1)
  await receiver.waitForRequests(1)
  assert.deepEqual(idsAt(receiver), [eventId])
})

test('a recovery brings what happened since its moment while nobody was subscribed, each once, and nothing older', async t => {
  const receiver = await startReceiver(t)
  await demo.delete(`${HOOKS}/${await subscribe(demo, receiver.url)}`)
  await trigger(demo)
  const since = await now()
  const missed = [await trigger(demo), await trigger(demo)]
  await trigger(demo, 'refund.processed')
  const id = await subscribeFor(t, demo, receiver.url)
  assert.equal(await recover(id, since), 2)
  for (const eventId of missed) await deliveryIn(demo, eventId, 'delivered')
  assert.equal(await recover(id, since), 0)
  assert.deepEqual(idsAt(receiver).sort(), missed.sort())
})

test('a recovery of what was never subscribed to brings nothing', async t => {
  const receiver = await startReceiver(t)
  const since = await now()
  await trigger(demo, 'direct.payment.added')
  const id = await subscribeFor(t, demo, receiver.url, { event_code: 'direct.payment.added' })
  assert.equal(await recover(id, since), 0)
})

test('a recovery leaves alone what another code, another branch or a test missed', async t => {
  const receiver = await startReceiver(t)
  const since = await now()
  const others = [
    await subscribe(demo, receiver.url, { event_code: 'refund.processed' }),
    await subscribe(demo, receiver.url),
  ]
  for (const id of others) await pause(id)
  await trigger(demo, 'refund.processed')
  // A test lifts the pause; it is cancelled by hand so as to lie there as one that was missed.
  await demo.post(`${HOOKS}/${others[1]}/test`)
  await receiver.waitForRequests(1)
  await bursar.sql(
    `with taken as (delete from webhook_queue where webhook_id = $1)
     update webhook_deliveries set state = 'cancelled' where webhook_id = $1`,
    [others[1]],
  )
  for (const id of others) await demo.delete(`${HOOKS}/${id}`)
  const id = await subscribeFor(t, demo, receiver.url)
  assert.equal(await recover(id, since), 0)
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
