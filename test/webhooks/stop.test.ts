import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDeliveries } from '../../src/app/bursar.ts'
import { createLog } from '../../src/platform/log.ts'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'
import { listDeliveries, recordMany, startReceiver, subscribe } from './support.ts'

/** A worker stops in order and another goes on. The first waits three seconds for answers, so one test does it all. */
const PLACES = 4

test('what is on its way when a worker stops is on record and made again, what is not is made once, and neither counts as a failure', async t => {
  const receiver = await startReceiver(t)
  receiver.answer((_, n) => (n <= PLACES ? 'hang' : { status: 200 }))
  const bursar = await startBursar(t, { WEBHOOK_CONCURRENCY: String(PLACES) })
  const open = () =>
    openDeliveries(bursar.app.config, bursar.app.ctx, createLog({ level: 'silent', format: 'json' }))
  // Two subscriptions of one host: the second's deliveries wait for a place.
  const codes = ['pay.payment.debited', 'refund.processed'] as const
  const ids: string[] = []
  for (const event_code of codes) ids.push(await subscribe(bursar.demo, receiver.url, { event_code }))
  const first = open()
  for (const eventCode of codes) await recordMany(bursar, { eventCode, count: PLACES })
  first.deliveries.start()
  await receiver.waitForRequests(PLACES)
  await first.closeDeliveries()

  const states = async () => (await listDeliveries(bursar.demo)).map(({ status }) => status)
  assert.deepEqual(new Set(await states()), new Set(['pending']))
  const cut = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))
  const second = open()
  t.after(second.closeDeliveries)
  second.deliveries.start()
  await waitFor(async () => (await states()).every(state => state === 'delivered'), 'all to arrive')
  assert.equal(receiver.requests.length, PLACES + codes.length * PLACES)
  for (const { event_id, attempts } of await listDeliveries(bursar.demo)) {
    const problems = attempts.map(({ problem }: { problem?: string }) => problem ?? 'none')
    const interrupted = 'The attempt was interrupted; whether it arrived is not known.'
    assert.deepEqual(problems, cut.has(event_id) ? [interrupted, 'none'] : ['none'])
    const ageMs = Date.now() - Date.parse(attempts[0].attempted_at)
    assert.ok(ageMs >= 0 && ageMs < 30_000, `${ageMs} ms ago`)
  }
  const rows = await bursar.sql<{ count: number }>(
    'select failures_in_row as count from webhook_subscriptions',
  )
  assert.deepEqual(rows, [{ count: 0 }, { count: 0 }])
  assert.equal(ids.length, rows.length)
})
