import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Transaction } from '../../src/platform/db/database.ts'
import { waitFor } from '../harness/wait.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Answer, Client, Json } from '../harness/client.ts'
import { readInlined } from '../harness/openapi/openapi.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'

/** Conventions of the wire at their edges. */
const bursar = await startBursar({ after })
const { demo, group } = bursar
const sql = (text: string, values?: unknown[]) => bursar.sql(text, values)
let count = 0
const unique = (prefix: string): string => `${prefix}-${++count}`

function send(client: Client, body: Json, user = 'parent-1'): Promise<Answer> {
  return client.post(`${ERP}/users/${encodeURIComponent(user)}/students`, body)
}

async function register(client: Client, body: Json, status = 201, user = 'parent-1'): Promise<string> {
  const answer = await send(client, body, user)
  assert.equal(answer.status, status, answer.text)
  return answer.body.data.service_student_id
}

async function read(client: Client, path: string): Promise<Json> {
  const answer = await client.get(path)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

function refused(answer: Answer, key: string): string {
  assert.equal(answer.status, 400, answer.text)
  const found = answer.body.errors?.find((error: Json) => error.key === key)
  assert.ok(found, `${key} is named: ${answer.text}`)
  return found.message
}

const student = (changes: Record<string, unknown> = {}) =>
  sampleStudent({ identifier: unique('ADM'), ...changes })
const fee = (type: string, amount: number, discounts?: Json) => ({
  component_type: type,
  fee_amount: amount,
  discounts,
})
const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, no) => fee(`C${from + no}`, 1))
const payment = (amount: number, transaction = unique('CASH')) => ({
  amount,
  paid_at: '2026-06-05',
  mode: 'cash',
  transaction_id: transaction,
  fee_components: [{ component_type: 'TUITION_FEE', amount }],
})

test('without a branch a student that was registered with another branch is another student', async () => {
  const one = student()
  const south = await register(group, { student: { ...one, collector_code: 'SOUTH' } })
  const north = await register(group, { student: one })
  assert.notEqual(north, south)
  assert.equal((await read(group, `${ERP}/students/${north}`)).collector_code, 'NORTH')
})

test('a student registered without a branch is found again without one after it was moved', async () => {
  const body = { student: student() }
  const id = await register(group, body)
  await sql(`update students set collector_code = 'SOUTH' where id = $1`, [id])
  assert.equal(await register(group, body, 200), id)
})

test('an equal body changes nothing, also after the fee was updated in between; the other parent is linked', async () => {
  const body = { student: student(), fee_components: [fee('A', 100)], payments: [payment(10)] }
  const id = await register(demo, body)
  await demo.patch(`${ERP}/students/${id}/fee`, { fee_components: [fee('A', 80)] })
  await sql(`update students set fullname = 'Corrected' where id = $1`, [id])
  const before = await read(demo, `${ERP}/students/${id}/fee`)
  assert.equal(await register(demo, body, 200, 'parent-2'), id)
  assert.deepEqual(await read(demo, `${ERP}/students/${id}/fee`), before)
  const profile = await read(demo, `${ERP}/students/${id}`)
  assert.equal(profile.fullname, 'Corrected')
  assert.deepEqual(profile.registration_ids, ['parent-1', 'parent-2'])
  // Another body is applied, and is from then on the one that changes nothing.
  const other = { ...body, fee_components: [fee('A', 90)] }
  for (const [sent, expected] of [
    [other, 90],
    [body, 100],
  ] as const) {
    await register(demo, sent, 200)
    assert.equal((await read(demo, `${ERP}/students/${id}/fee`)).fee_components[0].fee_amount, expected)
  }
})

test('the same discounts in another order are no change', async () => {
  const discounts = ['D1', 'D2'].map(discount_type => ({ discount_type, value: 10 }))
  const id = await register(demo, { student: student(), fee_components: [fee('A', 100, discounts)] })
  await demo.patch(`${ERP}/students/${id}/fee`, {
    fee_components: [fee('A', 100, discounts.toReversed())],
  })
  assert.equal((await read(demo, `${ERP}/students/${id}/fee`)).fee_components[0].history.length, 1)
})

test('a student has at most 200 fee components in all', async () => {
  const id = await register(demo, { student: student(), fee_components: many(0, 199) })
  const path = `${ERP}/students/${id}/fee`
  const tooMany = await demo.patch(path, { fee_components: many(199, 201) })
  assert.match(refused(tooMany, 'fee_components'), /at most 200/)
  assert.equal((await demo.patch(path, { fee_components: many(198, 200) })).status, 200)
})

