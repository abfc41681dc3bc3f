import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import writeExcelFile from 'write-excel-file/node'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { purgeImports } from '../../src/imports/imports.service.ts'
import { chooseHead, HEAD_ROWS, type Head } from '../../src/imports/files/columns.rules.ts'
import { ColumnGuesser } from '../../src/imports/kinds/matched-columns.rules.ts'
import { ROSTER_FIELDS, ROSTER_TITLES } from '../../src/imports/kinds/roster/roster.rules.ts'
import { runInSteps } from '../../src/platform/concurrency.ts'
import { ROW } from '../../src/platform/limits.rules.ts'
import type { Answer, Json } from '../harness/client.ts'
import { assertNoStall } from '../harness/processes/stalls.ts'
import { uploadFile } from '../console/orders/support.ts'
import { SCHOOL, StudentDesk } from '../console/students/support.ts'
import { assertAnswer, type Visitor } from '../console/support.ts'
import { ERP } from '../harness/samples.ts'
import { instituteId } from '../students/support.ts'
import type { File } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar

type Columns = (string | null)[]

const upload = (to: string, file: File, visitor: Visitor = finance): Promise<Answer> =>
  uploadFile(visitor, file, { at: SCHOOL, to: to.split('?')[0] ?? '', query: to.split('?')[1] ?? '' })

const columnsOf = async (file: File): Promise<Json> => {
  const { status, body } = await upload('student-files/columns', file)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.columns
}

async function send(file: File, columns: Columns): Promise<string> {
  const query = new URLSearchParams({
    columns: JSON.stringify(columns),
    academic_year_start: '2026',
    academic_year_end: '2027',
  })
  const { status, body } = await upload(`student-files?${query}`, file)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id
}

async function work(id: string): Promise<Json> {
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })
  return read(`/student-files/${id}`)
}

async function read(path: string): Promise<Json> {
  const answer = await viewer.get(SCHOOL + path)
  assertAnswer(answer, '200')
  return answer.body.data
}

const problemsOf = async (id: string): Promise<string[]> =>
  (await read(`/student-files/${id}/problems`)).map((one: Json) => `${one.row} ${one.column} ${one.message}`)

const studentsOf = async (identifier: string): Promise<Json[]> =>
  (await demo.get(`${ERP}/students?identifier=${identifier}`)).body.data

const LIST = [
  'Adm No,Student Name,Class,Sec,Father Name,Mobile,Tuition Fee,Bus Fee,Remarks',
  'A-1,Kabir Rao,5,B,Arun Rao,98765 43210,"60,000",12000,new',
  'A-2,Meera Rao,3,A,Arun Rao,+91-9876543210,55000,,',
  'A-3,Zoya Khan,5,B,,9811122233,60000,12000,',
  'A-4,Dev Patel,5,B,Ravi Patel,12,60000,a lot,',
  'A-1,Kabir Rao,5,B,Arun Rao,98765 43210,60000,12000,',
].join('\r\n')

