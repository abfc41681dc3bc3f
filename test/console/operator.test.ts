import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createKey } from '../../src/institutes/keys.service.ts'
import fc from 'fast-check'
import { isBehind } from '../../src/console/operator/operator.rules.ts'
import { isAlmostFull } from '../../src/platform/retention/disk.ts'
import { quantile } from '../../src/http/metrics.ts'
import { startBursar } from '../harness/bursar.ts'
import { Client, type Json } from '../harness/client.ts'
import { PAY, sampleOrder, sampleWebhook } from '../harness/samples.ts'
import { queue } from '../messages/support.ts'
import { API, assertAnswer, demoVisitor } from './support.ts'

const bursar = await startBursar({ after })
const { url, demo } = bursar
const OPERATOR = `${API}/operator`
const operator = await demoVisitor(url, 'operator@bursar.example')
const owner = await demoVisitor(url)

async function auditOf(what: string): Promise<Json> {
  return (await operator.get(`${OPERATOR}/audit?what=${what}`)).body.data[0]
}

test('a write of the operator with the same Idempotency-Key is done once and stands in the log once', async () => {
  const key = { 'idempotency-key': 'press-1' }
  const wanted = {
    code: 'hill-view',
    name: 'Hill View',
    branches: [{ collector_code: 'MAIN', name: 'Main' }],
  }
  const first = await operator.post(`${OPERATOR}/institutes`, wanted, key)
  const again = await operator.post(`${OPERATOR}/institutes`, wanted, key)
  assertAnswer(first, '201')
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await operator.post(`${OPERATOR}/institutes`, { ...wanted, name: 'Other' }, key)
  assertAnswer(other, '422 IDE00000')
  const { data } = (await operator.get(`${OPERATOR}/audit?about=hill-view`)).body
  assert.equal(data.length, 1)
})

test('an institute is created, renamed and given branches by the operator alone, and all of it is in the log', async () => {
  const wanted = {
    code: 'green-park',
    name: 'Green Park',
    branches: [{ collector_code: 'MAIN', name: 'Main branch' }],
  }
  assertAnswer(await owner.post(`${OPERATOR}/institutes`, wanted), '403 AUE00001')
  assertAnswer(
    await operator.post(`${OPERATOR}/institutes`, { ...wanted, code: 'Green Park' }),
    '400 HUE00000',
  )
  assertAnswer(await operator.post(`${OPERATOR}/institutes`, wanted), '201')
  assertAnswer(await operator.post(`${OPERATOR}/institutes`, wanted), '409 HUE00002')
  assert.equal((await auditOf('institute.created')).about, 'green-park')

  const rename = { name: 'Green Park School', reason: 'Its full name' }
  assertAnswer(await owner.send('PATCH', `${OPERATOR}/institutes/green-park`, rename), '403 AUE00001')
  assertAnswer(await operator.send('PATCH', `${OPERATOR}/institutes/green-park`, rename), '200')
  assertAnswer(await operator.send('PATCH', `${OPERATOR}/institutes/nobody`, rename), '404 HUE00001')
  const renamed = await auditOf('institute.renamed')
  assert.deepEqual(
    [renamed.before, renamed.after, renamed.why],
    [{ name: 'Green Park' }, { name: 'Green Park School' }, 'Its full name'],
  )

  const branches = `${OPERATOR}/institutes/green-park/branches`
  assertAnswer(await operator.post(branches, { collector_code: 'EAST', name: 'East campus' }), '200')
  assertAnswer(await operator.post(branches, { collector_code: 'EAST', name: 'Again' }), '409 HUE00002')
  const chosen = { collector_code: 'EAST', reason: 'The larger one' }
  const choose = `${OPERATOR}/institutes/green-park/default-branch`
  assertAnswer(await operator.send('PUT', choose, chosen), '200')
  assertAnswer(await operator.send('PUT', choose, { ...chosen, collector_code: 'WEST' }), '404 HUE00001')
  const { data } = (await operator.get(`${OPERATOR}/institutes?search=green`)).body
  assert.deepEqual(
    data.map((one: Json) => [one.code, one.name, one.active_keys]),
    [['green-park', 'Green Park School', 0]],
  )
  assert.deepEqual(
    data[0].branches.map((one: Json) => [one.collector_code, one.is_default]),
    [
      ['MAIN', false],
      ['EAST', true],
    ],
  )
  const first = await operator.get(`${OPERATOR}/institutes?limit=1`)
  const second = await operator.get(`${OPERATOR}/institutes?limit=1&cursor=${first.body.next_cursor}`)
  assert.deepEqual([first.body.data[0].code, second.body.data[0].code], ['demo-group', 'demo-school'])
})

