import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCHOOL, STUDENTS, StudentDesk } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const YEAR = `${SCHOOL}/fee-structures/2026/2027`

const structure = (changes: Json = {}): Json => ({
  terms: [
    { name: 'Term 1', due_date: '2026-06-10' },
    { name: 'Term 2', due_date: '2026-12-10' },
  ],
  fee_heads: ['TUITION_FEE', 'TRANSPORT_FEE'],
  grades: ['3', '5'],
  amounts: [
    { grade: '5', component_type: 'TUITION_FEE', term: 1, amount: 30000 },
    { grade: '5', component_type: 'TUITION_FEE', term: 2, amount: 30000 },
    { grade: '5', component_type: 'TRANSPORT_FEE', term: 1, amount: 6000 },
    { grade: '3', component_type: 'TUITION_FEE', term: 1, amount: 20000 },
  ],
  concessions: [
    { discount_type: 'SIBLING_2', kind: 'sibling', child: 2, fee_heads: ['TUITION_FEE'], percent: 10 },
    { discount_type: 'STAFF', kind: 'category', category: 'Staff', amount: 1000 },
  ],
  ...changes,
})

const save = async (changes: Json = {}): Promise<void> =>
  assertAnswer(await finance.send('PUT', YEAR, structure(changes)), '200')

async function apply(grade: string, preview = false): Promise<Json> {
  const answer = await finance.post(`${YEAR}/apply`, { grade, preview })
  assertAnswer(answer, '200')
  return answer.body.data.students
}

const officeStudent = (changes: Json = {}): Json => ({
  identifier: 'O-1',
  fullname: 'Kabir Rao',
  grade: '5',
  section: 'B',
  academic_year_start: 2026,
  academic_year_end: 2027,
  primary_contact_name: 'Asha Rao',
  primary_contact_number: '9876543210',
  ...changes,
})

async function add(changes: Json = {}): Promise<string> {
  const answer = await finance.post(STUDENTS, officeStudent(changes))
  assertAnswer(answer, '201')
  return answer.body.data.service_student_id
}

const duesOf = async (id: string): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data

const linesOf = async (id: string): Promise<Json[]> =>
  (await duesOf(id)).components.map((one: Json) => [one.component_type, one.outstanding_amount, one.due_date])

let kabir = ''

test('a student is added by the office once, without e-mail, and the audit log says by whom', async () => {
  kabir = await add()
  const student = (await demo.get(`${ERP}/students/${kabir}`)).body.data
  assert.equal(student.origin, 'office')
  assert.equal(student.section, 'B')
  const again = await finance.post(STUDENTS, officeStudent({ fullname: 'Somebody' }))
  assert.equal(again.status, 409)
  assert.equal(again.body.data.service_student_id, kabir)
  assert.equal((await demo.get(`${ERP}/students/${kabir}`)).body.data.fullname, 'Kabir Rao')
  assert.equal((await viewer.post(STUDENTS, officeStudent({ identifier: 'O-9' }))).status, 403)
  const typo = officeStudent({ identifier: 'O-9', academic_year_start: 1926 })
  assertAnswer(await finance.post(STUDENTS, typo), '400 HUE00000')
  const { data } = (await desk.owner.get(`${SCHOOL}/audit`)).body
  assert.ok(data.some((one: Json) => one.what === 'student.added' && one.about === kabir))
})

test('a structure is previewed without a trace, and applied twice charges once', async () => {
  await save()
  const [preview] = await apply('5', true)
  assert.deepEqual([preview.outcome, preview.before_amount, preview.after_amount], ['changed', 0, 66000])
  assert.deepEqual(await linesOf(kabir), [])
  const [applied] = await apply('5')
  assert.equal(applied.outcome, 'changed')
  assert.deepEqual(await linesOf(kabir), [
    ['TUITION_FEE_TERM_1', 30000, '2026-06-10'],
    ['TRANSPORT_FEE_TERM_1', 6000, '2026-06-10'],
    ['TUITION_FEE_TERM_2', 30000, '2026-12-10'],
  ])
  assert.equal((await apply('5'))[0].outcome, 'unchanged')
  assert.equal((await duesOf(kabir)).total_amount, 66000)
})

