import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { BANK, BankDesk, credit } from './support.ts'

const bank = await BankDesk.open(after)
const { desk, today } = bank
const { bursar, finance, viewer } = desk
const { demo } = bursar

const transfer = (amount: number, reference: string): Json => ({
  amount,
  paid_at: today,
  mode: 'bank_transfer',
  transaction_id: reference,
  fee_components: [{ component_type: 'TUITION_FEE', amount }],
})

test('a line whose payment is cancelled or corrected later is open again, and can be decided anew', async () => {
  const account = await bank.newAccount()
  const [id, other] = [await desk.register(), await desk.register()]
  const path = `${STUDENTS}/${id}/payments`
  assertAnswer(await finance.post(path, transfer(4_321, 'NEFTCANCEL1')), '201')
  assertAnswer(await finance.post(path, transfer(2_222, 'NEFTCORRECT1')), '201')
  const rows = [
    credit(today, 'NEFT CR NEFTCANCEL1', 'NEFTCANCEL1', 4_321),
    credit(today, 'NEFT CR NEFTCORRECT1', 'NEFTCORRECT1', 2_222),
  ]
  assert.equal((await bank.add(account, rows)).matched_count, 2)
  assert.equal((await bank.statusOf(account)).open_lines, 0)
  const erp = `${ERP}/students/${id}/payments`
  assertAnswer(await demo.send('DELETE', `${erp}/NEFTCANCEL1`), '200')
  const corrected = { amount: 2_000, fee_components: [{ component_type: 'TUITION_FEE', amount: 2_000 }] }
  assertAnswer(await demo.send('PATCH', `${erp}/NEFTCORRECT1`, corrected), '200')
  const { open_lines, reconciled_through } = await bank.statusOf(account)
  assert.deepEqual([open_lines, reconciled_through], [2, undefined])
  const open = (await viewer.get(`${BANK}/lines?account_id=${account}&state=open`)).body.data
  assert.equal(open.length, 2)
  const cancelled = open.find((line: Json) => line.amount === 4_321)
  const recorded = await finance.post(`${BANK}/lines/${cancelled.id}/payment`, {
    service_student_id: other,
    fee_components: [{ component_type: 'TUITION_FEE', amount: 4_321 }],
  })
  assertAnswer(recorded, '200')
  assert.deepEqual([recorded.body.data.state, recorded.body.data.matches.length], ['matched', 1])
  const back = { amount: 2_222, fee_components: [{ component_type: 'TUITION_FEE', amount: 2_222 }] }
  assertAnswer(await demo.send('PATCH', `${erp}/NEFTCORRECT1`, back), '200')
  assert.equal((await bank.statusOf(account)).open_lines, 0)
  // Corrected again, and the bank books the right amount on another line.
  assertAnswer(await demo.send('PATCH', `${erp}/NEFTCORRECT1`, corrected), '200')
  assert.equal(
    (await bank.add(account, [credit(today, 'NEFT CR NEFTCORRECT1', 'NEFTCORRECT1', 2_000)])).matched_count,
    1,
  )
  assert.equal((await bank.statusOf(account)).open_lines, 1)
})

const other = (day: string, amount: number, balance: number): string =>
  `${day},INTEREST ${day},,,${amount.toFixed(2)},${balance.toFixed(2)}`

test('days that no statement has are told, and nothing after them counts as reconciled', async () => {
  const account = await bank.newAccount()
  const explain = async (): Promise<void> => {
    for (const line of (await bank.linesOf(account)).filter(one => one.state === 'open'))
      assertAnswer(await finance.post(`${BANK}/lines/${line.id}/other`, { reason: 'Interest' }), '200')
  }
  await bank.add(account, [other('2026-04-02', 100, 1_100), other('2026-04-28', 50, 1_150)])
  await bank.add(account, [other('2026-05-04', 10, 1_160)])
  await explain()
  const quiet = await bank.statusOf(account)
  assert.deepEqual([quiet.gaps, quiet.reconciled_through], [[], '2026-05-04'])
  await bank.add(account, [other('2026-05-20', 5, 9_999)])
  await explain()
  const gap = { from: '2026-05-05', to: '2026-05-19', is_money_missing: true }
  const told = await bank.statusOf(account)
  assert.deepEqual([told.gaps, told.reconciled_through], [[gap], '2026-05-04'])
  await bank.add(account, [
    other('2026-05-04', 10, 1_160),
    other('2026-05-10', 8_834, 9_994),
    other('2026-05-20', 5, 9_999),
  ])
  await explain()
  const whole = await bank.statusOf(account)
  assert.deepEqual([whole.gaps, whole.reconciled_through], [[], '2026-05-20'])
})