test('columns are matched by their headings, and a list without e-mail and ids registers families by phone', async () => {
  const found = await columnsOf(LIST)
  const guesses = found.map((one: Json) => one.guess ?? null)
  assert.deepEqual(guesses, [
    'identifier',
    'fullname',
    'grade',
    'section',
    'father_name',
    'primary_contact_number',
    'fee:TUITION_FEE',
    'fee:BUS_FEE',
    null,
  ])
  assert.deepEqual(found[0].samples, ['A-1', 'A-2', 'A-3'])

  const id = await send(LIST, guesses)
  const checked = await work(id)
  assert.equal(checked.state, 'checked')
  const none = { known: 0, without_fees: 0, lowered: 0, applied: 0, unchanged: 0 }
  assert.deepEqual(checked.rows, { total: 5, bad: 2, new: 3, ...none })
  assert.deepEqual(checked.unknown_columns, ['Remarks'])
  const problems = await problemsOf(id)
  assert.match(problems[0] ?? '', /^5 primary_contact_number /)
  assert.match(problems[1] ?? '', /^5 fee:BUS_FEE must be an amount/)
  assert.match(problems[2] ?? '', /^6 identifier and name stand in row 2 already/)
  assert.equal((await studentsOf('A-1')).length, 0)

  assertAnswer(await finance.post(`${SCHOOL}/student-files/${id}/start`, {}), '200')
  const done = await work(id)
  assert.equal(done.state, 'done')
  assert.equal(done.rows.applied, 3)

  const [kabir] = await studentsOf('A-1')
  const [meera] = await studentsOf('A-2')
  const [zoya] = await studentsOf('A-3')
  assert.equal(kabir.section, 'B')
  assert.equal(kabir.origin, 'file')
  assert.equal(kabir.primary_contact_email, '')
  assert.equal(zoya.primary_contact_name, 'Parent of Zoya Khan')
  assert.deepEqual(kabir.registration_ids, meera.registration_ids)
  assert.notDeepEqual(kabir.registration_ids, zoya.registration_ids)
  assert.equal(kabir.fee_summary.outstanding, 72_000)
  assert.equal(meera.fee_summary.outstanding, 55_000)
})

test('the rows to correct come back as they stood, and the file corrected by them adds only what was missing', async () => {
  const [{ id }] = await read('/student-files')
  for (let more = 1; more > 0;) more = await purgeImports(bursar.app.ctx, 100)
  const answer = await fetch(`${bursar.url}${SCHOOL}/student-files/${id}/bad-rows`, {
    headers: { cookie: finance.cookie ?? '' },
  })
  const text = await answer.text()
  const lines = text.replace('\uFEFF', '').trim().split('\r\n')
  assert.equal(
    lines[0],
    'Adm No,Student Name,Class,Sec,Father Name,Mobile,Tuition Fee,Bus Fee,Remarks,Problem',
  )
  assert.match(
    lines[1] ?? '',
    /^A-4,Dev Patel,5,B,Ravi Patel,12,60000,a lot,,"?Mobile must.*; Bus Fee must be an amount/,
  )
  assert.equal(lines.length, 3)

  const corrected = text.replace(',12,60000,a lot,', ',9900011122,60000,0,')
  const columns = (await columnsOf(corrected)).map((one: Json) => one.guess ?? null)
  const again = await send(corrected, columns)
  const checked = await work(again)
  assert.deepEqual([checked.rows.new, checked.rows.known, checked.rows.bad], [1, 1, 0])
  assertAnswer(await finance.post(`${SCHOOL}/student-files/${again}/start`, {}), '200')
  const done = await work(again)
  assert.deepEqual([done.rows.applied, done.rows.unchanged], [1, 1])
})

test('an e-mail address that is known stays when a list comes without one', async () => {
  await desk.register({ identifier: 'A-9', grade: '5', primary_contact_email: 'asha@example.in' })
  const id = await send('no,name,class,mobile\nA-9,Kabir Rao,5,9876500000', [
    'identifier',
    'fullname',
    'grade',
    'primary_contact_number',
  ])
  await work(id)
  assertAnswer(await finance.post(`${SCHOOL}/student-files/${id}/start`, {}), '200')
  await work(id)
  const [student] = await studentsOf('A-9')
  assert.equal(student.primary_contact_email, 'asha@example.in')
  assert.equal(student.primary_contact_number, '9876500000')
  assert.equal(student.origin, 'erp')
})

