import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { assertRefused, assertStatus, createOrder, openContract, register, sendRaw } from './support.ts'

const contract = await openContract()
const { demo } = contract
const ORDERS = `${PAY}/orders`
const AUTH = 'key_test_demo:secret_test_demo'

async function readBack(changes: Record<string, unknown>): Promise<Json> {
  return (await demo.get(`${ORDERS}/${await createOrder(demo, changes)}`)).body.data
}

async function refusesOrder(changes: Record<string, unknown>, key: string): Promise<void> {
  assertRefused(await demo.post(ORDERS, sampleOrder(changes)), 'HUE00000', key)
}

for (const type of [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'garbage',
  'a/b;;',
]) {
  test(`an empty body is accepted on GET and DELETE with Content-Type ${type}`, async () => {
    const id = await createOrder(demo)
    assertStatus(await demo.get(`${ORDERS}/${id}`, { 'content-type': type }), 200)
    assertStatus(await demo.delete(`${ORDERS}/${id}`, { 'content-type': type }), 200)
  })
}

test('an empty body where fields are required is a 400 that names them, whatever its Content-Type', async () => {
  const answer = await demo.post(ORDERS, undefined, { 'content-type': 'text/plain' })
  for (const key of ['name', 'phone', 'email', 'details']) assertRefused(answer, 'HUE00000', key)
})

for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'garbage']) {
  test(`a body declared as ${type} is 400, never 415`, async () => {
    assertRefused(await demo.post(ORDERS, sampleOrder(), { 'content-type': type }), 'HUE00000')
  })
}

for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
  test(`a body declared as ${type} is JSON`, async () => {
    assertStatus(await demo.post(ORDERS, sampleOrder(), { 'content-type': type }), 201)
  })
}

test('a JSON body without Content-Type is accepted', async () => {
  const body = JSON.stringify(sampleOrder())
  assertStatus(await sendRaw(contract.url, { method: 'POST', path: ORDERS, auth: AUTH, body }), 201)
})

for (const body of ['[]', 'null', '"text"', '42', '{"name":', 'name=Asha', '  ']) {
  test(`the body ${JSON.stringify(body)} is 400, for it is not a JSON object`, async () => {
    assertRefused(await demo.post(ORDERS, body), 'HUE00000')
  })
}

test('a body that is not a JSON object is 400 on DELETE too, and nothing is done', async () => {
  const id = await createOrder(demo)
  assertRefused(await demo.send('DELETE', `${ORDERS}/${id}`, '[1]'), 'HUE00000')
  assert.equal((await demo.get(`${ORDERS}/${id}`)).body.data.closed_at, undefined)
})

for (const [key, value] of Object.entries({
  name: 7,
  phone: 9876543210,
  email: ['a@b.in'],
  details: { component_type: 'A', amount: 1 },
  identifier: 1042,
  grade: 5,
  stream: true,
  new_admission: 'true',
  date_of_birth: 20150620,
  notes: 'text',
  callback_url: {},
  expires_at: 1_900_000_000,
})) {
  test(`${key} of the wrong type is 400: nothing is coerced`, async () => refusesOrder({ [key]: value }, key))
}

const OPTIONS = ['identifier', 'student_name', 'grade', 'stream', 'academic_year_start', 'academic_year_end']
const MORE_OPTIONS = [
  'new_admission',
  'date_of_birth',
  'custom_identifier',
  'notes',
  'callback_url',
  'expires_at',
]
for (const empty of [null, '']) {
  test(`${JSON.stringify(empty)} in an optional field counts as not sent`, async () => {
    const all = [...OPTIONS, ...MORE_OPTIONS, 'collector_code']
    const { id, ...order } = await readBack(Object.fromEntries(all.map(key => [key, empty])))
    const { id: plainId, ...plain } = await readBack({})
    assert.notEqual(id, plainId)
    assert.deepEqual(order, plain)
  })
  test(`${JSON.stringify(empty)} in a required field is 400`, async () => {
    for (const key of ['name', 'phone', 'email', 'details']) await refusesOrder({ [key]: empty }, key)
    await refusesOrder({ details: [{ component_type: empty, amount: 1 }] }, 'details.0.component_type')
    await refusesOrder({ details: [{ component_type: 'A', amount: empty }] }, 'details.0.amount')
  })
}

test('U+0000 in a string is 400, wherever the string stands', async () => {
  await refusesOrder({ name: 'Asha\u0000' }, 'name')
  await refusesOrder({ notes: [{ key: 'a', value: '\u0000' }] }, 'notes.0.value')
  await refusesOrder({ details: [{ component_type: 'A\u0000', amount: 1 }] }, 'details.0.component_type')
  assertRefused(await demo.get(`${ORDERS}?identifier=a%00`), 'HUE00000', 'identifier')
  assertRefused(await register(demo, 'p%00'), 'HUE00000')
  const hook = sampleWebhook({ secret_key: 's\u0000' })
  assertRefused(await demo.post(`${ERP}/webhooks`, hook), 'HUE00000', 'secret_key')
})

test('unknown fields are ignored at every level and never stored', async () => {
  const extra = { surprise: 'zxqv', id: 'order_mine', status: 'paid', constructor: 1 }
  const details = [{ component_type: 'A', amount: 1, settlement_utr: 'zxqv' }]
  const order = await readBack({ ...extra, details, notes: [{ key: 'a', value: 'b', more: 'zxqv' }] })
  assert.equal(order.status, 'unpaid')
  assert.deepEqual(order.details, [{ component_type: 'A', amount: 1 }])
  assert.deepEqual(order.notes, [{ key: 'a', value: 'b' }])
  const stored = await contract.sql<Json>(
    `select count(*)::int as n from orders o where o::text like '%zxqv%'`,
  )
  assert.equal(stored[0].n, 0)
})

const PATHS = [`${PAY}/orders/*`, `${PAY}/payment_links/*`, `${ERP}/students/*`, `${ERP}/students/*/fee`]
for (const path of [...PATHS, `${ERP}/webhooks/*`]) {
  test(`in ${path} an id that cannot be one is 400, any other unknown one 404`, async () => {
    for (const id of [
      '',
      '%',
      '%zz',
      '%C3%28',
      'x'.repeat(65),
      'a%20b',
      'a%2Fb',
      '%C3%A9',
      'a%00',
      'a@b',
      '%0A',
    ])
      assertRefused(await demo.get(path.replace('*', id)), 'HUE00000')
    for (const id of ['x'.repeat(64), 'a.b-c_D9', 'order_%6E', '0'])
      assertRefused(await demo.get(path.replace('*', id)), 'HUE00001')
  })
}

test('an empty registration_id is 400', async () => {
  assertRefused(await demo.post(`${ERP}/users//students`, { student: sampleStudent() }), 'HUE00000')
})
