import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { RequestLog } from '../../src/request-log/requests.service.ts'
import { Database } from '../../src/platform/db/database.ts'
import { Client, type Answer, type Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { startReceiver } from '../harness/receiver.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { sandboxNow } from '../harness/sandbox-now.ts'
import { waitFor } from '../harness/wait.ts'
import { startDelivering } from '../webhooks/support.ts'
import { API, assertAnswer, createPerson, demoVisitor, type Visitor } from './support.ts'

const bursar = await startDelivering({ after })
const { url, demo } = bursar
const SCHOOL = `${API}/institutes/demo-school`
const GROUP = `${API}/institutes/demo-group`
const [owner, stranger, developer, viewer] = await Promise.all([
  demoVisitor(url),
  demoVisitor(url, 'bursar@demo-group.example'),
  createPerson(bursar, { email: 'dev@school.example', institute: 'demo-school', role: 'developer' }),
  createPerson(bursar, { email: 'viewer@school.example', institute: 'demo-school', role: 'viewer' }),
])

async function auditOf(what: string): Promise<Json[]> {
  return (await owner.get(`${SCHOOL}/audit?what=${what}`)).body.data
}

/** Another institute's id, at one's own institute, is one that does not exist. */
async function assertUnknownToStranger(
  ask: (visitor: Visitor, base: string) => Promise<Answer>,
): Promise<void> {
  assertAnswer(await ask(stranger, GROUP), '404 HUE00001')
  assertAnswer(await ask(stranger, SCHOOL), '404 HUE00001')
}

test('a key is made by a developer, shows its secret once, works, and ends with a reason', async () => {
  const wanted = { label: 'Fee module', scopes: ['settings', 'read'] }
  assertAnswer(await viewer.post(`${SCHOOL}/keys`, wanted), '403 AUE00001')
  const made = await developer.post(`${SCHOOL}/keys`, wanted, { 'idempotency-key': 'k1' })
  assertAnswer(made, '201')
  const { key_id: keyId, secret } = made.body.data
  const again = await developer.post(`${SCHOOL}/keys`, wanted, { 'idempotency-key': 'k1' })
  assert.deepEqual([again.status, again.body.data.key_id, again.body.data.secret], [201, keyId, undefined])
  assert.equal((await new Client(url, { key: keyId, secret }).get(`${PAY}/orders`)).status, 200)

  const listed = await viewer.get(`${SCHOOL}/keys`)
  assert.equal(listed.body.data[0].key_id, keyId)
  const kept = await bursar.sql(`select body from idempotency_keys where body like '%' || $1 || '%'`, [
    secret,
  ])
  assert.deepEqual(kept, [], 'no answer that is kept holds the secret')
  for (const text of [listed.text, JSON.stringify(await auditOf('key.created'))])
    assert.ok(!text.includes(secret), 'nobody reads the secret afterwards')

  const successor = await developer.post(`${SCHOOL}/keys/${keyId}/rotate`)
  assertAnswer(successor, '201')
  assert.equal(successor.body.data.label, 'Fee module')
  assertAnswer(await developer.post(`${SCHOOL}/keys/${keyId}/rotate`), '409 HUE00002')
  assertAnswer(await developer.send('DELETE', `${SCHOOL}/keys/${keyId}`, {}), '400 HUE00000')
  await assertUnknownToStranger((visitor, base) =>
    visitor.send('DELETE', `${base}/keys/${keyId}`, { reason: 'mine now' }),
  )
  await assertUnknownToStranger((visitor, base) => visitor.post(`${base}/keys/${keyId}/rotate`))
  assertAnswer(await developer.send('DELETE', `${SCHOOL}/keys/${keyId}`, { reason: 'Replaced' }), '200')
  const [entry] = await auditOf('key.revoked')
  assert.deepEqual(
    [entry.about, entry.why, entry.before.label, entry.actor.name],
    [keyId, 'Replaced', 'Fee module', 'dev@school.example'],
  )
})

test('a webhook is added, changed, tested, watched, disabled and recovered', async t => {
  const receiver = await startReceiver(t)
  const sent = {
    event_code: 'pay.payment.debited',
    url: receiver.url,
    failure_notification_email: 'it@school.example',
    secret_key: 'the first secret',
  }
  assertAnswer(await viewer.post(`${SCHOOL}/webhooks`, sent), '403 AUE00001')
  const added = await developer.post(`${SCHOOL}/webhooks`, sent)
  assertAnswer(added, '201')
  const { id } = added.body.data
  const short = { secret_key: 'fifteen-letters' }
  assertAnswer(await developer.post(`${SCHOOL}/webhooks`, { ...sent, ...short }), '400 HUE00000')
  assertAnswer(await developer.send('PATCH', `${SCHOOL}/webhooks/${id}`, short), '400 HUE00000')
  const change = { secret_key: 'the second secret', header_key: 'X-Api-Key', header_value: 'abc' }
  assertAnswer(await developer.send('PATCH', `${SCHOOL}/webhooks/${id}`, change), '200')
  const [entry] = await auditOf('webhook.changed')
  assert.deepEqual([entry.after.secret_key, entry.after.header_key], ['changed', 'X-Api-Key'])
  assert.doesNotMatch(JSON.stringify(entry), /the second secret|abc/)

  receiver.answer(() => ({ status: 500, body: 'no' }))
  const tested = await developer.post(`${SCHOOL}/webhooks/${id}/test`)
  assertAnswer(tested, '201')
  const delivery = tested.body.data.id
  const read = async (): Promise<Json> => (await viewer.get(`${SCHOOL}/deliveries/${delivery}`)).body.data
  await waitFor(async () => (await read()).status === 'exhausted', 'the delivery to be given up')
  const [webhook] = (await viewer.get(`${SCHOOL}/webhooks`)).body.data
  assert.deepEqual([webhook.id, webhook.health, webhook.given_up], [id, 'failing', 1])
  assert.equal((await read()).attempts[0].http_status, 500)

  receiver.answer(() => ({ status: 200 }))
  assertAnswer(await viewer.post(`${SCHOOL}/deliveries/${delivery}/redeliver`), '403 AUE00001')
  await assertUnknownToStranger((visitor, base) => visitor.post(`${base}/deliveries/${delivery}/redeliver`))
  await assertUnknownToStranger((visitor, base) => visitor.get(`${base}/deliveries/${delivery}`))
  assertAnswer(await developer.post(`${SCHOOL}/deliveries/${delivery}/redeliver`), '200')
  await waitFor(async () => (await read()).status === 'delivered', 'the delivery to arrive')
  assertAnswer(
    await developer.post(`${SCHOOL}/webhooks/${id}/recover`, { since: '2020-01-01T00:00:00Z' }),
    '200',
  )
  const of = await viewer.get(`${SCHOOL}/deliveries?webhook_id=${id}&status=delivered`)
  assert.deepEqual(
    of.body.data.map((one: Json) => one.id),
    [delivery],
  )
  assert.equal((await viewer.get(`${SCHOOL}/deliveries?webhook_id=${id}`)).body.data.length, 1)
  const days: Json[] = (await viewer.get(`${SCHOOL}/delivery-days`)).body.data
  assert.equal(days.length, 30)
  const sums = ['at_once', 'later', 'waiting', 'given_up'].map(key =>
    days.reduce((sum, one) => sum + one[key], 0),
  )
  assert.deepEqual(sums, [0, 1, 0, 0], 'it arrived, and not at the first attempt')

  for (const path of ['test', 'recover'])
    await assertUnknownToStranger((visitor, base) =>
      visitor.post(`${base}/webhooks/${id}/${path}`, { since: '2020-01-01T00:00:00Z' }),
    )
  await assertUnknownToStranger((visitor, base) => visitor.send('PATCH', `${base}/webhooks/${id}`, change))
  const why = { reason: 'The ERP has moved' }
  await assertUnknownToStranger((visitor, base) => visitor.send('DELETE', `${base}/webhooks/${id}`, why))
  assertAnswer(await developer.send('DELETE', `${SCHOOL}/webhooks/${id}`, why), '200')
  assertAnswer(await developer.send('DELETE', `${SCHOOL}/webhooks/${id}`, why), '409 HUE00002')
  assert.deepEqual((await viewer.get(`${SCHOOL}/webhooks`)).body.data, [])
  const [disabled] = (await viewer.get(`${SCHOOL}/webhooks?include=disabled`)).body.data
  assert.deepEqual([disabled.health, disabled.disabled_because], ['disabled', 'request'])
  assert.equal((await auditOf('webhook.disabled'))[0].why, why.reason)
})

test('events are listed by code and read as they are delivered', async () => {
  const made = await developer.post(`${SCHOOL}/sandbox/events`, { event_code: 'refund.failed' })
  assertAnswer(made, '201')
  assertAnswer(await viewer.post(`${SCHOOL}/sandbox/events`, { event_code: 'refund.failed' }), '403 AUE00001')
  const { event_id: id, resource_id: resource } = made.body.data
  const [listed] = (await viewer.get(`${SCHOOL}/events?event_code=refund.failed`)).body.data
  assert.deepEqual([listed.event_id, listed.resource_id], [id, resource])
  const one = await viewer.get(`${SCHOOL}/events/${id}`)
  assert.deepEqual(one.body.data.payload, listed.payload)
  await assertUnknownToStranger((visitor, base) => visitor.get(`${base}/events/${id}`))
  assert.deepEqual((await stranger.get(`${GROUP}/events?resource_id=${resource}`)).body.data, [])
})

test('every request with a key is found by its id, without anything that it said', async () => {
  const created = await demo.post(`${PAY}/orders`, sampleOrder({ name: 'Nobody Knows' }))
  const orderId = created.body.data.order_id
  const answers = [
    created,
    await demo.get(`${PAY}/orders/${orderId}?x=private`),
    await demo.get(`${PAY}/orders/none`),
  ]
  const [first = '', second = '', third = ''] = answers.map(
    ({ headers }) => headers.get('x-request-id') ?? '',
  )
  await waitFor(async () => (await viewer.get(`${SCHOOL}/requests/${third}`)).status === 200, 'the log')
  const { data } = (await viewer.get(`${SCHOOL}/requests/${second}`)).body
  assert.deepEqual(
    [data.method, data.route, data.status, data.key_id],
    ['GET', `${PAY}/orders/:order_id`, 200, 'key_test_demo'],
  )
  const refused = await viewer.get(`${SCHOOL}/requests?outcome=refused&key_id=key_test_demo`)
  assert.deepEqual([refused.body.data[0].id, refused.body.data[0].error_code], [third, 'HUE00001'])
  const page = await viewer.get(`${SCHOOL}/requests?limit=1`)
  assert.equal(page.body.data[0].id, third)
  const next = await viewer.get(`${SCHOOL}/requests?limit=1&cursor=${page.body.next_cursor}`)
  assert.equal(next.body.data[0].id, second)
  await assertUnknownToStranger((visitor, base) => visitor.get(`${base}/requests/${first}`))
  const [row] = await bursar.sql(`select to_jsonb(r)::text as text from api_requests r where id = $1`, [
    second,
  ])
  assert.doesNotMatch(row?.['text'] ?? '', new RegExp(`private|Nobody|${orderId}`))
})

test('a database that is away costs rows of the log, and no request waits for it', async () => {
  const away = new Database({ connections: [{ host: '127.0.0.1', port: 1 }], poolSize: 1 })
  const log = new RequestLog(away)
  const row = { ...ROW, at: new Date() }
  const began = process.cpuUsage()
  for (let no = 0; no < 100_000; no++) log.add(row)
  const each = process.cpuUsage(began).user / 100_000
  assert.ok(each < 50, `${each} µs for each`)
  assert.equal(log.dropped, 95_000, 'no more than 5,000 wait')
  await log.close()
  assert.equal(log.dropped, 100_000)
  await away.close()
})

const ROW = {
  instituteId: 1,
  id: 'req_1',
  method: 'GET',
  route: '/api/v1/x',
  status: 200,
  errorCode: null,
  ms: 1.5,
  keyId: 'key_test_demo',
}

test('the ERP is connected without showing its password, tested live, and disconnected', async t => {
  const erp = await startFakeErp(t, { username: 'bursar', password: 'quiet' })
  erp.put(sampleRecord())
  const wanted = { url: erp.url, username: 'bursar', password: 'quiet', reason: 'First connection' }
  assertAnswer(await viewer.send('PUT', `${SCHOOL}/erp`, wanted), '403 AUE00001')
  assertAnswer(await developer.send('PUT', `${SCHOOL}/erp`, wanted), '403 AUE00001')
  assertAnswer(await owner.send('PUT', `${SCHOOL}/erp`, wanted), '200')
  const shown = await viewer.get(`${SCHOOL}/erp`)
  assert.deepEqual(
    [shown.body.data.settings[0].auth, shown.body.data.settings[0].username],
    ['basic', 'bursar'],
  )
  assert.doesNotMatch(shown.text + JSON.stringify(await auditOf('erp.connected')), /quiet/)
  assertAnswer(await viewer.post(`${SCHOOL}/erp/test`, { identifier: 'ADM-1042' }), '403 AUE00001')
  const found = await developer.post(`${SCHOOL}/erp/test`, { identifier: 'ADM-1042' })
  assert.deepEqual([found.body.data.outcome, found.body.data.student.fullname], ['found', 'Kabir Rao'])
  erp.put(sampleRecord({ grade: undefined, primary_contact_number: 'x' }))
  const wrong = await developer.post(`${SCHOOL}/erp/test`, { identifier: 'ADM-1042' })
  assert.equal(wrong.body.data.outcome, 'unavailable')
  const keys = wrong.body.data.problems.map((problem: Json) => problem.key)
  assert.ok(
    keys.some((key: string) => key.endsWith('grade')),
    keys.join(),
  )

  const { password: _, ...same } = wanted
  assertAnswer(await developer.send('PUT', `${SCHOOL}/erp`, { ...same, max_calls: 8 }), '200')
  erp.put(sampleRecord())
  const kept = await developer.post(`${SCHOOL}/erp/test`, { identifier: 'ADM-1042' })
  assert.equal(kept.body.data.outcome, 'found', 'the password stays while the host does')
  const elsewhere = await startReceiver(t)
  assertAnswer(
    await developer.send('PUT', `${SCHOOL}/erp`, { ...wanted, url: elsewhere.url }),
    '403 AUE00001',
  )
  for (const moved of [{ url: elsewhere.url }, { username: 'another' }]) {
    const answer = await owner.send('PUT', `${SCHOOL}/erp`, { ...same, ...moved })
    assert.equal(answer.body.errors?.[0]?.key, 'password', 'a password is never sent to where nobody put it')
  }
  assert.equal(elsewhere.requests.length, 0)
  const end = { reason: 'Back to paper' }
  assertAnswer(await viewer.send('DELETE', `${SCHOOL}/erp`, end), '403 AUE00001')
  assertAnswer(await developer.send('DELETE', `${SCHOOL}/erp`, end), '200')
  assertAnswer(await developer.send('DELETE', `${SCHOOL}/erp`, end), '404 HUE00001')
  assert.equal((await auditOf('erp.disconnected'))[0].before.url, erp.url)
})

test('a branch has an ERP of its own', async () => {
  const body = { collector_code: 'SOUTH', url: 'http://south.example/f', reason: 'New' }
  assertAnswer(await stranger.send('PUT', `${GROUP}/erp`, body), '200')
  const { data } = (await stranger.get(`${GROUP}/erp`)).body
  assert.deepEqual(
    [data.branches.length, data.settings.map((one: Json) => one.collector_code)],
    [2, ['SOUTH']],
  )
  const other = await stranger.send('PUT', `${GROUP}/erp`, { ...body, collector_code: 'MAIN' })
  assert.equal(other.body.errors[0].key, 'collector_code')
})

test('the clock of a sandbox is moved by a developer and tells what was done', async () => {
  await demo.post(`${PAY}/payment_links`, {
    ...sampleOrder(),
    expires_at: new Date(sandboxNow() + 3_600_000).toISOString(),
  })
  assertAnswer(await viewer.post(`${SCHOOL}/sandbox/clock`, { advance: 'P1D' }), '403 AUE00001')
  const moved = await developer.post(`${SCHOOL}/sandbox/clock`, { advance: 'P1D' })
  assertAnswer(moved, '200')
  assert.equal(moved.body.data.summary.orders_expired, 1)
  const { data } = (await viewer.get(`${SCHOOL}/sandbox/clock`)).body
  assert.ok(Date.parse(data.now) - Date.parse(data.real_now) > 86_000_000)
  assertAnswer(await developer.post(`${SCHOOL}/sandbox/clock`, { advance: 'nonsense' }), '400 HUE00000')
})
