import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_CODES } from '../../../src/events/define-event.ts'
import { Client, type Json } from '../../harness/client.ts'
import { ERP, PAY, sampleWebhook } from '../../harness/samples.ts'
import { assertRefused, assertStatus, clientWith, eventsOf, openContract } from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql, url } = contract
const TRIGGER = '/api/v1/sandbox/events/trigger'

async function countEvents(): Promise<number> {
  const [row] = await sql<Json>('select count(*)::int as n from events')
  return row.n
}

test('every event code can be triggered and is recorded once, as now of the sandbox clock', async () => {
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'P40D' }), 200)
  for (const event_code of EVENT_CODES) {
    const before = Date.parse((await demo.get('/api/v1/sandbox/clock')).body.data.now)
    const answer = await demo.post(TRIGGER, { event_code })
    assertStatus(answer, 201)
    const { event_id, resource_id, ...rest } = answer.body.data
    assert.deepEqual(rest, { event_code, subscriptions: 0 })
    const [event, ...others] = await eventsOf(contract, resource_id)
    assert.deepEqual([event?.id, event?.event_code, others], [event_id, event_code, []])
    const at = new Date(event?.occurred_at ?? 0).getTime()
    assert.ok(at >= before && at < before + 60_000, event_code)
  }
})

test('a triggered event stands alone: nothing that its ids name can be read', async () => {
  const order = await demo.post(TRIGGER, { event_code: 'order.payment.debited' })
  assertRefused(await demo.get(`${PAY}/orders/${order.body.data.resource_id}`), 'HUE00001')
  const student = await demo.post(TRIGGER, { event_code: 'masterdata.student.registered' })
  assertRefused(await demo.get(`${ERP}/students/${student.body.data.resource_id}/fee`), 'HUE00001')
  for (const path of [`${PAY}/orders`, `${PAY}/payment_links`, `${ERP}/students`]) {
    assert.deepEqual((await demo.get(path)).body.data, [])
  }
})

test('two triggers of one code are two events of two resources', async () => {
  const [one, two] = [
    await demo.post(TRIGGER, { event_code: 'cred.loan.disbursed' }),
    await demo.post(TRIGGER, { event_code: 'cred.loan.disbursed' }),
  ]
  assert.notEqual(one.body.data.event_id, two.body.data.event_id)
  assert.notEqual(one.body.data.resource_id, two.body.data.resource_id)
})

test('the answer says whether a subscription gets it, and how to make one', async () => {
  const event_code = 'flex.instalment.bounced'
  const without = await demo.post(TRIGGER, { event_code })
  assert.match(without.body.message, /no subscription for flex\.instalment\.bounced/)
  const webhook = await demo.post(`${ERP}/webhooks`, sampleWebhook({ event_code }))
  assertStatus(webhook, 201)
  const subscribed = await demo.post(TRIGGER, { event_code })
  assert.deepEqual([subscribed.body.data.subscriptions, subscribed.body.message], [1, undefined])
  assertStatus(await demo.delete(`${ERP}/webhooks/${webhook.body.data.id}`), 200)
  assert.equal((await demo.post(TRIGGER, { event_code })).body.data.subscriptions, 0)
})

test('an unknown event code is 400, names those there are, and records nothing', async () => {
  const before = await countEvents()
  for (const event_code of ['pay.payment.lost', 'webhook.test', '', null, 7, ['pay.payment.debited']]) {
    const answer = await demo.post(TRIGGER, { event_code })
    assertRefused(answer, 'HUE00000', 'event_code')
    if (typeof event_code === 'string' && event_code !== '')
      for (const code of EVENT_CODES) assert.ok(answer.body.message.includes(code), code)
  }
  assertRefused(await demo.post(TRIGGER, {}), 'HUE00000', 'event_code')
  assert.equal(await countEvents(), before)
})

test('with several branches collector_code is required and must be one of them; with one it is not compared', async () => {
  const event_code = 'direct.payment.added'
  const before = await countEvents()
  assertRefused(await group.post(TRIGGER, { event_code }), 'HUE00000', 'collector_code')
  assertRefused(
    await group.post(TRIGGER, { event_code, collector_code: 'WEST' }),
    'HUE00000',
    'collector_code',
  )
  assert.equal(await countEvents(), before)
  const south = await group.post(TRIGGER, { event_code, collector_code: 'SOUTH' })
  assertStatus(south, 201)
  const rows = await sql<Json>(
    `select institutes.code, collector_code, payload from events join institutes on institutes.id = institute_id
     where events.id = $1`,
    [south.body.data.event_id],
  )
  assert.deepEqual([rows[0].code, rows[0].collector_code], ['demo-group', 'SOUTH'])
  assert.equal(rows[0].payload.student.collector_code, 'SOUTH')
  assertStatus(await demo.post(TRIGGER, { event_code, collector_code: 'WEST' }), 201)
})

test('a trigger repeated with its Idempotency-Key records once', async () => {
  const body = { event_code: 'refund.processed' }
  const key = { 'idempotency-key': 'trigger-once' }
  const first = await demo.post(TRIGGER, body, key)
  const before = await countEvents()
  const again = await demo.post(TRIGGER, body, key)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(await countEvents(), before)
})

test('a trigger needs an API key that may write', async () => {
  const event_code = 'refund.failed'
  assertRefused(
    await new Client(url, { key: 'no', secret: 'body' }).post(TRIGGER, { event_code }),
    'AUE00000',
  )
  const reader = await clientWith(contract, { scopes: ['read'] })
  assertRefused(await reader.post(TRIGGER, { event_code }), 'AUE00001')
})

test('fields of the payload are overridden in their own type, an id wherever it occurs', async () => {
  const order_id = 'order_01k9zq4m0ve8sbn6yt2hw3c5zz'
  const override = [
    { path: 'payment.amount', value: '1234.50' },
    { path: 'payment.details.0.amount', value: '1234.50' },
    { path: 'order.new_admission', value: 'false' },
    { path: 'order_id', value: order_id },
  ]
  const answer = await demo.post(TRIGGER, { event_code: 'pay.payment.debited', override })
  assertStatus(answer, 201)
  assert.equal(answer.body.data.resource_id, order_id)
  const [row] = await sql<Json>('select payload from events where id = $1', [answer.body.data.event_id])
  const { payment, order } = row.payload
  assert.deepEqual([payment.amount, payment.details[0].amount, order.new_admission], [1234.5, 1234.5, false])
  assert.deepEqual([row.payload.order_id, order.id], [order_id, order_id])
})

test('an override of what the payload does not have, or that its schema does not take, is refused and records nothing', async () => {
  const before = await countEvents()
  for (const [path, value, key] of [
    ['payment', '1', 'path'],
    ['payment.nothing', '1', 'path'],
    ['payment.details.7.amount', '1', 'path'],
    ['__proto__.polluted', '1', 'path'],
    ['constructor.name', 'x', 'path'],
    ['payment.amount', 'much', 'value'],
    ['payment.amount', '-12.50', 'value'],
    ['payment.amount', '12.505', 'value'],
    ['payment.amount', '100000000001', 'value'],
    ['payment.paid_at', 'x', 'value'],
    ['order.status', 'lost', 'value'],
    ['order.new_admission', 'maybe', 'value'],
  ]) {
    const override = [{ path, value }]
    const answer = await demo.post(TRIGGER, { event_code: 'pay.payment.debited', override })
    assertRefused(answer, 'HUE00000', `override.0.${key}`)
  }
  assert.equal(await countEvents(), before)
})
