/* oxlint-disable eslint/max-lines -- one walk over every operation */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { operationsOf, type Operation } from '../harness/operations.ts'
import { Client, DEMO, GROUP, type Answer, type Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import {
  CASH,
  deliveryOf,
  FEE,
  fetchOnce,
  HARMLESS,
  importOf,
  loanOf,
  made,
  mapValues,
  meant,
  messageTo,
  NAMELESS,
  nearMiss,
  pageOf,
  payAndRefund,
  payDues,
  planOf,
  settlementOf,
  SHARED,
  YEARS,
  assertSame,
} from './fixtures/tenants.ts'

/** Demo Group, holding Demo School's ids, is told what it would be told of ids that do not exist. */
const bursar = await startBursar({ after })
const { demo, group } = bursar
const PARENT = 'parent-of-demo'
const IDENTIFIER = 'ADM-OF-DEMO'
const ROLLOVER = {
  from_academic_year_start: 2026,
  from_academic_year_end: 2027,
  to_academic_year_start: 2027,
  to_academic_year_end: 2028,
  grades: [{ grade: 'GRADE-OF-DEMO' }],
}
const READER = 'it@of-demo.example'

/** Everything of Demo School's that a request can name, by the name that the reference gives it. */
type Known = { path: Record<string, string>; query: Record<string, string>; branch: string }

const theirs = await fillDemoSchool()
const unknown: Known = {
  path: mapValues(theirs.path, nearMiss),
  query: mapValues(theirs.query, nearMiss),
  branch: 'NONE',
}
const own = await fillDemoGroup()

async function fillDemoSchool(): Promise<Known> {
  const note = { key: 'book', value: 'of-demo' }
  const order = await made(demo.post(`${PAY}/orders`, sampleOrder({ identifier: IDENTIFIER, notes: [note] })))
  const link = await made(
    demo.post(`${PAY}/payment_links`, sampleOrder({ identifier: IDENTIFIER, notes: [note] })),
  )
  const payment = await payAndRefund(bursar, order.order_id, 'orders')
  await payAndRefund(bursar, link.order_id, 'payment_links')
  const student = await made(
    demo.post(`${ERP}/users/${PARENT}/students`, {
      student: sampleStudent({ identifier: IDENTIFIER, grade: 'GRADE-OF-DEMO' }),
      fee_components: [FEE],
      payments: [CASH],
    }),
  )
  await demo.patch(`${ERP}/students/${student.service_student_id}`, {
    custom_identifier: 'C-OF-DEMO',
    house: 'HOUSE-OF-DEMO',
  })
  const plan = await planOf(demo, student.service_student_id)
  await payDues(bursar, student.service_student_id)
  const settlement = await settlementOf(bursar)
  await fetchOnce(demo, IDENTIFIER)
  const webhook = await made(demo.post(`${ERP}/webhooks`, sampleWebhook({ secret_key: 'secret-of-demo' })))
  const { event, delivery } = await deliveryOf(bursar, webhook.event_code)
  return {
    path: {
      message_id: await messageTo(bursar, READER),
      order_id: order.order_id,
      link_id: link.order_id,
      ...(await pageOf(bursar)),
      payment_id: payment,
      settlement_id: settlement.id,
      service_student_id: student.service_student_id,
      plan_id: plan.plan_id,
      application_id: await loanOf(bursar, student.service_student_id),
      import_id: await importOf(bursar),
      instalment_id: plan.payment_schedule[0].id,
      mandate_id: await mandateOf(plan.plan_id),
      rollover_id: (await made(demo.post(`${ERP}/academic-years/rollover`, ROLLOVER))).id,
      webhook_id: webhook.id,
      delivery_id: delivery.id,
      event_id: event.event_id,
      registration_id: PARENT,
      transaction_id: CASH.transaction_id,
    },
    query: {
      cursor: order.order_id,
      identifier: IDENTIFIER,
      service_student_id: student.service_student_id,
      utr: settlement.utr,
      custom_identifier: 'C-OF-DEMO',
      house: 'HOUSE-OF-DEMO',
      grade: 'GRADE-OF-DEMO',
      note: 'book:of-demo',
      webhook_id: webhook.id,
      event_id: event.event_id,
      resource_id: event.resource_id,
      registration_id: PARENT,
      to: READER,
      collector_code: 'MAIN',
    },
    branch: 'MAIN',
  }
}

async function fillDemoGroup(): Promise<{ orders: string[]; links: string[]; students: string[] }> {
  const ids = { orders: [] as string[], links: [] as string[], students: [] as string[] }
  for (const collector_code of ['NORTH', 'SOUTH']) {
    const body = sampleOrder({ collector_code })
    ids.orders.push((await made(group.post(`${PAY}/orders`, body))).order_id)
    ids.links.push((await made(group.post(`${PAY}/payment_links`, body))).order_id)
    const student = sampleStudent({ identifier: `GROUP-${collector_code}`, collector_code })
    ids.students.push(
      (await made(group.post(`${ERP}/users/parent-of-group/students`, { student }))).service_student_id,
    )
  }
  return ids
}

type Probe = { path: string; body?: Json }

/** The requests by which an operation could reach into another institute. */
function probes(operation: Operation, known: Known): Probe[] {
  const body = operation.body === undefined ? {} : { body: named(operation, known) }
  if (operation.params.length > 0) return pathsOf(operation, known).map(path => ({ path, ...body }))
  const asked = operation.query.filter(name => ![...HARMLESS, ...YEARS].includes(name))
  return [
    ...asked.flatMap(name => {
      const values = name === 'cursor' ? Object.values(known.path) : [known.query[name]]
      return values.map(value => {
        assert.ok(value, `${operation.id}: tell this test a value of Demo School's for the filter ${name}`)
        return { path: `${operation.path}?${name}=${encodeURIComponent(value)}` }
      })
    }),
    ...(operation.method === 'GET' ? [] : [{ path: operation.path, ...body }]),
  ]
}

/** Every id of theirs in every place for an id. */
function pathsOf(operation: Operation, known: Known): string[] {
  for (const name of operation.params) {
    assert.ok(name in known.path, `${operation.id}: tell this test an id of Demo School's for {${name}}`)
  }
  return Object.values(known.path).map(id =>
    operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      operation.params.length > 1 ? (known.path[meant(operation.path, name)] ?? '') : id,
    ),
  )
}

