import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { subscribe as watchChannel } from 'node:diagnostics_channel'
import { Webhook } from 'standardwebhooks'
import { openDatabase } from '../../src/app/open-database.ts'
import { openDeliveries } from '../../src/app/bursar.ts'
import type { EventCode, OwedDeliveries } from '../../src/events/define-event.ts'
import { recordEvents } from '../../src/events/events.service.ts'
import type { Context } from '../../src/platform/context.ts'
import type { Transaction } from '../../src/platform/db/database.ts'
import { STATEMENTS } from '../../src/platform/db/client.ts'
import { createLog } from '../../src/platform/log.ts'
import { queueClaimed } from '../../src/webhooks/engine/queue.store.ts'
import { waitFor } from '../harness/wait.ts'
import { Random } from '../sim/random.ts'
import {
  deliveryIn,
  HOOKS,
  recordMany,
  SECRET,
  startDelivering,
  startReceiver,
  subscribe,
  subscribeFor,
  type Receiver,
} from './support.ts'

/** What a process records while it delivers itself is held by it from the start, and leaves with the commit. */
const PLACES = 4
const bursar = await startDelivering({ after }, { WEBHOOK_CONCURRENCY: String(PLACES) })
const { ctx } = bursar.app
const silent = createLog({ level: 'silent', format: 'json' })

async function record(tx: Transaction, code: EventCode = 'pay.payment.debited'): Promise<string> {
  const [institute] = await tx.query<{ id: number }>(`select id from institutes where code = 'demo-school'`)
  const [id = ''] = await recordEvents(tx, [
    {
      code,
      instituteId: institute?.id ?? 0,
      collectorCode: 'MAIN',
      resourceId: 'order_1',
      occurredAt: new Date(),
      payload: { order_id: 'order_1' },
    },
  ])
  return id
}

const idsAt = ({ requests }: Receiver): string[] =>
  requests.map(({ headers }) => String(headers['webhook-id']))

async function untilCome(receiver: Receiver, eventId: string): Promise<void> {
  await waitFor(async () => idsAt(receiver).includes(eventId), `${eventId} to come`)
}

type QueueRow = { leaseS: number | null }

async function queueRowOf(eventId: string): Promise<QueueRow | undefined> {
  const [row] = await bursar.sql<QueueRow>(
    `select extract(epoch from claimed_until - clock_timestamp())::float as "leaseS" from webhook_queue where event_id = $1`,
    [eventId],
  )
  return row
}

/** Another process over the same database. */
async function openProcess(owner: Pick<TestContext, 'after'>): Promise<Context> {
  const { ctx: opened } = await openDatabase(bursar.app.config)
  owner.after(() => opened.db.close())
  return opened
}

test('a delivery leaves as soon as its event is committed, without anybody looking for it', async t => {
  const receiver = await startReceiver(t)
  await subscribeFor(t, bursar.demo, receiver.url)
  const claims: unknown[] = []
  watchChannel(STATEMENTS, text => {
    if (/for update skip locked/.test(String(text)) && /webhook_queue/.test(String(text))) claims.push(text)
  })
  // The engine looks once a second by itself, so one of several times falls between two looks.
  const counts: number[] = []
  while (counts.length < 5 && !counts.includes(0)) {
    const before = claims.length
    const id = await ctx.db.transaction(tx => record(tx))
    await deliveryIn(bursar.demo, id, 'delivered')
    counts.push(claims.length - before)
  }
  assert.ok(counts.includes(0), `claims of each time: ${counts.join(', ')}`)
  const found = await bursar.sql<{ id: string; sequence: number; timestamp: number }>(
    'select id, sequence, floor(extract(epoch from occurred_at))::int as timestamp from events',
  )
  for (const { body } of receiver.requests) {
    const {
      event_id: id,
      sequence,
      timestamp,
    } = JSON.parse(body) as {
      event_id: string
      sequence: number
      timestamp: number
    }
    const event = found.find(one => one.id === id)
    assert.deepEqual([sequence, timestamp], [event?.sequence, event?.timestamp])
  }
})

