import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recordAttempts } from '../../src/webhooks/engine/results.service.ts'
import { claimDue } from '../../src/webhooks/engine/queue.store.ts'
import { lockSubscription } from '../../src/webhooks/subscriptions/subscriptions.store.ts'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'
import {
  deliveryIn,
  recordMany,
  startDelivering,
  startReceiver,
  subscribe,
  subscribeFor,
  trigger,
  type Receiver,
} from './support.ts'

/** Who waits for whom at the rows of subscriptions. */
const bursar = await startDelivering({ after }, { WEBHOOK_CONCURRENCY: '10' })
const { demo } = bursar
const { db } = bursar.app.ctx

/** As somebody holds it who recovers it. */
async function hold(id: string, done: Promise<void>): Promise<void> {
  const [row] = await bursar.sql<{ institute: number }>(
    'select institute_id as institute from webhook_subscriptions where id = $1',
    [id],
  )
  const held = Promise.withResolvers<void>()
  const holding = db.transaction(async tx => {
    await lockSubscription(tx, row?.institute ?? 0, id)
    held.resolve()
    await done
  })
  await Promise.race([held.promise, holding])
}

async function openCircuit(id: string): Promise<void> {
  await bursar.sql(
    'update webhook_subscriptions set failures_in_row = 50, paused_until = null where id = $1',
    [id],
  )
}

/** Proof that deliveries were claimed just now. */
async function deliverElsewhere(other: Receiver): Promise<void> {
  const before = other.requests.length
  await trigger(demo, 'refund.processed')
  await other.waitForRequests(before + 1)
}

test('an event is recorded and delivered elsewhere while a subscription is held, though its circuit wants a probe', async t => {
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const id = await subscribeFor(t, demo, receiver.url)
  await subscribeFor(t, demo, other.url, { event_code: 'refund.processed' })
  const done = Promise.withResolvers<void>()
  t.after(() => done.resolve())
  await openCircuit(id)
  await hold(id, done.promise)
  await trigger(demo)
  await deliverElsewhere(other)
  assert.equal(receiver.requests.length, 0)
  done.resolve()
})

test('a probe that waits for a place at a busy host keeps its turn', async t => {
  const [host, other] = [await startReceiver(t), await startReceiver(t)]
  const busy = Promise.withResolvers<{ status: number }>()
  host.answer(request => (request.path.endsWith('/busy') ? busy.promise : { status: 200 }))
  await subscribeFor(t, demo, `${host.url}/busy`)
  const ill = await subscribeFor(t, demo, `${host.url}/ill`, { event_code: 'direct.payment.added' })
  await subscribeFor(t, demo, other.url, { event_code: 'refund.processed' })
  await recordMany(bursar, { count: 10 })
  await host.waitForRequests(10)
  await openCircuit(ill)
  const probe = await trigger(demo, 'direct.payment.added')
  const claim = async (): Promise<number | null> =>
    (
      await bursar.sql<{ claim: number | null }>('select claim from webhook_queue where event_id = $1', [
        probe,
      ])
    )[0]?.claim ?? null
  await waitFor(async () => (await claim()) !== null, 'the probe to be claimed')
  const before = await claim()
  // Each of these is claimed together with a look at what waits.
  for (const _ of [1, 2, 3]) await deliverElsewhere(other)
  assert.equal(await claim(), before)
  busy.resolve({ status: 200 })
  await deliveryIn(demo, probe, 'delivered')
})

test('no subscription is paused for a probe that is not taken', async t => {
  const idle = await startBursar(t)
  const receiver = await startReceiver(t)
  const codes = ['pay.payment.debited', 'refund.processed', 'direct.payment.added', 'pay.payment.settled']
  for (const code of codes) await subscribe(idle.demo, receiver.url, { event_code: code })
  await idle.sql('update webhook_subscriptions set failures_in_row = 50')
  for (const code of codes) await trigger(idle.demo, code)
  const { claims: claimed } = await claimDue(idle.app.ctx.db, { limit: 2, roomEach: 10, busy: [] })
  const paused = await idle.sql('select from webhook_subscriptions where paused_until > now()')
  assert.deepEqual([claimed.length, paused.length], [2, 2])
  assert.ok(claimed.every(({ webhook }) => webhook.isPaused))
})

test('a failure that is written twice, or after its claim ran out, counts once', async t => {
  const idle = await startBursar(t)
  const { ctx } = idle.app
  const id = await subscribe(idle.demo, 'https://erp.example.in/hook')
  for (const _ of [1, 2]) await trigger(idle.demo)
  const { claims: claimed } = await claimDue(ctx.db, { limit: 2, roomEach: 10, busy: [] })
  const batch = claimed.map(one => ({
    finish: { claimed: one, state: 'exhausted' as const, failures: 9, nextInMs: null, attempt: null },
    verdict: { kind: 'failed' as const, httpStatus: 500, problem: 'no', retryAfterMs: null },
  }))
  await idle.sql('update webhook_queue set claim = claim + 1000 where delivery_id = $1', [claimed[1]?.id])
  for (const _ of [1, 2]) await recordAttempts(ctx, batch)
  const [health] = await idle.sql('select failures_in_row from webhook_subscriptions where id = $1', [id])
  const [notice] = await idle.sql('select kind, times from webhook_notices where webhook_id = $1', [id])
  assert.deepEqual([health, notice], [{ failures_in_row: 1 }, { kind: 'exhausted', times: 1 }])
})

