import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { suggestNextGrade } from '../../../src/console/students/rollover/rollover.rules.ts'
import { yearEnd } from '../../../src/app/jobs.ts'
import { raisedRupees, yearsLater } from '../../../web/src/pages/students/rollover/raise.ts'
import { advanceRollovers } from '../../../src/students/rollover/rollover.service.ts'
import type { Json } from '../../harness/client.ts'
import { assertAnswer } from '../support.ts'
import { textOf, visitAs } from '../../portal/parents-support.ts'
import { uploadFile } from '../orders/support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer, owner } = desk
const YEARS = {
  from_academic_year_start: 2026,
  from_academic_year_end: 2027,
  to_academic_year_start: 2027,
  to_academic_year_end: 2028,
}

test('finance previews and runs a rollover from the console, with a reason; a viewer only looks', async () => {
  const kabir = await desk.register({ identifier: 'YEAR-1', grade: '5' }, { parent: 'year-1' })
  const [form] = (await viewer.get(`${SCHOOL}/rollover-grades`)).body.data
  assert.deepEqual(form, {
    academic_year_start: 2026,
    academic_year_end: 2027,
    grade: '5',
    students: 1,
    next_grade: '6',
    leaves: false,
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
  })
  const wanted = { ...YEARS, grades: [{ grade: '5', next_grade: '6' }], carry_dues_as: 'OLD_DUES' }
  assertAnswer(await viewer.post(`${SCHOOL}/rollovers`, { ...wanted, preview: true }), '403 AUE00001')
  const seen = await finance.post(`${SCHOOL}/rollovers`, { ...wanted, preview: true })
  assertAnswer(seen, '201')
  assert.deepEqual([seen.body.data.registered, seen.body.data.carried_dues], [1, 60000])
  assert.equal((await finance.post(`${SCHOOL}/rollovers`, wanted)).status, 400)
  // It has no fee structure, and starts without one only if that is said.
  const reason = 'A new year'
  const refused = await finance.post(`${SCHOOL}/rollovers`, { ...wanted, reason })
  assertAnswer(refused, '400 HUE00000')
  assert.match(refused.text, /without_structure.*There is no fee structure for 2027-28\./)
  const said = { ...wanted, reason, without_structure: true }
  const started = await finance.post(`${SCHOOL}/rollovers`, said)
  const { id } = started.body.data
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
  const done = await viewer.get(`${SCHOOL}/rollovers/${id}`)
  assert.deepEqual([done.body.data.state, done.body.data.grades[0].registered], ['done', 1])
  const [entry, ...more] = (await owner.get(`${SCHOOL}/audit?about=${id}`)).body.data
  assert.deepEqual([entry.what, entry.why, more], ['rollover.started', reason, []])
  assert.equal(entry.after.without_structure, true)
  assert.equal((await viewer.get(`${SCHOOL}/rollovers`)).body.data[0].id, id)
  const { other_years, carried } = await desk.page(kabir)
  assert.deepEqual([other_years[0].grade_name, carried[0].amount], ['6', 60000])
})

test('the list of students tells the records of two years apart and shows one year by itself; the search finds the child once', async () => {
  const { years } = (await viewer.get(`${SCHOOL}/choices`)).body.data
  assert.deepEqual(years, [
    { code: '2027', name: '2027-28' },
    { code: '2026', name: '2026-27' },
  ])
  const rows = async (query: string): Promise<Json[]> =>
    (await viewer.get(`${STUDENTS}?q=YEAR-1&${query}`)).body.data
  assert.equal((await rows('')).length, 2)
  for (const year of [2026, 2027]) {
    const [row, ...more] = await rows(`academic_year_start=${year}`)
    assert.deepEqual([row?.academic_year_start, more], [year, []])
  }
  const { students } = (await viewer.get(`${SCHOOL}/search?q=YEAR-1`)).body.data
  assert.deepEqual(
    students.map((one: Json) => [one.grade, one.academic_year_start, one.academic_year_end]),
    [['5', 2026, 2027]],
  )
})

test('dues that were carried are called paid neither in the console nor on the parents’ page', async () => {
  const [row] = (await viewer.get(`${STUDENTS}?q=YEAR-1&academic_year_start=2026`)).body.data
  assert.deepEqual(
    [row.paid_amount, row.carried_amount, row.carried_to, row.outstanding_amount],
    [0, 60000, '2027-28', 0],
  )
  const [next] = (await viewer.get(`${STUDENTS}?q=YEAR-1&academic_year_start=2027`)).body.data
  assert.deepEqual([next.carried_amount, next.carried_to, next.outstanding_amount], [0, undefined, 60000])
  const old = row.service_student_id
  const [{ academic_year_start, service_student_id }] = (await desk.page(old)).carried
  assert.deepEqual([academic_year_start, service_student_id], [2027, next.service_student_id])
  const parent = await visitAs(bursar, 'year-1')
  const text = textOf((await parent.get(`/parents/students/${old}`)).text)
  assert.match(text, /Fee ₹60,000\.00 ₹60,000\.00 carried to 2027-28, to be paid there ₹0\.00/)
  assert.doesNotMatch(text, /Paid/)
  const home = textOf((await parent.get('/parents')).text)
  assert.match(home, /2026-27 Nothing due Carried to 2027-28/)
})

