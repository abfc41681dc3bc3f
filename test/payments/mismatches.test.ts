import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { endRefund } from '../../emulators/razorpay/links.ts'
import { payOut } from '../../emulators/razorpay/settlements.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { linesOfAmount } from '../../src/payments/payments.rules.ts'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { AT } from '../console/orders/support.ts'
import { createPerson } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'

let clock: { now(): Date } | null = null
const razorpay = await startRazorpay({ now: () => clock?.now() ?? new Date() })
after(() => razorpay.close())
const bursar = await startBursar(
  { after },
  {
    RAZORPAY_KEY_ID: KEYS.keyId,
    RAZORPAY_KEY_SECRET: KEYS.keySecret,
    RAZORPAY_WEBHOOK_SECRET: KEYS.webhookSecret,
    RAZORPAY_API_URL: razorpay.url,
  },
)
const { demo, app } = bursar
clock = app.ctx.clock
const institute = await getInstitute(app.ctx, 'demo-school')
const finance = await createPerson(bursar, {
  email: 'finance@school.example',
  institute: 'demo-school',
  role: 'finance',
})

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 9_000 },
  { component_type: 'BUS_FEE', fee_amount: 3_000 },
]

/** An order whose payer brought another amount; the address of what a person can do about it. */
async function paidOtherwise(orderId: string, rupees: number): Promise<string> {
  const options = { mode: 'upi' as const, returnUrl: `${bursar.url}/` }
  const { providerRef } = await startPayment(app.ctx, institute, orderId, options)
  razorpay.pay(providerRef ?? '', { amount: rupees * 100 })
  await deliverCallbacks()
  const [newest] = await mismatched()
  return actsOn(newest)
}

async function deliverCallbacks(): Promise<void> {
  for (const { rawBody, headers } of razorpay.books.outbox.splice(0))
    assertStatus(
      await demo.post('/callbacks/razorpay', rawBody.toString(), { ...headers, authorization: '' }),
      200,
    )
}

const mismatched = async (): Promise<Json[]> =>
  (await finance.get(`${AT}/money/reconciliation/items?status=mismatched`)).body.data

const actsOn = (item: Json): string => `${AT}/money/reconciliation/items/${item.id}`

/** The newest refund reaches the provider, and the bank ends it so. */
async function endNewestRefund(status: 'processed' | 'failed'): Promise<void> {
  const before = razorpay.books.refunds.length
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
  const refund = razorpay.books.refunds.at(-1)
  assert.ok(refund !== undefined && razorpay.books.refunds.length === before + 1)
  endRefund(razorpay.books, refund, status)
  await deliverCallbacks()
}

async function assertRefundedAgain(): Promise<void> {
  const [failed, ...others] = await mismatched()
  assert.deepEqual(others, [])
  assert.match(failed?.problem, /^the refund .* failed/)
  assert.deepEqual([failed?.can_refund, failed?.can_take], [true, false])
  assert.equal((await finance.post(`${actsOn(failed)}/take`, REASON)).status, 409)
  const answers = await Promise.all([1, 2].map(() => finance.post(`${actsOn(failed)}/refund`, REASON)))
  assert.equal(answers.filter(one => one.status === 200).length, 1)
  assert.deepEqual(await mismatched(), [])
  await endNewestRefund('processed')
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
}

async function duesOrder(): Promise<{ studentId: string; orderId: string }> {
  const studentId = await newStudent(demo, { fee_components: FEES })
  const answer = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  assertStatus(answer, 201)
  return { studentId, orderId: answer.body.data.order_id }
}

