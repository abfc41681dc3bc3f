import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  eventsOf,
  openContract,
  register,
  samplePayment,
  unique,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, sql } = contract

const FEES = [
  {
    component_type: 'TUITION_FEE',
    fee_amount: 60000,
    discounts: [{ discount_type: 'SIBLING', value: 5000 }],
  },
  { component_type: 'TRANSPORT_FEE', fee_amount: 8000 },
]

async function readStudent(id: string): Promise<Json> {
  const answer = await demo.get(`${ERP}/students/${id}`)
  assertStatus(answer, 200)
  return answer.body.data
}

/** A body with fees and a payment, for a student of its own. */
function wholeBody(changes: Record<string, unknown> = {}) {
  const student = sampleStudent({ identifier: unique('WHOLE'), ...changes })
  return { student, fee_components: FEES, payments: [samplePayment()] }
}

async function send(body: unknown, registrationId = 'parent-77') {
  return demo.post(`${ERP}/users/${registrationId}/students`, body)
}

async function sendNew(body: unknown, registrationId = 'parent-77'): Promise<string> {
  const answer = await send(body, registrationId)
  assertStatus(answer, 201)
  return answer.body.data.service_student_id
}

test('Register Student answers 201 with exactly service_student_id when it made the student', async () => {
  const answer = await register(demo, 'parent-1')
  assertStatus(answer, 201)
  assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'status'])
  assert.deepEqual(Object.keys(answer.body.data), ['service_student_id'])
  assert.match(answer.body.data.service_student_id, /^student_/)
})

for (const name of Object.keys(sampleStudent())) {
  test(`Register Student without student.${name} is 400 and names it`, async () => {
    assertRefused(await register(demo, 'parent-1', { [name]: undefined }), 'HUE00000', `student.${name}`)
  })
}

test('Register Student without student is 400 and names it', async () => {
  assertRefused(await send({ fee_components: FEES }), 'HUE00000', 'student')
})

test('fee_components and payments may be omitted, null or empty', async () => {
  assertStatus(await register(demo, 'parent-1'), 201)
  assertStatus(await register(demo, 'parent-1', {}, { fee_components: null, payments: null }), 201)
  assertStatus(await register(demo, 'parent-1', {}, { fee_components: [], payments: [] }), 201)
})

for (const name of ['amount', 'paid_at', 'mode', 'transaction_id', 'fee_components']) {
  test(`a payment without ${name} is 400 and names it`, async () => {
    const payments = [samplePayment({ [name]: undefined })]
    assertRefused(await register(demo, 'parent-1', {}, { payments }), 'HUE00000', `payments.0.${name}`)
  })
}

test('a fee component needs component_type and fee_amount', async () => {
  const fees = [{ fee_amount: 1 }, { component_type: 'A' }]
  const answer = await register(demo, 'parent-1', {}, { fee_components: fees })
  assertRefused(answer, 'HUE00000', 'fee_components.0.component_type')
  assertRefused(answer, 'HUE00000', 'fee_components.1.fee_amount')
})

test("a payment's amount must equal its components' sum", async () => {
  const payments = [samplePayment({ amount: 20000.01 })]
  assertRefused(await register(demo, 'parent-1', {}, { payments }), 'HUE00000', 'payments.0.amount')
})

test('sums are exact to the paisa', async () => {
  const lines = [
    { component_type: 'A', amount: 0.1 },
    { component_type: 'B', amount: 0.2 },
  ]
  const payments = [samplePayment({ amount: 0.3, fee_components: lines })]
  assertStatus(await register(demo, 'parent-1', {}, { payments }), 201)
})

test('a transaction_id that stands twice in one registration is 400', async () => {
  const payments = [samplePayment({ transaction_id: 'SAME' }), samplePayment({ transaction_id: 'SAME' })]
  assertRefused(await register(demo, 'parent-1', {}, { payments }), 'HUE00000')
})

test('a transaction_id is unique per student: another student may have the same', async () => {
  const payments = [samplePayment({ transaction_id: 'SHARED' })]
  assertStatus(await register(demo, 'parent-1', {}, { payments }), 201)
  assertStatus(await register(demo, 'parent-1', {}, { payments }), 201)
})

