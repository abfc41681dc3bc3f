import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { yearEnd } from '../../src/app/jobs.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { dropsEveryFee, replaceFees } from '../../src/students/profile/profile.rules.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { SCHOOL, STUDENTS, StudentDesk, TUITION } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { readPdf } from '../receipts/read-pdf.ts'

const desk = await StudentDesk.open(after)
const { owner, finance, viewer } = desk
const { demo } = desk.bursar
const CAUTION = { component_type: 'CAUTION_DEPOSIT', fee_amount: 5_000 }

const pay = async (id: string, parts: Record<string, number>): Promise<string> => {
  const fee_components = Object.entries(parts).map(([component_type, amount]) => ({ component_type, amount }))
  const amount = Object.values(parts).reduce((sum, one) => sum + one, 0)
  const sent = { amount, paid_at: '2026-11-01', mode: 'cash', fee_components }
  const answer = await finance.post(`${STUDENTS}/${id}/payments`, sent)
  assertAnswer(answer, '201')
  return answer.body.data.transaction_id
}

const held = async (): Promise<Json[]> => {
  const { body } = await viewer.get(`${SCHOOL}/money/deposits`)
  return body.data.map((one: Json) => [one.service_student_id, one.component_type, one.held_amount])
}

const giveBack = (id: string, body: Json = {}) =>
  finance.post(`${STUDENTS}/${id}/deposit-returns`, {
    component_type: 'CAUTION_DEPOSIT',
    reason: 'Left the school',
    ...body,
  })

const dues = async (id: string): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data

let kabir = ''
let paidBy = ''

test('an owner says which fees are deposits, and what is paid of them is held for the child', async () => {
  kabir = await desk.register({}, { fees: [TUITION, CAUTION] })
  const marked = { component_types: ['CAUTION_DEPOSIT'] }
  assert.equal((await finance.send('PUT', `${SCHOOL}/deposit-fees`, marked)).status, 403)
  assertAnswer(await owner.send('PUT', `${SCHOOL}/deposit-fees`, marked), '200')
  assert.deepEqual((await viewer.get(`${SCHOOL}/deposit-fees`)).body.data, marked)
  assert.deepEqual(await held(), [])
  paidBy = await pay(kabir, { CAUTION_DEPOSIT: 5_000, TUITION_FEE: 1_000 })
  assert.deepEqual(await held(), [[kabir, 'CAUTION_DEPOSIT', 5_000]])
})

test('a deposit is no income: the certificate of fees leaves it out and Tally has it as a liability', async () => {
  const file = await viewer.get(`${SCHOOL}/money/tally-ledgers/export?format=tally`)
  assert.match(file.text, /<LEDGER NAME="Caution deposit" [\s\S]*?<PARENT>Current Liabilities<\/PARENT>/)
  const meera = await desk.register({}, { fees: [TUITION, CAUTION] })
  const certificate = () => viewer.get(`${STUDENTS}/${meera}/fee-certificate?financial_year=2026-27`)
  await pay(meera, { CAUTION_DEPOSIT: 5_000 })
  assertAnswer(await certificate(), '409 HUE00002')
  const page = await viewer.get(`${SCHOOL}/money/deposits?limit=1`)
  const next = await viewer.get(`${SCHOOL}/money/deposits?limit=1&cursor=${page.body.next_cursor}`)
  assert.equal(next.body.data[0].service_student_id, meera)
  await pay(meera, { TUITION_FEE: 100 })
  assert.equal((await certificate()).status, 200)
  assertAnswer(await giveBack(meera), '201')
})