test('a new student of a class gets its fees, and a brother or sister the concession of the rule', async () => {
  const meera = await add({ identifier: 'O-2', fullname: 'Meera Rao', grade: '3' })
  const student = (await finance.get(`${STUDENTS}/${meera}`)).body.data
  assert.equal(student.dues.total_amount, 18000)
  assert.deepEqual(student.discounts, [
    { component_type: 'TUITION_FEE_TERM_1', discount_type: 'SIBLING_2', amount: 2000 },
  ])
  const [row] = await apply('3', true)
  assert.deepEqual([row.child, row.outcome, row.concession_amount], [2, 'unchanged', 2000])
})

test('a student who is put into another class gets the fees of that class, and back again', async () => {
  for (const [to, owed] of Object.entries({ 3: 20000, 5: 66000 })) {
    const { body } = await finance.send('PATCH', `${STUDENTS}/${kabir}`, { grade: to, reason: 'Moved' })
    assert.deepEqual([body.data.fee_summary.outstanding, (await duesOf(kabir)).total_amount], [owed, owed])
  }
})

test('a concession that a person gave stays, those of rules follow the rules', async () => {
  const given = { component_type: 'TUITION_FEE_TERM_1', discount_type: 'MERIT', amount: 5000, reason: 'Won' }
  assertAnswer(await finance.post(`${STUDENTS}/${kabir}/concessions`, given), '200')
  await finance.send('PATCH', `${STUDENTS}/${kabir}`, { category: 'Staff', reason: 'Mother teaches here' })
  await apply('5')
  assert.equal((await duesOf(kabir)).total_amount, 66000 - 5000 - 3 * 1000)
  await finance.send('PATCH', `${STUDENTS}/${kabir}`, { category: null, reason: 'Left' })
  await apply('5')
  assert.equal((await duesOf(kabir)).total_amount, 61000)
})

test('a fee that is taken out of the structure comes to nothing where it is applied again', async () => {
  const { amounts } = structure()
  await save({ amounts: amounts.filter((one: Json) => one.component_type !== 'TRANSPORT_FEE') })
  await apply('5')
  assert.equal((await duesOf(kabir)).total_amount, 55000)
})

test('a student who paid for a term is skipped, with the reason, when the term is called otherwise', async () => {
  const id = await add({ identifier: 'O-7', fullname: 'Zoya Khan', primary_contact_number: '9811100000' })
  const payment = {
    amount: 30000,
    paid_at: '2026-11-01',
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE_TERM_1', amount: 30000 }],
  }
  assertAnswer(await finance.post(`${STUDENTS}/${id}/payments`, payment), '201')
  const before = (await duesOf(id)).total_amount
  await save({
    terms: [
      { name: 'First term', due_date: '2026-06-10' },
      { name: 'Term 2', due_date: '2026-12-10' },
    ],
  })
  const rows = await apply('5')
  const row = rows.find((one: Json) => one.service_student_id === id)
  assert.equal(row.outcome, 'skipped')
  assert.match(row.reason, /paid for TUITION_FEE_TERM_1/)
  assert.equal((await duesOf(id)).total_amount, before)
  assert.equal(rows.find((one: Json) => one.service_student_id === kabir).outcome, 'changed')
  const { amounts } = structure()
  await save({ amounts: amounts.filter((one: Json) => one.component_type !== 'TRANSPORT_FEE') })
  await apply('5')
})

const byId = (one: Json, other: Json): number =>
  one.service_student_id.localeCompare(other.service_student_id)

test('classes, sections and categories are the same however they are written: in rules, structures and filters', async () => {
  await save({
    grades: ['3', '5', 'Nursery'],
    amounts: [
      ...structure().amounts,
      { grade: 'Nursery', component_type: 'TUITION_FEE', term: 1, amount: 10000 },
    ],
  })
  const small = {
    primary_contact_number: '9876500077',
    category: ' staff',
    grade: 'NURSERY',
    section: 'rose',
  }
  const id = await add({ identifier: 'O-77', fullname: 'Meher Das', ...small })
  await add({
    identifier: 'O-78',
    fullname: 'Om Nair',
    primary_contact_number: '9876500078',
    category: 'STAFF',
    grade: 'nursery',
  })
  const [child] = await apply('nursery', true)
  assert.equal(child.identifier, 'O-77')
  assert.deepEqual([child.after_amount, child.concession_amount], [9000, 1000])
  assert.equal((await duesOf(id)).outstanding_amount, 9000)
  const found = async (query: string): Promise<string[]> =>
    (await viewer.get(`${STUDENTS}?${query}`)).body.data.map((one: Json) => one.identifier)
  assert.deepEqual((await found('grade=Nursery')).toSorted(), ['O-77', 'O-78'])
  assert.deepEqual(await found('grade=nursery%20&section=ROSE'), ['O-77'])
  const { body } = await viewer.get(`${YEAR}/categories`)
  assert.equal(body.data.find((one: Json) => one.category.toLowerCase() === 'staff').students, 2)
})