test('a file of grades and fees fills the form, and rows that contradict others are named', async () => {
  const rows = [
    'Grade,Next grade,Component type,Fee amount,Remark',
    '4,5,TUITION_FEE,"55,000",',
    '4,5,TRANSPORT_FEE,12000,',
    '4B,5,TUITION_FEE,55000,',
    '4C,5,TUITION_FEE,1,',
    '4,6,,,',
    '12,,,,',
    '11,12,TUITION_FEE,,',
  ]
  const answer = await uploadFile(finance, rows.join('\r\n'), { to: 'rollover-files' })
  assertAnswer(answer, '200')
  const { grades, fees, problems, unknown_columns } = answer.body.data
  assert.deepEqual(grades, [
    { grade: '4', next_grade: '5' },
    { grade: '4B', next_grade: '5' },
    { grade: '4C', next_grade: '5' },
    { grade: '12' },
  ])
  const tuition = { component_type: 'TUITION_FEE', fee_amount: 55000 }
  const transport = { component_type: 'TRANSPORT_FEE', fee_amount: 12000 }
  assert.deepEqual(fees, [{ grade: '5', fee_components: [tuition, transport] }])
  assert.deepEqual(
    problems.map((one: Json) => [one.row, one.column]),
    [
      [5, 'fee_amount'],
      [6, 'next_grade'],
      [8, 'fee_amount'],
    ],
  )
  assert.deepEqual(unknown_columns, ['Remark'])
  assert.equal((await uploadFile(finance, 'a,b\r\n1,2', { to: 'rollover-files' })).status, 400)
  assert.equal((await uploadFile(viewer, rows.join('\n'), { to: 'rollover-files' })).status, 403)
})

test('the next grade is suggested from how grades are usually named', () => {
  assert.deepEqual(['5', '09', 'Grade 9', '10-A'].map(suggestNextGrade), [
    { next: '6' },
    { next: '10' },
    { next: 'Grade 10' },
    { next: '11-A' },
  ])
  assert.deepEqual(['IX', 'Nursery', 'UKG'].map(suggestNextGrade), [
    { next: 'X' },
    { next: 'LKG' },
    { next: '1' },
  ])
  assert.deepEqual(['12', 'XII', 'Hostel'].map(suggestNextGrade), ['leaves', 'leaves', null])
})

const structure = (concessions: Json[]) => ({
  terms: [{ name: 'Term 1', due_date: '2029-06-10' }],
  fee_heads: ['TUITION_FEE'],
  grades: ['1', '2', '3'],
  amounts: ['1', '2', '3'].map(grade => ({ grade, component_type: 'TUITION_FEE', term: 1, amount: 10_000 })),
  concessions,
})
const SIBLINGS = { discount_type: 'SIBLING_2', kind: 'sibling', child: 2, percent: 10 }

test('a new year names what it lacks beside this one, and its preview what brothers and sisters are let off', async () => {
  const fees = `${SCHOOL}/fee-structures`
  const years =
    'from_academic_year_start=2029&from_academic_year_end=2030&to_academic_year_start=2030&to_academic_year_end=2031'
  const missing = async (): Promise<string> =>
    (await viewer.get(`${SCHOOL}/rollover-needs?${years}`)).body.data.missing.join(' ')
  assertAnswer(await finance.send('PUT', `${fees}/2029/2030`, structure([SIBLINGS])), '200')
  assert.equal(await missing(), 'There is no fee structure for 2030-31.')
  assertAnswer(await finance.send('PUT', `${fees}/2030/2031`, structure([])), '200')
  assert.match(
    await missing(),
    /for 2030-31 have no concessions for brothers and sisters, as those of this year/,
  )
  assertAnswer(await finance.send('PUT', `${fees}/2030/2031`, structure([SIBLINGS])), '200')
  assert.equal(await missing(), '')

  const year = { academic_year_start: 2029, academic_year_end: 2030 }
  await desk.register({ identifier: 'SIB-1', grade: '1', ...year }, { parent: 'siblings' })
  await desk.register({ identifier: 'SIB-2', grade: '2', ...year }, { parent: 'siblings' })
  const grades = [
    { grade: '1', next_grade: '2' },
    { grade: '2', next_grade: '3' },
  ]
  const wanted = { ...Object.fromEntries(new URLSearchParams(years)), grades, preview: true }
  const { body } = await finance.post(`${SCHOOL}/rollovers`, wanted)
  assert.deepEqual([body.data.fees, body.data.conceded, body.data.concessions], [20_000, 1, 1_000])
})

const percent = (by: string) => ({ by, unit: 'percent' as const })

test('a raised amount is exact, and rounded only as was chosen, half and more up', () => {
  assert.equal(raisedRupees(10_000.05, percent('7.5'), 1), 10_750.05)
  assert.equal(raisedRupees(10_000.05, percent('7.5'), 100), 10_750)
  assert.equal(raisedRupees(12_345, percent('8'), 1_000), 13_330)
  assert.equal(raisedRupees(100, percent('0.5'), 100), 101)
  assert.equal(raisedRupees(9_999_999.99, percent('100'), 1), 19_999_999.98)
  assert.equal(raisedRupees(10_000.5, { by: '250.25', unit: 'rupees' }, 1), 10_250.75)
  // What is not raised, and what a class does not pay, stay as they are.
  assert.equal(raisedRupees(10_000.55, percent(''), 10_000), 10_000.55)
  assert.equal(raisedRupees(0, { by: '250', unit: 'rupees' }, 100), 0)
  assert.deepEqual(
    [yearsLater('2028-02-29', 1), yearsLater('2027-02-28', 1), yearsLater('2026-06-10', 1)],
    ['2029-02-28', '2028-02-28', '2027-06-10'],
  )
})
