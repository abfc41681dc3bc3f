import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleStudent, sampleWebhook } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  createLink,
  createOrder,
  eventsOf,
  newStudent,
  openContract,
  samplePayment,
  unique,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const LINKS = `${PAY}/payment_links`

async function codesOf(resourceId: string): Promise<string[]> {
  return (await eventsOf(contract, resourceId)).map(event => event.event_code)
}

async function countAll(): Promise<number> {
  const [row] = await sql<Json>('select count(*)::int as n from events')
  return row.n
}

async function soon(): Promise<string> {
  const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
  return new Date(Date.parse(now) + 3_600_000).toISOString()
}

function body(changes: Record<string, unknown> = {}) {
  const student = sampleStudent({ identifier: unique('EV') })
  return { student, fee_components: [{ component_type: 'A', fee_amount: 9 }], ...changes }
}

async function send(sent: unknown, status: number, registrationId = 'parent-77'): Promise<string> {
  const answer = await demo.post(`${ERP}/users/${registrationId}/students`, sent)
  assertStatus(answer, status)
  return answer.body.data.service_student_id
}

test('a registration records masterdata.student.registered with exactly ids and student', async () => {
  const sent = body()
  const id = await send(sent, 201)
  const [event, ...others] = await eventsOf(contract, id)
  assert.deepEqual(others, [])
  assert.equal(event?.event_code, 'masterdata.student.registered')
  assert.match(event.id, /^evt_/)
  assert.deepEqual(event.payload, {
    service_student_id: id,
    registration_id: 'parent-77',
    student: {
      identifier: sent.student['identifier'],
      collector_code: 'MAIN',
      fullname: 'Kabir Rao',
      grade: { code: '5', name: '5' },
      academic_year_start: 2026,
      academic_year_end: 2027,
      primary_contact_name: 'Asha Rao',
      primary_contact_number: '9876543210',
      primary_contact_email: 'asha@example.in',
    },
  })
})

test('custom_identifier is in the student block when it was provided', async () => {
  const sent = body()
  const id = await send({ ...sent, student: { ...sent.student, custom_identifier: 'C-7' } }, 201)
  const [event] = await eventsOf(contract, id)
  assert.equal(event?.payload.student.custom_identifier, 'C-7')
})

test("the grade's name in the student block is the catalogue's", async () => {
  const grade = unique('G')
  await sql(
    `insert into catalogue_entries (institute_id, kind, code, name)
     select id, 'grade', $1, 'Grade Seven' from institutes where code = 'demo-school'`,
    [grade],
  )
  const sent = body()
  const id = await send({ ...sent, student: { ...sent.student, grade } }, 201)
  const [event] = await eventsOf(contract, id)
  assert.deepEqual(event?.payload.student.grade, { code: grade, name: 'Grade Seven' })
})

test('each payment of a registration records direct.payment.added, after the registration', async () => {
  const lines = [
    { component_type: 'A', amount: 1.5 },
    { component_type: 'B', amount: 2 },
  ]
  const plain = samplePayment({ amount: 3.5, fee_components: lines })
  const settled = samplePayment({ settlement_utr: 'UTR9', notes: 'by hand', mode: 'cheque' })
  const id = await send(body({ payments: [plain, settled] }), 201)
  const [registered, first, second, ...others] = await eventsOf(contract, id)
  assert.deepEqual(others, [])
  assert.equal(registered?.event_code, 'masterdata.student.registered')
  assert.deepEqual([first?.event_code, second?.event_code], ['direct.payment.added', 'direct.payment.added'])
  assert.ok(first && second)
  const { payment, ...rest } = first.payload
  assert.deepEqual(rest, registered.payload)
  const { id: paymentId, ...details } = payment
  assert.match(paymentId, /^pay_/)
  assert.deepEqual(details, {
    amount: 3.5,
    product: 'direct',
    mode: 'cash',
    transaction_id: plain['transaction_id'],
    paid_at: '2026-06-05T04:45:00.000Z',
    details: lines,
  })
  const { settlement_utr: utr, notes, mode } = second.payload.payment
  assert.deepEqual([utr, notes, mode], ['UTR9', 'by hand', 'cheque'])
  assert.notEqual(second.payload.payment.id, paymentId)
})

test('an equal registration again records nothing', async () => {
  const sent = body({ payments: [samplePayment()] })
  const id = await send(sent, 201)
  const before = await eventsOf(contract, id)
  await send(sent, 200)
  await send(sent, 200, 'the-other-parent')
  assert.deepEqual(await eventsOf(contract, id), before)
})

test('a repeat with another profile or fee records no second registration', async () => {
  const sent = body()
  const id = await send(sent, 201)
  const fees = [{ component_type: 'A', fee_amount: 10 }]
  await send({ student: { ...sent.student, fullname: 'K. Rao' }, fee_components: fees }, 200)
  assert.deepEqual(await codesOf(id), ['masterdata.student.registered'])
})

test('a repeat with a new payment records that payment only, with the profile of that moment', async () => {
  const sent = body({ payments: [samplePayment()] })
  const id = await send(sent, 201)
  const more = { student: { ...sent.student, fullname: 'K. Rao' }, payments: [samplePayment()] }
  await send(more, 200)
  const events = await eventsOf(contract, id)
  assert.deepEqual(
    events.map(event => [event.event_code, event.payload.student.fullname]),
    [
      ['masterdata.student.registered', 'Kabir Rao'],
      ['direct.payment.added', 'Kabir Rao'],
      ['direct.payment.added', 'K. Rao'],
    ],
  )
})