test('the fees of a student add up to at most 1e11 rupees, and so does what is paid for it', async () => {
  const one = student()
  const twice = { student: one, fee_components: [fee('A', 1e11), fee('B', 0.01)] }
  assert.match(refused(await send(demo, twice), 'fee_components'), /100000000000/)
  const payments = Array.from({ length: 1000 }, () => payment(1e11))
  assert.match(refused(await send(demo, { student: one, payments }), 'payments'), /100000000000/)
  const most = [payment(1e11)]
  const id = await register(demo, { student: one, fee_components: [fee('A', 1e11)], payments: most })
  const more = await send(demo, { student: one, payments: [payment(0.01)] })
  refused(more, 'payments')
  assert.equal((await read(demo, `${ERP}/students/${id}`)).fee_summary.paid, 1e11)
})

for (const path of [`${PAY}/orders`, `${PAY}/payment_links`, `${ERP}/students`, `${ERP}/webhooks`]) {
  test(`${path}: the filter collector_code is not compared with one branch, with several it must be one`, async () => {
    await demo.post(`${PAY}/orders`, sampleOrder())
    await demo.post(`${PAY}/payment_links`, sampleOrder())
    await demo.post(`${ERP}/webhooks`, sampleWebhook())
    await register(demo, { student: student() })
    assert.notEqual((await read(demo, `${path}?collector_code=ANY`)).length, 0)
    assert.match(refused(await group.get(`${path}?collector_code=WEST`), 'collector_code'), /NORTH, SOUTH/)
  })
}

test('a cursor must be of the list: of this institute, and of this kind', async () => {
  const made = async (kind: string): Promise<string> =>
    (await demo.post(`${PAY}/${kind}`, sampleOrder())).body.data.order_id
  const [order, link] = [await made('orders'), await made('payment_links')]
  const theirs = await register(group, { student: student() })
  const messages = [
    refused(await demo.get(`${PAY}/orders?cursor=${link}`), 'cursor'),
    refused(await demo.get(`${PAY}/payment_links?cursor=${order}`), 'cursor'),
    refused(await demo.get(`${ERP}/students?cursor=${theirs}`), 'cursor'),
    refused(await demo.get(`${ERP}/students?cursor=student_unknown`), 'cursor'),
  ]
  assert.equal(new Set(messages).size, 1)
  assert.equal((await demo.get(`${PAY}/orders?cursor=${order}`)).status, 200)
})

test('history holds the 100 newest changes of each component; a busy one hides no other', async () => {
  const id = await register(demo, { student: student(), fee_components: [fee('QUIET', 1), fee('BUSY', 1)] })
  await sql(
    `insert into fee_changes (institute_id, student_id, component_type, changed_at, source, fee_after_paise, discounts_after)
     select institute_id, id, 'BUSY', now(), 'update', n, '[]' from students, generate_series(1, 600) n
     where id = $1 order by n`,
    [id],
  )
  const [quiet, busy] = (await read(demo, `${ERP}/students/${id}/fee`)).fee_components
  assert.deepEqual([quiet.history.length, busy.history.length], [1, 100])
  assert.equal(busy.history[0].after.fee_amount, 6)
})

test('fee and history are of one moment', async t => {
  const id = await register(demo, { student: student(), fee_components: [fee('A', 1)] })
  const { db } = bursar.app.ctx
  let isArmed = true
  const disturb = async (text: string): Promise<void> => {
    if (!isArmed || !/registration_?ids/i.test(text)) return
    isArmed = false
    await demo.patch(`${ERP}/students/${id}/fee`, { fee_components: [fee('A', 2)] })
  }
  const [pointRead, transaction] = [db.pointRead.bind(db), db.transaction.bind(db)]
  t.mock.method(db, 'pointRead', async (text: string, values: unknown[]) => {
    const rows = await pointRead(text, values)
    await disturb(text)
    return rows
  })
  t.mock.method(db, 'transaction', (work: (tx: Transaction) => Promise<unknown>) =>
    transaction(tx =>
      work({
        ...tx,
        query: async <Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) => {
          const rows = await tx.query<Row>(text, values)
          await disturb(text)
          return rows
        },
      }),
    ),
  )
  const [shown] = (await read(demo, `${ERP}/students/${id}/fee`)).fee_components
  assert.equal(isArmed, false, 'the fee was changed between the two reads')
  assert.equal(shown.fee_amount, shown.history[0].after.fee_amount)
})

test('the reference tells the truth about ids, limits and what can be cleared', async () => {
  const body = await readInlined(bursar.url)
  const parameter = (path: string, name: string): Json =>
    body.paths[path].get.parameters.find((one: Json) => one.name === name).schema
  const { maxLength, pattern } = parameter(`${PAY}/orders/{order_id}`, 'order_id')
  assert.deepEqual([maxLength, new RegExp(pattern).test('order_1')], [64, true])
  assert.equal(parameter(`${ERP}/students`, 'registration_id').maxLength, 128)
  const limit = parameter(`${PAY}/orders`, 'limit')
  assert.deepEqual([limit.type, limit.minimum, limit.maximum], ['integer', 1, 200])
  const fieldsOf = (path: string, method: string): Json =>
    body.paths[path][method].requestBody.content['application/json'].schema.properties
  for (const name of ['secret_key', 'header_key', 'header_value'])
    assert.deepEqual(fieldsOf(`${ERP}/webhooks`, 'post')[name].type, ['string', 'null'])
  const fees = fieldsOf(`${ERP}/students/{service_student_id}/fee`, 'patch').fee_components
  assert.deepEqual(fees.items.properties.discounts.type, ['array', 'null'])
})