/** The reference's own example, of the other's branch wherever a branch can be named. */
function named({ body }: Operation, { branch }: Known): Json {
  return 'student' in body
    ? { ...body, student: { ...body.student, collector_code: branch } }
    : { ...body, collector_code: branch }
}

/** What was answered, apart from the request's own id and the names that the caller sent. */
function essence({ status, text }: Answer, known: Known): unknown {
  let plain = text.replace(/"request_id":"\w+"/, '')
  for (const name of [...Object.values(known.path), ...Object.values(known.query), known.branch]) {
    plain = plain.replaceAll(name, '<named>')
  }
  return { status, plain }
}

async function dump(): Promise<string> {
  const tables = await bursar.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('idempotency_keys', 'api_requests')
     order by table_name`,
  )
  assert.ok(tables.length > 10, 'the dump finds the tables')
  const parts: string[] = []
  for (const { name } of tables) {
    const rows = await bursar.sql<{ row: string }>(
      `select (to_jsonb(t) - 'last_used_at')::text as row from "${name}" t order by 1`,
    )
    parts.push(name, ...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}

for (const operation of operationsOf(bursar, '/api/')) {
  if ([...SHARED, ...NAMELESS].includes(operation.id)) continue
  test(`${operation.method} ${operation.path} answers for another institute's ids as for unknown ones`, async () => {
    const before = await dump()
    const foreign = probes(operation, theirs)
    const nobodys = probes(operation, unknown)
    assert.ok(foreign.length > 0, 'the operation names nothing: list it as harmless or name something')
    for (const [index, { path, body }] of foreign.entries()) {
      const answer = await group.send(operation.method, path, body)
      const control = nobodys[index]
      assert.ok(control !== undefined)
      const expected = await group.send(operation.method, control.path, control.body)
      assert.deepEqual(essence(answer, theirs), essence(expected, unknown), path)
      assert.doesNotMatch(answer.text, /of-demo/i)
    }
    assertSame(await dump(), before)
  })

  if (operation.method !== 'GET') continue
  test(`GET ${operation.path} answers its own institute, so that the ids above are real`, async () => {
    const path = operation.path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => theirs.path[meant(operation.path, name)] ?? '',
    )
    const { status, body } = await demo.get(path)
    assert.equal(status, 200)
    assert.ok(!Array.isArray(body?.data) || body.data.length > 0, 'Demo School has something in this list')
  })
}

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

async function mandateOf(planId: string): Promise<string> {
  await bursar.sql(
    `insert into flex_mandates (institute_id, id, plan_id, provider, rail, cap_paise, start_on, end_on, created_at)
     select institute_id, 'mdt_of_demo', id, 'sandbox', 'enach', 100000, '2026-01-01', '2027-01-01', now() from flex_plans where id = $1`,
    [planId],
  )
  return 'mdt_of_demo'
}
