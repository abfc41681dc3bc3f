import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endRefund, payOrder } from '../../../emulators/cashfree/orders.ts'
import { record, settle } from '../../../emulators/cashfree/settlements.ts'
import { answerWith } from '../../../emulators/faults.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { SettlementReport } from '../../../src/providers/port.ts'
import { assertUnavailable } from '../failures.ts'
import { amountPaise, cashfree, fake, instituteId, order, orderId, paymentId, refundId } from './support.ts'

const DAY = '2026-06-10'

async function read(day = DAY): Promise<SettlementReport[]> {
  const reports: SettlementReport[] = []
  for await (const report of cashfree.settlements(day)) reports.push(report)
  return reports
}

test('a pay-out names payments and refunds by our ids, with what was kept back', async () => {
  await cashfree.start(order)
  payOrder(fake.books, orderId)
  const payment = { paymentId, providerRef: orderId }
  await cashfree.refund({ instituteId, refundId, payment, amountPaise: paiseOf(50_000) })
  endRefund(fake.books, `41-${refundId}`, 'SUCCESS')
  const utr = settle(fake.books)
  const [report, ...others] = await read()
  assert.deepEqual(others, [])
  assert.deepEqual([report?.instituteId, report?.utr], [instituteId, utr])
  assert.deepEqual(report?.settledAt, new Date('2026-06-10T06:30:00Z'))
  assert.deepEqual(
    report?.items.map(item => [item.kind, item.ourId, item.amountPaise, item.feePaise]),
    [
      // 1.95 % and 18 % tax on it.
      ['payment', paymentId, amountPaise, 24_376 + 4_388],
      ['refund', refundId, 50_000, 0],
    ],
  )
  assert.deepEqual(await read('2026-06-09'), [])
})

test('what is not under an id of ours, and adjustments, stand apart, so that every UTR adds up', async () => {
  await cashfree.start(order)
  payOrder(fake.books, orderId)
  record(fake.books, { type: 'PAYMENT', amount: 10, orderId: 'shop-17', paymentId: '99' })
  record(fake.books, { type: 'OTHER_ADJUSTMENT', amount: 7.5, orderId, paymentId: '98' })
  settle(fake.books)
  const reports = await read()
  assert.deepEqual(
    reports.map(one => [one.instituteId, one.items.map(item => [item.kind, item.ourId, item.amountPaise])]),
    [
      [instituteId, [['payment', paymentId, amountPaise]]],
      [
        0,
        [
          ['payment', '', 1_000],
          ['refund', '', 750],
        ],
      ],
    ],
  )
})

test('what a lost dispute took stands with the payment that was disputed, and its fee is told', async () => {
  await cashfree.start(order)
  payOrder(fake.books, orderId)
  Object.assign(fake.books.habits, { chargebackFee: 118 })
  record(fake.books, { type: 'CHARGEBACK', amount: 7.5, orderId, paymentId: '98' })
  settle(fake.books)
  const [report] = await read()
  const [, { kind, amountPaise: taken, feePaise, dispute } = assert.fail()] = report?.items ?? []
  assert.deepEqual([report?.instituteId, kind, taken, feePaise], [instituteId, 'refund', 750, 118_00])
  assert.deepEqual(dispute, { paymentId, providerRef: null })
})

test('a day of many pages is read to its end, by the cursor that each page gives', async () => {
  for (let count = 0; count < 2_345; count++)
    record(fake.books, { type: 'PAYMENT', amount: 1, orderId: `41-pay_${String(count).padStart(5, '0')}` })
  settle(fake.books)
  const [report] = await read()
  assert.equal(new Set(report?.items.map(item => item.ourId)).size, 2_345)
  assert.equal(fake.seen.length, 10)
})

test('an event is read alike in the shapes of three versions: flat, in groups, in lists of groups', async () => {
  record(fake.books, { type: 'REFUND', amount: 5, orderId, refundId: `41-${refundId}` })
  settle(fake.books)
  const [event] = fake.books.recon
  assert.ok(event !== undefined)
  const expected = await read()
  const { settlement_utr: utr, ...settlement } = event.settlement_details
  const [refund] = event.refund_details
  const older = { ...event, refund_details: refund, settlement_details: { ...settlement, utr } }
  const flat = Object.assign({}, ...Object.values(older)) as Record<string, unknown>
  for (const shape of [older, flat]) {
    fake.spoil('POST /pg/settlement/recon', answerWith({ cursor: null, data: [shape] }))
    assert.deepEqual(await read(), expected)
  }
  assert.deepEqual(expected[0]?.items[0]?.ourId, refundId)
})

test('a cursor that does not move, and figures that do not add up, are not taken', async () => {
  record(fake.books, { type: 'PAYMENT', amount: 1 })
  settle(fake.books)
  const page = { cursor: 'MTA=', limit: 1, data: fake.books.recon }
  fake.spoil('POST /pg/settlement/recon', answerWith(page))
  fake.spoil('POST /pg/settlement/recon', answerWith(page))
  await assertUnavailable(read(), /same page/)
  const [event] = fake.books.recon
  assert.ok(event !== undefined)
  event.event_details.event_settlement_amount = 2
  await assertUnavailable(read(), /do not add up/)
})
