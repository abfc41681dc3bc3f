import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Behaviour, Receiver } from '../harness/receiver.ts'
import { HOOKS, deliveryIn, listDeliveries } from './support.ts'
import { startDelivering, startReceiver, subscribe, subscribeFor, trigger } from './support.ts'

/** Sending again everything since a moment. Two attempts, then it is given up. */
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

test('a recovery from the moment of the disabling brings what was waiting then', async t => {
  const receiver = await startReceiver(t)
  const old = await subscribe(demo, receiver.url)
  await pause(old)
  const waiting = await trigger(demo)
  await demo.delete(`${HOOKS}/${old}`)
  const { body } = await demo.get(`${HOOKS}/${old}`)
  const id = await subscribeFor(t, demo, receiver.url)
  assert.equal(await recover(id, new Date(body.data.disabled_at)), 1)
  await receiver.waitForRequests(1)
  assert.deepEqual(idsAt(receiver), [waiting])
})

test('a recovery brings what was given up since its moment, however long before it was made', async t => {
  const receiver = await startReceiver(t)
  const failing = Promise.withResolvers<Behaviour>()
  receiver.answer((_, n) => (n === 1 ? failing.promise : { status: n === 2 ? 500 : 200 }))
  const id = await subscribeFor(t, demo, receiver.url)
  const eventId = await trigger(demo)
  await receiver.waitForRequests(1)
  const since = await now()
  failing.resolve({ status: 500 })
  await deliveryIn(demo, eventId, 'exhausted')
  assert.equal(await recover(id, await now()), 0)
  assert.equal(await recover(id, since), 1)
  await deliveryIn(demo, eventId, 'delivered')
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
  // A test goes out all the same; it is cancelled by hand so as to lie there as one that was missed.
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
