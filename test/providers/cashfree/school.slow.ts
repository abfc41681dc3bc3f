import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loseDispute, openDispute } from '../../../emulators/cashfree/disputes.ts'
import { endRefund, payOrder } from '../../../emulators/cashfree/orders.ts'
import { settle } from '../../../emulators/cashfree/settlements.ts'
import { endCharge, moveSubscription } from '../../../emulators/cashfree/subscriptions.ts'
import { lose } from '../../../emulators/faults.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { formatDay } from '../../../src/platform/calendar.ts'
import { startPayment } from '../../../src/payments/start/start-payment.service.ts'
import { stateOf } from '../../flex/support.ts'
import type { Json } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { lastDebit, openSchool } from './school.ts'

test('a plan is debited, bounced, debited again, settled and taken back through Cashfree', async t => {
  const { world, cashfree, subscriptionId, institute, deliver } = await openSchool(t, 'enach')
  const { books } = cashfree
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the first presentation')
  endCharge(books, lastDebit(cashfree).payment_id, { isPaid: false })
  await deliver()
  assert.equal((await world.eventsOf('flex.instalment.bounced')).length, 1)
  assert.equal(books.subscriptions.get(subscriptionId)?.subscription_status, 'ON_HOLD')
  moveSubscription(books, subscriptionId, 'ACTIVE')

  // The answer to the second presentation is lost: what was known of it before the call finds it.
  cashfree.spoil('POST /pg/subscriptions/pay', lose)
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the second presentation')
  const debit = lastDebit(cashfree)
  endCharge(books, debit.payment_id, { isPaid: true })
  books.outbox.splice(0)
  await world.advance('PT2H')
  assert.equal(stateOf(await world.plan()), 'debited', 'found by asking, though no event came')
  assert.equal(books.charges.size, 2)

  settle(books)
  await world.advance('P1D')
  assert.equal(stateOf(await world.plan()), 'settled', 'known by the number that Cashfree gave it')
  const { cf_txn_id: paymentId = '', payment_amount: amount } = debit
  const disputed = { orderId: 'SUBV2ODR1', paymentId, amount }
  const dispute = openDispute(books, disputed)
  await deliver()
  const { differences } = await reconcile(world.bursar.app.ctx, institute)
  assert.match(JSON.stringify(differences), /the payer disputes/)
  await world.advance('PT1H')
  const mails = await world.bursar.sql<Json>(`select body from messages where subject like 'Disputed%'`)
  assert.ok(mails.length > 0, 'the people of the institute were told')
  assert.ok(mails.every(({ body }) => body.includes(`by ${formatDay(dispute.respond_by.slice(0, 10))}`)))
  loseDispute(books, disputed, dispute)
  await deliver()
  const disputes = await world.bursar.sql<Json>('select payment_id, state from payment_disputes')
  assert.deepEqual(
    disputes.map(one => [one.payment_id, one.state]),
    [[debit.payment_id.replace(/^\d+-/, ''), 'lost']],
  )
  settle(books)
  await world.advance('P1D')
  assert.notEqual(stateOf(await world.plan()), 'settled', 'the debit was taken back')
  assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])

  books.outbox.splice(0)
  moveSubscription(books, subscriptionId, 'CUSTOMER_CANCELLED')
  await deliver()
  const plan = await world.plan()
  assert.deepEqual([plan.status, plan.mandate.status], ['locked', 'cancelled'])
})

