import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  newStudent,
  openContract,
  register,
  samplePayment,
  unique,
  withoutRequestId,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group } = contract

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

async function ids(query: string): Promise<string[]> {
  const answer = await demo.get(`${ERP}/students?${query}`)
  assertStatus(answer, 200)
  return answer.body.data.map((student: Json) => student.service_student_id)
}

async function registered(student: Record<string, unknown>, registrationId = 'parent-9'): Promise<string> {
  const answer = await register(demo, registrationId, student)
  assertStatus(answer, 201)
  return answer.body.data.service_student_id
}

test('Get Student answers the whole profile as registered, years as integers', async () => {
  const identifier = unique('READ')
  const id = await registered({ identifier, custom_identifier: 'C-1' })
  const answer = await demo.get(`${ERP}/students/${id}`)
  assertStatus(answer, 200)
  const { created_at: createdAt, updated_at: updatedAt, ...data } = answer.body.data
  assert.match(createdAt, UTC)
  assert.match(updatedAt, UTC)
  assert.deepEqual(data, {
    ...sampleStudent({ identifier, academic_year_start: 2026, academic_year_end: 2027 }),
    service_student_id: id,
    other_years: [],
    carried: [],
    registration_ids: ['parent-9'],
    status: 'active',
    custom_identifier: 'C-1',
    origin: 'erp',
    collector_code: 'MAIN',
    fee_summary: { total_fee: 0, discount: 0, paid: 0, outstanding: 0, on_the_way_amount: 0, advance: 0 },
  })
})

test('custom_identifier is absent from a student without one', async () => {
  const id = await newStudent(demo)
  assert.ok(!('custom_identifier' in (await demo.get(`${ERP}/students/${id}`)).body.data))
})

test('the fee summary adds up per component: advance of one does not pay for another', async () => {
  const id = await newStudent(demo, {
    fee_components: [
      { component_type: 'A', fee_amount: 100, discounts: [{ discount_type: 'D', value: 40 }] },
      { component_type: 'B', fee_amount: 50.5 },
    ],
    payments: [samplePayment({ amount: 75.25, fee_components: [{ component_type: 'A', amount: 75.25 }] })],
  })
  assert.deepEqual((await demo.get(`${ERP}/students/${id}`)).body.data.fee_summary, {
    total_fee: 150.5,
    discount: 40,
    paid: 75.25,
    outstanding: 50.5,
    on_the_way_amount: 0,
    advance: 15.25,
  })
})

test('Get Fee answers each component with its discounts, balance and history', async () => {
  const discounts = [{ discount_type: 'D', value: 40 }]
  const id = await newStudent(demo, {
    fee_components: [{ component_type: 'A', fee_amount: 100, discounts }],
    payments: [samplePayment({ amount: 25, fee_components: [{ component_type: 'A', amount: 25 }] })],
  })
  const answer = await demo.get(`${ERP}/students/${id}/fee`)
  assertStatus(answer, 200)
  const [{ history, ...component }, ...others] = answer.body.data.fee_components
  assert.deepEqual(others, [])
  assert.deepEqual(component, {
    component_type: 'A',
    fee_amount: 100,
    discounts,
    paid: 25,
    outstanding: 35,
    advance: 0,
  })
  assert.equal(history.length, 1)
  assert.match(history[0].changed_at, UTC)
  assert.deepEqual(history[0].after, { fee_amount: 100, discounts })
  assert.ok(!('before' in history[0]))
})

test('Get Fee of a student without fees answers no components', async () => {
  const id = await newStudent(demo)
  assert.deepEqual((await demo.get(`${ERP}/students/${id}/fee`)).body.data.fee_components, [])
})

test('components stand in the order registered', async () => {
  const types = ['Z', 'A', 'M']
  const id = await newStudent(demo, {
    fee_components: types.map(component_type => ({ component_type, fee_amount: 1 })),
  })
  const { fee_components: components } = (await demo.get(`${ERP}/students/${id}/fee`)).body.data
  assert.deepEqual(
    components.map((one: Json) => one.component_type),
    types,
  )
})

test('an unknown student is 404 on Get Student and Get Fee', async () => {
  assertRefused(await demo.get(`${ERP}/students/student_unknown`), 'HUE00001')
  assertRefused(await demo.get(`${ERP}/students/student_unknown/fee`), 'HUE00001')
})

for (const tail of ['', '/fee']) {
  test(`another institute's student is answered exactly as an unknown one on /students/:id${tail}`, async () => {
    const id = await newStudent(demo)
    const theirs = withoutRequestId(await group.get(`${ERP}/students/${id}${tail}`))
    assert.deepEqual(theirs, withoutRequestId(await group.get(`${ERP}/students/student_unknown${tail}`)))
  })
}

test('a student in the list is shown as Get Student shows it', async () => {
  const identifier = unique('SAME')
  const id = await registered({ identifier })
  const list = await demo.get(`${ERP}/students?identifier=${identifier}`)
  assert.deepEqual(list.body.data, [(await demo.get(`${ERP}/students/${id}`)).body.data])
  assert.equal(list.body.has_more, false)
})

test('students are filtered by identifier, grade and academic year together', async () => {
  const identifier = unique('MANY')
  const fifth = await registered({ identifier })
  const sixth = await registered({ identifier, grade: '6' })
  const next = await registered({ identifier, academic_year_start: 2027, academic_year_end: 2028 })
  assert.deepEqual((await ids(`identifier=${identifier}`)).toSorted(), [fifth, sixth, next].toSorted())
  assert.deepEqual(await ids(`identifier=${identifier}&grade=6`), [sixth])
  const ofYear = `identifier=${identifier}&academic_year_start=2027&academic_year_end=2028`
  assert.deepEqual(await ids(ofYear), [next])
  assert.deepEqual(await ids(`${ofYear}&grade=6`), [])
})

test('students are filtered by branch', async () => {
  const identifier = unique('BRANCH')
  await register(group, 'p', { identifier })
  await register(group, 'p', { identifier, collector_code: 'SOUTH' })
  const south = await group.get(`${ERP}/students?identifier=${identifier}&collector_code=SOUTH`)
  assert.deepEqual(
    south.body.data.map((student: Json) => student.collector_code),
    ['SOUTH'],
  )
})

test('an empty filter counts as not sent', async () => {
  const identifier = unique('EMPTY')
  const id = await registered({ identifier })
  assert.deepEqual(await ids(`identifier=${identifier}&grade=&collector_code=`), [id])
})

test("the list holds no other institute's students", async () => {
  const identifier = unique('THEIRS')
  await register(group, 'p', { identifier })
  assert.deepEqual(await ids(`identifier=${identifier}`), [])
})

test('the list of students is paged by limit and cursor, each student once', async () => {
  const grade = unique('paged')
  const all: string[] = []
  for (let no = 0; no < 5; no++) all.push(await registered({ grade }))
  const seen: string[] = []
  let cursor = ''
  for (const more of [true, true, false]) {
    const { body } = await demo.get(`${ERP}/students?grade=${grade}&limit=2${cursor}`)
    seen.push(...body.data.map((student: Json) => student.service_student_id))
    assert.equal(body.has_more, more)
    assert.equal('next_cursor' in body, more)
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(seen.toSorted(), all.toSorted())
})
