import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  eventsOf,
  newStudent,
  openContract,
  register,
  samplePayment,
  strictSchool,
  unique,
  withoutRequestId,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group } = contract

async function readStudent(id: string): Promise<Json> {
  const answer = await demo.get(`${ERP}/students/${id}`)
  assertStatus(answer, 200)
  return answer.body.data
}

function patch(id: string, body: unknown): Promise<Answer> {
  return demo.patch(`${ERP}/students/${id}`, body)
}

async function codesOf(id: string): Promise<string[]> {
  return (await eventsOf(contract, id)).map(event => event.event_code)
}

test('PATCH sets the fields sent, leaves the others, and answers the student as Get Student does', async () => {
  const id = await newStudent(demo, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 100 }] })
  const before = await readStudent(id)
  const changes = {
    fullname: 'Kabir A. Rao',
    new_admission: true,
    date_of_birth: '2015-06-21',
    primary_contact_name: 'Ravi Rao',
    primary_contact_number: '022 1234567',
    primary_contact_email: 'ravi@example.in',
    custom_identifier: 'C-9',
  }
  const answer = await patch(id, changes)
  assertStatus(answer, 200)
  const after = await readStudent(id)
  assert.deepEqual(answer.body.data, after)
  assert.deepEqual(after, { ...before, ...changes, updated_at: after.updated_at })
})

test('null or "" clears date_of_birth and custom_identifier', async () => {
  for (const empty of [null, '']) {
    const id = await newStudent(demo)
    await patch(id, { custom_identifier: 'C-1' })
    assertStatus(await patch(id, { date_of_birth: empty, custom_identifier: empty }), 200)
    const student = await readStudent(id)
    assert.ok(!('date_of_birth' in student) && !('custom_identifier' in student))
  }
})

test('null or "" in a field that a student cannot be without is 400 and names it', async () => {
  const id = await newStudent(demo)
  const before = await readStudent(id)
  const clearable = ['date_of_birth']
  const names = [...Object.keys(sampleStudent()), 'collector_code'].filter(name => !clearable.includes(name))
  for (const empty of [null, '']) {
    const answer = await patch(id, Object.fromEntries(names.map(name => [name, empty])))
    for (const name of names) assertRefused(answer, 'HUE00000', name)
  }
  assert.deepEqual(await readStudent(id), before)
})

test('identifier and grade can change: the same student keeps its fees, payments and history', async () => {
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60000 }]
  const id = await newStudent(demo, { fee_components: fees, payments: [samplePayment()] })
  const [student, fee] = [await readStudent(id), (await demo.get(`${ERP}/students/${id}/fee`)).body.data]
  const changes = { identifier: unique('MOVED'), grade: '6' }
  assertStatus(await patch(id, changes), 200)
  const after = await readStudent(id)
  assert.deepEqual(after, {
    ...student,
    ...changes,
    updated_at: after.updated_at,
  })
  assert.deepEqual((await demo.get(`${ERP}/students/${id}/fee`)).body.data, fee)
  const found = await demo.get(`${ERP}/students?identifier=${changes.identifier}&grade=6`)
  assert.deepEqual(found.body.data, [after])
})

test('an identity that another student has is 409 with the id of that student, and nothing changes', async () => {
  const identifier = unique('HELD')
  const holder = (await register(demo, 'p', { identifier })).body.data.service_student_id
  const id = (await register(demo, 'p', { identifier, grade: '6' })).body.data.service_student_id
  const before = await readStudent(id)
  const answer = await patch(id, { grade: '5', fullname: 'Someone Else' })
  assertRefused(answer, 'HUE00002')
  assert.equal(answer.body.data.service_student_id, holder)
  assert.deepEqual(await readStudent(id), before)
})

