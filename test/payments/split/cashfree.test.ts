import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { KEYS } from '../../../emulators/cashfree/books.ts'
import { startCashfree } from '../../../emulators/cashfree/emulator.ts'
import { endRefund, payOrder } from '../../../emulators/cashfree/orders.ts'
import { settle } from '../../../emulators/cashfree/settlements.ts'
import { settleVendors } from '../../../emulators/cashfree/vendors.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { startPayment } from '../../../src/payments/start/start-payment.service.ts'
import { readPayOuts } from '../../../src/payments/settlements/settlements.service.ts'
import { assertAnswer } from '../../console/support.ts'
import type { Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { linesOf, SplitDesk } from './support.ts'

let clock: { now(): Date } | null = null
const cashfree = await startCashfree({ now: () => clock?.now() ?? new Date() })
after(() => cashfree.close())
const { books } = cashfree
books.vendors.set('hostel_7781', { status: 'ACTIVE' })
books.vendors.set('buses_9902', { status: 'IN_BENE_CREATION' })
const school = await SplitDesk.open(after, {
  CASHFREE_CLIENT_ID: KEYS.clientId,
  CASHFREE_CLIENT_SECRET: KEYS.clientSecret,
  CASHFREE_API_URL: cashfree.apiUrl,
})
const { demo, app } = school.desk.bursar
clock = app.ctx.clock
const institute = await getInstitute(app.ctx, 'demo-school')

async function assertBooks(): Promise<void> {
  assert.deepEqual(await findBroken(sql => school.sql(sql)), [])
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
}

async function toldSettled(orderId: string): Promise<number> {
  const told = await school.sql(
    `select from events where resource_id = $1 and event_code = 'pay.payment.settled'`,
    [orderId],
  )
  return told.length
}

async function utrsOf(orderId: string): Promise<(string | undefined)[]> {
  return (await school.read(orderId)).details.map((line: Json) => line.settlement_utr)
}

test('the provider is asked whether it can settle in an account, and what it cannot is not charged online', async () => {
  assertAnswer(await school.link(school.hostel, 'nobody', 'cashfree'), '400 HUE00000')
  assertAnswer(await school.link(school.hostel, 'hostel_7781', 'cashfree'), '200')
  assertAnswer(await school.link(school.buses, 'buses_9902', 'cashfree'), '200')
  assertAnswer(await school.name({ HOSTEL_FEE: school.hostel, BUS_FEE: school.buses }), '200')
  const { linked } = await school.setup()
  assert.deepEqual(
    linked.map((one: Json) => [one.name, one.state]),
    [
      ['Hostel 7781', 'verified'],
      ['Buses 9902', 'unverified'],
    ],
  )
  const refused = await demo.post(`${PAY}/orders`, sampleOrder({ details: linesOf({ BUS_FEE: 10 }) }))
  assert.equal(refused.status, 400, refused.text)
})

test('at a gateway each part is settled when its account is paid, the whole is told once, and refunds come from their accounts', async () => {
  const orderId = await school.order({ TUITION_FEE: 50_000, HOSTEL_FEE: 30_000.55 })
  const { id } = await startPayment(app.ctx, institute, orderId, {
    mode: 'card',
    returnUrl: 'http://x.test/',
  })
  const reference = `${institute.id}-${id}`
  assert.deepEqual(books.orders.get(reference)?.order_splits, [
    { vendor_id: 'hostel_7781', amount: 30_000.55 },
  ])
  payOrder(books, reference)
  const captured = await demo.post('/api/v1/sandbox/clock', { advance: 'PT10M' })
  assert.equal(captured.status, 200, captured.text)

  settleVendors(books)
  await readPayOuts(app.ctx)
  const [none, hostel] = await utrsOf(orderId)
  assert.equal(none, undefined)
  assert.notEqual(hostel, undefined)
  assert.equal(await toldSettled(orderId), 0)
  await assertBooks()

  const utr = settle(books)
  await readPayOuts(app.ctx)
  assert.deepEqual(await utrsOf(orderId), [utr, hostel])
  assert.equal(await toldSettled(orderId), 1)
  const settled = await school.settlements()
  const fee = Math.round(80_000.55 * 0.0195 * 100) / 100
  const kept = Math.round((fee + Math.round(fee * 18) / 100) * 100) / 100
  assert.deepEqual(
    settled.map(one => [one.utr, one.bank_account ?? 'own', one.gross, one.charges]),
    [
      [utr, 'own', 50_000, kept],
      [hostel, 'Hostel 7781', 30_000.55, 0],
    ],
  )
  await readPayOuts(app.ctx)
  await assertBooks()

  const details = linesOf({ TUITION_FEE: 100, HOSTEL_FEE: 2_000.55 })
  const refund = await demo.post(`${PAY}/orders/${orderId}/refunds`, { details })
  assert.equal(refund.status, 201, refund.text)
  assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'PT2M' })).status, 200)
  const [asked] = books.refunds.keys()
  assert.deepEqual(books.refunds.get(asked ?? '')?.refund_splits, [
    { vendor_id: 'hostel_7781', amount: 2_000.55 },
  ])
  endRefund(books, asked ?? '', 'SUCCESS')
  const back = [settle(books), settleVendors(books).get('hostel_7781')]
  assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })).status, 200)
  await readPayOuts(app.ctx)
  const then = await school.settlements()
  assert.deepEqual(
    back.map(one => then.find(settlement => settlement.utr === one)?.refunds),
    [100, 2_000.55],
  )
  await assertBooks()
})
