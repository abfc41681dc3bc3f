import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recordAttempts } from '../../src/webhooks/engine/attempts.service.ts'
import { claimDue } from '../../src/webhooks/engine/delivery-engine.store.ts'
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
