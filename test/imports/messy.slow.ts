import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import readSheets from 'read-excel-file/node'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { uploadFile } from '../console/orders/support.ts'
import { SCHOOL, StudentDesk } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { instituteId } from '../students/support.ts'
import { clerkXlsx } from './clerk-support.ts'
import { CHILDREN, DAY_WAYS, messyCsv, messyXlsx, MOST } from './messy-support.ts'
import type { File } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar

const at = (path: string): string => `${SCHOOL}/student-files${path}`

async function columnsOf(file: File): Promise<Json[]> {
  const answer = await uploadFile(finance, file, { at: SCHOOL, to: 'student-files/columns' })
  assertAnswer(answer, '200')
  return answer.body.data.columns
}

/** Sent with its columns as they were guessed. */
async function sendAsGuessed(file: File, days: (string | null)[] = []): Promise<string> {
  const columns = (await columnsOf(file)).map(column => column.guess ?? null)
  const query = new URLSearchParams({
    columns: JSON.stringify(columns),
    days: JSON.stringify(days),
    academic_year_start: '2026',
    academic_year_end: '2027',
  })
  const sent = await uploadFile(finance, file, { at: SCHOOL, to: 'student-files', query: String(query) })
  assertAnswer(sent, '201')
  return sent.body.data.id
}

async function work(id: string): Promise<Json> {
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })
  return read(`/${id}`)
}

async function read(path: string): Promise<Json> {
  const answer = await viewer.get(at(path))
  assertAnswer(answer, '200')
  return answer.body.data
}

const bornOf = async (identifier: string): Promise<string> =>
  (await demo.get(`${ERP}/students?identifier=${encodeURIComponent(identifier)}`)).body.data[0].date_of_birth

for (const [name, write] of Object.entries(DAY_WAYS))
  test(`${MOST} children below a school's name and two rows of headings are all understood, born on days like ${name}`, async () => {
    const { rows, message } = await work(await sendAsGuessed(messyCsv(write)))
    assert.deepEqual([rows.total, rows.bad], [MOST, 0], message)
  })

test('a spreadsheet with merged classes registers each child in its class, born on its day', async () => {
  const id = await sendAsGuessed(messyXlsx())
  const checked = await work(id)
  const { groups } = await read(`/${id}/problem-groups`)
  assert.deepEqual([checked.rows.total, groups], [MOST, []])
  assertAnswer(await finance.post(at(`/${id}/start`), {}), '200')
  assert.equal((await work(id)).rows.applied, MOST)
  for (const index of [0, 59, 60, 479]) {
    const child = CHILDREN[index] ?? assert.fail()
    const { body } = await demo.get(`${ERP}/students?identifier=${encodeURIComponent(child.identifier)}`)
    const [student] = body.data
    assert.deepEqual(
      [student.fullname, student.grade, student.date_of_birth],
      [child.name, child.grade, child.born],
    )
  }
})

test('days that could be meant in two ways are asked about once, and read as was said', async () => {
  const few = [1, 2, 3].map(day => ({
    identifier: `TWO-${day}`,
    name: `Asha ${day}`,
    grade: '3',
    born: `2016-0${day + 3}-0${day}`,
    mobile: `98000000${day}0`,
  }))
  const file = messyCsv(DAY_WAYS['27/02/2016'] ?? assert.fail(), few)
  const columns = await columnsOf(file)
  assert.deepEqual(
    columns.map(column => column.open_day ?? null),
    [null, null, null, '1/04/2016', null, null, null, null, null],
  )
  const id = await sendAsGuessed(file, [null, null, null, 'mdy'])
  await work(id)
  assertAnswer(await finance.post(at(`/${id}/start`), {}), '200')
  await work(id)
  assert.equal(await bornOf('TWO-1'), '2016-01-04')
})

const odd = (index: number): string => (index % 3 === 0 ? 'last year' : `27/02/20${10 + (index % 9)}`)

