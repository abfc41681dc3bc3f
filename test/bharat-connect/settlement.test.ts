import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnitPayment } from '../../emulators/setu/unit.ts'
import { listUnpaidRefunds, payRefund } from '../../src/bharat-connect/bill-payments.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'

import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import {
  listMismatches,
  refundMismatch,
  takeMismatch,
} from '../../src/payments/mismatches/mismatches.service.ts'
import { settleDay, today } from '../../src/payments/settlements/settlements.service.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertRefused, assertStatus, openContract, register, unique } from '../http/support.ts'
import { openUnit } from './support.ts'

const contract = await openContract()
const { demo, sql } = contract
const { ctx } = contract.app
const unit = await openUnit(contract)
const institute = await getInstitute(ctx, 'demo-school')

async function pay(
  amount: number,
  { isPosted = true, more = 0 } = {},
): Promise<UnitPayment & { id: string }> {
  const admission_number = unique('BC')
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: amount }]
  const answer = await register(
    demo,
    unique('parent'),
    { identifier: admission_number },
    { fee_components: fees },
  )
  assertStatus(answer, 201)
  const bill = await unit.fetchBill({ admission_number, date_of_birth: '20-06-2015' })
  assert.ok(typeof bill === 'object')
  const paid = unit.pay(bill, bill.amount + more)
  if (isPosted) await unit.post(paid)
  return { ...paid, id: answer.body.data.service_student_id }
}

async function paymentOf(paid: UnitPayment): Promise<Json> {
  const [row] = await sql<Json>(
    `select p.id, p.order_id, p.state, s.utr from payments p
     left join settlements s on s.institute_id = p.institute_id and s.id = p.settlement_id where p.transaction_id = $1`,
    [paid.reference],
  )
  return row ?? {}
}

const settlementOf = async (utr: string): Promise<Json> =>
  (await demo.get(`${PAY}/settlements/${utr}`)).body.data

const utrOf = (notice: Json): string => notice['events'][0].data.transactionId

async function assertBooksFit(): Promise<void> {
  assert.deepEqual(await findBroken(sql), [])
  assert.deepEqual((await reconcile(ctx, institute)).differences, [])
}

const problems = async (): Promise<Json[]> =>
  sql<Json>(`select provider_ref, problem, reported_paise::int as paise from settlement_exceptions
    where account_id = 'bharat-connect' and resolved_at is null order by provider_ref`)

test('a pay-out settles its bills under its UTR, with what the unit kept as its charge, however often it is told', async () => {
  const paid = [await pay(1000), await pay(500)]
  const notice = unit.payOut(paid, 2_360)
  for (let times = 0; times < 3; times++) await unit.notify(notice)
  const utr = utrOf(notice)
  const settlement = await settlementOf(utr)
  assert.deepEqual(
    [settlement['gross'], settlement['charges'], settlement['net']],
    [1500, 23.6, 1476.4],
    JSON.stringify(settlement),
  )
  for (const one of paid) assert.equal((await paymentOf(one))['utr'], utr)
  const told = await sql<Json>(
    `select payload from events where event_code = 'pay.payment.settled' and resource_id = any($1)`,
    [paid.map(({ id }) => id)],
  )
  assert.deepEqual(
    told.map(({ payload }) => payload.payment.settlement_utr),
    [utr, utr],
  )
  assert.deepEqual(await problems(), [])
  await assertBooksFit()
})

test('a pay-out that is told before a bill of it was posted waits for that, and is then whole', async () => {
  const [early, late] = [await pay(1000), await pay(700, { isPosted: false })]
  const notice = unit.payOut([early, late], 1_000)
  await unit.notify(notice)
  const utr = utrOf(notice)
  assert.equal((await paymentOf(early))['utr'], utr)
  assert.deepEqual(await problems(), [
    { provider_ref: late.platformBillID, problem: 'payment unknown here', paise: 69_000 },
  ])
  await unit.post(late)
  assert.equal((await paymentOf(late))['utr'], utr)
  const settlement = await settlementOf(utr)
  assert.deepEqual([settlement['gross'], settlement['charges'], settlement['net']], [1700, 10, 1690])
  assert.deepEqual(await problems(), [])
  // What the job of the night reads again changes nothing.
  const account = await ctx.accounts.accountOf({ instituteId: institute.id, accountId: 'bharat-connect' })
  assert.equal((await settleDay(ctx, account, today(ctx))).settled, 0)
  await assertBooksFit()
})

