import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { readPdf } from '../../receipts/read-pdf.ts'
import { assertAnswer, createPerson } from '../support.ts'
import { SCHOOL, StudentDesk } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const COUNTER = `${SCHOOL}/counter`

const fees = [
  { component_type: 'TUITION_FEE', fee_amount: 12_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 3_000 },
]

async function family(): Promise<{ ids: [string, string]; identifier: string; phone: string }> {
  const parent = desk.nextParent()
  const phone = `98${String(7_000_000 + Number(parent.split('-')[1]))}`.padEnd(10, '1')
  const changes = { primary_contact_number: phone }
  const identifier = `FAM-${parent}`
  const first = await desk.register({ ...changes, identifier, fullname: 'Kabir Rao' }, { parent, fees })
  const second = await desk.register({ ...changes, fullname: 'Meera Rao' }, { parent, fees })
  return { ids: [first, second], identifier, phone }
}

const tuition = (id: string, amount: number): Json => ({
  service_student_id: id,
  fee_components: [{ component_type: 'TUITION_FEE', amount }],
})
const take = (children: Json[], ways: Json[], changes: Json = {}): Promise<Answer> =>
  finance.post(`${COUNTER}/takings`, { children, ways, ...changes })
const owed = async (id: string): Promise<number> =>
  (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount
async function textOfPdf(path: string): Promise<string> {
  const response = await fetch(bursar.url + path, { headers: { cookie: viewer.cookie ?? '' } })
  assert.equal(response.status, 200)
  return readPdf(Buffer.from(await response.arrayBuffer())).text
}

const numberOf = (receipt: string): number => Number(receipt.split('/')[1])
const firstNumber = (answer: Answer): number => numberOf(answer.body.data.payments[0].receipt_number)
const cheque = (amount: number, number: string): Json => ({
  mode: 'cheque',
  amount,
  instrument: { number, bank: 'Canara Bank', date: '2026-11-16' },
})

test('among several families each child stands once, in the class and section of the running year', async () => {
  const years = [2025, 2026, 2027]
  for (const [fullname, phone] of [
    ['Twin Kapoor', '9811100001'],
    ['Other Kapoor', '9811100002'],
  ] as const) {
    const [parent, identifier] = [desk.nextParent(), `KAP-${phone.at(-1)}`]
    for (const start of years) {
      const year = { academic_year_start: start, academic_year_end: start + 1 }
      const place = { grade: String(start - 2020), section: 'B' }
      await desk.register(
        { ...year, ...place, identifier, fullname, primary_contact_number: phone },
        { parent, fees },
      )
    }
  }
  const found = await viewer.get(`${COUNTER}/families?q=kapoor`)
  assertAnswer(found, '200')
  const children = found.body.data.map((one: Json) => one.children)
  assert.deepEqual(
    children
      .map((ofFamily: Json[]) => ofFamily.map(one => [one.fullname, one.grade, one.section]))
      .toSorted(),
    [[['Other Kapoor', '6', 'B']], [['Twin Kapoor', '6', 'B']]],
  )
})

test('one family is found by a receipt, an admission number and a phone, with all its children and what they owe', async () => {
  const { ids, identifier, phone } = await family()
  const taken = await take([tuition(ids[0], 100)], [{ mode: 'cash', amount: 100 }])
  assertAnswer(taken, '201')
  const [{ receipt_number: receipt }] = taken.body.data.payments
  for (const typed of [receipt, receipt.replace('/', '-'), identifier, phone]) {
    const found = await viewer.get(`${COUNTER}/families?q=${encodeURIComponent(typed)}`)
    assertAnswer(found, '200')
    assert.equal(found.body.data.length, 1, typed)
    const [{ service_student_id: id }] = found.body.data
    assert.ok(ids.includes(id))
    const { body } = await viewer.get(`${COUNTER}/families/${id}`)
    const sums = body.data.children.map((child: Json) =>
      child.fees.map((fee: Json) => fee.everything_amount).reduce((sum: number, one: number) => sum + one, 0),
    )
    assert.deepEqual(sums.toSorted(), [14_900, 15_000])
  }
  assert.deepEqual((await viewer.get(`${COUNTER}/families?q=nobody-at-all`)).body.data, [])
})

test('cash, a cheque and UPI pay for two children at once: exact for each, numbers without a gap, one paper', async () => {
  const { ids } = await family()
  const taken = await take(
    [tuition(ids[0], 12_000), tuition(ids[1], 8_000)],
    [
      { mode: 'cash', amount: 5_000 },
      cheque(10_000, '004512'),
      { mode: 'upi', amount: 5_000, reference: 'UPI-7' },
    ],
  )
  assertAnswer(taken, '201')
  const { id, payments } = taken.body.data
  assert.deepEqual(
    payments.map((one: Json) => [one.service_student_id, one.mode, one.amount]),
    [
      [ids[0], 'cash', 5_000],
      [ids[0], 'cheque', 7_000],
      [ids[1], 'cheque', 3_000],
      [ids[1], 'upi', 5_000],
    ],
  )
  const numbers: number[] = payments.map((one: Json) => numberOf(one.receipt_number))
  assert.deepEqual(
    numbers,
    numbers.map((_one, index) => (numbers[0] ?? 0) + index),
  )
  assert.deepEqual(await Promise.all(ids.map(owed)), [3_000, 7_000])
  const text = await textOfPdf(`${COUNTER}/takings/${id}/pdf`)
  for (const part of [
    'Kabir Rao',
    'Meera Rao',
    '004512, Canara Bank',
    'UPI-7',
    '₹20,000.00',
    'Subject to realisation',
  ])
    assert.ok(text.includes(part), `${part} is not in:\n${text}`)
  for (const { receipt_number: receipt } of payments) assert.ok(text.includes(receipt))
  assert.doesNotMatch(text, /@school\.example/, 'people of the office stand there by their names')
  assert.equal((await desk.lastAct(ids[1])).what, 'payment.recorded')
})

test('what cannot be taken for one child is taken for none, and no number is lost', async () => {
  const { ids } = await family()
  const before = await take([tuition(ids[0], 100)], [{ mode: 'cash', amount: 100 }])
  const both = [tuition(ids[0], 1_000), { ...tuition(ids[1], 1_000), shown_owed_amount: 99_000 }]
  assertAnswer(await take(both, [{ mode: 'cash', amount: 2_000 }]), '409 HUE00002')
  assertAnswer(await take(both, [{ mode: 'cash', amount: 1_999 }]), '400 HUE00000')
  assertAnswer(
    await take([tuition(ids[0], 5), tuition(ids[0], 5)], [{ mode: 'cash', amount: 10 }]),
    '400 HUE00000',
  )
  assertAnswer(await take([tuition('student_gone', 5)], [{ mode: 'cash', amount: 5 }]), '404 HUE00001')
  const upi = [{ mode: 'upi', amount: 100, reference: `UPI-${ids[0]}` }]
  assertAnswer(await take([tuition(ids[0], 100)], upi), '201')
  assertAnswer(await take([tuition(ids[0], 100)], upi), '409 HUE00002')
  assert.deepEqual(await Promise.all(ids.map(owed)), [14_800, 15_000])
  const next = await take([tuition(ids[1], 100)], [{ mode: 'cash', amount: 100 }])
  assert.equal(firstNumber(next), firstNumber(before) + 2)
})

test('a cheque for two children bounces as one: both owe again, the charge comes once, and the cash stands', async () => {
  const { ids } = await family()
  const taken = await take(
    [tuition(ids[0], 2_000), tuition(ids[1], 3_000)],
    [{ mode: 'cash', amount: 1_000 }, cheque(4_000, '004513')],
  )
  const { id, payments } = taken.body.data
  const bounced = await finance.post(`${COUNTER}/cheques/${payments[2].id}/bounce`, {
    reason: 'Funds insufficient',
    charge_amount: 300,
  })
  assertAnswer(bounced, '200')
  assert.deepEqual(await Promise.all(ids.map(owed)), [14_000, 15_300])
  const { body } = await viewer.get(`${COUNTER}/cheques?number=004513`)
  assert.deepEqual(
    body.data.map((one: Json) => one.state),
    ['bounced', 'bounced'],
  )
  const text = await textOfPdf(`${COUNTER}/takings/${id}/pdf`)
  assert.equal([...text.matchAll(/CANCELLED: receipt/g)].length, 2)
})

test('a school gives a family one paper or a receipt for each child, as it has set, and either can be printed', async () => {
  const { ids } = await family()
  const taken = await take(
    [tuition(ids[0], 2_000), tuition(ids[1], 3_000)],
    [{ mode: 'cash', amount: 5_000 }],
  )
  const paper = `${COUNTER}/takings/${taken.body.data.id}/pdf`
  assert.equal(taken.body.data.family_receipt, 'together')
  assert.match(await textOfPdf(paper), /Fee receipt of the family/)
  await bursar.sql("update institutes set family_receipt = 'each' where code = 'demo-school'")
  const text = await textOfPdf(paper)
  assert.doesNotMatch(text, /of the family/)
  for (const { receipt_number: receipt } of taken.body.data.payments)
    assert.match(text, new RegExp(`Receipt ${receipt}\\n`))
  assert.equal([...text.matchAll(/Page 1 of 1/g)].length, 2)
  assert.match(await textOfPdf(`${paper}?how=together`), /Fee receipt of the family/)
  await bursar.sql("update institutes set family_receipt = 'together' where code = 'demo-school'")
})

test('a cheque for two children is one cheque on the deposit slip', async () => {
  const { ids } = await family()
  const taken = await take([tuition(ids[0], 2_000), tuition(ids[1], 3_000)], [cheque(5_000, '004514')])
  const [first, second] = taken.body.data.payments
  const account = (await finance.post(`${SCHOOL}/bank-accounts`, { name: 'HDFC current' })).body.data.id
  const made = await finance.post(`${COUNTER}/deposits`, { account_id: account, cheques: [first.id] })
  assertAnswer(made, '201')
  assert.deepEqual([made.body.data.amount, made.body.data.cheque_count], [5_000, 1])
  const { body } = await viewer.get(`${COUNTER}/cheques?number=004514`)
  assert.deepEqual(new Set(body.data.map((one: Json) => one.cheque_id)).size, 1)
  const text = await textOfPdf(`${COUNTER}/deposits/${made.body.data.id}/pdf`)
  assert.match(text, /1 in all/)
  assert.equal([...text.matchAll(/004514/g)].length, 1)
  assert.ok(text.includes('₹5,000.00') && !text.includes('₹3,000.00'))
  assertAnswer(await finance.post(`${COUNTER}/cheques/${second.id}/clear`, {}), '200')
})

test('a family of another school is not found, and its takings are not printed', async () => {
  const { ids, identifier } = await family()
  const taken = await take([tuition(ids[0], 100)], [{ mode: 'cash', amount: 100 }])
  const stranger = await createPerson(bursar, {
    email: 'finance@other.example',
    institute: 'demo-group',
    role: 'finance',
  })
  const elsewhere = COUNTER.replace('demo-school', 'demo-group')
  assertAnswer(await stranger.get(`${elsewhere}/takings/${taken.body.data.id}/pdf`), '404 HUE00001')
  assertAnswer(await stranger.get(`${elsewhere}/families/${ids[0]}`), '404 HUE00001')
  assert.deepEqual((await stranger.get(`${elsewhere}/families?q=${identifier}`)).body.data, [])
  const sent = { children: [tuition(ids[0], 100)], ways: [{ mode: 'cash', amount: 100 }] }
  assertAnswer(await stranger.post(`${elsewhere}/takings`, sent), '404 HUE00001')
})