for (const name of 'Expect Keep-Alive trailer Proxy-Connection proxy-authorization Accept-Encoding'.split(
  ' ',
)) {
  test(`the custom header ${name} is refused`, async () => {
    const body = sampleWebhook({ event_code: 'refund.failed', header_key: name, header_value: 'v' })
    refused(await demo.post(`${ERP}/webhooks`, body), 'header_key')
  })
}

test('User-Agent and Date are fine as custom header', async () => {
  for (const name of ['User-Agent', 'Date']) {
    const body = sampleWebhook({ header_key: name, header_value: 'v' })
    assert.equal((await demo.post(`${ERP}/webhooks`, body)).status, 201)
  }
})

test('a bare day is held to the bounds of moments', async () => {
  for (const day of ['0001-01-01', '0001-01-02']) {
    const payments = [{ ...payment(1), paid_at: day }]
    refused(await send(demo, { student: student(), payments }), 'payments.0.paid_at')
    for (const key of ['created_from', 'created_to'])
      refused(await demo.get(`${PAY}/orders?${key}=${day}`), key)
  }
  assert.equal((await demo.get(`${PAY}/orders?created_to=9999-12-31`)).status, 200)
})

test('a registration_id is neither blank nor carries what cannot be seen', async () => {
  for (const id of [' ', '\u00a0', '\u200b', 'a\u202eb', 'a\u2028b', 'a\u2029b'])
    assert.equal((await send(demo, { student: student() }, id)).status, 400, JSON.stringify(id))
})

test('e-mails, lists of them and URLs carry no control characters', async () => {
  for (const odd of ['\r\n', '\n', '\u0001', '\u007f', '\u0085']) {
    const hook = (changes: Record<string, unknown>) => demo.post(`${ERP}/webhooks`, sampleWebhook(changes))
    const list = { failure_notification_email: `a@b.in,c@d.in${odd}` }
    refused(await hook(list), 'failure_notification_email')
    refused(await hook({ url: `https://erp.example.in/x${odd}` }), 'url')
    refused(await demo.post(`${PAY}/orders`, sampleOrder({ email: `a${odd}@b.in` })), 'email')
  }
})

test('an unencoded + before the offset of a query date-time is understood', async () => {
  const identifier = unique('PLUS')
  await demo.post(`${PAY}/orders`, sampleOrder({ identifier }))
  const found = (query: string) => read(demo, `${PAY}/orders?identifier=${identifier}&${query}`)
  assert.equal((await found('created_from=2020-01-01T00:00:00+05:30')).length, 1)
  assert.equal((await found('created_to=2020-01-01T00:00:00+05:30')).length, 0)
  refused(await demo.get(`${PAY}/orders?created_from=2020-01-01++05:30`), 'created_from')
  const payments = [{ ...payment(1), paid_at: '2020-01-01T00:00:00 05:30' }]
  refused(await send(demo, { student: student(), payments }), 'payments.0.paid_at')
})

test('include=disabled shows the 200 disabled last', async () => {
  await sql(
    `insert into webhook_subscriptions (institute_id, id, collector_code, event_code, url, failure_notification_email,
       disabled_at, disabled_because)
     select b.institute_id, 'wh_old_' || n, 'SOUTH', 'refund.failed', 'https://x.in', 'a@b.in', now() - n * interval '1 hour', 'request'
     from branches b, generate_series(1, 201) n where b.collector_code = 'SOUTH'`,
  )
  const shown = await read(group, `${ERP}/webhooks?include=disabled`)
  assert.equal(shown.length, 200)
  assert.ok(!shown.some((one: Json) => one.id === 'wh_old_201'), 'the one disabled first is left out')
})

test('a year in the wrong order is reported with the other problems', async () => {
  const answer = await send(demo, { student: student({ academic_year_start: 2028, grade: 5 }) })
  refused(answer, 'student.academic_year_end')
  refused(answer, 'student.grade')
})

test('/readyz does not look again for a moment after a yes', async () => {
  assert.equal((await demo.get('/readyz')).status, 200)
  await sql(`insert into schema_migrations (version, name, checksum) values (999, 'later', '')`)
  assert.equal((await demo.get('/readyz')).status, 200)
  await waitFor(async () => (await demo.get('/readyz')).status === 503, 'the next look')
  await sql('delete from schema_migrations where version = 999')
  assert.equal((await demo.get('/readyz')).status, 200, 'a no is not remembered')
})
