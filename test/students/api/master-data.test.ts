import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addToCatalogue } from '../../../src/institutes/catalogue.service.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  newStudent,
  openContract,
  register,
  strictSchool,
  unique,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract

const USERS = `${ERP}/users/register`

function person(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Asha Rao', phone: '+91 98765 43210', email: `${unique('asha')}@example.in`, ...changes }
}

async function newUser(changes: Record<string, unknown>): Promise<string> {
  const answer = await demo.post(USERS, person(changes))
  assertStatus(answer, 201)
  return answer.body.data.registration_id
}

test('a user is registered with 201 and exactly a registration_id', async () => {
  const answer = await demo.post(USERS, person())
  assertStatus(answer, 201)
  assert.deepEqual(Object.keys(answer.body.data), ['registration_id'])
  assert.match(answer.body.data.registration_id, /^user_/)
})

test('a user with the same phone and e-mail is found with 200, however they are written, and stays as it is', async () => {
  const email = `${unique('found')}@example.in`
  const id = await newUser({ email })
  for (const phone of ['+91 98765 43210', '9876543210', '09876543210', '(91) 98765-43210']) {
    const again = await demo.post(USERS, { name: 'A. Rao', phone, email: email.toUpperCase() })
    assertStatus(again, 200)
    assert.deepEqual(again.body.data, { registration_id: id }, phone)
  }
  assert.deepEqual(await sql('select name, phone, email from users where registration_id = $1', [id]), [
    { name: 'Asha Rao', phone: '+91 98765 43210', email },
  ])
})

test('another phone or another e-mail is another user', async () => {
  const email = `${unique('other')}@example.in`
  const ids = [
    await newUser({ email }),
    await newUser({ email, phone: '9876543211' }),
    await newUser({ email: `${unique('other')}@example.in` }),
  ]
  assert.equal(new Set(ids).size, 3)
})

test('of several users with one phone and e-mail the oldest is answered', async () => {
  const contact = { primary_contact_number: '9811111111', primary_contact_email: 'two@example.in' }
  const [first, second] = [unique('first'), unique('second')]
  await register(demo, first, contact)
  await register(demo, second, contact)
  const answer = await demo.post(USERS, person({ phone: '9811111111', email: 'two@example.in' }))
  assertStatus(answer, 200)
  assert.equal(answer.body.data.registration_id, first)
})