test('a registration that is refused records nothing', async () => {
  const sent = body({ payments: [samplePayment({ transaction_id: 'REF' })] })
  await send(sent, 201)
  const before = await countAll()
  const lines = [{ component_type: 'A', amount: 1 }]
  const clash = samplePayment({ transaction_id: 'REF', amount: 1, fee_components: lines })
  const answer = await demo.post(`${ERP}/users/p/students`, { ...sent, payments: [samplePayment(), clash] })
  assertRefused(answer, 'HUE00002')
  assertRefused(await demo.post(`${ERP}/users/p/students`, { student: {} }), 'HUE00000')
  assert.equal(await countAll(), before)
})

test('a cancelled link records payment_link.payment.cancelled with exactly order_id and the whole read view', async () => {
  const id = await createLink(demo, {
    identifier: 'X',
    notes: [{ key: 'a', value: 'b' }],
    expires_at: await soon(),
  })
  assertStatus(await demo.delete(`${LINKS}/${id}`), 200)
  const [event, ...others] = await eventsOf(contract, id)
  assert.deepEqual(others, [])
  assert.equal(event?.event_code, 'payment_link.payment.cancelled')
  assert.deepEqual(event.payload, { order_id: id, order: (await demo.get(`${LINKS}/${id}`)).body.data })
  assert.equal(event.payload.order.status, 'cancelled')
})

test('cancelling again records nothing more', async () => {
  const id = await createLink(demo)
  assertStatus(await demo.delete(`${LINKS}/${id}`), 200)
  assertRefused(await demo.delete(`${LINKS}/${id}`), 'HUE00002')
  assert.deepEqual(await codesOf(id), ['payment_link.payment.cancelled'])
})

test('a link that expires records payment_link.payment.expired once, dated when it expired', async () => {
  const expiresAt = await soon()
  const id = await createLink(demo, { expires_at: expiresAt })
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' }), 200)
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' }), 200)
  const [event, ...others] = await eventsOf(contract, id)
  assert.deepEqual(others, [])
  assert.equal(event?.event_code, 'payment_link.payment.expired')
  assert.deepEqual(event.payload, { order_id: id, order: (await demo.get(`${LINKS}/${id}`)).body.data })
  assert.equal(event.payload.order.status, 'expired')
  assert.equal(new Date(event.occurred_at).toISOString(), expiresAt)
})

test('a cancelled link records no expiry when its time comes', async () => {
  const id = await createLink(demo, { expires_at: await soon() })
  assertStatus(await demo.delete(`${LINKS}/${id}`), 200)
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT2H' }), 200)
  assert.deepEqual(await codesOf(id), ['payment_link.payment.cancelled'])
})

test('making, reading, closing and expiring pay orders, making links and adding webhooks record nothing', async () => {
  const before = await countAll()
  const closed = await createOrder(demo)
  await demo.get(`${PAY}/orders/${closed}`)
  assertStatus(await demo.delete(`${PAY}/orders/${closed}`), 200)
  await createOrder(demo, { expires_at: await soon() })
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT2H' }), 200)
  await createLink(demo)
  assertStatus(await demo.post(`${ERP}/webhooks`, sampleWebhook()), 201)
  assert.equal(await countAll(), before)
})

test('a replay by Idempotency-Key records nothing', async () => {
  const sent = JSON.stringify(body({ payments: [samplePayment()] }))
  const key = { 'idempotency-key': 'event-once' }
  const first = await demo.post(`${ERP}/users/p/students`, sent, key)
  await demo.post(`${ERP}/users/p/students`, sent, key)
  assert.equal((await eventsOf(contract, first.body.data.service_student_id)).length, 2)
})

test('sequences rise per resource in the order of the changes', async () => {
  const [one, two, three] = [samplePayment(), samplePayment(), samplePayment()]
  const sent = body({ payments: [one, two] })
  const id = await send(sent, 201)
  await send({ ...sent, payments: [three] }, 200)
  const events = await eventsOf(contract, id)
  assert.deepEqual(
    events.map(event => event.payload.payment?.transaction_id),
    [undefined, one['transaction_id'], two['transaction_id'], three['transaction_id']],
  )
  assert.equal(new Set(events.map(event => event.sequence)).size, 4)
})

test('an event belongs to the institute and branch of what happened', async () => {
  const answer = await group.post(`${ERP}/users/p/students`, {
    student: sampleStudent({ collector_code: 'SOUTH' }),
  })
  const id = answer.body.data.service_student_id
  const rows = await sql<Json>(
    `select institutes.code, collector_code from events join institutes on institutes.id = institute_id
     where resource_id = $1`,
    [id],
  )
  assert.deepEqual(rows, [{ code: 'demo-group', collector_code: 'SOUTH' }])
  const [event] = await eventsOf(contract, id)
  assert.equal(event?.payload.student.collector_code, 'SOUTH')
})

test('a recorded event never changes afterwards', async () => {
  const id = await newStudent(demo)
  const before = await eventsOf(contract, id)
  await assert.rejects(sql(`update events set event_code = 'x' where resource_id = $1`, [id]))
  await assert.rejects(sql('delete from events where resource_id = $1', [id]))
  assert.deepEqual(await eventsOf(contract, id), before)
})
