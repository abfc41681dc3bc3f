import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { SCHOOL, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { BANK, BankDesk, credit } from './support.ts'

const bank = await BankDesk.open(after)
const { desk, today } = bank
const { bursar, finance, viewer } = desk
const { demo } = bursar

const decide = (line: Json, act: string, body: Json): Promise<Answer> =>
  finance.post(`${BANK}/lines/${line.id}/${act}`, body)

const debit = (day: string, text: string, amount: number): string => `${day},${text},,${amount.toFixed(2)},,`

async function owed(id: string): Promise<number> {
  return (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount
}

async function takeCheque(number: string, amount: number): Promise<{ studentId: string; paymentId: string }> {
  const studentId = await desk.register()
  const taken = await finance.post(`${STUDENTS}/${studentId}/payments`, {
    amount,
    paid_at: today,
    mode: 'cheque',
    fee_components: [{ component_type: 'TUITION_FEE', amount }],
    instrument: { number, bank: 'Canara Bank' },
  })
  assertAnswer(taken, '201')
  return { studentId, paymentId: taken.body.data.id }
}

test('a returned cheque on the statement is proposed as the bounce of that cheque, and becomes it by one act', async () => {
  const account = await bank.newAccount()
  const { studentId, paymentId } = await takeCheque('008841', 1_750)
  const other = await takeCheque('008842', 1_750)
  const before = await owed(studentId)
  await bank.add(account, [
    credit(today, 'CLG 8841 CANARA', '8841', 1_750),
    credit(today, 'CLG 8842 CANARA', '8842', 1_750),
    debit(today, 'I/W CHQ RETURN 008841 FUNDS INSUFFICIENT', 1_750),
    debit(today, 'RETURN OF A CHEQUE', 1_750),
    debit(today, 'CHARGES', 1_749),
  ])
  const lines = await bank.linesOf(account)
  const lineOf = (text: string): Json => lines.find(line => line.text.includes(text))
  const [named, unnamed, charges] = ['008841', 'RETURN OF', 'CHARGES'].map(lineOf)
  const proposals = async (line: Json): Promise<Json[]> =>
    (await viewer.get(`${BANK}/lines/${line.id}/returned-cheques`)).body.data
  assert.deepEqual(
    (await proposals(named)).map(one => [one.payment_id, one.is_named, one.state]),
    [[paymentId, true, 'cleared']],
  )
  assert.deepEqual(
    new Set((await proposals(unnamed)).map(one => one.payment_id)),
    new Set([paymentId, other.paymentId]),
  )
  assert.deepEqual(await proposals(charges), [])
  assert.deepEqual(await proposals(lineOf('CLG 8841')), [])

  const bounce = { payment_id: paymentId, reason: 'Funds insufficient', charge_amount: 250 }
  assertAnswer(await viewer.post(`${BANK}/lines/${named.id}/bounce`, bounce), '403 AUE00001')
  assertAnswer(await decide(charges, 'bounce', bounce), '409 HUE00002')
  assert.equal(await owed(studentId), before, 'a refused bounce changes nothing')
  const bounced = await decide(named, 'bounce', bounce)
  assertAnswer(bounced, '200')
  assert.deepEqual(
    [bounced.body.data.state, bounced.body.data.matches[0].kind, bounced.body.data.matches[0].id],
    ['matched', 'cheque_return', paymentId],
  )
  assert.equal(await owed(studentId), before + 1_750 + 250)
  const [cheque] = (await viewer.get(`${SCHOOL}/counter/cheques?number=008841`)).body.data
  assert.deepEqual(
    [cheque.state, cheque.decided_on, cheque.bounce_reason],
    ['bounced', today, 'Funds insufficient'],
  )
  assertAnswer(await decide(unnamed, 'bounce', bounce), '409 HUE00002')
  assert.deepEqual(
    (await proposals(unnamed)).map(one => one.payment_id),
    [other.paymentId],
    'one that bounced is proposed no more',
  )
  // What came in and went out again both stay on their lines.
  const after = (await bank.linesOf(account)).map(line => [line.amount, line.state])
  assert.equal(after.filter(([, state]) => state === 'matched').length, 3)
})

test('a cheque that paid for two children is proposed once, by its whole amount, and bounces for both', async () => {
  const account = await bank.newAccount()
  const ids = [await desk.register(), await desk.register()]
  const taking = await finance.post(`${SCHOOL}/counter/takings`, {
    children: ids.map((service_student_id, index) => ({
      service_student_id,
      fee_components: [{ component_type: 'TUITION_FEE', amount: 1_000 + index }],
    })),
    ways: [{ mode: 'cheque', amount: 2_001, instrument: { number: '008850', bank: 'Canara Bank' } }],
  })
  assertAnswer(taking, '201')
  const before = await Promise.all(ids.map(owed))
  await bank.add(account, [debit(today, 'CHQ RETURN 008850', 2_001)])
  const [line] = await bank.linesOf(account)
  const proposed = (await viewer.get(`${BANK}/lines/${line?.['id']}/returned-cheques`)).body.data
  assert.deepEqual(
    proposed.map((one: Json) => [one.number, one.whole_amount, one.is_named]),
    [['008850', 2_001, true]],
  )
  const bounced = await decide(line ?? {}, 'bounce', {
    payment_id: proposed[0].payment_id,
    reason: 'Funds insufficient',
  })
  assertAnswer(bounced, '200')
  assert.equal(bounced.body.data.matches.length, 2)
  assert.deepEqual(await Promise.all(ids.map(owed)), [(before[0] ?? 0) + 1_000, (before[1] ?? 0) + 1_001])
})