test('50 equal users at once are one user: one 201, the rest 200 with its id', async () => {
  const body = person()
  const answers = await Promise.all(Array.from({ length: 50 }, () => demo.post(USERS, body)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 49)
  assert.equal(new Set(answers.map(answer => answer.body.data.registration_id)).size, 1)
})

test('students are registered under the registration_id that a user was given', async () => {
  const id = await newUser({ name: 'Ravi Nair' })
  const student = (await register(demo, id)).body.data.service_student_id
  const { body } = await demo.get(`${ERP}/students/${student}`)
  assert.deepEqual(body.data.registration_ids, [id])
  assert.deepEqual(await sql('select name from users where registration_id = $1', [id]), [
    { name: 'Ravi Nair' },
  ])
})

for (const name of ['name', 'phone', 'email']) {
  test(`a user without ${name} is 400 and names it`, async () => {
    for (const value of [undefined, null, ''])
      assertRefused(await demo.post(USERS, person({ [name]: value })), 'HUE00000', name)
  })
}

test('a user of one institute is not found from another', async () => {
  const body = person()
  const ours = await demo.post(USERS, body)
  const theirs = await group.post(USERS, body)
  assertStatus(theirs, 201)
  assert.notEqual(theirs.body.data.registration_id, ours.body.data.registration_id)
})

test('branches are listed whole, by code, with the default one marked', async () => {
  const branches = (await group.get(`${ERP}/branches`)).body
  assert.deepEqual(Object.keys(branches).toSorted(), ['data', 'status'])
  assert.deepEqual(
    branches.data.map((branch: Json) => [branch.collector_code, branch.is_default]),
    [
      ['NORTH', true],
      ['SOUTH', false],
    ],
  )
  const south = (await group.get(`${ERP}/branches?collector_code=SOUTH`)).body.data
  assert.deepEqual(
    south.map((branch: Json) => branch.collector_code),
    ['SOUTH'],
  )
})

test('grades, fee components and discounts are listed whole with their names', async () => {
  const types = Array.from({ length: 210 }, (_, no) => `MANY_${String(no).padStart(3, '0')}`)
  for (const some of [types.slice(0, 105), types.slice(105)]) {
    await newStudent(demo, {
      fee_components: some.map(component_type => {
        const discounts = [{ discount_type: `D_${component_type}`, value: 1 }]
        return { component_type, fee_amount: 1, discounts }
      }),
    })
  }
  const entry = { kind: 'component', code: 'MANY_000', name: 'Many things' } as const
  await addToCatalogue(contract.app.ctx, 'demo-school', entry)
  const components = (await demo.get(`${ERP}/fee-components`)).body.data
  const shown = components.filter((one: Json) => one.component_type.startsWith('MANY_'))
  assert.deepEqual(
    shown.map((one: Json) => one.component_type),
    types,
  )
  assert.deepEqual(shown[0], { component_type: 'MANY_000', name: 'Many things' })
  assert.deepEqual(shown[1], { component_type: 'MANY_001', name: 'MANY_001' })
  const discounts = (await demo.get(`${ERP}/discounts`)).body.data
  assert.deepEqual(
    discounts.filter((one: Json) => one.discount_type === 'D_MANY_209'),
    [{ discount_type: 'D_MANY_209', name: 'D_MANY_209' }],
  )
  const grades = (await demo.get(`${ERP}/grades`)).body.data
  assert.ok(grades.some((one: Json) => one.code === '5' && one.name === '5'))
})

for (const list of ['branches', 'grades', 'fee-components', 'discounts']) {
  test(`/${list} takes collector_code: an unknown branch is 400, one branch is not compared`, async () => {
    assertRefused(await group.get(`${ERP}/${list}?collector_code=WEST`), 'HUE00000', 'collector_code')
    const all = (await group.get(`${ERP}/${list}`)).body.data
    if (list !== 'branches')
      assert.deepEqual((await group.get(`${ERP}/${list}?collector_code=SOUTH`)).body.data, all)
    assertStatus(await demo.get(`${ERP}/${list}?collector_code=WEST`), 200)
  })
}

test('without collector_code the student goes to the default branch; the other branch holds another student', async () => {
  const student = sampleStudent({ identifier: unique('BR') })
  const path = `${ERP}/users/p/students`
  const north = (await group.post(path, { student })).body.data.service_student_id
  assert.equal((await group.get(`${ERP}/students/${north}`)).body.data.collector_code, 'NORTH')
  const south = await group.post(path, { student: { ...student, collector_code: 'SOUTH' } })
  assertStatus(south, 201)
  assert.notEqual(south.body.data.service_student_id, north)
  assertStatus(await group.post(path, { student: { ...student, collector_code: 'NORTH' } }), 200)
})

test('an unknown branch is 400', async () => {
  assertRefused(await register(group, 'p', { collector_code: 'WEST' }), 'HUE00000', 'student.collector_code')
})

test('a strict institute refuses an unknown grade, component or discount type and lists the allowed ones', async () => {
  const strict = await strictSchool(contract)
  const discounts = [{ discount_type: 'WHIM', value: 1 }]
  const fees = [{ component_type: 'LAB_FEE', fee_amount: 5, discounts }]
  const answer = await register(strict, 'p', { grade: '9' }, { fee_components: fees })
  for (const key of [
    'student.grade',
    'fee_components.0.component_type',
    'fee_components.0.discounts.0.discount_type',
  ])
    assertRefused(answer, 'HUE00000', key)
  for (const allowed of [/\b5\b/, /TUITION_FEE/, /SCHOLARSHIP/]) {
    assert.ok(answer.body.errors.some((error: Json) => allowed.test(error.message)))
  }
})