test('what is given back is an advance, asked for no more, and paid out with a voucher', async () => {
  assertAnswer(await giveBack(kabir, { amount: 6_000 }), '400 HUE00000')
  assertAnswer(await giveBack(kabir, { component_type: 'TUITION_FEE' }), '400 HUE00000')
  const part = await giveBack(kabir, { amount: 2_000 })
  assertAnswer(part, '201')
  assert.deepEqual(part.body.data, [{ component_type: 'CAUTION_DEPOSIT', amount: 2_000 }])
  assert.deepEqual(await held(), [[kabir, 'CAUTION_DEPOSIT', 3_000]])
  const { total_amount, advance_amount } = await dues(kabir)
  assert.deepEqual([total_amount, advance_amount], [59_000, 2_000])
  const refund = await finance.post(`${STUDENTS}/${kabir}/payments/${paidBy}/refunds`, {
    amount: 2_000,
    way: 'cash',
    reason: 'Deposit returned',
  })
  assertAnswer(refund, '201')
  assert.deepEqual(refund.body.data.details, [{ component_type: 'CAUTION_DEPOSIT', amount: 2_000 }])
  const after = await dues(kabir)
  assert.deepEqual([after.total_amount, after.advance_amount], [59_000, 0])
  assert.deepEqual(await held(), [[kabir, 'CAUTION_DEPOSIT', 3_000]])
  const { text } = await demo.get(`${ERP}/students/${kabir}/fee`)
  assert.match(text, /"note":"Left the school"/)
})

test('or it pays what the child owes', async () => {
  assertAnswer(await giveBack(kabir), '201')
  assertAnswer(await finance.post(`${STUDENTS}/${kabir}/advance-uses`, { reason: 'Set off' }), '201')
  const { total_amount, advance_amount } = await dues(kabir)
  assert.deepEqual([total_amount, advance_amount], [56_000, 0])
  assert.deepEqual(await held(), [])
  assertAnswer(await giveBack(kabir), '400 HUE00000')
})

test('what was given back is not charged again, neither by the structure nor by the ERP', async () => {
  const YEAR = `${SCHOOL}/fee-structures/2026/2027`
  const structure = {
    terms: [{ name: 'Term 1', due_date: '2026-06-10' }],
    fee_heads: ['CAUTION_DEPOSIT'],
    grades: ['5'],
    amounts: [{ grade: '5', component_type: 'CAUTION_DEPOSIT', term: 1, amount: 5_000 }],
    concessions: [],
  }
  assertAnswer(await finance.send('PUT', YEAR, structure), '200')
  assertAnswer(await finance.post(`${YEAR}/apply`, { grade: '5' }), '200')
  const { components } = await dues(kabir)
  assert.equal(components.find((one: Json) => one.component_type === 'CAUTION_DEPOSIT').fee_amount, 0)
  const stored = { componentType: 'CAUTION_DEPOSIT', position: 1, feePaise: paiseOf(0), discounts: [] }
  const sent = { componentType: 'CAUTION_DEPOSIT', feePaise: paiseOf(500_000) }
  const pulled = (returned: number) =>
    replaceFees([stored], [sent], new Map([['CAUTION_DEPOSIT', paiseOf(-returned)]]))
  assert.deepEqual(pulled(500_000), [])
  assert.equal(pulled(200_000)[0]?.after.feePaise, 300_000)
  const noFees = {
    student: {} as never,
    fees: [stored],
    ownCharges: new Map([['CAUTION_DEPOSIT', paiseOf(-5)]]),
  }
  assert.equal(dropsEveryFee(noFees, []), false)
})

const mark = (...component_types: string[]) =>
  owner.send('PUT', `${SCHOOL}/deposit-fees`, { component_types })