test('one bill that is paid twice under two references is two payments, and one pay-out settles both', async () => {
  const first = await pay(1000)
  const second = unit.pay(unit.bills.at(-1) ?? assert.fail('there is a bill'))
  await unit.post(second)
  await unit.notify(unit.payOut([first, second]))
  assert.equal((await paymentOf(second))['utr'], (await paymentOf(first))['utr'])
  assert.notEqual((await paymentOf(second))['utr'], null)
  await assertBooksFit()
})

/** The job that asks providers for refunds has run. */
async function askForRefunds(): Promise<void> {
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' }), 200)
}

async function refundOf(paid: UnitPayment, amount: number): Promise<string> {
  const { order_id } = await paymentOf(paid)
  const answer = await demo.post(`${PAY}/orders/${order_id}/refunds`, { amount, reason: 'Left the bus.' })
  assertStatus(answer, 201)
  return answer.body.data.id
}

test('a refund waits until the office has transferred it, and is then made and settled under that reference', async () => {
  const paid = await pay(1000)
  const refundId = await refundOf(paid, 300)
  await askForRefunds()
  const waiting = await listUnpaidRefunds(ctx, institute)
  assert.deepEqual(
    waiting.map(one => [one.refundId, one.amountPaise, one.payerName]),
    [[refundId, 30_000, 'Asha Rao']],
  )
  const target = { institute, refundId }
  const command = { instituteId: institute.id }
  await assert.rejects(payRefund(ctx, command, target, { utr: '?' }), /8 to 30 letters and digits/)
  await payRefund(ctx, command, target, { utr: 'hdfcr5202 6111900042' })
  await assert.rejects(payRefund(ctx, command, target, { utr: 'HDFCR52026111900043' }), /paid already/)
  const [refund] = await sql<Json>('select state, utr from refunds where id = $1', [refundId])
  assert.deepEqual(refund, { state: 'processed', utr: 'HDFCR52026111900042' })
  assert.deepEqual(await listUnpaidRefunds(ctx, institute), [])
  assert.equal((await settlementOf('HDFCR52026111900042'))['net'], -300)
  const other = await getInstitute(ctx, 'demo-group')
  await assert.rejects(
    payRefund(ctx, { instituteId: other.id }, { institute: other, refundId }, { utr: 'HDFCR52026111900044' }),
    /was not found/,
  )
  await assertBooksFit()
})

test('money for a leaver that is more than owed is taken as it came, or goes back by transfer', async () => {
  const held = []
  for (let count = 0; count < 2; count++) {
    const paid = await pay(1000, { isPosted: false, more: 50_000 })
    assertStatus(await demo.post(`${ERP}/students/${paid.id}/drop`, {}), 200)
    assert.match(await unit.post(paid), /^pay_/)
    held.push(paid)
  }
  const mismatches = await listMismatches(ctx, institute.id)
  assert.equal(mismatches.length, 2)
  const decision = ({ id }: { id: string }) => ({
    instituteId: institute.id,
    id,
    by: 'office@school.example.in',
  })
  const [one, other] = mismatches
  await takeMismatch(
    ctx,
    { instituteId: institute.id },
    decision(one as { id: string }),
    'The family wishes it.',
  )
  await refundMismatch(ctx, { instituteId: institute.id }, decision(other as { id: string }), 'They moved.')
  await askForRefunds()
  const [refund, ...none] = await listUnpaidRefunds(ctx, institute)
  assert.deepEqual([refund?.amountPaise, none], [150_000, []])
  await payRefund(
    ctx,
    { instituteId: institute.id },
    { institute, refundId: refund?.refundId ?? '' },
    { utr: 'HDFCR52026111900099' },
  )
  await unit.notify(unit.payOut(held))
  for (const paid of held) assert.notEqual((await paymentOf(paid))['utr'], null)
  assert.deepEqual(await problems(), [])
  await assertBooksFit()
})

test('nobody starts such a payment here, and no other school reads its settlement', async () => {
  const notice = unit.payOut([await pay(1000)])
  await unit.notify(notice)
  assertRefused(await contract.group.get(`${PAY}/settlements/${utrOf(notice)}`), 'HUE00001')
})