test('fees and payments of a registration are in the fee summary', async () => {
  const id = await sendNew(wholeBody())
  assert.deepEqual((await readStudent(id)).fee_summary, {
    total_fee: 68000,
    discount: 5000,
    paid: 20000,
    outstanding: 43000,
    on_the_way_amount: 0,
    advance: 0,
  })
})

test('a payment for a component without a fee is accepted and counts as advance', async () => {
  const answer = await register(demo, 'parent-1', {}, { payments: [samplePayment()] })
  assertStatus(answer, 201)
  const { fee_summary: summary } = await readStudent(answer.body.data.service_student_id)
  assert.deepEqual([summary.paid, summary.outstanding, summary.advance], [20000, 0, 20000])
})

test('an unseen registration_id makes exactly that user from the primary contact, also when others share it', async () => {
  const [one, other] = [unique('user'), unique('user')]
  await register(demo, one)
  await register(demo, other)
  const users = await sql<Json>(
    `select registration_id, id, name, phone, email from users where registration_id in ($1, $2) order by 1`,
    [one, other],
  )
  assert.deepEqual(
    users.map(({ id, ...user }) => [id.startsWith('user_'), user]),
    [one, other].map(id => [
      true,
      { registration_id: id, name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' },
    ]),
  )
})

test('a registration_id has 1 to 128 printable characters', async () => {
  const longest = `आ${'x'.repeat(127)}`
  assertStatus(await register(demo, encodeURIComponent(longest)), 201)
  assertStatus(await register(demo, encodeURIComponent('a parent/77 @home')), 201)
  assertRefused(await register(demo, 'x'.repeat(129)), 'HUE00000')
  assertRefused(await register(demo, 'tab%09here'), 'HUE00000')
})

test('an equal body again answers 200 with the stored id and changes nothing', async () => {
  const body = wholeBody()
  const id = await sendNew(body)
  const [student, fee] = [await readStudent(id), (await demo.get(`${ERP}/students/${id}/fee`)).body.data]
  const again = await send(body)
  assertStatus(again, 200)
  assert.deepEqual(again.body, { status: 'success', data: { service_student_id: id } })
  assert.deepEqual(await readStudent(id), student)
  assert.deepEqual((await demo.get(`${ERP}/students/${id}/fee`)).body.data, fee)
})

test('a repeat with another profile updates it', async () => {
  const body = wholeBody()
  const id = await sendNew(body)
  const changes = { fullname: 'Kabir A. Rao', new_admission: true, primary_contact_number: '022 1234567' }
  assertStatus(await send({ student: { ...body.student, ...changes, custom_identifier: 'C1' } }), 200)
  const student = await readStudent(id)
  assert.equal(student.fullname, 'Kabir A. Rao')
  assert.equal(student.new_admission, true)
  assert.equal(student.primary_contact_number, '022 1234567')
  assert.equal(student.custom_identifier, 'C1')
})

test('a repeat merges fees as Update Fee does', async () => {
  const body = wholeBody()
  const id = await sendNew(body)
  const fees = [
    { component_type: 'TUITION_FEE', fee_amount: 50000 },
    { component_type: 'LAB_FEE', fee_amount: '300.50' },
  ]
  assertStatus(await send({ student: body.student, fee_components: fees }), 200)
  const { fee_components: stored } = (await demo.get(`${ERP}/students/${id}/fee`)).body.data
  assert.deepEqual(
    stored.map((fee: Json) => [fee.component_type, fee.fee_amount, fee.discounts]),
    [
      ['TUITION_FEE', 50000, [{ discount_type: 'SIBLING', value: 5000 }]],
      ['TRANSPORT_FEE', 8000, []],
      ['LAB_FEE', 300.5, []],
    ],
  )
})

test('a repeat adds payments with a new transaction_id and leaves known ones alone', async () => {
  const body = wholeBody()
  const id = await sendNew(body)
  const repeat = { ...body, payments: [...body.payments, samplePayment()] }
  assertStatus(await send(repeat), 200)
  assert.equal((await readStudent(id)).fee_summary.paid, 40000)
})

test('the same student under another registration_id answers 200 and that user is linked too', async () => {
  const body = wholeBody()
  const id = await sendNew(body, 'mother')
  assertStatus(await send(body, 'father'), 200)
  assert.deepEqual((await readStudent(id)).registration_ids.toSorted(), ['father', 'mother'])
})

test('another grade or another academic year is another student', async () => {
  const body = wholeBody()
  const first = await sendNew(body)
  const grade = await sendNew({ student: { ...body.student, grade: '6' } })
  const year = await sendNew({ student: { ...body.student, academic_year_end: '2028' } })
  assert.equal(new Set([first, grade, year]).size, 3)
})

for (const [what, change] of Object.entries({
  components: { fee_components: [{ component_type: 'TRANSPORT_FEE', amount: 20000 }] },
  mode: { mode: 'cheque' },
  UTR: { settlement_utr: 'HDFC-OTHER' },
})) {
  test(`a known transaction_id with other ${what} is 409 with the existing id`, async () => {
    const payment = samplePayment({
      transaction_id: 'KNOWN',
      amount: 20000,
      settlement_utr: 'HDFC-1',
      fee_components: [{ component_type: 'TUITION_FEE', amount: 20000 }],
    })
    const student = sampleStudent({ identifier: `KNOWN-${what}` })
    const path = `${ERP}/users/known/students`
    const first = await demo.post(path, { student, payments: [payment] })
    assert.equal(first.status, 201, first.text)
    const again = await demo.post(path, { student, payments: [{ ...payment, ...change }] })
    assertRefused(again, 'HUE00002')
    assert.equal(again.body.data.service_student_id, first.body.data.service_student_id)
  })
}

test('blanks, line ends and characters that nobody sees make no second student', async () => {
  const send = (user: string, identifier: string, grade: string) =>
    demo.post(`${ERP}/users/${encodeURIComponent(user)}/students`, {
      student: sampleStudent({ identifier, grade }),
    })
  const first = await send('blanks-user', 'Cafe\u0301-1', '5')
  assert.equal(first.status, 201, first.text)
  const id = first.body.data.service_student_id
  for (const [user, identifier, grade] of [
    ['blanks-user ', ' Caf\u00e9-1', '5 '],
    ['blanks\u200b-user', 'Caf\u00e9\u200b-1\r\n', '\ufeff5'],
  ] as const) {
    const again = await send(user, identifier, grade)
    assert.deepEqual([again.status, again.body.data.service_student_id], [200, id])
  }
  const { body } = await demo.get(`${ERP}/students/${id}`)
  assert.deepEqual([body.data.identifier, body.data.registration_ids], ['Caf\u00e9-1', ['blanks-user']])
})

test('a known transaction_id with another amount is 409 with the existing id, and nothing is changed', async () => {
  const body = wholeBody()
  const id = await sendNew(body)
  const before = await readStudent(id)
  const { transaction_id: known } = body.payments[0] as Json
  const lines = [{ component_type: 'TUITION_FEE', amount: 1 }]
  const answer = await send({
    student: { ...body.student, fullname: 'Somebody Else' },
    fee_components: [{ component_type: 'NEW_FEE', fee_amount: 5 }],
    payments: [samplePayment(), samplePayment({ transaction_id: known, amount: 1, fee_components: lines })],
  })
  assertRefused(answer, 'HUE00002')
  assert.match(answer.text, new RegExp(id))
  assert.equal(answer.body.data.service_student_id, id)
  assert.deepEqual(await readStudent(id), before)
})

test('fullname and date_of_birth both different is 409 with the existing id; one of them is a correction', async () => {
  const body = wholeBody()
  const id = await sendNew(body)
  const other = { ...body.student, fullname: 'Ravi Nair', date_of_birth: '2014-01-01' }
  const answer = await send({ student: other })
  assertRefused(answer, 'HUE00002')
  assert.equal(answer.body.data.service_student_id, id)
  assertStatus(await send({ student: { ...body.student, fullname: 'Ravi Nair' } }), 200)
  assertStatus(await send({ student: other }), 200)
  assert.equal((await readStudent(id)).date_of_birth, '2014-01-01')
})

test('two equal registrations at once make one student: one 201, one 200, the same id', async () => {
  const body = wholeBody()
  const answers = await Promise.all([send(body), send(body)])
  assert.deepEqual(answers.map(answer => `${answer.status}`).sort(), ['200', '201'])
  const [one, two] = answers.map(answer => answer.body.data.service_student_id)
  assert.equal(one, two)
  assert.equal((await eventsOf(contract, one)).length, 2)
})
