import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { SCHOOL, StudentDesk, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const CHEQUES = `${SCHOOL}/counter/cheques`
const DEPOSITS = `${SCHOOL}/counter/deposits`
const account: string = (await finance.post(`${SCHOOL}/bank-accounts`, { name: 'HDFC current' })).body.data.id

let lastNumber = 4_500

async function takeCheque(studentId: string, amount: number): Promise<Json> {
  const number = String(++lastNumber)
  const answer = await finance.post(`${STUDENTS}/${studentId}/payments`, {
    amount,
    paid_at: '2026-11-16T10:00:00Z',
    mode: 'cheque',
    fee_components: [{ component_type: 'TUITION_FEE', amount }],
    instrument: { number, bank: 'Canara Bank', date: '2026-11-15' },
  })
  assertAnswer(answer, '201')
  return { ...answer.body.data, number }
}

async function takeCash(amount: number): Promise<void> {
  const answer = await finance.post(`${STUDENTS}/${await desk.register()}/payments`, {
    amount,
    paid_at: '2026-11-16T10:00:00Z',
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount }],
  })
  assertAnswer(answer, '201')
}

const depositNotes = (count: number): Promise<Answer> =>
  finance.post(DEPOSITS, { account_id: account, denominations: [{ value: 500, count }] })

async function chequeOf({ number }: Json): Promise<Json> {
  const { body } = await viewer.get(`${CHEQUES}?number=${number}`)
  assert.equal(body.data.length, 1)
  return body.data[0]
}

const bounce = (id: string, changes: Json = {}): Promise<Answer> =>
  finance.post(`${CHEQUES}/${id}/bounce`, { reason: 'Funds insufficient', ...changes })
const duesOf = async (id: string): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data

test('a cheque goes from the office to the bank with a slip and is cleared', async () => {
  const id = await desk.register()
  const [one, two] = [await takeCheque(id, 1_000), await takeCheque(id, 2_500)]
  assert.equal((await chequeOf(one)).state, 'in_hand')
  const made = await finance.post(DEPOSITS, { account_id: account, cheques: [one.id, two.id] })
  assertAnswer(made, '201')
  const { id: deposit, slip_number: slip, amount, cheque_count: count } = made.body.data
  assert.deepEqual([amount, count], [3_500, 2])
  const shown = await chequeOf(two)
  assert.deepEqual([shown.state, shown.slip_number], ['deposited', slip])
  assert.equal((await viewer.get(`${DEPOSITS}/${deposit}/pdf`)).text.slice(0, 5), '%PDF-')
  assertAnswer(await finance.post(DEPOSITS, { account_id: account, cheques: [one.id] }), '409 HUE00002')
  assertAnswer(await finance.post(`${CHEQUES}/${one.id}/clear`, {}), '200')
  assertAnswer(await finance.post(`${CHEQUES}/${one.id}/clear`, {}), '409 HUE00002')
  assert.equal((await chequeOf(one)).state, 'cleared')
  const refused = await finance.send('DELETE', `${DEPOSITS}/${deposit}`, { reason: 'Not taken' })
  assertAnswer(refused, '409 HUE00002')
})

test('a bounced cheque makes the fees due again, cancels the receipt and charges the family once', async () => {
  const id = await desk.register()
  const before = (await duesOf(id)).total_amount
  const cheque = await takeCheque(id, 4_000)
  assert.equal((await duesOf(id)).total_amount, before - 4_000)
  assertAnswer(await bounce(cheque.id, { charge_amount: 350 }), '200')
  const dues = await duesOf(id)
  assert.equal(dues.total_amount, before + 350)
  assert.ok(dues.components.some((line: Json) => line.component_type === 'CHEQUE_BOUNCE_CHARGE'))
  const receipts = `${SCHOOL}/money/receipts?number=${encodeURIComponent(cheque.receipt_number)}`
  const [receipt] = (await viewer.get(receipts)).body.data
  assert.equal(receipt.cancel_reason, `The cheque ${cheque.number} bounced: Funds insufficient`)
  assertAnswer(await bounce(cheque.id, { charge_amount: 350 }), '409 HUE00002')
  assert.equal((await duesOf(id)).total_amount, before + 350)
  const shown = await chequeOf(cheque)
  assert.deepEqual([shown.state, shown.bounce_reason], ['bounced', 'Funds insufficient'])
})

test('of two who bounce one cheque at the same moment one is told that it bounced already', async () => {
  const id = await desk.register()
  const before = (await duesOf(id)).total_amount
  const cheque = await takeCheque(id, 700)
  const answers = await Promise.all([1, 2, 3].map(() => bounce(cheque.id, { charge_amount: 100 })))
  assert.deepEqual(
    answers.map(one => one.status).toSorted((one, other) => one - other),
    [200, 409, 409],
  )
  assert.equal((await duesOf(id)).total_amount, before + 100)
})

test('a cancelled deposit leaves its cheques in the office, and slips keep their numbers', async () => {
  const id = await desk.register()
  const cheque = await takeCheque(id, 900)
  const first = (await finance.post(DEPOSITS, { account_id: account, cheques: [cheque.id] })).body.data
  const gone = await finance.send('DELETE', `${DEPOSITS}/${first.id}`, { reason: 'The bank was closed' })
  assertAnswer(gone, '200')
  assert.equal((await chequeOf(cheque)).state, 'in_hand')
  const next = await finance.post(DEPOSITS, { account_id: account, cheques: [cheque.id] })
  assertAnswer(next, '201')
  assert.equal(next.body.data.slip_number, first.slip_number + 1)
})

test('a slip is of cash or of cheques, of an account of the institute, and not for viewers', async () => {
  const cheque = await takeCheque(await desk.register(), 100)
  const denominations = [
    { value: 500, count: 3 },
    { value: 10, count: 2 },
  ]
  const send = (body: Json): Promise<Answer> => finance.post(DEPOSITS, { account_id: account, ...body })
  assertAnswer(await send({}), '400 HUE00000')
  assertAnswer(await send({ denominations, cheques: [cheque.id] }), '400 HUE00000')
  assertAnswer(await send({ denominations, account_id: 'acct_unknown' }), '400 HUE00000')
  assertAnswer(await send({ cheques: ['pay_unknown'] }), '404 HUE00001')
  assertAnswer(await viewer.post(DEPOSITS, { account_id: account, denominations }), '403 AUE00001')
  const inHand = async (): Promise<number> =>
    (await viewer.get(`${SCHOOL}/counter/cash-in-hand`)).body.data.amount
  await takeCash(1_520.5)
  const before = await inHand()
  const cash = await send({ denominations })
  assertAnswer(cash, '201')
  assert.deepEqual([cash.body.data.kind, cash.body.data.amount], ['cash', 1_520])
  assert.equal(await inHand(), before - 1_520)
})

test('a slip of more cash than there is is refused with the sum that is there, of two at once too', async () => {
  const { amount } = (await viewer.get(`${SCHOOL}/counter/cash-in-hand`)).body.data
  await takeCash(1_000.75 - amount)
  const refused = await depositNotes(3)
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.text, /₹1,000\.75 of cash taken at the counter is not deposited yet.*₹1,500\.00/)
  const both = await Promise.all([depositNotes(2), depositNotes(2)])
  assert.deepEqual(both.map(one => String(one.status)).toSorted(), ['201', '409'])
  assert.equal((await viewer.get(`${SCHOOL}/counter/cash-in-hand`)).body.data.amount, 0.75)
})