/** Like the process's own job, which may take part. */
async function roll(grade: string): Promise<void> {
  const answer = await demo.post(`${ERP}/academic-years/rollover`, {
    from_academic_year_start: 2026,
    from_academic_year_end: 2027,
    to_academic_year_start: 2027,
    to_academic_year_end: 2028,
    grades: [{ grade, next_grade: '12' }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
  })
  assertAnswer(answer, '201')
  for (;;) {
    await advanceRollovers(desk.bursar.app.ctx, yearEnd)
    const { body } = await demo.get(`${ERP}/academic-years/rollover/${answer.body.data.id}`)
    if (body.data.state === 'done') return
  }
}

test('what is owed of a deposit is not held because a later year asks for it, and stays a deposit', async () => {
  const fees = [{ ...TUITION, fee_amount: 10_000 }, CAUTION]
  assertAnswer(await mark(), '200')
  const before = await desk.register({ grade: '10' }, { fees })
  await pay(before, { CAUTION_DEPOSIT: 2_000 })
  await roll('10')
  assertAnswer(await mark('CAUTION_DEPOSIT'), '200')
  assert.deepEqual(await held(), [[before, 'CAUTION_DEPOSIT', 2_000]])
  assertAnswer(await giveBack(before, { amount: 2_000.01 }), '400 HUE00000')
  assertAnswer(await giveBack(before), '201')
  assert.deepEqual(await held(), [])
  assert.deepEqual([(await dues(before)).total_amount, (await dues(before)).advance_amount], [0, 2_000])

  const since = await desk.register({ grade: '11' }, { fees })
  await pay(since, { CAUTION_DEPOSIT: 1_000 })
  await roll('11')
  assert.equal((await dues(since)).total_amount, 4_000)
  await pay(since, { CAUTION_DEPOSIT: 4_000 })
  assert.deepEqual(await held(), [[since, 'CAUTION_DEPOSIT', 5_000]])
})

test('a return that was a mistake is undone while it stands as an advance: it is held again, and asked for no more', async () => {
  const id = await desk.register({}, { fees: [TUITION, CAUTION] })
  const undo = (body: Json = {}) =>
    finance.post(`${STUDENTS}/${id}/deposit-returns/undo`, {
      component_type: 'CAUTION_DEPOSIT',
      reason: 'The other child left',
      ...body,
    })
  const heldNow = async (): Promise<Json[]> => (await held()).filter(([child]) => child === id)
  const cash = await pay(id, { CAUTION_DEPOSIT: 5_000 })
  assertAnswer(await undo(), '400 HUE00000')
  const before = await dues(id)
  assertAnswer(await giveBack(id), '201')
  assert.deepEqual((await desk.page(id)).undoable_returns, [
    { component_type: 'CAUTION_DEPOSIT', amount: 5_000 },
  ])
  assertAnswer(await undo({ amount: 5_000.01 }), '400 HUE00000')
  const undone = await undo()
  assertAnswer(undone, '201')
  assert.deepEqual([await dues(id), await heldNow()], [before, [[id, 'CAUTION_DEPOSIT', 5_000]]])
  assert.deepEqual((await desk.page(id)).undoable_returns, [])
  assert.equal((await desk.lastAct(id)).what, 'deposit.return_undone')

  assertAnswer(await giveBack(id), '201')
  const refund = { amount: 3_000, way: 'cash', reason: 'Left' }
  assertAnswer(await finance.post(`${STUDENTS}/${id}/payments/${cash}/refunds`, refund), '201')
  assertAnswer(await undo({ amount: 2_001 }), '400 HUE00000')
  assertAnswer(await undo(), '201')
  assert.deepEqual(await heldNow(), [[id, 'CAUTION_DEPOSIT', 2_000]])
  assertAnswer(await undo(), '409 HUE00002')
})

test('a deposit that was set off is a fee that was paid, on the certificate of that year', async () => {
  const id = await desk.register({}, { fees: [TUITION, CAUTION] })
  const certificate = async (): Promise<string> => {
    const address = `${desk.bursar.url}${STUDENTS}/${id}/fee-certificate?financial_year=2026-27`
    const file = await fetch(address, { headers: { cookie: viewer.cookie ?? '' } })
    return file.status === 200 ? readPdf(Buffer.from(await file.arrayBuffer())).text : file.text()
  }
  await pay(id, { CAUTION_DEPOSIT: 5_000 })
  assert.match(await certificate(), /Nothing but deposits was paid/)
  assertAnswer(await giveBack(id), '201')
  assertAnswer(await finance.post(`${STUDENTS}/${id}/advance-uses`, { reason: 'Left' }), '201')
  const text = await certificate()
  for (const part of ['Tuition fee', 'Deposit set off', '₹5,000.00'])
    assert.ok(text.includes(part), `${part} is not in:\n${text}`)
})
