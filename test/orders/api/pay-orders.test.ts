import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import {
  assertRefused,
  assertStatus,
  createLink,
  createOrder,
  openContract,
  sendRaw,
  strictSchool,
  unique,
  withoutRequestId,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const ORDERS = `${PAY}/orders`

const EVERY_OPTION = {
  identifier: 'ADM-1042',
  student_name: 'Kabir Rao',
  grade: '5',
  stream: 'Science',
  academic_year_start: 2026,
  academic_year_end: 2027,
  new_admission: true,
  date_of_birth: '2015-06-20',
  custom_identifier: 'C-9',
  notes: [
    { key: 'receipt_book', value: 'B-17' },
    { key: 'receipt_book', value: 'B-18' },
  ],
}

async function pay(id: string): Promise<void> {
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' }), 200)
}

async function expire(id: string): Promise<void> {
  await sql(`update orders set expires_at = '2026-01-01T00:00:00Z' where id = $1`, [id])
}

test('Create Pay Order answers 201 with exactly order_id and redirect_url', async () => {
  const answer = await demo.post(ORDERS, sampleOrder())
  assertStatus(answer, 201)
  assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'status'])
  assert.equal(answer.body.status, 'success')
  assert.deepEqual(Object.keys(answer.body.data).sort(), ['order_id', 'redirect_url'])
})

test('order ids carry the prefix order_ and sort by creation', async () => {
  const ids: string[] = []
  for (let no = 0; no < 3; no++) {
    ids.push(await createOrder(demo))
    const made = Date.now()
    await waitFor(async () => Date.now() > made, 'the next millisecond', { everyMs: 1 })
  }
  for (const id of ids) assert.match(id, /^order_[A-Za-z0-9]{20,}$/)
  assert.deepEqual(ids.toSorted(), ids)
})

test('redirect_url is under the public address and never follows the Host header', async () => {
  const answer = await sendRaw(contract.url, {
    method: 'POST',
    path: ORDERS,
    auth: 'key_test_demo:secret_test_demo',
    headers: { host: '203.0.113.9', 'content-type': 'application/json' },
    body: JSON.stringify(sampleOrder()),
  })
  assertStatus(answer, 201)
  assert.ok(answer.body.data.redirect_url.startsWith(`${contract.url}/`), answer.text)
})

for (const name of ['name', 'phone', 'email', 'details']) {
  test(`Create Pay Order without ${name} is 400 and names it`, async () => {
    assertRefused(await demo.post(ORDERS, sampleOrder({ [name]: undefined })), 'HUE00000', name)
  })
}

test('Create Pay Order without any detail is 400', async () => {
  assertRefused(await demo.post(ORDERS, sampleOrder({ details: [] })), 'HUE00000', 'details')
})

test('every detail needs component_type and amount', async () => {
  const answer = await demo.post(ORDERS, sampleOrder({ details: [{ amount: 1 }, { component_type: 'A' }] }))
  assertRefused(answer, 'HUE00000', 'details.0.component_type')
  assertRefused(answer, 'HUE00000', 'details.1.amount')
})

for (const amount of [0, '0', '0.00', -1]) {
  test(`a detail's amount of ${JSON.stringify(amount)} is 400, for it must be more than 0`, async () => {
    const details = [{ component_type: 'A', amount }]
    assertRefused(await demo.post(ORDERS, sampleOrder({ details })), 'HUE00000', 'details.0.amount')
  })
}

test('the read view of an order made of required fields alone has no other keys than the constant ones', async () => {
  const id = await createOrder(demo)
  const answer = await demo.get(`${ORDERS}/${id}`)
  assertStatus(answer, 200)
  assert.deepEqual(answer.body, {
    status: 'success',
    data: {
      id,
      kind: 'order',
      collector_code: 'MAIN',
      name: 'Asha Rao',
      phone: '+91 98765 43210',
      email: 'asha@example.in',
      new_admission: false,
      status: 'unpaid',
      details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
      notes: [],
    },
  })
})