test('the categories of a year without a structure are known before its first rule is saved', async () => {
  await add({ identifier: 'O-79', primary_contact_number: '9876500079', category: 'RTE', ...LATER })
  const { body } = await viewer.get(`${SCHOOL}/fee-structures/2031/2032/categories`)
  assert.deepEqual(body.data, [{ category: 'RTE', students: 1 }])
})

const LATER = { academic_year_start: 2031, academic_year_end: 2032 }

test('a class of more students than fit into one answer is applied part by part, everybody once', async () => {
  const whole = await apply('5', true)
  assert.ok(whole.length > 1)
  const parts: Json[] = []
  for (let after: string | undefined, no = 0; no === 0 || after !== undefined; no++) {
    const { body } = await finance.post(`${YEAR}/apply`, { grade: '5', preview: true, limit: 1, after })
    parts.push(...body.data.students)
    after = body.data.next_after
  }
  assert.deepEqual(parts.toSorted(byId), whole.toSorted(byId))
})

test('a due day of the structure holds at once, and late fees are counted from it, each term for itself', async () => {
  await save({
    terms: [
      { name: 'Term 1', due_date: '2026-11-01' },
      { name: 'Term 2', due_date: '2027-02-10' },
    ],
  })
  const rule = { due_date: '2030-01-01', kind: 'slab', slabs: [{ from_day: 1, amount: 200 }] }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [rule] }), '200')
  const dues = await duesOf(kabir)
  assert.deepEqual(
    dues.late_fees.map((one: Json) => [one.due_date, one.amount]),
    [['2026-11-01', 200]],
  )
  assert.ok((await viewer.get(`${SCHOOL}/home`)).text.includes('overdue'))
  const late = (await viewer.get(`${SCHOOL}/money/defaulters?bucket=late`)).body.data
  assert.ok(late.some((one: Json) => one.service_student_id === kabir && one.oldest_due_on === '2026-11-01'))
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, {}), '200')
})

test('students of the ERP are skipped and cannot be edited where the institute locks them', async () => {
  const id = await desk.register({ identifier: 'E-1', grade: '5' })
  assertAnswer(await finance.send('PUT', `${SCHOOL}/erp-lock`, { locked: true }), '200')
  const row = (await apply('5')).find((one: Json) => one.service_student_id === id)
  assert.equal(row.outcome, 'skipped')
  assert.match(row.reason, /locked/)
  const edited = await finance.send('PATCH', `${STUDENTS}/${id}`, { fullname: 'Other', reason: 'Typo' })
  assert.equal(edited.status, 409)
  assert.equal((await finance.get(`${STUDENTS}/${id}`)).body.data.is_locked, true)
  assert.equal((await demo.patch(`${ERP}/students/${id}`, { fullname: 'Other' })).status, 200)
  assertAnswer(await finance.send('PUT', `${SCHOOL}/erp-lock`, { locked: false }), '200')
})

test('a structure that has a class twice, once in capitals, is refused', async () => {
  const answer = await finance.send('PUT', YEAR, structure({ grades: ['3', '5', 'lkg', 'LKG'] }))
  assert.equal(answer.status, 400)
  assert.equal(answer.body.errors[0].key, 'grades.3')
})

test('a structure that contradicts itself is refused by field', async () => {
  const wrong = structure({
    grades: ['3'],
    concessions: [{ discount_type: 'S', kind: 'sibling', percent: 10 }],
  })
  const { status, body } = await finance.send('PUT', YEAR, wrong)
  const keys = body.errors.map((one: Json) => one.key)
  assert.equal(status, 400)
  assert.ok(keys.includes('amounts.0.grade') && keys.includes('concessions.0.child'))
})
