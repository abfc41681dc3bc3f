import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { KEYS } from '../../emulators/cashfree/books.ts'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { payOrder } from '../../emulators/cashfree/orders.ts'
import { record, settle } from '../../emulators/cashfree/settlements.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { findBroken } from '../harness/payments.ts'
import { createOrder } from '../http/support.ts'

let clock: { now(): Date } | null = null
const cashfree = await startCashfree({ now: () => clock?.now() ?? new Date() })
after(() => cashfree.close())
const bursar = await startBursar(
  { after },
  {
    CASHFREE_CLIENT_ID: KEYS.clientId,
    CASHFREE_CLIENT_SECRET: KEYS.clientSecret,
    CASHFREE_API_URL: cashfree.apiUrl,
  },
)
const { demo, app } = bursar
clock = app.ctx.clock
const institute = await getInstitute(app.ctx, 'demo-school')

async function payOnline(): Promise<{ id: string; reference: string; amount: number; number: string }> {
  const options = { mode: 'upi', returnUrl: `${bursar.url}/` } as const
  const { id } = await startPayment(app.ctx, institute, await createOrder(demo), options)
  const reference = `${institute.id}-${id}`
  const { payment_amount: amount, cf_payment_id: number } = payOrder(cashfree.books, reference)
  return { id, reference, amount, number }
}

async function advance(duration: string): Promise<void> {
  const { status, text } = await demo.post('/api/v1/sandbox/clock', { advance: duration })
  assert.equal(status, 200, text)
}

async function differencesOf(id: string): Promise<string[]> {
  const { differences } = await reconcile(app.ctx, institute)
  assert.deepEqual(await findBroken(sql => bursar.sql(sql)), [])
  const told = await bursar.sql(
    `select from events where event_code = 'pay.payment.settled' and payload -> 'payment' ->> 'id' = $1`,
    [id],
  )
  assert.equal(told.length, 1, 'settled is told once')
  return differences.map(one => one.detail)
}

test('a payment that stands twice in one pay-out is settled once, and the second is shown to a person', async () => {
  const { id, reference, amount } = await payOnline()
  record(cashfree.books, { type: 'PAYMENT', amount, orderId: reference, paymentId: '77' })
  settle(cashfree.books)
  await advance('P1D')
  const found = await differencesOf(id)
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^payment paid out twice/)
})

test('a payment that a later pay-out brings again is shown to a person, not passed over', async () => {
  const before = (await reconcile(app.ctx, institute)).differences.length
  const { id, reference, amount, number } = await payOnline()
  settle(cashfree.books)
  await advance('P1D')
  assert.equal((await differencesOf(id)).length, before)
  record(cashfree.books, { type: 'PAYMENT', amount, orderId: reference, paymentId: number })
  settle(cashfree.books)
  await advance('P1D')
  assert.equal((await differencesOf(id)).length, before + 1)
})