const duesOf = async (studentId: string): Promise<number> =>
  (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data.total_amount

const eventsOf = (studentId: string) =>
  bursar.sql<Json>(
    `select payload from events where resource_id = $1 and event_code = 'pay.payment.debited' order by sequence`,
    [studentId],
  )

const REASON = { reason: 'The family paid a part' }

test('less than a student owes is taken as a part payment: earlier lines first, the rest stays due, once', async () => {
  const { studentId, orderId } = await duesOrder()
  const at = await paidOtherwise(orderId, 10_000)
  assert.equal(await duesOf(studentId), 12_000, 'it pays nothing by itself')
  const answers = await Promise.all([1, 2].map(() => finance.post(`${at}/take`, REASON)))
  assert.deepEqual(new Set(answers.map(one => one.status)), new Set([200, 409]))
  assert.equal(await duesOf(studentId), 2_000)
  const [event, ...more] = await eventsOf(studentId)
  assert.deepEqual(more, [])
  assert.equal(event.payload.payment.amount, 10_000)
  const lines = await bursar.sql<Json>(
    'select component_type, amount_paise::int as paise from order_lines where order_id = $1 order by line_no',
    [orderId],
  )
  assert.deepEqual(
    lines.map(one => [one.component_type, one.paise]),
    [
      ['TUITION_FEE', 9_000_00],
      ['BUS_FEE', 1_000_00],
    ],
  )
  const receipts = await bursar.sql<Json>('select number from receipts')
  assert.equal(receipts.length, 1)
  payOut(razorpay.books)
  await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
})

test('more than a student owes is taken too, and what is above the dues goes back by the institute’s rule', async () => {
  const { studentId, orderId } = await duesOrder()
  const at = await paidOtherwise(orderId, 12_500)
  assertStatus(await finance.post(`${at}/take`, REASON), 200)
  assert.equal(await duesOf(studentId), 0)
  const refunds = await bursar.sql<Json>(
    'select amount_paise::int as paise, reason from refunds where order_id = $1',
    [orderId],
  )
  assert.deepEqual(refunds, [{ paise: 500_00, reason: 'more than was due' }])
})

test('an ERP’s own order is not paid by another amount: it is refused, and goes back', async () => {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  const at = await paidOtherwise(body.data.order_id, 1)
  const refused = await finance.post(`${at}/take`, REASON)
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /Refund it instead/)
  assert.equal((await demo.get(`${PAY}/orders/${body.data.order_id}`)).body.data.status, 'unpaid')
  assertStatus(await finance.post(`${at}/refund`, REASON), 200)
})

test('a refund of another amount that fails at the bank stands open again, and is asked for once more by one act', async () => {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  const at = await paidOtherwise(body.data.order_id, 2)
  const [open] = await mismatched()
  assert.deepEqual([open?.can_refund, open?.can_take], [true, false], 'the ERP chose the lines of its order')
  // Earlier refunds are sent before it.
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
  assertStatus(await finance.post(`${at}/refund`, REASON), 200)
  await endNewestRefund('failed')
  const page = async (): Promise<string> =>
    (await fetch(`${bursar.url}/pay/demo-school/${body.data.order_id}`)).text()
  // The payer is asked for the whole amount again, and must know what became of the money that came.
  assert.match(await page(), /has to go back to you, but your bank did not take it\. .*Another amount came/)
  await assertRefundedAgain()
  assert.match(await page(), /was refunded on .*Another amount came than was asked for/)
  assert.doesNotMatch(await page(), /did not take it/)
})

test('a second payment whose automatic refund fails is shown to a person, who can refund it again', async () => {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  const orderId: string = body.data.order_id
  const options = { mode: 'upi' as const, returnUrl: `${bursar.url}/` }
  const first = await startPayment(app.ctx, institute, orderId, options)
  await bursar.sql(
    `update payments set state = 'failed', failure_code = 'given_up', next_check_at = null where id = $1`,
    [first.id],
  )
  const second = await startPayment(app.ctx, institute, orderId, options)
  for (const { providerRef } of [second, first]) razorpay.pay(providerRef ?? '')
  await deliverCallbacks()
  await endNewestRefund('failed')
  await assertRefundedAgain()
})

test('whatever amount comes, the lines are that amount, none is empty, and none but the last is above what was asked', () => {
  const line = fc.record({
    componentType: fc.constantFrom('A', 'B', 'C'),
    amountPaise: fc.integer({ min: 1, max: 1_000_000 }).map(paiseOf),
  })
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 9_000_000 }),
      (lines, amount) => {
        const taken = linesOfAmount(lines, paiseOf(amount))
        assert.equal(
          taken.reduce((sum, one) => sum + one.amountPaise, 0),
          amount,
        )
        assert.ok(taken.every(one => one.amountPaise > 0))
        assert.ok(taken.slice(0, -1).every((one, no) => one.amountPaise === lines[no]?.amountPaise))
      },
    ),
  )
})
