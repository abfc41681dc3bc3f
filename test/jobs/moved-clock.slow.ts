import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { queue } from '../messages/support.ts'

const CLOCK = '/api/v1/sandbox/clock'

test('a moved clock goes on past jobs that fail, and says which they were, without internals', async t => {
  const bursar = await startBursar(t)
  const { demo } = bursar
  const inAnHour = new Date(bursar.app.ctx.clock.now().getTime() + 3_600_000).toISOString()
  const made = await demo.post(`${PAY}/orders`, sampleOrder({ expires_at: inAnHour }))
  assert.equal(made.status, 201, made.text)
  await bursar.sql(`alter table orders add constraint poison check (state <> 'expired')`)
  const order = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'pending' })
  await bursar.sql(`update payments set provider = 'razorpay', account_id = 'razorpay'`)
  await queue(bursar, {})

  const key = { 'idempotency-key': 'a-day' }
  const answer = await demo.post(CLOCK, { advance: 'P1D' }, key)
  assert.equal(answer.status, 200, answer.text)
  const { now, summary, failed } = answer.body.data
  assert.ok(Date.parse(now) > Date.now() + 86_000_000)
  assert.deepEqual(Object.keys(failed).toSorted(), ['orders_expired', 'payments_checked'])
  assert.equal(summary.messages_sent, 1)
  assert.equal(summary.work_failed, failed.orders_expired + failed.payments_checked)
  assert.doesNotMatch(answer.text, /poison|razorpay|configured|constraint/)
  assert.deepEqual((await demo.post(CLOCK, { advance: 'P1D' }, key)).body, answer.body)

  await bursar.sql('alter table orders drop constraint poison')
  const next = (await demo.post(CLOCK, { advance: 'PT1H' })).body.data
  assert.equal(next.summary.orders_expired, 1)
  assert.equal(next.failed?.orders_expired, undefined)
})