test('every optional field that was provided is in the read view as sent, and nothing else is', async () => {
  const details = [
    { component_type: 'TUITION_FEE', amount: 45000 },
    { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
    { component_type: 'TUITION_FEE', amount: 0.01 },
  ]
  const silent = { callback_url: 'https://erp.example.in/done?a=1', expires_at: '2099-01-01T00:00:00Z' }
  const id = await createOrder(demo, { ...EVERY_OPTION, ...silent, details, collector_code: 'MAIN' })
  assert.deepEqual((await demo.get(`${ORDERS}/${id}`)).body.data, {
    id,
    kind: 'order',
    collector_code: 'MAIN',
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    ...EVERY_OPTION,
    status: 'unpaid',
    details,
  })
})

test('expires_at is never in the order view', async () => {
  const id = await createOrder(demo, { expires_at: '2099-01-01T00:00:00Z' })
  assert.ok(!('expires_at' in (await demo.get(`${ORDERS}/${id}`)).body.data))
})

test('an expires_at that is not in the future is 400', async () => {
  const answer = await demo.post(ORDERS, sampleOrder({ expires_at: '2026-01-01T00:00:00Z' }))
  assertRefused(answer, 'HUE00000', 'expires_at')
})

test('a paid order shows status paid, its transaction_id and paid_at in UTC', async () => {
  const id = await createOrder(demo)
  await pay(id)
  const { data } = (await demo.get(`${ORDERS}/${id}`)).body
  assert.equal(data.status, 'paid')
  const [payment] = await sql<{ at: Date; transaction: string }>(
    'select captured_at as at, transaction_id as transaction from payments where order_id = $1',
    [id],
  )
  assert.equal(data.transaction_id, payment?.transaction)
  assert.equal(data.paid_at, payment?.at.toISOString())
})

test('settlement_utr and settled_at stand on settled lines only', async () => {
  const lines = [
    { component_type: 'A', amount: 1 },
    { component_type: 'B', amount: 2 },
  ]
  const id = await createOrder(demo, { details: lines })
  await pay(id)
  await sql(
    `update order_lines set settlement_utr = 'UTR1', settled_at = '2026-11-16T09:00:00+05:30'
     where order_id = $1 and component_type = 'B'`,
    [id],
  )
  assert.deepEqual((await demo.get(`${ORDERS}/${id}`)).body.data.details, [
    { component_type: 'A', amount: 1 },
    { component_type: 'B', amount: 2, settlement_utr: 'UTR1', settled_at: '2026-11-16T03:30:00.000Z' },
  ])
})

test('an unknown order id is 404 on reading and on closing', async () => {
  assertRefused(await demo.get(`${ORDERS}/order_unknown`), 'HUE00001')
  assertRefused(await demo.delete(`${ORDERS}/order_unknown`), 'HUE00001')
})

test("a payment link's id is 404 on the order routes and stays untouched", async () => {
  const id = await createLink(demo)
  assertRefused(await demo.get(`${ORDERS}/${id}`), 'HUE00001')
  assertRefused(await demo.delete(`${ORDERS}/${id}`), 'HUE00001')
  assert.equal((await demo.get(`${PAY}/payment_links/${id}`)).body.data.status, 'unpaid')
})

test("another institute's order is answered exactly as one that does not exist", async () => {
  const id = await createOrder(demo)
  const theirs = withoutRequestId(await group.get(`${ORDERS}/${id}`))
  assert.deepEqual(theirs, withoutRequestId(await group.get(`${ORDERS}/order_unknown`)))
  const closing = withoutRequestId(await group.delete(`${ORDERS}/${id}`))
  assert.deepEqual(closing, withoutRequestId(await group.delete(`${ORDERS}/order_unknown`)))
  assert.equal((await demo.get(`${ORDERS}/${id}`)).body.data.closed_at, undefined)
})

test('closing an unpaid order answers 200 and the order reads unpaid plus closed_at', async () => {
  const id = await createOrder(demo)
  const before = (await demo.get(`${ORDERS}/${id}`)).body.data
  const closed = await demo.delete(`${ORDERS}/${id}`)
  assertStatus(closed, 200)
  assert.equal(closed.body.status, 'success')
  const { closed_at: closedAt, ...rest } = (await demo.get(`${ORDERS}/${id}`)).body.data
  assert.match(closedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  assert.deepEqual(rest, before)
})

test('closing a closed order is 409', async () => {
  const id = await createOrder(demo)
  assertStatus(await demo.delete(`${ORDERS}/${id}`), 200)
  assertRefused(await demo.delete(`${ORDERS}/${id}`), 'HUE00002')
})

test('closing a paid order is 409 and leaves it paid', async () => {
  const id = await createOrder(demo)
  await pay(id)
  assertRefused(await demo.delete(`${ORDERS}/${id}`), 'HUE00002')
  assert.equal((await demo.get(`${ORDERS}/${id}`)).body.data.status, 'paid')
})

test('an order past its expires_at reads unpaid plus closed_at', async () => {
  const id = await createOrder(demo, { expires_at: '2099-01-01T00:00:00Z' })
  await expire(id)
  const { data } = (await demo.get(`${ORDERS}/${id}`)).body
  assert.equal(data.status, 'unpaid')
  assert.equal(data.closed_at, '2026-01-01T00:00:00.000Z')
})

test('closing an expired order is 409', async () => {
  const id = await createOrder(demo, { expires_at: '2099-01-01T00:00:00Z' })
  await expire(id)
  assertRefused(await demo.delete(`${ORDERS}/${id}`), 'HUE00002')
})

test('with several branches a missing or unknown collector_code is 400', async () => {
  assertRefused(await group.post(ORDERS, sampleOrder()), 'HUE00000', 'collector_code')
  const unknown = await group.post(ORDERS, sampleOrder({ collector_code: 'WEST' }))
  assertRefused(unknown, 'HUE00000', 'collector_code')
  assertStatus(await group.post(ORDERS, sampleOrder({ collector_code: 'SOUTH' })), 201)
})

test('with one branch collector_code is optional and not compared', async () => {
  assertStatus(await demo.post(ORDERS, sampleOrder({ collector_code: 'ANYTHING' })), 201)
})

test("a component type and a grade never seen join the institute's catalogue", async () => {
  const [component, grade] = [unique('LAB_FEE'), unique('grade')]
  await createOrder(demo, { grade, details: [{ component_type: component, amount: 1 }] })
  const rows = await sql<{ kind: string; code: string }>(
    `select kind, entry.code from catalogue_entries entry join institutes on institutes.id = institute_id
     where institutes.code = 'demo-school' and entry.code in ($1, $2) order by kind`,
    [component, grade],
  )
  assert.deepEqual(rows, [
    { kind: 'component', code: component },
    { kind: 'grade', code: grade },
  ])
})

test('a strict institute refuses an unknown component type and the message lists the allowed ones', async () => {
  const strict = await strictSchool(contract)
  const details = [{ component_type: 'LAB_FEE', amount: 1 }]
  const answer = await strict.post(ORDERS, sampleOrder({ details }))
  assertRefused(answer, 'HUE00000', 'details.0.component_type')
  assert.match(answer.body.message, /TUITION_FEE/)
  assertStatus(await strict.post(ORDERS, sampleOrder()), 201)
})

test('a strict institute refuses an unknown grade and the message lists the allowed ones', async () => {
  const strict = await strictSchool(contract)
  const answer = await strict.post(ORDERS, sampleOrder({ grade: '6' }))
  assertRefused(answer, 'HUE00000', 'grade')
  assert.match(answer.body.message, /\b5\b/)
})
