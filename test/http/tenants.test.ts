import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { operationsOf } from '../harness/openapi/operations.ts'
import { Client, DEMO, GROUP, type Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { assertSame, dump, essence, meant, NAMELESS, probes, SHARED } from './fixtures/tenant-probes.ts'
import {
  fillDemoGroup,
  fillDemoSchool,
  made,
  mapValues,
  nearMiss,
  type KnownIds,
} from './fixtures/tenants.ts'

/** Demo Group, holding Demo School's ids, gets the answer that it would get for ids that do not exist. */
const bursar = await startBursar({ after })
const { demo, group } = bursar
const theirs = await fillDemoSchool(bursar)
const unknown: KnownIds = {
  path: mapValues(theirs.path, nearMiss),
  query: mapValues(theirs.query, nearMiss),
  branch: 'NONE',
}
const own = await fillDemoGroup(bursar)

const operations = operationsOf(bursar, '/api/').filter(({ id }) => ![...SHARED, ...NAMELESS].includes(id))

/** As the operation before left it: nothing else runs between them. */
let before = await dump(bursar)

for (const operation of operations)
  test(`${operation.method} ${operation.path} answers for another institute's ids as for unknown ones`, async () => {
    const foreign = probes(operation, theirs, own.loggedBefore)
    const nobodys = probes(operation, unknown, own.loggedBefore)
    assert.ok(foreign.length > 0, 'the operation names nothing: list it as harmless or name something')
    for (const [index, { path, body }] of foreign.entries()) {
      const answer = await group.send(operation.method, path, body)
      const control = nobodys[index]
      assert.ok(control !== undefined)
      const expected = await group.send(operation.method, control.path, control.body)
      assert.deepEqual(essence(answer, theirs), essence(expected, unknown), path)
      assert.doesNotMatch(answer.text, /of-demo/i)
    }
    const now = await dump(bursar)
    const then = before
    before = now
    assertSame(now, then)
  })

for (const operation of operations.filter(({ method }) => method === 'GET'))
  test(`GET ${operation.path} answers its own institute, so that the ids above are real`, async () => {
    const path = operation.path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => theirs.path[meant(operation.path, name)] ?? '',
    )
    const { status, body, headers } = await demo.get(path)
    assert.equal(status, 200)
    if (!(headers.get('content-type') ?? '').includes('json'))
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+"$/)
    assert.ok(!Array.isArray(body?.data) || body.data.length > 0, 'Demo School has something in this list')
  })

test("a list shows an institute's own rows and nobody else's", async () => {
  for (const [path, key, expected] of [
    [`${PAY}/orders`, 'id', own.orders],
    [`${PAY}/payment_links`, 'id', own.links],
    [`${ERP}/students`, 'service_student_id', own.students],
    [`${ERP}/webhooks`, 'id', []],
  ] as const) {
    for (const query of ['', '?limit=200', '?limit=1', '?include=disabled']) {
      const { status, body } = await group.get(path + query)
      assert.equal(status, 200)
      const shown = body.data.map((row: Json) => row[key])
      const wanted = query === '?limit=1' ? expected.slice(-1) : expected
      assert.deepEqual(new Set(shown), new Set(wanted), path + query)
    }
  }
})

test('the hosted page shows an order only under the address of its own institute', async () => {
  const id = theirs.path['order_id'] ?? ''
  assert.equal((await group.get(`/pay/demo-school/${id}`)).status, 200)
  const foreign = await group.get(`/pay/demo-group/${id}`)
  const nobodys = await group.get(`/pay/demo-group/${nearMiss(id)}`)
  assert.equal(foreign.status, 404)
  assert.equal(foreign.text, nobodys.text)
})

test('an Idempotency-Key of one institute is unknown to another', async () => {
  const key = { 'idempotency-key': 'shared-by-chance' }
  const body = sampleWebhook({ event_code: 'refund.processed', collector_code: 'NORTH' })
  const first = await demo.post(`${ERP}/webhooks`, body, key)
  const second = await group.post(`${ERP}/webhooks`, body, key)
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.equal(second.headers.get('idempotent-replayed'), null)
  assert.notEqual(second.body.data.id, first.body.data.id)

  const link = (await made(demo.post(`${PAY}/payment_links`, sampleOrder()))).order_id
  const cancelKey = { 'idempotency-key': 'cancel-by-chance' }
  const path = `${PAY}/payment_links/${link}`
  assert.equal((await group.delete(path, cancelKey)).status, 404)
  const cancelled = await demo.delete(path, cancelKey)
  assert.deepEqual([cancelled.status, cancelled.headers.get('idempotent-replayed')], [200, null])
  assert.equal((await group.delete(path, cancelKey)).status, 404)
})

test('one registration id and one student identity in two institutes are two users and two students', async () => {
  const student = sampleStudent({ identifier: 'TWIN' })
  const register = async (client: Client, name: string, amount: number): Promise<string> => {
    const body = {
      student: { ...student, primary_contact_name: name },
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: amount }],
    }
    return (await made(client.post(`${ERP}/users/twin-parent/students`, body))).service_student_id
  }
  const inDemo = await register(demo, 'Asha Rao', 100)
  const inGroup = await register(group, 'Meera Iyer', 200)
  assert.notEqual(inDemo, inGroup)
  await group.patch(`${ERP}/students/${inGroup}/fee`, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 300 }],
  })
  for (const [client, id, name, total] of [
    [demo, inDemo, 'Asha Rao', 100],
    [group, inGroup, 'Meera Iyer', 300],
  ] as const) {
    const { body } = await client.get(`${ERP}/students?registration_id=twin-parent`)
    const shown = body.data.map((row: Json) => [
      row.service_student_id,
      row.primary_contact_name,
      row.fee_summary.total_fee,
    ])
    assert.deepEqual(shown, [[id, name, total]])
  }
  const users = await bursar.sql("select id from users where registration_id = 'twin-parent'")
  assert.equal(users.length, 2)
})

test('one phone and e-mail in two institutes are two users', async () => {
  const person = { name: 'Asha Rao', phone: '9800000001', email: 'asha@of-demo.example' }
  const inDemo = await made(demo.post(`${ERP}/users/register`, person))
  const inGroup = await made(group.post(`${ERP}/users/register`, person))
  assert.notEqual(inGroup.registration_id, inDemo.registration_id)
})

test("a key with another institute's secret is answered as a key that does not exist", async () => {
  const crossed = await new Client(bursar.url, { ...DEMO, secret: GROUP.secret }).get(`${PAY}/orders`)
  const nobodys = await new Client(bursar.url, { ...GROUP, key: 'key_test_none' }).get(`${PAY}/orders`)
  assert.equal(crossed.status, 401)
  assert.deepEqual(essence(crossed, theirs), essence(nobodys, theirs))
})