test('a spreadsheet is read like a list of commas, and dates and numbers as they look', async () => {
  const sheet = await writeExcelFile([
    ['Admission Number', 'Name', 'Std', 'Phone', 'DOB'].map(value => ({ value })),
    [
      { value: 7001 },
      { value: 'Isha Das' },
      { value: 7 },
      { value: 9_812_345_678 },
      { value: new Date('2014-06-20'), format: 'dd/mm/yyyy' },
    ],
  ]).toBuffer()
  const columns = (await columnsOf(new Uint8Array(sheet))).map((one: Json) => one.guess ?? null)
  assert.deepEqual(columns, ['identifier', 'fullname', 'grade', 'primary_contact_number', 'date_of_birth'])
  const id = await send(new Uint8Array(sheet), columns)
  assert.equal((await work(id)).rows.new, 1)
  assertAnswer(await finance.post(`${SCHOOL}/student-files/${id}/start`, {}), '200')
  await work(id)
  const [isha] = await studentsOf('7001')
  assert.equal(isha.grade, '7')
  assert.equal(isha.date_of_birth, '2014-06-20')
})

test('a list whose needed columns are not matched, or are matched twice, is refused', async () => {
  const send = (columns: Columns) =>
    upload(
      `student-files?columns=${encodeURIComponent(JSON.stringify(columns))}&academic_year_start=2026&academic_year_end=2027`,
      LIST,
    )
  assert.match((await send(['identifier', 'fullname'])).body.message, /grade, primary_contact_number/)
  const twice = ['identifier', 'fullname', 'grade', 'primary_contact_number', 'grade']
  assert.equal((await send(twice)).status, 409)
  assert.equal((await send(['identifier', 'salary'])).status, 400)
  const { status } = await upload('student-files/columns', LIST, viewer)
  assert.equal(status, 403)
})

const FOUR: Columns = ['identifier', 'fullname', 'grade', 'primary_contact_number']
const HEAD = 'no,name,class,mobile\n'

async function take(rows: string): Promise<Json> {
  const id = await send(HEAD + rows, FOUR)
  await work(id)
  assertAnswer(await finance.post(`${SCHOOL}/student-files/${id}/start`, {}), '200')
  return { ...(await work(id)), problems: await problemsOf(id) }
}

test('a corrected class moves the student, with the fees of its new class, and never makes a second one', async () => {
  const structure = {
    terms: [{ name: 'Term 1', due_date: '2026-06-10' }],
    fee_heads: ['TUITION_FEE'],
    grades: ['8', '9'],
    amounts: [
      { grade: '8', component_type: 'TUITION_FEE', term: 1, amount: 27_000.1 },
      { grade: '9', component_type: 'TUITION_FEE', term: 1, amount: 30_001.1 },
    ],
    concessions: [
      { discount_type: 'SIBLING_2', kind: 'sibling', child: 2, fee_heads: ['TUITION_FEE'], percent: 10 },
    ],
  }
  assertAnswer(await finance.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, structure), '200')
  await take('D-1,Dev Kumar,8,9845000110\nD-2,Uma Nair,Std VII,9845000111')
  const [before] = await studentsOf('D-1')
  assert.equal(before.fee_summary.outstanding, 27_000.1)

  const moved = await take('D-1,DEV KUMAR,9,9845000110\nD-2,Uma Nair,8,9845000111')
  assert.deepEqual([moved.rows.known, moved.rows.new, moved.rows.applied], [2, 0, 2])
  const dev = await studentsOf('D-1')
  const uma = await studentsOf('D-2')
  assert.deepEqual(
    [dev, uma].map(found => found.map(one => [one.grade, one.fee_summary.outstanding])),
    [[['9', 30_001.1]], [['8', 27_000.1]]],
  )
  assert.equal(dev[0]?.service_student_id, before.service_student_id)
  const again = await take('D-1,DEV KUMAR,9,9845000110')
  assert.deepEqual([again.rows.known, again.rows.unchanged], [1, 1])
})

test('a younger child gets its concession when the elder one is registered after it', async () => {
  await take('S-1,Anu Pillai,8,9845000120')
  await take('S-2,Ben Pillai,9,9845000120')
  const [[anu], [ben]] = [await studentsOf('S-1'), await studentsOf('S-2')]
  assert.deepEqual(
    [anu, ben].map(one => one?.fee_summary.outstanding),
    [24_300.09, 30_001.1],
  )
})