test('an event that is rolled back is not delivered', async t => {
  const receiver = await startReceiver(t)
  await subscribeFor(t, bursar.demo, receiver.url)
  const failing = ctx.db.transaction(async tx => {
    await record(tx)
    throw new Error('it did not happen')
  })
  await assert.rejects(failing)
  const refused = ctx.db.transaction(async tx => {
    tx.endWith('select 1 / $1::int', [0])
    await record(tx)
  })
  await assert.rejects(refused)
  const next = await ctx.db.transaction(tx => record(tx))
  await untilCome(receiver, next)
  assert.deepEqual(idsAt(receiver), [next])
})

test('a subscription that is disabled before the commit gets nothing', async t => {
  const receiver = await startReceiver(t)
  const webhookId = await subscribe(bursar.demo, receiver.url)
  const id = await ctx.db.transaction(async tx => {
    const recorded = await record(tx)
    assert.equal((await bursar.demo.delete(`${HOOKS}/${webhookId}`)).status, 200)
    return recorded
  })
  await deliveryIn(bursar.demo, id, 'cancelled')
  assert.deepEqual(receiver.requests, [])
})

test('what is committed after the key was changed is signed with the new one', async t => {
  const receiver = await startReceiver(t)
  await subscribeFor(t, bursar.demo, receiver.url)
  await untilCome(receiver, await ctx.db.transaction(tx => record(tx)))
  const key = 'the-second-secret-of-the-school'
  const id = await ctx.db.transaction(async tx => {
    const recorded = await record(tx)
    await subscribe(bursar.demo, receiver.url, { secret_key: key })
    return recorded
  })
  await untilCome(receiver, id)
  const signedWith = receiver.requests.map(({ body, headers }) => {
    const [signature] = String(headers['webhook-signature']).split(' ')
    const signed = { ...headers, 'webhook-signature': signature } as unknown as Record<string, string>
    return [SECRET, key].filter(secret => {
      const verifier = new Webhook(Buffer.from(secret).toString('base64'))
      try {
        return Boolean(verifier.verify(body, signed))
      } catch {
        return false
      }
    })
  })
  assert.deepEqual(signedWith, [[SECRET], [key]])
})

test('a subscription whose circuit is open gets nothing by handing over', async t => {
  const receiver = await startReceiver(t)
  const webhookId = await subscribeFor(t, bursar.demo, receiver.url)
  const pause = `update webhook_subscriptions set failures_in_row = 50, paused_until = now() + $2::interval where id = $1`
  await bursar.sql(pause, [webhookId, '1 hour'])
  const ids = [await ctx.db.transaction(tx => record(tx)), await ctx.db.transaction(tx => record(tx))]
  for (const id of ids) assert.equal((await queueRowOf(id))?.leaseS, null)
  assert.deepEqual(receiver.requests, [])
  // Once the pause is over one of them is the probe, and its success brings the other.
  await bursar.sql(pause, [webhookId, '0'])
  for (const id of ids) await deliveryIn(bursar.demo, id, 'delivered')
  assert.deepEqual(new Set(idsAt(receiver)), new Set(ids))
  assert.equal(receiver.maxInFlight, 1)
})

test('an endpoint gets no more at once than it has places, and what was due first comes first', async t => {
  const receiver = await startReceiver(t)
  const answered = Promise.withResolvers<void>()
  receiver.answer(async () => {
    await answered.promise
    return { status: 200 }
  })
  await subscribeFor(t, bursar.demo, receiver.url)
  // More than one claim brings: some of them wait in the database.
  const before = await recordMany(bursar, { count: 30 })
  await receiver.waitForRequests(PLACES)
  const later: string[] = []
  for (let n = 0; n < 10; n++) later.push(await ctx.db.transaction(tx => record(tx)))
  for (const id of later) assert.equal((await queueRowOf(id))?.leaseS, null)
  answered.resolve()
  await receiver.waitForRequests(before.length + later.length)
  assert.deepEqual(new Set(idsAt(receiver).slice(0, before.length)), new Set(before))
  assert.ok(receiver.maxInFlight <= PLACES, `${receiver.maxInFlight} at once`)
})