test('of many students that want one identity at once one gets it', async () => {
  const identifier = unique('WANTED')
  const ids: string[] = []
  for (let no = 0; no < 8; no++)
    ids.push((await register(demo, 'p', { identifier, grade: `G${no}` })).body.data.service_student_id)
  const answers = await Promise.all(ids.map(id => patch(id, { grade: 'ONE' })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 7)
})

test('academic_year_end must not be before academic_year_start, also when one of them is sent alone', async () => {
  const id = await newStudent(demo)
  assertRefused(await patch(id, { academic_year_end: 2025 }), 'HUE00000', 'academic_year_end')
  assertRefused(await patch(id, { academic_year_start: 2028 }), 'HUE00000', 'academic_year_end')
  const both = { academic_year_start: 2028, academic_year_end: 2027 }
  assertRefused(await patch(id, both), 'HUE00000', 'academic_year_end')
})

test('a student moves to another branch; an unknown branch is 400', async () => {
  const body = { student: sampleStudent({ identifier: unique('BRANCH') }) }
  const path = `${ERP}/users/p/students`
  const id = (await group.post(path, body)).body.data.service_student_id
  assertRefused(
    await group.patch(`${ERP}/students/${id}`, { collector_code: 'WEST' }),
    'HUE00000',
    'collector_code',
  )
  assertRefused(await patch(await newStudent(demo), { collector_code: 'WEST' }), 'HUE00000', 'collector_code')
  assertStatus(await group.patch(`${ERP}/students/${id}`, { collector_code: 'SOUTH' }), 200)
  assert.equal((await group.get(`${ERP}/students/${id}`)).body.data.collector_code, 'SOUTH')
  const again = await group.post(path, body)
  assertStatus(again, 200)
  assert.equal(
    again.body.data.service_student_id,
    id,
    'registered again without a branch it is the same student',
  )
})

test('a registration that comes again after a PATCH does not undo it', async () => {
  const student = sampleStudent({ identifier: unique('AGAIN') })
  const path = `${ERP}/users/p/students`
  const id = (await demo.post(path, { student })).body.data.service_student_id
  await patch(id, { fullname: 'Kabir A. Rao' })
  assertStatus(await demo.post(path, { student }), 200)
  assert.equal((await readStudent(id)).fullname, 'Kabir A. Rao')
})

test('a PATCH of nothing, or of what is stored, changes nothing', async () => {
  const id = await newStudent(demo)
  const before = await readStudent(id)
  assertStatus(await patch(id, {}), 200)
  assertStatus(await patch(id, undefined), 200)
  const same = await patch(id, { fullname: before.fullname, grade: before.grade, unknown: 1 })
  assert.deepEqual(same.body.data, before)
  assert.deepEqual(await codesOf(id), ['masterdata.student.registered'])
})

test('what a PATCH or a repeated registration changed stays on record, field by field, newest first', async () => {
  const student = { identifier: unique('CHANGED'), fullname: 'Kabir Rao', grade: '5' }
  const user = unique('parent')
  const id = (await register(demo, user, student)).body.data.service_student_id
  const path = `${ERP}/students/${id}/changes`
  assert.deepEqual((await demo.get(path)).body, { status: 'success', data: [] })
  assertStatus(await register(demo, user, { ...student, fullname: 'Kabir R. Rao' }), 200)
  assertStatus(await patch(id, { grade: '6', date_of_birth: null, custom_identifier: 'C-7' }), 200)
  assertStatus(await patch(id, { grade: '6' }), 200)
  const { data } = (await demo.get(path)).body
  assert.deepEqual(
    data.map(({ source, changes }: Json) => [source, changes]),
    [
      [
        'update',
        [
          { field: 'grade', before: '5', after: '6' },
          { field: 'date_of_birth', before: '2015-06-20' },
          { field: 'custom_identifier', after: 'C-7' },
        ],
      ],
      ['registration', [{ field: 'fullname', before: 'Kabir Rao', after: 'Kabir R. Rao' }]],
    ],
  )
  assert.match(data[0].changed_at, /Z$/)
  await assert.rejects(contract.sql('delete from student_changes'), /append-only/)
})

test('a strict institute refuses an unknown grade in a PATCH, an open one takes it into its catalogue', async () => {
  const strict = await strictSchool(contract)
  const id = (await register(strict, 'p')).body.data.service_student_id
  assertRefused(await strict.patch(`${ERP}/students/${id}`, { grade: '9' }), 'HUE00000', 'grade')
  const grade = unique('NEW')
  await patch(await newStudent(demo), { grade })
  const { body } = await demo.get(`${ERP}/grades`)
  assert.ok(body.data.some((entry: Json) => entry.code === grade))
})

test('dropping and activating are told once each, with the student as it was then', async () => {
  const id = await newStudent(demo)
  for (const [verb, status] of [
    ['drop', 'dropped'],
    ['drop', 'dropped'],
    ['activate', 'active'],
    ['activate', 'active'],
    ['drop', 'dropped'],
  ] as const) {
    const answer = await demo.post(`${ERP}/students/${id}/${verb}`)
    assertStatus(answer, 200)
    assert.equal(answer.body.data.status, status)
    assert.deepEqual(answer.body.data, await readStudent(id))
  }
  const events = await eventsOf(contract, id)
  assert.deepEqual(
    events.map(event => event.event_code),
    [
      'masterdata.student.registered',
      'masterdata.student.dropped',
      'masterdata.student.activated',
      'masterdata.student.dropped',
    ],
  )
  const [first, ...others] = events
  for (const { payload } of others) assert.deepEqual(payload, first?.payload)
})

test('20 drops at once are one event', async () => {
  const id = await newStudent(demo)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => demo.post(`${ERP}/students/${id}/drop`, {})),
  )
  assert.ok(answers.every(answer => answer.status === 200))
  assert.deepEqual(await codesOf(id), ['masterdata.student.registered', 'masterdata.student.dropped'])
})

