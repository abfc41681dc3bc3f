import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import type { Json } from '../harness/client.ts'
import type { Receiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { DELIVERIES, EVENTS, HOOKS, deliveryIn } from './support.ts'
import { startDelivering, startReceiver, subscribeFor, trigger } from './support.ts'

/** Two quick attempts; the third waits for an hour unless a test brings it forward. */
const bursar = await startDelivering({ after }, { WEBHOOK_RETRY_SECONDS: '0.02,3600' })
const { demo } = bursar

type Mail = { to: string; subject: string; text: string }

/** Everything that is to be told has been told. */
async function mailsTo(address: string): Promise<Mail[]> {
  await bursar.app.worker.finishAllDue()
  return (await demo.get(`/api/v1/sandbox/mailbox?to=${address}&limit=200`)).body.data
}

async function mailTo(address: string): Promise<Mail> {
  const mails = await mailsTo(address)
  assert.equal(mails.length, 1, JSON.stringify(mails))
  return mails[0] as Mail
}

type Setting = { receiver: Receiver; id: string; address: string; say(status: number): void }
let settings = 0

/** A subscription with an address of its own, to a receiver that answers 500 until it is told otherwise. */
async function setUp(t: TestContext, query = ''): Promise<Setting> {
  const receiver = await startReceiver(t)
  let status = 500
  receiver.answer(() => ({ status, body: 'the answer of the receiver' }))
  const address = `it-${++settings}@school.example.in`
  const id = await subscribeFor(t, demo, receiver.url + query, { failure_notification_email: address })
  return { receiver, id, address, say: next => void (status = next) }
}

async function failuresOf(id: string): Promise<number> {
  const [row] = await bursar.sql<{ count: number }>(
    'select failures_in_row as count from webhook_subscriptions where id = $1',
    [id],
  )
  return row?.count ?? -1
}

/** An event of which two attempts have failed. */
async function failTwice({ id }: Setting): Promise<Json> {
  const before = await failuresOf(id)
  const eventId = await trigger(demo)
  await waitFor(async () => (await failuresOf(id)) === before + 2, 'two failures')
  return deliveryIn(demo, eventId, 'retrying')
}

/** The last attempt that it has, now. */
async function giveUp({ id, event_id }: Json): Promise<void> {
  await bursar.sql('update webhook_queue set failures = 2, next_attempt_at = now() where delivery_id = $1', [
    id,
  ])
  bursar.app.deliveries.wake()
  await deliveryIn(demo, event_id, 'exhausted')
}

async function letAnHourPass(id: string): Promise<void> {
  await bursar.sql(`update webhook_subscriptions set mailed_at = now() - interval '1 hour' where id = $1`, [
    id,
  ])
}

test('the third failure in a row is mailed to every address, the first two to none', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 500 }))
  const addresses = ['one@school.example.in', 'two@school.example.in']
  const id = await subscribeFor(t, demo, receiver.url, { failure_notification_email: addresses.join(', ') })
  const delivery = await failTwice({ id } as Setting)
  for (const address of addresses) assert.deepEqual(await mailsTo(address), [])
  await demo.post(`${DELIVERIES}/${delivery.id}/redeliver`)
  await receiver.waitForRequests(4)
  await waitFor(async () => (await failuresOf(id)) === 4, 'the fourth failure')
  for (const address of addresses) {
    const { to, subject, text } = await mailTo(address)
    assert.equal(to, address)
    assert.equal(subject, 'Webhook failing: pay.payment.debited of Demo School')
    for (const part of [
      id,
      'pay.payment.debited',
      receiver.url,
      delivery.id,
      'Three attempts in a row have failed.',
    ])
      assert.ok(text.includes(part), part)
  }
})