test('the check of a list and the preview of a structure name the classes without fees', async () => {
  const rows = [
    'U-1,Om Rao,8,9845000130',
    'U-2,Uma Rao,Std II,9845000131',
    'U-3,Ila Rao,Class XI - C,9845000132',
  ]
  const id = await send(HEAD + rows.join('\n'), FOUR)
  const checked = await work(id)
  assert.equal(checked.rows.without_fees, 2)
  assert.deepEqual(checked.classes_without_fees, ['2', '11'])
  const priced = await work(
    await send(`${HEAD.trim()},fee\nU-2,Uma Rao,Std II,9845000131,500`, [...FOUR, 'fee:BUS_FEE']),
  )
  assert.equal(priced.rows.without_fees, 0)
  assertAnswer(await finance.post(`${SCHOOL}/student-files/${id}/start`, {}), '200')
  await work(id)
  const preview = { grade: '8', preview: true }
  const { body } = await finance.post(`${SCHOOL}/fee-structures/2026/2027/apply`, preview)
  const found = body.data.classes_without_fees.map((one: Json) => `${one.grade}: ${one.students}`)
  assert.deepEqual(found, ['11: 1', '2: 1', '7: 1'])
})

test('a number that fits another child, or several, is a row to correct and moves nobody', async () => {
  const other = await take('D-1,Ravi Menon,8,9845000112')
  assert.match(other.problems[0] ?? '', /^2 identifier is already that of DEV KUMAR in class 9; correct/)
  for (const grade of ['8', '9']) await desk.register({ identifier: 'D-3', fullname: 'Ila Roy', grade })
  const several = await take('D-3,Ila Roy,10,9845000113')
  assert.match(several.problems[0] ?? '', /^2 identifier is already that of Ila Roy in class 8 and Ila Roy/)
  assert.equal((await studentsOf('D-3')).length, 2)
  assert.ok((await studentsOf('D-3')).every(one => one.grade !== '10'))
})

test('an admission number that stands twice in a file is a row to correct, in whatever class', async () => {
  const twice = await take('D-4,Om Das,8,9845000114\nD-4,Isha Das,9,9845000114')
  assert.deepEqual(twice.problems, [
    '3 identifier stands in row 2 already, of Om Das; one of the two numbers is wrong',
  ])
  assert.deepEqual(
    (await studentsOf('D-4')).map(one => one.fullname),
    ['Om Das'],
  )
})

test('no field is guessed for two columns, and a guess is a field or a fee', () => {
  const word = fc.constantFrom('Adm No', 'Name', 'Class', 'Mobile', 'Phone', 'Fee', 'Tuition fee', 'Paid', '')
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string())), titles => {
      const fees = [{ code: 'TUITION_FEE', name: 'Tuition' }]
      const guesses = new ColumnGuesser({ fields: ROSTER_TITLES, fees }).guess(titles)
      const made = guesses.filter(guess => guess !== null)
      assert.equal(guesses.length, titles.length)
      assert.equal(new Set(made).size, made.length)
      const fields: readonly string[] = ROSTER_FIELDS
      assert.ok(made.every(guess => fields.includes(guess) || /^fee:./s.test(guess)))
    }),
  )
})

const fullRow = (row: number): string[] =>
  Array.from({ length: ROW.columns }, (_, column) => `cell ${row} ${column} `.repeat(15))

test('headings are found in rows full of long texts, with hundreds of fees to compare, while requests are answered', async () => {
  const fees = Array.from({ length: 400 }, (_, no) => ({ code: `FEE_${no}`, name: `Fee no. ${no}` }))
  const rows = Array.from({ length: HEAD_ROWS }, (_, row) => ({ rowNo: row + 1, cells: fullRow(row) }))
  await assertNoStall(async () => {
    const guesser = new ColumnGuesser({ fields: ROSTER_TITLES, fees })
    const count = ({ titles, lower }: Head) => guesser.guess(titles, lower).filter(one => one !== null).length
    await runInSteps(chooseHead(rows, count))
  })
})