test('claims that ran out are taken together with what is free, and the attempts are on record as interrupted once', async t => {
  const idle = await startBursar(t)
  const { ctx } = idle.app
  await subscribe(idle.demo, 'https://erp.example.in/hook')
  for (const _ of [1, 2, 3]) await trigger(idle.demo)
  const claim = async (limit: number): Promise<string[]> =>
    (await claimDue(ctx.db, { limit, roomEach: 10, busy: [] })).claims.map(({ id }) => id)
  const lost = await claim(2)
  await idle.sql(
    `update webhook_queue set claimed_until = now() - interval '1 second' where claim is not null`,
  )
  const taken = await claim(10)
  assert.equal(new Set(taken).size, 3)
  assert.equal(taken.length, 3)
  assert.deepEqual(await claim(10), [])
  const rows = await idle.sql<{ id: string; problems: (string | null)[] }>(
    `select id, array(select a->>'problem' from jsonb_array_elements(attempts) a) as problems from webhook_deliveries`,
  )
  for (const { id, problems } of rows) {
    assert.equal(problems.length, lost.includes(id) ? 1 : 0, id)
    for (const problem of problems) assert.match(problem ?? '', /interrupted/)
  }
})

test('a circuit that wants a probe gets it although the claim of its first delivery ran out', async t => {
  const idle = await startBursar(t)
  const { ctx } = idle.app
  const id = await subscribe(idle.demo, 'https://erp.example.in/hook')
  await trigger(idle.demo)
  const options = { limit: 10, roomEach: 10, busy: [] }
  const [first] = (await claimDue(ctx.db, options)).claims
  await idle.sql(`update webhook_queue set claimed_until = now() - interval '1 second'`)
  await idle.sql('update webhook_subscriptions set failures_in_row = 50 where id = $1', [id])
  const { claims } = await claimDue(ctx.db, options)
  assert.deepEqual(
    claims.map(one => one.id),
    [first?.id],
  )
})

test('neither subscriptions with nothing to send nor backlogs of others hide what is due', async t => {
  const idle = await startBursar(t)
  const event = await trigger(idle.demo)
  await idle.sql(
    `insert into webhook_subscriptions (institute_id, id, collector_code, event_code, url, failure_notification_email)
     select e.institute_id, 'wh_' || n, e.collector_code, 'code.' || n, 'https://erp' || n || '.in/', 'it@example.in'
     from events e, generate_series(10, 39) n where e.id = $1`,
    [event],
  )
  const fill = (count: number, first: number, last: number, due: string): Promise<unknown> =>
    idle.sql(
      `insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id, next_attempt_at)
       select institute_id, gen_random_uuid(), 'wh_' || w, id, now() + $5::interval
       from events, generate_series($2::int, $3::int) w, generate_series(1, $4::int) n where id = $1`,
      [event, first, last, count, due],
    )
  const claimed = async (): Promise<string[]> => {
    const { claims } = await claimDue(idle.app.ctx.db, { limit: 100, roomEach: 1, busy: [] })
    await idle.sql('update webhook_queue set claim = null, claimed_until = null')
    return claims.map(({ webhook }) => webhook.id).sort()
  }
  await fill(1, 15, 34, '-1 hour')
  const expected = Array.from({ length: 20 }, (_, n) => `wh_${n + 15}`)
  assert.deepEqual(await claimed(), expected)
  // Longer than a page of the queue: of one, and then of more than there are pages in a look.
  await fill(700, 20, 20, '1 hour')
  assert.deepEqual(await claimed(), expected)
  await fill(300, 12, 30, '1 hour')
  assert.deepEqual(await claimed(), expected)
})

test('an address with the port that goes without saying is the same endpoint', async t => {
  const idle = await startBursar(t)
  await subscribe(idle.demo, 'https://erp.example.in:443/a')
  await subscribe(idle.demo, 'https://ERP.example.in/b?c=:443', { event_code: 'refund.processed' })
  await subscribe(idle.demo, 'http://erp.example.in:8080/a', { event_code: 'direct.payment.added' })
  const rows = await idle.sql<{ origin: string }>(
    'select distinct origin from webhook_subscriptions order by 1',
  )
  assert.deepEqual(
    rows.map(({ origin }) => origin),
    ['http://erp.example.in:8080', 'https://erp.example.in'],
  )
})
