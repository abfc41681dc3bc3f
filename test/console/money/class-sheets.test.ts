import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import {
  attachmentName,
  classKey,
  readAttachmentName,
  sheetNames,
  sheetsOf,
  type LateChild,
} from '../../../src/console/reports/class-sheets/class-sheets.rules.ts'
import { paiseOf, sumPaise } from '../../../src/platform/money.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { readPdf } from '../../receipts/read-pdf.ts'
import { SCHOOL, StudentDesk } from '../students/support.ts'
import { assertAnswer } from '../support.ts'
import { daysAgo } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const MONEY = `${SCHOOL}/money`

before(async () => {
  const rules = { late_fees: [{ due_date: daysAgo(40), kind: 'none' }] }
  assertAnswer(await bursar.demo.send('PUT', `${ERP}/payment-rules`, rules), '200')
  for (const [fullname, section] of [
    ['Kabir Rao', 'B'],
    ['Meera Iyer', ' b '],
    ['Arjun Nair', 'C'],
  ] as const)
    await desk.register({ fullname, grade: '5', section })
})

async function fileOf(query: string): Promise<Buffer> {
  const answer = await fetch(`${bursar.url}${MONEY}/class-sheets?${query}`, {
    headers: { cookie: finance.cookie ?? '' },
  })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

test('those who owe can be narrowed to a section, however it is written', async () => {
  const names = async (query: string): Promise<string[]> => {
    const { body } = await viewer.get(`${MONEY}/defaulters?${query}`)
    return body.data.map((row: Json) => row.fullname).toSorted()
  }
  assert.deepEqual(await names('grade=5&section=B'), ['Kabir Rao', 'Meera Iyer'])
  assert.deepEqual(await names('section=c&sort=fullname'), ['Arjun Nair'])
  assert.equal((await viewer.get(`${MONEY}/defaulters/count?section=b`)).body.data.count, 2)
  const { body } = await viewer.get(`${MONEY}/defaulters?section=B&limit=1`)
  const next = await viewer.get(`${MONEY}/defaulters?section=B&limit=1&cursor=${body.next_cursor}`)
  assert.deepEqual([body.has_more, next.body.data.length, next.body.has_more], [true, 1, false])
})

test('each class has a sheet with those of it who are late, as PDF and as spreadsheet', async () => {
  const { body } = await viewer.get(`${MONEY}/classes`)
  assert.deepEqual(
    body.data.map(({ title, late, owed }: Json) => [title, late, owed]),
    [
      ['5 B', 2, 120_000],
      ['5 C', 1, 60_000],
    ],
  )
  const pdf = readPdf(await fileOf('format=pdf'))
  assert.equal(pdf.pages.length, 2)
  const texts = pdf.pages.map(page => page.map(({ text }) => text).join(' '))
  assert.match(texts[0] ?? '', /Kabir Rao.*Meera Iyer.*1,20,000\.00/s)
  assert.doesNotMatch(texts[0] ?? '', /Arjun Nair/)
  assert.match(texts[1] ?? '', /Arjun Nair/)
  assert.equal((await fileOf('format=xlsx&section=C')).subarray(0, 2).toString(), 'PK')
  assertAnswer(await viewer.get(`${MONEY}/class-sheets?format=pdf&section=Z`), '409 HUE00002')
  const [noted] = (await owner.get(`${SCHOOL}/audit?about=class-sheets&limit=1`)).body.data
  assert.equal(noted.what, 'report.exported')
})

test('a child that has a record of the next year already is in the class of this one, with all that it owes', async () => {
  const { academic_year_start: year } = (await viewer.get(`${MONEY}/demand`)).body.data
  const ids: string[] = []
  for (const [start, grade] of [
    [year, '7'],
    [year + 1, '8'],
  ]) {
    const years = { academic_year_start: String(start), academic_year_end: String(start + 1) }
    const child = { fullname: 'Isha Bose', identifier: 'TWO-YEARS', grade, section: 'A' }
    ids.push(await desk.register({ ...child, ...years }))
  }
  const classes = (await viewer.get(`${MONEY}/classes`)).body.data
  const own = classes.filter((one: Json) => ['7', '8'].includes(one.grade))
  assert.deepEqual(
    own.map(({ title, students, late, owed }: Json) => [title, students, late, owed]),
    [['7 A', 1, 1, 120_000]],
  )
  const { groups } = (await viewer.get(`${MONEY}/ageing?by=grade`)).body.data
  const byGrade = groups.filter(({ key }: Json) => ['7', '8'].includes(key))
  assert.deepEqual(
    byGrade.map(({ key, students, total }: Json) => [key, students, total]),
    [['7', 1, 120_000]],
  )
  assert.equal((await viewer.get(`${MONEY}/ageing?grade=7`)).body.data.total.total, 120_000)
  const next = (await viewer.get(`${MONEY}/ageing?by=grade&academic_year_start=${year + 1}`)).body.data
  assert.deepEqual(
    next.groups.map(({ key, students, total }: Json) => [key, students, total]),
    [['8', 1, 60_000]],
  )
  for (const id of ids)
    assertAnswer(
      await finance.post(`${SCHOOL}/students/${id}/status`, { status: 'dropped', reason: 'Left' }),
      '200',
    )
})

test('on its day each class teacher is mailed the own class once, as a file, and nobody else', async () => {
  const schedule = { what: 'class_sheets', every: 'week', day: 1 }
  assertAnswer(await owner.post(`${MONEY}/report-mails`, schedule), '409 HUE00002')
  const teacher = { collector_code: 'MAIN', grade: '5', section: 'b', name: 'Meena Pillai' }
  const put = (body: object) => finance.send('PUT', `${MONEY}/classes/teacher`, body)
  assertAnswer(await viewer.send('PUT', `${MONEY}/classes/teacher`, teacher), '403 AUE00001')
  assertAnswer(await put({ ...teacher, section: 'Z' }), '404 HUE00001')
  assertAnswer(await put({ ...teacher, name: '', email: 'm@school.example' }), '400 HUE00000')
  const [{ collector_code }] = (await viewer.get(`${MONEY}/classes`)).body.data
  assertAnswer(await put({ ...teacher, collector_code, email: 'meena@school.example' }), '200')
  assertAnswer(await put({ ...teacher, collector_code, email: 'pillai@school.example' }), '200')
  assertAnswer(await finance.post(`${MONEY}/report-mails`, schedule), '403 AUE00001')
  assertAnswer(
    await owner.post(`${MONEY}/report-mails`, { ...schedule, recipients: ['a@b.in'] }),
    '400 HUE00000',
  )
  const { body } = await owner.post(`${MONEY}/report-mails`, schedule)
  const to = new Date(new Date(body.data.next_at).getTime() + 3_600_000).toISOString()
  assertAnswer(await bursar.demo.post('/api/v1/sandbox/clock', { to }), '200')
  const mailsTo = async (address: string): Promise<Json[]> =>
    (await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${address}`)).body.data
  assert.equal((await mailsTo('meena@school.example')).length, 0)
  const [mail, ...others] = await mailsTo('pillai@school.example')
  assert.deepEqual(others, [])
  assert.match(mail.text, /Dear Meena Pillai,[\s\S]*2 students had fees overdue.*₹1,20,000\.00/)
  const page = await (await fetch(`${bursar.url}/sandbox/mailbox?to=pillai@school.example`)).text()
  const address = /href="(\/sandbox\/mailbox\/\d+\/msg_\w+\/attachment)"/.exec(page)?.[1] ?? ''
  const file = readPdf(Buffer.from(await (await fetch(bursar.url + address)).arrayBuffer()))
  assert.match(file.text, /Kabir Rao/)
  assert.match(file.text, /Meena Pillai/)
  assert.doesNotMatch(file.text, /Arjun Nair/)
})

test('orders, payments, receipts and cheques can be narrowed to a class and a section', async () => {
  const { body } = await viewer.get(`${SCHOOL}/students?section=C`)
  const [{ service_student_id: id }] = body.data
  const taken = await finance.post(`${SCHOOL}/students/${id}/payments`, {
    amount: 100,
    paid_at: daysAgo(1),
    mode: 'cheque',
    instrument: { number: '004512', bank: 'HDFC Bank', date: daysAgo(1) },
    fee_components: [{ component_type: 'TUITION_FEE', amount: 100 }],
  })
  assertAnswer(taken, '201')
  const details = [{ component_type: 'TUITION_FEE', amount: 50 }]
  const order = await bursar.demo.post(`${PAY}/orders`, sampleOrder({ service_student_id: id, details }))
  assertAnswer(order, '201')
  for (const list of ['orders', 'money/payments', 'money/receipts', 'counter/cheques']) {
    const count = async (query: string): Promise<number> =>
      (await viewer.get(`${SCHOOL}/${list}?${query}`)).body.data.length
    assert.deepEqual(
      [
        await count('grade=5'),
        await count('section=c'),
        await count('grade=5&section=B'),
        await count('grade=6'),
      ],
      [1, 1, 0, 0],
      list,
    )
    const { count: counted } = (await viewer.get(`${SCHOOL}/${list}/count?section=C`)).body.data
    assert.equal(counted, 1, list)
  }
})

const child: fc.Arbitrary<LateChild> = fc.record({
  studentId: fc.constant('student_1'),
  collectorCode: fc.constantFrom('MAIN', 'EAST'),
  grade: fc.constantFrom('5', ' 5', 'LKG', 'lkg'),
  section: fc.constantFrom('', 'A', 'a ', 'B'),
  fullname: fc.string({ maxLength: 6 }),
  identifier: fc.constantFrom('1', '2', '3'),
  contactName: fc.constant('Asha'),
  contactNumber: fc.constant('98'),
  owedPaise: fc.integer({ min: 1, max: 1_000 }).map(paiseOf),
  onTheWayPaise: fc.integer({ min: 0, max: 1_000 }).map(paiseOf),
  oldestDueOn: fc.option(fc.constantFrom('2026-04-01', '2026-05-01')),
})

test('sheets hold all that is owed, each child of a class once, and names of spreadsheets are allowed and differ', () => {
  fc.assert(
    fc.property(fc.array(child, { maxLength: 20 }), late => {
      const sheets = sheetsOf(late)
      assert.equal(sumPaise(sheets.map(one => one.owedPaise)), sumPaise(late.map(one => one.owedPaise)))
      assert.equal(new Set(sheets.map(classKey)).size, sheets.length)
      for (const { children } of sheets)
        assert.equal(new Set(children.map(one => one.identifier)).size, children.length)
      for (const one of sheets)
        assert.equal(classKey(readAttachmentName(attachmentName(one)) ?? one), classKey(one))
    }),
  )
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'A', '/', ' ', '[', '5'), maxLength: 40 })),
      titles => {
        const names = sheetNames(titles)
        assert.equal(new Set(names.map(name => name.toLowerCase())).size, titles.length)
        for (const name of names) assert.match(name, /^[^[\]:*?/\\']{1,31}$/)
      },
    ),
  )
  assert.equal(readAttachmentName('pay_1'), null)
})
