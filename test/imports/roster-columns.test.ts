import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { impossibleDay } from '../../src/imports/files/columns.rules.ts'
import { uploadFile } from '../console/orders/support.ts'
import { SCHOOL, StudentDesk } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Answer, Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { instituteId } from '../students/support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk

const TITLES = 'No,Pupil,Std,Cell,Born,Col X'
const NAMES = [
  'identifier',
  'fullname',
  'grade',
  'primary_contact_number',
  'date_of_birth',
  'custom_identifier',
]

function send(to: string, rows: readonly string[], query = ''): Promise<Answer> {
  return uploadFile(finance, [TITLES, ...rows].join('\r\n'), { at: SCHOOL, to, query })
}

const sentColumns = (): string =>
  new URLSearchParams({
    columns: JSON.stringify(NAMES),
    // One day of the column has its month first and one its day.
    days: JSON.stringify([null, null, null, null, 'dmy', null]),
    academic_year_start: '2026',
    academic_year_end: '2027',
  }).toString()

const guesses = async (): Promise<string[]> =>
  (await send('student-files/columns', ['7,A B,5,9876500000,01/02/2015,X'])).body.data.columns.map(
    (column: Json) => column.guess,
  )

test('a file with the headings of an earlier one is matched as that was, and days that do not exist are told in words', async () => {
  assert.notDeepEqual(await guesses(), NAMES)
  const rows = [
    'N1,Asha Rao,5,9876500001,31/02/2015,R1',
    'N2,Bala Rao,5,9876500002,12/13/2015,R2',
    'N3,Chitra Rao,5,9876500003,01/02/2999,R3',
    'N4,Divya Rao,5,9876500004,01/02/2015,R4',
  ]
  const sent = await send('student-files', rows, sentColumns())
  assertAnswer(sent, '201')
  const { id } = sent.body.data
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })
  const problems = (await viewer.get(`${SCHOOL}/student-files/${id}/problems`)).body.data
  assert.deepEqual(
    problems.map((one: Json) => `${one.row} ${one.column} ${one.message}`),
    [
      '2 date_of_birth is no day of the calendar: February 2015 has 28 days',
      '3 date_of_birth has the month 13; days are written day first, such as 20/06/2015',
      '4 date_of_birth is in the future; check the year',
    ],
  )
  assert.deepEqual(await guesses(), NAMES)
})

test('an empty file says so', async () => {
  const empty = await uploadFile(finance, '', { at: SCHOOL, to: 'student-files/columns' })
  assertAnswer(empty, '400 HUE00000')
  assert.match(empty.body.message, /empty/i)
})

test('a birth date in the future is refused by form and API, and nothing is registered', async () => {
  const student = sampleStudent({ identifier: 'FUT-1', date_of_birth: '2999-01-01' })
  const { demo } = bursar
  const registered = await demo.post(`${ERP}/users/future/students`, { student, fee_components: [] })
  assertAnswer(registered, '400 HUE00000')
  assert.deepEqual(
    registered.body.errors.map((one: Json) => one.key),
    ['student.date_of_birth'],
  )
  const id = await desk.register()
  const changed = await demo.send('PATCH', `${ERP}/students/${id}`, { date_of_birth: '2999-01-01' })
  assertAnswer(changed, '400 HUE00000')
  assert.deepEqual((await demo.get(`${ERP}/students?identifier=FUT-1`)).body.data, [])
})

test('only days that nobody could mean are called impossible', () => {
  assert.equal(impossibleDay('29/02/2024'), null)
  assert.equal(impossibleDay('29.02.2023'), 'is no day of the calendar: February 2023 has 28 days')
  assert.equal(impossibleDay('0/5/2023'), 'is no day of the calendar: May 2023 has 31 days')
  assert.equal(impossibleDay('next week'), null)
})