test('what the operator makes works at once: people, keys, orders', async () => {
  const base = `${API}/institutes/green-park`
  const { body } = await operator.post(`${base}/keys`, { label: 'reports', scopes: ['read'] })
  const reports = new Client(url, { key: body.data.key_id, secret: body.data.secret })
  assert.equal((await reports.get(`${PAY}/orders`)).status, 200)
  // What the console does not let an operator do, the command line does.
  const erp = await createKey(bursar.app.ctx, 'green-park', { label: 'erp', scopes: ['orders'] })
  const client = new Client(url, { key: erp.keyId, secret: erp.secret })
  const order = await client.post(`${PAY}/orders`, sampleOrder({ collector_code: 'EAST' }))
  assert.equal(order.status, 201, order.text)
  assertAnswer(
    await operator.post(`${base}/team/invitations`, { email: 'head@green-park.example', role: 'owner' }),
    '201',
  )
})

/** The day on which a payment taken now is due to be settled. */
async function settledOn(): Promise<string> {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  const [payment] = await bursar.sql<{ day: string }>(
    'select settle_due_on as day from payments where order_id = $1',
    [body.data.order_id],
  )
  return payment?.day ?? ''
}

test('a holiday moves what would be settled on it; past days stay as they were', async () => {
  const day = await settledOn()
  const holiday = { day, name: 'Founders Day', reason: 'Told by the RBI' }
  assertAnswer(await owner.post(`${OPERATOR}/holidays`, holiday), '403 AUE00001')
  assertAnswer(await operator.post(`${OPERATOR}/holidays`, holiday), '201')
  assertAnswer(await operator.post(`${OPERATOR}/holidays`, holiday), '409 HUE00002')
  assertAnswer(await operator.post(`${OPERATOR}/holidays`, { ...holiday, day: '2020-01-26' }), '400 HUE00000')
  assert.ok((await settledOn()) > day, 'it holds at once')
  assert.deepEqual((await operator.get(`${OPERATOR}/holidays`)).body.data, [{ day, name: 'Founders Day' }])
  const end = { reason: 'Cancelled' }
  assertAnswer(await owner.send('DELETE', `${OPERATOR}/holidays/${day}`, end), '403 AUE00001')
  assertAnswer(await operator.send('DELETE', `${OPERATOR}/holidays/${day}`, end), '200')
  assertAnswer(await operator.send('DELETE', `${OPERATOR}/holidays/${day}`, end), '404 HUE00001')
  assert.equal(await settledOn(), day)
  assert.deepEqual((await auditOf('holiday.removed')).before, { day, name: 'Founders Day' })
})

