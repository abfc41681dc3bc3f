import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { TestBursar } from '../harness/bursar.ts'
import type { Behaviour } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import {
  HOOKS,
  listDeliveries,
  recordMany,
  startDelivering,
  startReceiver,
  subscribe,
  type Receiver,
} from './support.ts'

/** An endpoint whose few places are taken, and deliveries that were claimed and wait for one of them. */
const PLACES = 10
/** As many as are claimed for it. */
const CLAIMED = 3 * PLACES
/** No more than the places: behind them enough still wait when the circuit opens. */
const OPENS_AT = 10

type Queue = {
  bursar: TestBursar
  receiver: Receiver
  id: string
  /** Lets the endpoint answer its first so many calls, and all that were let before. */
  answerUpTo: (count: number, behaviour: Behaviour) => void
}

async function makeQueue(t: TestContext, count: number): Promise<Queue> {
  const bursar = await startDelivering(t, { WEBHOOK_CONCURRENCY: String(PLACES) })
  const receiver = await startReceiver(t)
  const answers = Array.from({ length: 2 * count }, () => Promise.withResolvers<Behaviour>())
  receiver.answer((_, n) => answers[n - 1]?.promise ?? 'hang')
  const id = await subscribe(bursar.demo, receiver.url)
  await recordMany(bursar, { count })
  await receiver.waitForRequests(PLACES)
  await waitFor(async () => (await claims(bursar)).length === CLAIMED, 'the others to wait for a place')
  return {
    bursar,
    receiver,
    id,
    answerUpTo: (n, behaviour) => {
      for (const answer of answers.slice(0, n)) answer.resolve(behaviour)
    },
  }
}

async function claims(bursar: TestBursar): Promise<number[]> {
  const rows = await bursar.sql<{ claim: number }>('select claim from webhook_queue where claim is not null')
  return rows.map(({ claim }) => claim)
}

test('what waits for a place while the key is changed leaves with the new one', async t => {
  const { bursar, receiver, answerUpTo } = await makeQueue(t, CLAIMED)
  const before = new Set(await claims(bursar))
  const key = 'the-second-secret-of-the-school'
  await subscribe(bursar.demo, receiver.url, { secret_key: key })
  await waitFor(
    async () => {
      const anew = (await claims(bursar)).filter(claim => !before.has(claim))
      return anew.length === CLAIMED - PLACES
    },
    'what waited to be claimed anew',
    { limitMs: 12_000 },
  )
  answerUpTo(CLAIMED, { status: 200 })
  await receiver.waitForRequests(CLAIMED)
  const verifier = new Webhook(Buffer.from(key).toString('base64'))
  for (const { body, headers } of receiver.requests.slice(PLACES)) {
    verifier.verify(body, headers as Record<string, string>)
  }
})

test('what waits for a place while its subscription is disabled is not sent', async t => {
  const { bursar, receiver, id, answerUpTo } = await makeQueue(t, CLAIMED)
  assert.equal((await bursar.demo.delete(`${HOOKS}/${id}`)).status, 200)
  await waitFor(async () => (await claims(bursar)).length === PLACES, 'what waited to be given back')
  answerUpTo(CLAIMED, { status: 200 })
  await waitFor(async () => (await claims(bursar)).length === 0, 'the last results')
  assert.equal(receiver.requests.length, PLACES)
})

test('attempts that are out when their subscription is disabled are on record, and none is made again', async t => {
  const { bursar, receiver, id, answerUpTo } = await makeQueue(t, CLAIMED)
  await bursar.demo.delete(`${HOOKS}/${id}`)
  await waitFor(async () => (await claims(bursar)).length === PLACES, 'what waited to be given back')
  answerUpTo(1, { status: 200 })
  answerUpTo(PLACES, { status: 500 })
  await waitFor(async () => (await bursar.sql('select from webhook_queue')).length === 0, 'nothing to wait')
  const deliveries = await listDeliveries(bursar.demo, `?webhook_id=${id}&limit=${CLAIMED}`)
  const found = Object.groupBy(deliveries, ({ status, attempts }) => `${status} after ${attempts.length}`)
  assert.deepEqual(Object.fromEntries(Object.entries(found).map(([kind, ones]) => [kind, ones?.length])), {
    'delivered after 1': 1,
    'cancelled after 1': PLACES - 1,
    'cancelled after 0': CLAIMED - PLACES,
  })
  assert.equal(receiver.requests.length, PLACES)
})

test('what waits for a place when the circuit opens is given back: the endpoint gets only what was on its way', async t => {
  const { bursar, receiver, answerUpTo } = await makeQueue(t, CLAIMED)
  answerUpTo(OPENS_AT, { status: 500 })
  await waitFor(async () => (await claims(bursar)).length === PLACES, 'what waited to be given back')
  assert.deepEqual([receiver.requests.length, receiver.inFlight], [OPENS_AT + PLACES, PLACES])
})
