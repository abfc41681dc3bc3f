import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../../emulators/razorpay/emulator.ts'
import { endRefund } from '../../../emulators/razorpay/links.ts'
import { payOutLinked } from '../../../emulators/razorpay/route.ts'
import { payOut } from '../../../emulators/razorpay/settlements.ts'
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
const razorpay = await startRazorpay({ now: () => clock?.now() ?? new Date() })
after(() => razorpay.close())
const { books } = razorpay
const HOSTEL = 'acc_Hostel7781/acc_prd_Hostel'
books.linked.set(HOSTEL, { activation_status: 'activated' })
books.linked.set('acc_Buses9902/acc_prd_Buses', { activation_status: 'needs_clarification' })
const school = await SplitDesk.open(after, {
  RAZORPAY_KEY_ID: KEYS.keyId,
  RAZORPAY_KEY_SECRET: KEYS.keySecret,
  RAZORPAY_WEBHOOK_SECRET: KEYS.webhookSecret,
  RAZORPAY_API_URL: razorpay.url,
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
  assertAnswer(await school.link(school.hostel, 'acc_None/acc_prd_None', 'razorpay'), '400 HUE00000')
  assertAnswer(await school.link(school.hostel, HOSTEL, 'razorpay'), '200')
  assertAnswer(await school.link(school.buses, 'acc_Buses9902/acc_prd_Buses', 'razorpay'), '200')
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
  const options = { mode: 'card', returnUrl: 'http://x.test/' } as const
  const { providerRef } = await startPayment(app.ctx, institute, orderId, options)
  razorpay.pay(providerRef ?? '', { method: 'card' })
  const [transfer] = books.routed
  assert.deepEqual([transfer?.recipient, transfer?.amount], ['acc_Hostel7781', 3_000_055])
  const captured = await demo.post('/api/v1/sandbox/clock', { advance: 'PT10M' })
  assert.equal(captured.status, 200, captured.text)

  const paid = payOutLinked(books).get('acc_Hostel7781')
  await readPayOuts(app.ctx)
  assert.deepEqual(await utrsOf(orderId), [undefined, paid])
  assert.equal(await toldSettled(orderId), 0)
  await assertBooks()

  const { utr } = payOut(books)
  await readPayOuts(app.ctx)
  assert.deepEqual(await utrsOf(orderId), [utr, paid])
  assert.equal(await toldSettled(orderId), 1)
  const settled = await school.settlements()
  const fee = Math.round(8_000_055 * 0.0236) / 100
  assert.deepEqual(
    settled.map(one => [one.utr, one.bank_account ?? 'own', one.gross, one.charges]),
    [
      [utr, 'own', 50_000, fee],
      [paid, 'Hostel 7781', 30_000.55, 0],
    ],
  )
  await readPayOuts(app.ctx)
  await assertBooks()

  const details = linesOf({ TUITION_FEE: 100, HOSTEL_FEE: 2_000.55 })
  const refund = await demo.post(`${PAY}/orders/${orderId}/refunds`, { details })
  assert.equal(refund.status, 201, refund.text)
  assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'PT2M' })).status, 200)
  const [asked] = books.refunds
  assert.deepEqual(
    books.reversals.map(one => one.amount),
    [200_055],
  )
  assert.equal(asked?.amount, 210_055)
  if (asked !== undefined) endRefund(books, asked, 'processed')
  const back = [payOut(books).utr, books.reversals[0]?.id]
  assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })).status, 200)
  await readPayOuts(app.ctx)
  const then = await school.settlements()
  assert.deepEqual(
    back.map(one => then.find(settlement => settlement.utr === one)?.refunds),
    [100, 2_000.55],
  )
  await assertBooks()
})
