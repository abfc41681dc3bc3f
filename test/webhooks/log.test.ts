import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Client } from '../harness/client.ts'
import { DELIVERIES, EVENTS, HOOKS, SECRET, deliveryIn, listDeliveries } from './support.ts'
import { startDelivering, startReceiver, subscribe, subscribeFor, trigger } from './support.ts'

/** Who sees what of the deliveries, page by page. */
const bursar = await startDelivering({ after })
const { demo, group } = bursar

test('an attempt shows the answer with the secrets masked that its receiver echoed', async t => {
  const receiver = await startReceiver(t)
  const previous = 'the-key-used-before'
  const value = 'Bearer 4f1d-header-value'
  receiver.answer(({ headers }) => ({
    status: 500,
    body: `keys ${previous} ${SECRET}, header ${String(headers['x-api-key'])}, {"password":"hunter2"}, as you said`,
  }))
  const extras = { header_key: 'X-Api-Key', header_value: value }
  await subscribeFor(t, demo, receiver.url, { ...extras, secret_key: previous })
  await subscribe(demo, receiver.url, extras)
  const { id } = await deliveryIn(demo, await trigger(demo), 'exhausted')
  const { text, body } = await demo.get(`${DELIVERIES}/${id}`)
  assert.equal(body.data.attempts[0].response, 'keys ••• •••, header •••, {"password":"•••"}, as you said')
  for (const secret of [previous, SECRET, value, 'hunter2']) {
    assert.equal(text.includes(secret), false, secret)
    assert.equal(bursar.logText().includes(secret), false, `${secret} in the log`)
  }
})

test('pages of deliveries show each exactly once, the newest first, whatever the size of a page', async t => {
  const receiver = await startReceiver(t)
  const id = await subscribeFor(t, demo, receiver.url)
  const events: string[] = []
  for (let n = 0; n < 7; n++) events.unshift(await trigger(demo))
  for (const limit of [1, 3, 7, 50]) {
    const seen: string[] = []
    let query = `?webhook_id=${id}&limit=${limit}`
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await demo.get(DELIVERIES + query)
      assert.ok(body.data.length <= limit)
      seen.push(...body.data.map((each: { event_id: string }) => each.event_id))
      assert.equal(body.has_more, body.next_cursor !== undefined)
      if (!body.has_more) break
      query = `?webhook_id=${id}&limit=${limit}&cursor=${body.next_cursor}`
    }
    assert.deepEqual(seen, events, `pages of ${limit}`)
  }
})

test('deliveries are found by status, event and subscription, each filter keeping out the rest', async t => {
  const [good, bad] = [await startReceiver(t), await startReceiver(t)]
  bad.answer(() => ({ status: 500 }))
  const goodId = await subscribeFor(t, demo, good.url)
  const badId = await subscribeFor(t, demo, bad.url, { event_code: 'refund.processed' })
  const arrived = await trigger(demo)
  const lost = await trigger(demo, 'refund.processed')
  await deliveryIn(demo, arrived, 'delivered')
  await deliveryIn(demo, lost, 'exhausted')
  const eventsIn = async (query: string): Promise<string[]> =>
    (await listDeliveries(demo, query)).map(({ event_id }) => event_id)
  assert.deepEqual(await eventsIn(`?webhook_id=${goodId}`), [arrived])
  assert.deepEqual(await eventsIn(`?webhook_id=${badId}`), [lost])
  assert.deepEqual(await eventsIn(`?event_id=${lost}`), [lost])
  assert.deepEqual(await eventsIn(`?webhook_id=${badId}&status=exhausted`), [lost])
  assert.deepEqual(await eventsIn(`?webhook_id=${badId}&status=delivered`), [])
  const exhausted = await listDeliveries(demo, '?status=exhausted&limit=200')
  assert.ok(exhausted.some(({ event_id }) => event_id === lost))
  assert.ok(exhausted.every(({ status }) => status === 'exhausted'))
})

function linesOf(eventId: string): string[] {
  return bursar
    .logText()
    .split('\n')
    .filter(line => line.includes('"webhook delivery attempt"') && line.includes(eventId))
}