/** Every value in it that could be somebody's. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf)
  return String(value).length < 4 || typeof value === 'boolean' ? [] : [String(value)]
}

test('a mail tells nothing of any person, nothing of the payload and no query of the address', async t => {
  const setting = await setUp(t, '?token=of-the-receiver')
  await failTwice(setting)
  const { event_id } = await failTwice(setting)
  const { body } = await demo.get(`${EVENTS}?limit=1`)
  assert.equal(body.data[0].event_id, event_id)
  const leaves = leavesOf(body.data[0].payload)
  assert.ok(leaves.length > 10)
  const { subject, text } = await mailTo(setting.address)
  for (const leaf of [...leaves, 'of-the-receiver', 'the answer of the receiver'])
    assert.equal(`${subject} ${text}`.includes(leaf), false, leaf)
})

test('a webhook is written about once an hour at most, and the next mail tells all that came in between', async t => {
  const setting = await setUp(t)
  const deliveries = [await failTwice(setting), await failTwice(setting)]
  assert.match((await mailTo(setting.address)).text, /Three attempts in a row have failed/)
  for (const delivery of deliveries) await giveUp(delivery)
  setting.say(200)
  await deliveryIn(demo, await trigger(demo), 'delivered')
  assert.equal((await mailsTo(setting.address)).length, 1)
  await letAnHourPass(setting.id)
  const [digest, ...earlier] = await mailsTo(setting.address)
  assert.equal(earlier.length, 1)
  assert.match(digest?.subject ?? '', /^Webhook recovered: /)
  assert.match(digest?.text ?? '', /2 deliveries were given up after their last retry\./)
  assert.match(digest?.text ?? '', /An attempt has succeeded again\./)
  assert.match(digest?.text ?? '', /What was given up is not tried again by itself.*\/recover/)
  assert.doesNotMatch(digest?.text ?? '', /nothing to do/)
  assert.doesNotMatch(digest?.text ?? '', /Three attempts/)
  await letAnHourPass(setting.id)
  assert.equal((await mailsTo(setting.address)).length, 2)
})

test('a delivery that is given up is mailed even if the endpoint is well otherwise', async t => {
  const setting = await setUp(t)
  const delivery = await failTwice(setting)
  setting.say(200)
  await deliveryIn(demo, await trigger(demo), 'delivered')
  setting.say(500)
  await giveUp(delivery)
  const { subject, text } = await mailTo(setting.address)
  assert.match(subject, /^Webhook failing: /)
  assert.match(text, /One delivery was given up after its last retry\./)
  assert.ok(text.includes(delivery.id))
  assert.doesNotMatch(text, /Three attempts|succeeded again/)
})

test('a webhook that recovered with nothing given up leaves nothing to do', async t => {
  const setting = await setUp(t)
  for (const _ of [1, 2]) await failTwice(setting)
  setting.say(200)
  await deliveryIn(demo, await trigger(demo), 'delivered')
  const { subject, text } = await mailTo(setting.address)
  assert.match(subject, /^Webhook recovered: /)
  assert.match(text, /There is nothing to do\./)
})

test('an address that stands twice is written to once', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 410 }))
  await subscribeFor(t, demo, receiver.url, {
    failure_notification_email: 'twice@school.example.in, Twice@school.example.in',
  })
  await deliveryIn(demo, await trigger(demo), 'cancelled')
  const all = [...(await mailsTo('twice@school.example.in')), ...(await mailsTo('Twice@school.example.in'))]
  assert.equal(new Set(all.map(mail => JSON.stringify(mail))).size, 1)
})

test('two failures and a success send no mail', async t => {
  const setting = await setUp(t)
  await failTwice(setting)
  setting.say(200)
  await deliveryIn(demo, await trigger(demo), 'delivered')
  assert.equal(await failuresOf(setting.id), 0)
  assert.deepEqual(await mailsTo(setting.address), [])
})

test('a subscription that an answer of 410 disabled is mailed at once', async t => {
  const setting = await setUp(t)
  setting.say(410)
  await deliveryIn(demo, await trigger(demo), 'cancelled')
  const { subject, text } = await mailTo(setting.address)
  assert.match(subject, /^Webhook disabled: /)
  assert.match(text, /answered 410 Gone, so the webhook is disabled/)
  assert.match(text, /recover/)
})

test('a hundred failures in a row over a day disable the subscription, cancel what waits, and are mailed', async t => {
  const setting = await setUp(t)
  const waiting = await failTwice(setting)
  const setFailing = (hours: number) =>
    bursar.sql(
      `update webhook_subscriptions set failures_in_row = 99, failing_since = now() - $2 * interval '1 hour' where id = $1`,
      [setting.id, hours],
    )
  const statusNow = async () => (await demo.get(`${HOOKS}/${setting.id}`)).body.data.status
  await setFailing(23)
  await trigger(demo)
  await waitFor(async () => (await failuresOf(setting.id)) === 100, 'the hundredth failure')
  assert.equal(await statusNow(), 'subscribed')
  await setFailing(25)
  await bursar.sql('update webhook_subscriptions set paused_until = null where id = $1', [setting.id])
  bursar.app.deliveries.wake()
  await waitFor(async () => (await statusNow()) === 'disabled', 'the subscription to be disabled')
  assert.equal((await deliveryIn(demo, waiting.event_id, 'cancelled')).attempts.length, 2)
  const { subject, text } = await mailTo(setting.address)
  assert.match(subject, /^Webhook disabled: /)
  assert.match(text, /A hundred attempts in a row failed over more than a day/)
})

test('a subscription that its institute disabled is not mailed about', async t => {
  const setting = await setUp(t)
  await failTwice(setting)
  await demo.delete(`${HOOKS}/${setting.id}`)
  assert.deepEqual(await mailsTo(setting.address), [])
})

test('the link of a mail opens the delivery it tells of, and no other key opens any', async t => {
  const setting = await setUp(t)
  const first = await failTwice(setting)
  const second = await failTwice(setting)
  const { text } = await mailTo(setting.address)
  const [link = ''] = /https?:\/\/\S+\/webhooks\/demo-school\/deliveries\/\S+/.exec(text) ?? []
  assert.ok(link.includes(second.id) && link.startsWith(`${bursar.url}/`), link)
  const opened = await fetch(link)
  assert.equal(opened.status, 200)
  const page = await opened.text()
  assert.ok(page.includes(second.id))
  assert.equal(page.includes('the answer of the receiver'), false)
  const key = new URL(link).searchParams.get('key') ?? ''
  assert.ok(key.length >= 32)
  const changed = key.replace(/^./, letter => (letter === 'A' ? 'B' : 'A'))
  const wrong = [
    link.replace(key, changed),
    link.replace(key, ''),
    link.replace(/\?.*/, ''),
    link.replace(second.id, first.id),
    link.replace('demo-school', 'demo-group'),
  ]
  for (const url of wrong) {
    const refused = await fetch(url)
    assert.equal(refused.status, 404, url)
    assert.equal((await refused.text()).includes(setting.id), false)
  }
})