test('rows with the same problem are told together, mended in the page, and come back mapped as a file', async () => {
  const few = CHILDREN.slice(0, 30).map((child, index) => ({
    ...child,
    identifier: `ODD-${index}`,
    born: odd(index),
    mobile: index === 4 ? '12' : `97000000${10 + index}`,
  }))
  const id = await sendAsGuessed(messyCsv(day => day, few))
  assert.equal((await work(id)).rows.bad, 11)
  const { groups } = await read(`/${id}/problem-groups`)
  assert.deepEqual(
    groups.map((group: Json) => [group.rows, group.column, group.cell]),
    [
      [10, 'date_of_birth', 'last year'],
      [1, 'primary_contact_number', '12'],
    ],
  )
  const { summary } = groups[0]
  const query = new URLSearchParams({ column: 'date_of_birth', summary })
  const [first] = await read(`/${id}/problems?${query}`)
  assert.deepEqual([first.row, first.child, first.cell], [6, 'Aarav Rao · ODD-0', 'last year'])

  const file = await fetch(`${bursar.url}${at(`/${id}/bad-rows`)}`, {
    headers: { cookie: finance.cookie ?? '' },
  })
  const back = await file.text()
  const guesses = (await columnsOf(back)).map(column => column.guess ?? null)
  assert.equal(guesses[3], 'date_of_birth')
  assert.deepEqual(
    guesses,
    (await columnsOf(messyCsv(day => day, few))).map(column => column.guess ?? null),
  )

  const corrections = [
    { column: 'date_of_birth', row_no: 6, summary, value: '27-Feb-16' },
    { column: 'primary_contact_number', row_no: 10, value: '98450 00199' },
  ]
  const corrected = await finance.post(at(`/${id}/corrections`), { corrections })
  assertAnswer(corrected, '200')
  assert.equal(corrected.body.data.state, 'checking')
  assert.equal((await work(id)).rows.bad, 9)
  const emptied = { corrections: [{ column: 'date_of_birth', summary, value: '' }] }
  assertAnswer(await finance.post(at(`/${id}/corrections`), emptied), '200')
  assert.equal((await work(id)).rows.bad, 0)
  const none = await finance.post(at(`/${id}/corrections`), emptied)
  assertAnswer(none, '400 HUE00000')
  assert.match(none.body.errors[0].message, /fits no row/)
  assertAnswer(await finance.post(at(`/${id}/start`), {}), '200')
  await work(id)
  assert.equal(await bornOf('ODD-0'), '2016-02-27')
  assertAnswer(await finance.post(at(`/${id}/corrections`), emptied), '409 HUE00002')
})

test('classes in lines between the children are a column, and its rows to correct come back with it', async () => {
  const file = new Uint8Array(await clerkXlsx())
  const columns = await columnsOf(file)
  assert.deepEqual(
    columns.slice(-1).map(({ title, guess, samples }) => [title, guess, samples[0]]),
    [['Class, from the lines between', 'grade', 'CLASS : LKG   SEC : A']],
  )
  const id = await sendAsGuessed(file)
  const { rows, other_lines } = await work(id)
  assert.deepEqual([rows.total, other_lines], [486, ['541: Grand Total 480']])
  const back = await fetch(`${bursar.url}${at(`/${id}/bad-rows`)}`, {
    headers: { cookie: finance.cookie ?? '' },
  })
  const text = await back.text()
  assert.match(text, /CLASS : \w+ +SEC : [AB]/)
  assert.deepEqual(
    (await columnsOf(text)).map(column => column.guess ?? null),
    columns.map(column => column.guess ?? null),
  )
})

test('a file of an old Excel and a PDF are refused by name', async () => {
  for (const [head, words] of [
    [[0xd0, 0xcf, 0x11, 0xe0, 0xa1], /\.xls/],
    [Array.from(Buffer.from('%PDF-1.7')), /PDF/],
  ] as const) {
    const answer = await uploadFile(finance, new Uint8Array(head), {
      at: SCHOOL,
      to: 'student-files/columns',
    })
    assertAnswer(answer, '400 HUE00000')
    assert.match(answer.body.message, words)
  }
})

test('the template has the school’s own fees as columns and its classes on a second sheet, and is read without a question', async () => {
  const answer = await fetch(`${bursar.url}${at('/template')}`, { headers: { cookie: finance.cookie ?? '' } })
  assert.equal(answer.status, 200)
  const file = new Uint8Array(await answer.arrayBuffer())
  const [students, classes] = await readSheets(Buffer.from(file))
  assert.equal(classes?.sheet, 'Classes')
  assert.ok(classes?.data.flat().includes('3'))
  assert.ok((students?.data[0] ?? []).length > 9)
  const guesses = (await columnsOf(file)).map(column => column.guess ?? null)
  assert.ok(guesses.every(guess => guess !== null))
})