test('what a process leaves that dies as it commits is sent by another when its claim runs out, and not before', async t => {
  const receiver = await startReceiver(t)
  await subscribeFor(t, bursar.demo, receiver.url)
  const dying = await openProcess(t)
  const listener = dying.db.listen(
    'deliveries',
    () => {},
    (tx, work: OwedDeliveries) => {
      queueClaimed(tx, work, [], () => {})
      return true
    },
  )
  listener.start()
  t.after(() => listener.stop())
  const lost = await dying.db.transaction(tx => record(tx))
  const { leaseS = 0 } = (await queueRowOf(lost)) ?? {}
  assert.ok(leaseS !== null && leaseS > 30, `claimed for ${leaseS} s`)
  // A look finds what a process that does not deliver leaves, and not the other.
  const recording = await openProcess(t)
  const found = await recording.db.transaction(tx => record(tx))
  await untilCome(receiver, found)
  assert.deepEqual(idsAt(receiver), [found])
  await bursar.sql('update webhook_queue set claimed_until = now() where event_id = $1', [lost])
  bursar.app.deliveries.wake()
  const { attempts } = await deliveryIn(bursar.demo, lost, 'delivered')
  assert.deepEqual(idsAt(receiver), [found, lost])
  assert.equal(attempts.length, 2)
  assert.match(attempts[0].problem, /interrupted/)
})

test('a process that does not deliver leaves everything to one that does', async t => {
  const receiver = await startReceiver(t)
  await subscribeFor(t, bursar.demo, receiver.url)
  const other = await openProcess(t)
  const id = await other.db.transaction(tx => record(tx))
  const { attempts } = await deliveryIn(bursar.demo, id, 'delivered')
  assert.equal(attempts.length, 1)
  assert.deepEqual(idsAt(receiver), [id])
})

const SEED = Number(process.env['HANDOVER_SEED'] ?? Math.floor(Math.random() * 1_000_000))
const CODES: readonly EventCode[] = [
  'pay.payment.debited',
  'refund.processed',
  'direct.payment.added',
  'order.payment.debited',
]
const TRANSACTIONS = 150
/** The first and one after each wait of WEBHOOK_RETRY_SECONDS. */
const MOST_ATTEMPTS = 5

test(`of two processes that record and deliver at once each event is sent until it arrives, one attempt at a time (seed ${SEED})`, async t => {
  const random = new Random(SEED)
  const receiver = await startReceiver(t)
  const out = new Set<string>()
  const calls = new Map<string, number>()
  const overlaps: string[] = []
  receiver.answer(async ({ headers }) => {
    const id = String(headers['webhook-id'])
    if (out.has(id)) overlaps.push(id)
    out.add(id)
    const call = (calls.get(id) ?? 0) + 1
    calls.set(id, call)
    await new Promise(resolve => setTimeout(resolve, random.between(0, 8)))
    out.delete(id)
    // Refused once more, it would be given up.
    return { status: call < MOST_ATTEMPTS && random.chance(0.1) ? 500 : 200 }
  })
  for (const event_code of CODES) await subscribeFor(t, bursar.demo, receiver.url, { event_code })
  const other = await openProcess(t)
  const { deliveries, closeDeliveries } = openDeliveries(bursar.app.config, other, silent)
  deliveries.start()
  t.after(closeDeliveries)

  const [committed, undone]: [string[], string[]] = [[], []]
  const work = async (): Promise<void> => {
    const { db } = random.chance(0.5) ? ctx : other
    const codes = Array.from({ length: random.between(1, 3) }, () => random.pick(CODES))
    const isUndone = random.chance(0.2)
    const ids: string[] = []
    const done = db.transaction(async tx => {
      for (const code of codes) ids.push(await record(tx, code))
      if (isUndone) throw new Error('undone')
    })
    await done.catch((error: unknown) => assert.match(String(error), /undone/))
    ;(isUndone ? undone : committed).push(...ids)
  }
  const lanes = Array.from({ length: 6 }, async () => {
    for (let n = 0; n < TRANSACTIONS / 6; n++) await work()
  })
  await Promise.all(lanes)
  const states = (): Promise<{ id: string; state: string; attempts: number }[]> =>
    bursar.sql(
      `select event_id as id, state, jsonb_array_length(attempts) as attempts from webhook_deliveries
       where event_id = any ($1)`,
      [committed],
    )
  await waitFor(async () => (await states()).every(({ state }) => state === 'delivered'), 'all to arrive')
  for (const { id, attempts } of await states()) assert.equal(calls.get(id), attempts, id)
  assert.equal(calls.size, committed.length)
  assert.deepEqual(overlaps, [])
  assert.deepEqual(
    undone.filter(id => calls.has(id)),
    [],
  )
})