test('every attempt is one line of the log at info, whether it was delivered or not', async t => {
  const good = await startReceiver(t)
  const bad = await startReceiver(t)
  bad.answer(() => ({ status: 500 }))
  await subscribeFor(t, demo, good.url)
  await subscribeFor(t, demo, bad.url, { event_code: 'refund.processed' })
  const arrived = await trigger(demo)
  const lost = await trigger(demo, 'refund.processed')
  await deliveryIn(demo, arrived, 'delivered')
  const { attempts } = await deliveryIn(demo, lost, 'exhausted')
  assert.equal(linesOf(arrived).length, 1)
  assert.match(linesOf(arrived)[0] ?? '', /"level":"info".*"http_status":200.*"state":"delivered"/)
  assert.equal(linesOf(lost).length, attempts.length)
})

/** Everything that names a delivery, a subscription or an event, as somebody else would ask for it. */
function reachFor(client: Client, ids: { delivery: string; webhook: string }) {
  const since = '2026-01-01T00:00:00Z'
  return [
    client.get(`${DELIVERIES}/${ids.delivery}`),
    client.post(`${DELIVERIES}/${ids.delivery}/redeliver`),
    client.get(`${HOOKS}/${ids.webhook}`),
    client.post(`${HOOKS}/${ids.webhook}/test`),
    client.post(`${HOOKS}/${ids.webhook}/recover`, { since }),
  ]
}

test('one institute reaches nothing of another: no delivery, no subscription, no event', async t => {
  const receiver = await startReceiver(t)
  const webhook = await subscribeFor(t, demo, receiver.url)
  const event = await trigger(demo)
  const { id: delivery } = await deliveryIn(demo, event, 'delivered')
  for (const { status, text } of await Promise.all(reachFor(group, { delivery, webhook }))) {
    assert.equal(status, 404, text)
    assert.equal(text.includes(receiver.origin), false)
  }
  for (const query of [`?event_id=${event}`, `?webhook_id=${webhook}`])
    assert.deepEqual(await listDeliveries(group, query), [])
  assert.equal((await group.get(`${DELIVERIES}?cursor=${delivery}`)).status, 400)
  assert.equal((await group.get(`${EVENTS}?limit=200`)).text.includes(event), false)
  assert.equal((await group.get(`${EVENTS}?cursor=${event}`)).status, 400)
  assert.equal((await group.delete(`${HOOKS}/${webhook}`)).status, 400)
  assert.equal((await demo.get(`${HOOKS}/${webhook}`)).body.data.status, 'subscribed')
  assert.equal(receiver.requests.length, 1)
})

test('what does not exist is 404, for the owner as well', async () => {
  for (const { status } of await Promise.all(reachFor(demo, { delivery: 'dlv_none', webhook: 'wh_none' })))
    assert.equal(status, 404)
})

test('a question that cannot be meant is 400 and names the field', async t => {
  const receiver = await startReceiver(t)
  const id = await subscribeFor(t, demo, receiver.url)
  const future = new Date(Date.now() + 60_000).toISOString()
  const cases: [string, ReturnType<Client['get']>][] = [
    ['status', demo.get(`${DELIVERIES}?status=lost`)],
    ['cursor', demo.get(`${DELIVERIES}?cursor=%00`)],
    ['cursor', demo.get(`${DELIVERIES}?cursor=nonsense`)],
    ['limit', demo.get(`${DELIVERIES}?limit=0`)],
    ['limit', demo.get(`${DELIVERIES}?limit=201`)],
    ['event_id', demo.get(`${DELIVERIES}?event_id=%27%20or%201%3D1`)],
    ['webhook_id', demo.get(`${DELIVERIES}?webhook_id=${'w'.repeat(65)}`)],
    ['since', demo.post(`${HOOKS}/${id}/recover`, {})],
    ['since', demo.post(`${HOOKS}/${id}/recover`, { since: null })],
    ['since', demo.post(`${HOOKS}/${id}/recover`, { since: 'yesterday' })],
    ['since', demo.post(`${HOOKS}/${id}/recover`, { since: 1_700_000_000 })],
    ['since', demo.post(`${HOOKS}/${id}/recover`, { since: future })],
  ]
  for (const [key, asking] of cases) {
    const { status, text } = await asking
    assert.equal(status, 400, `${key}: ${text}`)
    assert.match(text, new RegExp(`\\b${key}\\b`))
  }
  assert.equal((await demo.post(`${HOOKS}/${id}/recover`)).status, 400)
})
