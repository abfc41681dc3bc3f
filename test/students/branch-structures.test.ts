import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { API, assertAnswer, demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'

/** Demo Group has the branches NORTH and SOUTH. */
const bursar = await startBursar({ after })
const { group } = bursar
const office = await demoVisitor(bursar.url, 'bursar@demo-group.example')
const AT = `${API}/institutes/demo-group`
const YEAR = `${AT}/fee-structures/2026/2027`
const SOUTH = `${YEAR}/branches/SOUTH`

const structure = (amount: number, dueOn: string, changes: Json = {}): Json => ({
  terms: [{ name: 'Year', due_date: dueOn }],
  fee_heads: ['TUITION_FEE'],
  grades: ['1', '2'],
  amounts: [
    { grade: '1', component_type: 'TUITION_FEE', term: 1, amount },
    { grade: '2', component_type: 'TUITION_FEE', term: 1, amount: amount + 1000 },
  ],
  concessions: [{ discount_type: 'SIBLING_2', kind: 'sibling', child: 2, percent: 10 }],
  ...changes,
})

async function save(at: string, body: Json): Promise<void> {
  assertAnswer(await office.send('PUT', at, body), '200')
}

async function apply(at: string, grade: string, preview = false): Promise<string[]> {
  const answer = await office.post(`${at}/apply`, { grade, preview })
  assertAnswer(answer, '200')
  return answer.body.data.students.map((one: Json) => `${one.fullname} ${one.after_amount}`)
}

let count = 0
async function add(fullname: string, branch: string, changes: Json = {}): Promise<string> {
  const answer = await office.post(`${AT}/students`, {
    identifier: `B-${++count}`,
    fullname,
    grade: '1',
    collector_code: branch,
    academic_year_start: 2026,
    academic_year_end: 2027,
    primary_contact_name: 'Parent',
    primary_contact_number: `98765${String(count).padStart(5, '0')}`,
    ...changes,
  })
  assertAnswer(answer, '201')
  return answer.body.data.service_student_id
}

async function owes(id: string): Promise<[number, string][]> {
  const { components } = (await group.get(`${ERP}/students/${id}/dues`)).body.data
  const owed = components.filter((one: Json) => one.outstanding_amount > 0)
  return owed.map((one: Json) => [one.outstanding_amount, one.due_date])
}

const change = async (id: string, changes: Json): Promise<void> =>
  assertAnswer(await office.send('PATCH', `${AT}/students/${id}`, { ...changes, reason: 'Moved' }), '200')

const asha = await add('Asha', 'NORTH')
const bina = await add('Bina', 'SOUTH')

test('a branch without a fee structure of its own costs what the institute’s says', async () => {
  await save(YEAR, structure(10_000, '2026-06-10'))
  const { collector_code, amounts } = (await office.get(SOUTH)).body.data
  assert.deepEqual([collector_code, amounts.length], [undefined, 2])
  assert.deepEqual(await apply(YEAR, '1', true), ['Asha 10000', 'Bina 10000'])
  await apply(YEAR, '1')
  assert.deepEqual(await owes(bina), [[10_000, '2026-06-10']])
  assertAnswer(await office.post(`${SOUTH}/apply`, { grade: '1' }), '409 HUE00002')
})

test('a branch with its own has its own due days at once and its own amounts when applied; the others keep theirs', async () => {
  await save(SOUTH, structure(15_000, '2040-03-01'))
  assert.equal((await office.get(SOUTH)).body.data.collector_code, 'SOUTH')
  const [year] = (await office.get(`${AT}/fee-structures`)).body.data
  assert.deepEqual(year.branches, ['SOUTH'])
  assert.deepEqual(await owes(bina), [[10_000, '2040-03-01']])
  assert.deepEqual(await apply(YEAR, '1', true), ['Asha 10000'], 'the institute’s leaves the branch alone')
  assert.deepEqual(await apply(SOUTH, '1'), ['Bina 15000'])
  assert.deepEqual(await owes(bina), [[15_000, '2040-03-01']])
  assert.deepEqual(await owes(asha), [[10_000, '2026-06-10']])
})

test('reports count a fee late from the due day of the branch', async () => {
  const late = (await office.get(`${AT}/money/defaulters`)).body.data
  assert.deepEqual(
    late.map((one: Json) => [one.fullname, one.oldest_due_on]),
    [['Asha', '2026-06-10']],
  )
})

test('a new student of a branch gets the fees of that branch, and brothers and sisters of two branches one order', async () => {
  const family = { primary_contact_number: '9812345678' }
  const elder = await add('Charu', 'SOUTH', { ...family, grade: '2' })
  const younger = await add('Dev', 'NORTH', family)
  assert.deepEqual(await owes(elder), [[16_000, '2040-03-01']])
  assert.deepEqual(await owes(younger), [[9_000, '2026-06-10']])
})

test('a child who changes the branch gets the fees of the other branch, and back again', async () => {
  await change(asha, { collector_code: 'SOUTH' })
  assert.deepEqual(await owes(asha), [[15_000, '2040-03-01']])
  await change(asha, { collector_code: 'NORTH' })
  assert.deepEqual(await owes(asha), [[10_000, '2026-06-10']])
})

test('a rollover takes the fees of each branch from its structure of the new year, whatever was sent for the others', async () => {
  const next = `${AT}/fee-structures/2027/2028/branches/SOUTH`
  await save(next, structure(20_000, '2027-08-01'))
  const wanted = {
    from_academic_year_start: 2026,
    from_academic_year_end: 2027,
    to_academic_year_start: 2027,
    to_academic_year_end: 2028,
    grades: [{ grade: '1', next_grade: '2' }, { grade: '2' }],
    fees: [{ grade: '2', fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }] }],
  }
  const seen = await office.post(`${AT}/rollovers`, { ...wanted, preview: true })
  assertAnswer(seen, '201')
  // Asha and Dev of NORTH, Bina of SOUTH.
  assert.deepEqual([seen.body.data.registered, seen.body.data.fees], [3, 2 * 12_000 + 21_000])
  assert.deepEqual(
    seen.body.data.grades.map((one: Json) => one.grade),
    ['1', '2'],
    'one row a grade, of all branches',
  )
  const started = await office.post(`${AT}/rollovers`, {
    ...wanted,
    reason: 'New year',
    without_structure: true,
  })
  assertAnswer(started, '201')
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
  const { data } = (await office.get(`${AT}/students?academic_year_start=2027`)).body
  const newBina = data.find((one: Json) => one.fullname === 'Bina')
  assert.deepEqual(await owes(newBina.service_student_id), [[21_000, '2027-08-01']])
})

test('a branch that gives its own up follows the institute’s again', async () => {
  assertAnswer(await office.send('DELETE', SOUTH, {}), '200')
  assertAnswer(await office.send('DELETE', SOUTH, {}), '409 HUE00002')
  assert.deepEqual(await owes(bina), [[15_000, '2026-06-10']])
  const rows = await apply(YEAR, '1')
  assert.ok(rows.includes('Bina 10000'), rows.join())
  assert.deepEqual(await owes(bina), [[10_000, '2026-06-10']])
})

test('a branch that the institute does not have is not found', async () => {
  const at = `${YEAR}/branches/WEST`
  assertAnswer(await office.get(at), '404 HUE00001')
  assertAnswer(await office.send('PUT', at, structure(1, '2026-06-10')), '404 HUE00001')
  assertAnswer(await office.send('DELETE', at, {}), '404 HUE00001')
})
