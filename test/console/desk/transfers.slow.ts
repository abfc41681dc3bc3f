import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { Desk, RAVI, SCHOOL } from './support.ts'
import { uploadFile } from '../orders/support.ts'
import { assertAnswer } from '../support.ts'

/** What a lender transfers to the institute's own bank account, where no provider sees it. */
const desk = await Desk.open({ after })
const { world, finance } = desk
const { bursar } = world

test('a transfer to the institute’s own bank account counts once a person has found it there', async t => {
  t.after(desk.withoutProvider())
  const studentId = await world.student()
  const id = await desk.sent(studentId)
  await desk.approveAndSign(id)
  const LOAN = `${SCHOOL}/loans/${id}`
  const pay = (utr: string): Promise<Answer> => desk.pay(id, utr)
  const confirm = (received: boolean, number = 1): Promise<Answer> =>
    desk.act(id, 'confirm', { number, received })
  assertAnswer(await confirm(true), '404 HUE00001')
  assertAnswer(await pay('NEFT00001'), '200')
  const home = async (): Promise<number> =>
    (await finance.get(`${SCHOOL}/home`)).body.data.transfers_to_confirm
  assert.equal(await home(), 1)
  await world.advance('P3D')
  assert.deepEqual(await desk.mailsTo('meera@school.example.in', id), [
    'To confirm: ₹60,000.00 from Sahakari Bank',
    'Still to confirm: ₹60,000.00 from Sahakari Bank',
  ])
  const { disbursements: tranches, transfers, waits_for: next } = (await finance.get(LOAN)).body.data
  assert.deepEqual([tranches[0].status, transfers[0].is_unconfirmed, next], ['paid_out', true, 'institute'])
  assert.equal((await world.summary(studentId)).outstanding, 60_000)
  assertAnswer(await confirm(false), '200')
  assert.equal(await home(), 0)
  assert.match((await desk.mailsTo(RAVI, id)).join(), /did not find a transfer/)
  assert.equal((await desk.read(id)).disbursements[0].status, 'failed')
  assertAnswer(await pay('NEFT00002'), '200')
  assertAnswer(await confirm(true, 2), '200')
  assertAnswer(await confirm(true, 2), '409 HUE00002')
  const { loan, disbursements } = (await finance.get(LOAN)).body.data
  assert.deepEqual([loan.status, disbursements[0].settlement_utr], ['disbursed', 'NEFT00002'])
  assert.equal((await world.summary(studentId)).outstanding, 0)
  assert.deepEqual((await world.told(id)).filter(code => code === 'loan.disbursed').length, 1)
  // The first one arrives after all: it is the lender's money and counts as an advance.
  assertAnswer(await confirm(true, 1), '200')
  const { paid } = await world.summary(studentId)
  assert.equal(paid, 120_000)
  const utrs = (await finance.get(LOAN)).body.data.transfers.map((one: Json) => one.utr)
  assert.deepEqual(utrs, ['NEFT00001', 'NEFT00002'])
  await world.advance('P1D')
  assert.equal((await world.summary(studentId)).outstanding, 0)
})

test('one transfer that pays for two children is one settlement, and both loans are disbursed', async t => {
  t.after(desk.withoutProvider())
  for (const studentId of [await world.student(), await world.student()]) {
    const id = await desk.sent(studentId)
    await desk.approveAndSign(id)
    assertAnswer(await desk.pay(id, 'HDFCBATCH11582'), '200')
    assertAnswer(await desk.act(id, 'confirm', { number: 1, received: true }), '200')
    assert.equal((await desk.read(id)).loan.status, 'disbursed')
  }
  const settled = await bursar.sql('select gross_paise from settlements where utr = $1', ['HDFCBATCH11582'])
  assert.deepEqual(settled, [{ gross_paise: 12_000_000 }])
})

/** A loan whose whole amount was confirmed. */
async function confirmed(utr: string, body: Json = {}): Promise<{ id: string; studentId: string }> {
  const studentId = await world.student()
  const id = await desk.sent(studentId)
  await desk.approveAndSign(id)
  assertAnswer(await desk.pay(id, utr), '200')
  assertAnswer(await desk.act(id, 'confirm', { number: 1, received: true, ...body }), '200')
  return { id, studentId }
}

const settledUnder = (utr: string) =>
  bursar.sql('select gross_paise::int, refund_paise::int, net_paise::int from settlements where utr = $1', [
    utr,
  ])