test('a UPI debit that Cashfree tries again by itself is one debit, and the family hears of no bounce', async t => {
  // Cashfree switches the other flow on when asked.
  const school = await openSchool(t, 'upi_autopay', { isControlled: false })
  const { world, cashfree, institute, deliver } = school
  await t.test('an order is paid at the checkout, refunded and settled', async () => {
    const { app, demo, url } = world.bursar
    const { books } = cashfree
    const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
    const orderId: string = body.data.order_id
    const started = await startPayment(app.ctx, institute, orderId, { mode: 'card', returnUrl: `${url}/` })
    payOrder(books, started.providerRef ?? '')
    await deliver()
    await deliver()
    const paid = await demo.get(`${PAY}/orders/${orderId}`)
    assert.equal(paid.body.data.status, 'paid')
    const refunded = await demo.post(`${PAY}/orders/${orderId}/refunds`, {})
    assert.ok(refunded.status < 300, refunded.text)
    await world.advance('PT1H')
    const [refundId = ''] = books.refunds.keys()
    endRefund(books, refundId, 'SUCCESS')
    await deliver()
    settle(books)
    await world.advance('P1D')
    assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
    const settled = await demo.get(`${PAY}/settlements?from=2020-01-01&to=2099-01-01`)
    assert.equal(settled.body.data.length, 1, settled.text)
  })

  await t.test(
    'the page that opens the checkout reaches Cashfree alone, for addresses of its form',
    async () => {
      const { demo } = world.bursar
      const page = await demo.get('/hosted/cashfree/production/mandate/sub_session_x-1.y')
      assert.equal(page.status, 200)
      const policy = page.headers.get('content-security-policy') ?? ''
      assert.match(policy, /script-src 'self' https:\/\/sdk\.cashfree\.com https:\/\/\*\.cashfree\.com;/)
      assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|https:[ ;]/)
      assert.match(page.text, /<script src="https:\/\/sdk\.cashfree\.com\/js\/v3\/cashfree\.js" defer>/)
      const script = await demo.get('/hosted/cashfree/open.js')
      assert.match(script.headers.get('content-type') ?? '', /javascript/)
      for (const path of [
        'cashfree/production/mandate/a%22b',
        'cashfree/elsewhere/mandate/x',
        'razorpay/production/mandate/x',
        'cashfree/production/mandate',
      ])
        assert.equal((await demo.get(`/hosted/${path}`)).status, 404, path)
    },
  )

  await t.test(
    'what Cashfree refuses to start fails with its reason, and the payer is told on the page',
    async () => {
      const { demo, url } = world.bursar
      const { body } = await demo.post(`${PAY}/orders`, sampleOrder({ phone: '1234567' }))
      const orderId: string = body.data.order_id
      const form = { method: 'POST', body: new URLSearchParams({ mode: 'upi' }) }
      const page = await fetch(`${url}/pay/demo-school/${orderId}/start`, form)
      assert.equal(page.status, 200)
      assert.match(await page.text(), /does not take this payment in this way/)
      const [payment] = await world.bursar.sql<Json>(`select * from payments where order_id = '${orderId}'`)
      assert.deepEqual([payment.state, payment.failure_code], ['failed', 'refused'])
      assert.match(payment.failure_message, /customer_phone/)
    },
  )

  await t.test('the page of an order that is cancelled, or of a payment given up, is closed', async () => {
    const { app, demo, url } = world.bursar
    const started = async (): Promise<{ orderId: string; ref: string }> => {
      const { body } = await demo.post(`${PAY}/payment_links`, sampleOrder())
      const orderId: string = body.data.order_id
      const options = { mode: 'card' as const, returnUrl: `${url}/` }
      const { providerRef } = await startPayment(app.ctx, institute, orderId, options)
      return { orderId, ref: providerRef ?? '' }
    }
    const stateAt = (ref: string) => cashfree.books.orders.get(ref)?.order_status
    const [cancelled, open] = [await started(), await started()]
    assert.equal((await demo.send('DELETE', `${PAY}/payment_links/${cancelled.orderId}`)).status, 200)
    // One answer is lost; the next check closes it all the same.
    cashfree.spoil('PATCH /pg/orders/', lose)
    await world.advance('PT10M')
    assert.deepEqual([stateAt(cancelled.ref), stateAt(open.ref)], ['TERMINATED', 'ACTIVE'])
    await world.advance('PT1H')
    assert.equal(stateAt(open.ref), 'TERMINATED', 'nobody finished it, and another may start')
    const again = await startPayment(app.ctx, institute, open.orderId, { mode: 'card', returnUrl: `${url}/` })
    payOrder(cashfree.books, again.providerRef ?? '')
    // No callback has come: who comes back from the page is not asked to pay again.
    await fetch(`${url}/pay/demo-school/${open.orderId}/return`)
    assert.equal((await demo.get(`${PAY}/payment_links/${open.orderId}`)).body.data.status, 'paid')
  })

  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the presentation')
  const { payment_id: id } = lastDebit(cashfree)
  cashfree.books.outbox.splice(0)
  await world.advance('P1D')
  endCharge(cashfree.books, id, { isPaid: false, retries: 0 })
  await deliver()
  await world.advance('PT1H')
  endCharge(cashfree.books, id, { isPaid: true, retries: 1 })
  await deliver()
  assert.equal(stateOf(await world.plan()), 'debited')
  assert.deepEqual(await world.eventsOf('flex.instalment.bounced'), [])
  assert.equal(cashfree.books.charges.size, 1)
})