test('jobs tell how much is due and since when; what was given up is listed and sent again', async () => {
  await queue(bursar, {}, { at: new Date(Date.now() - 600_000) })
  const jobs = (await operator.get(`${OPERATOR}/jobs`)).body.data
  const messages = jobs.jobs.find((job: Json) => job.kind === 'messages_sent')
  assert.ok(messages.due >= 2 && messages.late_seconds >= 600, JSON.stringify(messages))
  assert.equal((await operator.get(`${OPERATOR}/health`)).body.data.workers.is_behind, true)
  assertAnswer(await owner.get(`${OPERATOR}/jobs`), '403 AUE00001')

  await bursar.sql(
    `update messages set state = 'failed', next_try_at = null, failure = 'no such mailbox' where about = 'wh_1'`,
  )
  const webhook = (await demo.post('/api/v1/integrations/erp/webhooks', sampleWebhook())).body.data
  await demo.post('/api/v1/sandbox/events/trigger', { event_code: webhook.event_code })
  await bursar.sql(
    `with taken as (delete from webhook_queue)
     update webhook_deliveries set state = 'exhausted', given_up_at = now(), 
       attempts = '[{"attempted_at": "2026-11-17T04:30:00Z", "duration_ms": 15000, "problem": "No answer."}]'`,
  )
  const letters = async (kind: string): Promise<Json[]> =>
    (await operator.get(`${OPERATOR}/dead-letters?kind=${kind}`)).body.data
  const [message] = await letters('message')
  assert.deepEqual([message.problem, message.institute_code], ['no such mailbox', 'demo-school'])
  const [delivery] = await letters('delivery')
  assert.equal(delivery.problem, 'No answer.')
  assert.deepEqual(await letters('import'), [])
  assert.deepEqual((await operator.get(`${OPERATOR}/jobs`)).body.data.dead_letters, {
    delivery: 1,
    message: 2,
    import: 0,
  })

  const retry = `messages/${message.id}/retry`
  assertAnswer(await owner.post(`${API}/institutes/demo-school/${retry}`), '403 AUE00001')
  assertAnswer(await operator.post(`${API}/institutes/demo-group/${retry}`), '404 HUE00001')
  assertAnswer(await operator.post(`${API}/institutes/demo-school/${retry}`), '200')
  assertAnswer(await operator.post(`${API}/institutes/demo-school/${retry}`), '404 HUE00001')
  assert.equal((await letters('message')).length, 1)
  const school = await operator.get(`${API}/institutes/demo-school/audit?what=message.sent_again`)
  assert.equal(school.body.data[0].about, message.id)
  assertAnswer(
    await operator.post(`${API}/institutes/demo-school/deliveries/${delivery.id}/redeliver`),
    '200',
  )
  assert.deepEqual(await letters('delivery'), [])
})

test('health and what is set up are numbers and names, and no secret', async () => {
  assertAnswer(await owner.get(`${OPERATOR}/health`), '403 AUE00001')
  assertAnswer(await owner.get(`${OPERATOR}/providers`), '403 AUE00001')
  const { data } = (await operator.get(`${OPERATOR}/health`)).body
  assert.equal(data.migrations.version, data.migrations.expected)
  assert.deepEqual([data.mode, data.role, data.workers.runs_here], ['sandbox', 'api', false])
  assert.ok(data.database.bytes > 1e6 && data.numbers.memory_bytes > 1e6 && data.numbers.requests > 10)
  assert.ok(data.numbers.p95_ms >= data.numbers.mean_ms / 10)
  const providers = await operator.get(`${OPERATOR}/providers`)
  assert.deepEqual(
    providers.body.data.payments.map((one: Json) => [one.name, one.is_current]),
    [['sandbox', true]],
  )
  assert.equal(providers.body.data.channels.length, 3)
})

test('a quantile lies between the bounds of its bucket, and grows with its share', () => {
  const counts = fc.array(fc.nat(1_000), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(counts, fc.double({ min: 0.01, max: 1, noNaN: true }), (perBucket, share) => {
      let sum = 0
      const buckets = perBucket.map((count, index) => ({
        upTo: index === perBucket.length - 1 ? Infinity : (index + 1) * 0.1,
        count: (sum += count),
      }))
      fc.pre(sum > 0)
      const value = quantile(buckets, share)
      assert.ok(value >= 0 && value <= (perBucket.length - 1) * 0.1 + 1e-9, String(value))
      assert.ok(quantile(buckets, share / 2) <= value + 1e-9)
    }),
  )
})

test('work is behind after five minutes, a disk almost full below a tenth or a gigabyte', () => {
  assert.equal(isBehind([{ kind: 'messages_sent', lateMs: 299_000 }]), false)
  assert.equal(isBehind([{ kind: 'messages_sent', lateMs: 301_000 }]), true)
  assert.equal(isBehind([{ kind: 'imports_run', lateMs: 9e9 }]), false)
  const GB = 1024 ** 3
  assert.equal(isAlmostFull({ freeBytes: 20 * GB, totalBytes: 100 * GB }), false)
  assert.equal(isAlmostFull({ freeBytes: 9 * GB, totalBytes: 100 * GB }), true)
  assert.equal(isAlmostFull({ freeBytes: GB / 2, totalBytes: 2 * GB }), true)
})