test('a transfer that arrived short is booked as the bank statement shows it', async t => {
  t.after(desk.withoutProvider())
  const { id, studentId } = await confirmed('SHORT00001', { amount: 59_950 })
  const { loan, disbursements, transfers } = await desk.loan(id)
  assert.deepEqual([loan.status, disbursements[0].disbursed_amount], ['disbursed', 59_950])
  assert.equal(transfers[0].returned_amount, 50)
  const { paid, outstanding } = await world.summary(studentId)
  assert.deepEqual([paid, outstanding], [59_950, 50])
  assert.deepEqual(await settledUnder('SHORT00001'), [
    { gross_paise: 6_000_000, refund_paise: 5_000, net_paise: 5_995_000 },
  ])
  const more = await desk.sent()
  await desk.approveAndSign(more)
  assertAnswer(await desk.pay(more, 'SHORT00002'), '200')
  const tooMuch = await desk.act(more, 'confirm', { number: 1, received: true, amount: 60_001 })
  assertAnswer(tooMuch, '400 HUE00000')
})

test('a confirmation that was a mistake is taken back once, and the lender owes the tranche again', async t => {
  t.after(desk.withoutProvider())
  const { id, studentId } = await confirmed('WRONG00001')
  const body = { number: 1, reason: 'That was the transfer of another school.' }
  assertAnswer(await desk.act(id, 'return', { ...body, amount: 10 }), '400 HUE00000')
  const answers = await Promise.all([1, 2].map(() => desk.act(id, 'return', body)))
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409'])
  const { loan, disbursements, transfers } = await desk.loan(id)
  assert.deepEqual([loan.status, disbursements[0].status], ['agreement_signed', 'failed'])
  assert.ok(transfers[0].withdrawn_at)
  assert.equal((await world.summary(studentId)).outstanding, 60_000)
  const [settled] = await settledUnder('WRONG00001')
  assert.equal(settled?.['net_paise'], 0)
  // It arrives after all, under the same UTR.
  assertAnswer(await desk.pay(id, 'WRONG00001'), '200')
  assertAnswer(await desk.act(id, 'confirm', { number: 2, received: true }), '200')
  assert.equal((await desk.loan(id)).loan.status, 'disbursed')
  assert.equal((await world.summary(studentId)).outstanding, 0)
})

test('money that went back to the lender is recorded at the loan, and the order offers no refund of it', async t => {
  t.after(desk.withoutProvider())
  const { id, studentId } = await confirmed('BACK000001')
  const [{ order_id: orderId } = { order_id: '' }] = await bursar.sql<{ order_id: string }>(
    'select order_id from cred_pay_outs where application_id = $1',
    [id],
  )
  const refunds = `/api/v1/integrations/pay/orders/${orderId}/refunds`
  const order = (await finance.get(`${SCHOOL}/orders/${orderId}`)).body.data
  assert.equal(order.can_refund, false)
  assertAnswer(await finance.post(`${SCHOOL}/orders/${orderId}/refunds`, { reason: 'No' }), '409 HUE00002')
  assertAnswer(await bursar.demo.post(refunds, {}), '409 HUE00002')
  const back = { number: 1, amount: 20_000, utr: 'SBIN0000012', reason: 'The child left.' }
  assertAnswer(await desk.act(id, 'return', { ...back, utr: ' ' }), '400 HUE00000')
  assertAnswer(await desk.act(id, 'return', back), '200')
  assertAnswer(await desk.act(id, 'return', { ...back, amount: 40_001 }), '400 HUE00000')
  const { loan, transfers } = await desk.loan(id)
  assert.deepEqual([loan.status, transfers[0].returned_amount], ['disbursed', 20_000])
  assert.equal((await world.summary(studentId)).paid, 40_000)
  assert.deepEqual(await settledUnder('SBIN0000012'), [
    { gross_paise: 0, refund_paise: 2_000_000, net_paise: -2_000_000 },
  ])
  const audit = await bursar.sql<{ what: string }>(
    "select what from console_audit where about = $1 and what like 'loan.transfer%' order by id",
    [id],
  )
  assert.deepEqual(
    audit.map(({ what }) => what),
    ['loan.transfer_recorded', 'loan.transfer_received', 'loan.transfer_returned'],
  )
})

test('a transfer that the bank statement has is confirmed by its match', async t => {
  t.after(desk.withoutProvider())
  const studentId = await world.student()
  const id = await desk.sent(studentId)
  await desk.approveAndSign(id)
  assertAnswer(await desk.pay(id, 'STMTUTR777001'), '200')
  const account = await finance.post(`${SCHOOL}/bank-accounts`, { name: 'Current' })
  const file = `Date,Narration,Ref No,Withdrawal,Deposit\r\n${desk.today},NEFT SAHAKARI STMTUTR777001,STMTUTR777001,,60000.00`
  const query = `account_id=${account.body.data.id}`
  const added = await uploadFile(finance, file, { to: 'bank/statements', query })
  assertAnswer(added, '201')
  assert.equal(added.body.data.matched_count, 1)
  assert.equal((await desk.loan(id)).transfers[0].is_unconfirmed, false)
  await world.advance('P1D')
  const { loan, disbursements } = await desk.loan(id)
  assert.deepEqual([loan.status, disbursements[0].settlement_utr], ['disbursed', 'STMTUTR777001'])
  assert.equal((await world.summary(studentId)).outstanding, 0)
})