test('a dropped student is registered again with 200 and stays dropped; the list filters by status', async () => {
  const identifier = unique('DROPPED')
  const student = sampleStudent({ identifier })
  const path = `${ERP}/users/p/students`
  const id = (await demo.post(path, { student })).body.data.service_student_id
  await demo.post(`${ERP}/students/${id}/drop`)
  const again = await demo.post(path, {
    student: { ...student, fullname: 'K. Rao' },
    payments: [samplePayment()],
  })
  assertStatus(again, 200)
  assert.equal(again.body.data.service_student_id, id)
  const shown = await readStudent(id)
  assert.deepEqual([shown.status, shown.fullname, shown.fee_summary.paid], ['dropped', 'K. Rao', 20000])
  const list = async (status: string): Promise<number> =>
    (await demo.get(`${ERP}/students?identifier=${identifier}&status=${status}`)).body.data.length
  assert.deepEqual([await list('dropped'), await list('active')], [1, 0])
})

test('no Flex plan is made for a dropped student until it is active again', async () => {
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60000 }]
  const id = await newStudent(demo, { fee_components: fees })
  const plans = `/api/v1/integrations/flex/students/${id}/plans`
  await demo.post(`${ERP}/students/${id}/drop`)
  assertRefused(await demo.post(plans), 'HUE00002')
  await demo.post(`${ERP}/students/${id}/activate`)
  assertStatus(await demo.post(plans), 201)
})

for (const [method, tail] of [
  ['GET', '/changes'],
  ['PATCH', ''],
  ['POST', '/drop'],
  ['POST', '/activate'],
] as const) {
  test(`${method} /students/:id${tail} is 404 for an unknown student and, alike, for another institute's`, async () => {
    const body = method === 'GET' ? undefined : {}
    const theirs = await group.send(method, `${ERP}/students/${await newStudent(demo)}${tail}`, body)
    const nobodys = await group.send(method, `${ERP}/students/student_unknown${tail}`, body)
    assertRefused(nobodys, 'HUE00001')
    assert.deepEqual(withoutRequestId(theirs), withoutRequestId(nobodys))
  })
}
