import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { readPdf } from '../../receipts/read-pdf.ts'
import { assertAnswer, createPerson } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const COUNTER = `${SCHOOL}/counter`

const entry = (kind: string, amount: number): Json => ({ kind, amount, note: 'The safe' })
const day = async (): Promise<Json> => (await viewer.get(`${COUNTER}/day`)).body.data

test('a drawer closes with its change and without what was handed over, and nobody hands over more than is in it', async () => {
  const id = await desk.register()
  const fee_components = [{ component_type: 'TUITION_FEE', amount: 5_000 }]
  assertAnswer(await finance.post(`${COUNTER}/drawer`, entry('hand_over', 1)), '400 HUE00000')
  assertAnswer(await finance.post(`${COUNTER}/drawer`, entry('float', 2_000)), '201')
  const paid = { amount: 5_000, paid_at: (await day()).day, mode: 'cash', fee_components }
  assertAnswer(await finance.post(`${STUDENTS}/${id}/payments`, paid), '201')
  assertAnswer(await finance.post(`${COUNTER}/drawer`, entry('hand_over', 7_001)), '400 HUE00000')
  assertAnswer(await finance.post(`${COUNTER}/drawer`, entry('hand_over', 4_000)), '201')
  const { day: today, drawer } = await day()
  assert.deepEqual(
    drawer.map((one: Json) => [one.kind, one.amount]),
    [
      ['float', 2_000],
      ['hand_over', 4_000],
    ],
  )
  const close = { day: today, cashier: 'finance@school.example', denominations: [{ value: 500, count: 6 }] }
  const closed = await finance.post(`${COUNTER}/closings`, close)
  assertAnswer(closed, '201')
  assert.equal(closed.body.data.expected_amount, 3_000)
  const file = await fetch(`${bursar.url}${COUNTER}/day/pdf`, { headers: { cookie: viewer.cookie ?? '' } })
  const { text } = readPdf(Buffer.from(await file.arrayBuffer()))
  for (const part of [
    'Change put in: ₹2,000.00',
    'Handed over: ₹4,000.00',
    '₹500 × 6',
    '₹3,000.00',
    'Checked by',
  ])
    assert.ok(text.includes(part), `${part} is not in:\n${text}`)
  assert.doesNotMatch(text, /@school\.example/)
})

test('a cashier sees the own drawer alone, and reads nothing of others on the sheet', async () => {
  const cashier = await createPerson(bursar, {
    email: 'cashier@school.example',
    institute: 'demo-school',
    role: 'cashier',
  })
  assertAnswer(await cashier.post(`${COUNTER}/drawer`, entry('float', 100)), '201')
  const own = (await cashier.get(`${COUNTER}/day`)).body.data.drawer
  assert.deepEqual(
    own.map((one: Json) => one.amount),
    [100],
  )
  assertAnswer(await viewer.post(`${COUNTER}/drawer`, entry('float', 100)), '403 AUE00001')
})

test('of hand-overs at the same moment no two give on the same cash', async () => {
  const { owner } = desk
  assertAnswer(await owner.post(`${COUNTER}/drawer`, entry('float', 1_000)), '201')
  const all = await Promise.all(
    Array.from({ length: 6 }, () => owner.post(`${COUNTER}/drawer`, entry('hand_over', 1_000))),
  )
  const done = all.filter(({ status }) => status === 201)
  assert.equal(done.length, 1, all.map(({ status }) => status).join(' '))
})

test('cash that was counted is handed over after the close, also days later, and what is taken since is counted alone', async () => {
  const till = await createPerson(bursar, {
    email: 'till@school.example',
    institute: 'demo-school',
    role: 'cashier',
  })
  const id = await desk.register()
  const take = async (amount: number): Promise<void> => {
    const fee_components = [{ component_type: 'TUITION_FEE', amount }]
    const paid = { amount, paid_at: (await day()).day, mode: 'cash', fee_components }
    assertAnswer(await till.post(`${STUDENTS}/${id}/payments`, paid), '201')
  }
  const { day: today } = await day()
  const close = (...notes: number[]) =>
    till.post(`${COUNTER}/closings`, {
      day: today,
      cashier: 'till@school.example',
      denominations: notes.map(value => ({ value, count: 1 })),
    })
  const cash = async (of = today): Promise<Json> =>
    (await till.get(`${COUNTER}/day?day=${of}`)).body.data.cash.find(
      (one: Json) => one.cashier === 'till@school.example',
    )
  const handOver = (amount: number, of = today) =>
    till.post(`${COUNTER}/drawer`, { ...entry('hand_over', amount), day: of })
  await take(500)
  assertAnswer(await close(500), '201')
  assertAnswer(await handOver(300), '201')
  assert.deepEqual(await cash(), {
    cashier: 'till@school.example',
    in_drawer_amount: 200,
    open_amount: 0,
  })
  await take(100)
  const second = await close(100)
  assertAnswer(second, '201')
  assert.equal(second.body.data.expected_amount, 100)

  const tomorrow = Temporal.PlainDate.from(today).add({ days: 1 }).toString()
  assertAnswer(await bursar.demo.post('/api/v1/sandbox/clock', { to: `${tomorrow}T10:00:00+05:30` }), '200')
  const refused = await handOver(300, tomorrow)
  assertAnswer(refused, '400 HUE00000')
  assert.match(refused.text, /cash of an earlier day is handed over on the page of that day/)
  assertAnswer(await handOver(300), '201')
  assert.deepEqual([(await cash()).in_drawer_amount, (await cash()).open_amount], [0, 0])
  const change = { ...entry('float', 100), day: today }
  assertAnswer(await till.post(`${COUNTER}/drawer`, change), '400 HUE00000')
  assertAnswer(await handOver(1, '2099-01-01'), '400 HUE00000')
})
