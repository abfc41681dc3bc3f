import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { KEYS as CASHFREE_KEYS } from '../../emulators/cashfree/books.ts'
import { loseDispute, openDispute, winDispute } from '../../emulators/cashfree/disputes.ts'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { payOrder } from '../../emulators/cashfree/orders.ts'
import { settle } from '../../emulators/cashfree/settlements.ts'
import { KEYS as RAZORPAY_KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { disputePayment, moveDispute, payOut } from '../../emulators/razorpay/settlements.ts'
import { findFamilyOrders, openFamilyOrders } from '../../src/dues/pay-dues.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { startPayment, startTogether } from '../../src/payments/start/start-payment.service.ts'
import { demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'

const FEE = 118

/** A gateway whose payers dispute what they paid. */
type Disputed = {
  settings: Record<string, string>
  fields: { field: string; value: string }[]
  apiUrl: Record<string, string>
  pay(providerRef: string): void
  open(): void
  win(): void
  lose(): void
  settle(): void
  outbox: { rawBody: Buffer; headers: Record<string, string> }[]
}

const GATEWAYS: Record<string, (t: TestContext, now: () => Date) => Promise<Disputed>> = {
  async razorpay(t, now) {
    const emulator = await startRazorpay({ now, habits: { disputeFee: FEE * 100 } })
    t.after(() => emulator.close())
    const { books } = emulator
    const payment = () => [...emulator.payments.values()].at(-1) ?? assert.fail('nothing was paid')
    const dispute = () => [...books.disputes.values()].at(-1) ?? disputePayment(books, payment())
    const { keyId, keySecret, webhookSecret } = RAZORPAY_KEYS
    return {
      settings: {
        RAZORPAY_KEY_ID: keyId,
        RAZORPAY_KEY_SECRET: keySecret,
        RAZORPAY_WEBHOOK_SECRET: webhookSecret,
      },
      fields: [
        { field: 'key_id', value: keyId },
        { field: 'key_secret', value: keySecret },
        { field: 'webhook_secret', value: webhookSecret },
      ],
      apiUrl: { RAZORPAY_API_URL: emulator.url },
      pay: ref => void emulator.pay(ref),
      open: () => void disputePayment(books, payment()),
      win: () => moveDispute(books, dispute(), 'won'),
      lose: () => moveDispute(books, dispute(), 'lost'),
      settle: () => void payOut(books),
      outbox: books.outbox,
    }
  },
  async cashfree(t, now) {
    const emulator = await startCashfree({ now, habits: { chargebackFee: FEE } })
    t.after(() => emulator.close())
    const { books } = emulator
    const disputed = () => {
      const {
        order_id: orderId,
        cf_payment_id: paymentId,
        payment_amount: amount,
      } = books.payments.at(-1) ?? assert.fail('nothing was paid')
      return { orderId, paymentId, amount }
    }
    const { clientId, clientSecret } = CASHFREE_KEYS
    return {
      settings: { CASHFREE_CLIENT_ID: clientId, CASHFREE_CLIENT_SECRET: clientSecret },
      fields: [
        { field: 'client_id', value: clientId },
        { field: 'client_secret', value: clientSecret },
      ],
      apiUrl: { CASHFREE_API_URL: emulator.apiUrl },
      pay: ref => void payOrder(books, ref),
      open: () => void openDispute(books, disputed()),
      win: () => winDispute(books, books.disputes.at(-1) ?? assert.fail('nothing is disputed')),
      lose: () => loseDispute(books, disputed(), books.disputes.at(-1)),
      settle: () => void settle(books),
      outbox: books.outbox,
    }
  },
}

/** Whose account it is: the installation's, or one that the school has at the gateway itself. */
async function openSchool(t: TestContext, name: string, isOwn: boolean) {
  let clock: { now(): Date } | null = null
  const open = GATEWAYS[name] ?? assert.fail(name)
  const gateway = await open(t, () => clock?.now() ?? new Date())
  const bursar = await startBursar(t, { ...gateway.apiUrl, ...(isOwn ? {} : gateway.settings) })
  const { demo, app } = bursar
  clock = app.ctx.clock
  const institute = await getInstitute(app.ctx, 'demo-school')
  let address = name
  if (isOwn) {
    const owner = await demoVisitor(bursar.url)
    const account = {
      provider: name,
      title: 'Our own',
      methods: ['upi', 'card', 'netbanking'],
      rails: [],
      settings: gateway.fields,
    }
    const made = await owner.post('/console/api/institutes/demo-school/provider-accounts', account)
    assertStatus(made, 201)
    address = `${name}/${made.body.data.id}`
  }
  /** Twice each: providers repeat themselves. */
  const deliver = async (): Promise<void> => {
    for (const { rawBody, headers } of gateway.outbox.splice(0))
      for (let n = 0; n < 2; n++) {
        const sent = { ...headers, authorization: '' }
        assertStatus(await demo.post(`/callbacks/${address}`, rawBody.toString(), sent), 200)
      }
  }
  const expectSound = async (): Promise<void> => {
    assert.deepEqual(await bursar.sql('select problem from settlement_exceptions'), [])
    assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  }
  const advance = (advance: string) => demo.post('/api/v1/sandbox/clock', { advance })
  const events = async (): Promise<string[]> =>
    (
      await bursar.sql<{ code: string }>(
        `select event_code as code from events where event_code like 'pay.dispute.%' order by sequence`,
      )
    ).map(({ code }) => code)
  const options = { mode: 'card' as const, returnUrl: `${bursar.url}/` }
  return { bursar, demo, ctx: app.ctx, institute, gateway, deliver, expectSound, advance, events, options }
}

for (const name of ['razorpay', 'cashfree'])
  for (const isOwn of [false, true]) {
    const whose = isOwn ? "a school's own account" : "the installation's account"
    test(`a payment through ${whose} at ${name} is disputed, lost, in the books and the pay-out, to the paisa`, async t => {
      const school = await openSchool(t, name, isOwn)
      const { demo, gateway, deliver, ctx, institute, advance, options } = school
      const { order_id: orderId } = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data
      const url = `${PAY}/orders/${orderId}`
      gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
      await deliver()
      gateway.settle()
      await advance('P1D')
      const paid = (await demo.get(url)).body.data
      assert.equal(typeof paid.details[0].settlement_utr, 'string')
      const amount = paid.details.reduce((sum: number, line: Json) => sum + line.amount, 0)

      gateway.open()
      await deliver()
      const [opened] = (await demo.get(`${PAY}/disputes?status=open`)).body.data
      assert.deepEqual([opened.order_id, opened.amount, opened.provider], [orderId, amount, name])
      assert.equal(typeof opened.respond_by, 'string')
      assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 409)
      gateway.lose()
      await deliver()
      const lost = (await demo.get(url)).body.data
      assert.deepEqual([lost.status, lost.refunded_amount], ['paid', amount])
      assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 409)

      gateway.settle()
      await advance('P1D')
      const dispute = (await demo.get(`${PAY}/disputes/${opened.id}`)).body.data
      assert.equal(dispute.status, 'lost')
      const settlement = (await demo.get(`${PAY}/settlements/${dispute.settlement_utr}`)).body.data
      assert.deepEqual(
        settlement.items.map((item: Json) => [item.type, item.amount]),
        [
          ['chargeback_fee', FEE],
          ['chargeback', amount],
        ],
      )
      const { gross, charges, chargebacks, net } = settlement
      assert.deepEqual([gross, charges, chargebacks, net], [0, FEE, amount, -amount - FEE])
      assert.deepEqual(await school.events(), ['pay.dispute.opened', 'pay.dispute.lost'])
      await school.expectSound()
    })
  }

for (const name of ['razorpay', 'cashfree']) {
  test(`a dispute at ${name} of which we heard nothing is found when a pay-out is less by it`, async t => {
    const school = await openSchool(t, name, false)
    const { demo, gateway, ctx, institute, advance, options } = school
    const studentId = await newStudent(demo, {
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 5_000 }],
    })
    const { order_id: orderId } = (await demo.post(`${PAY}/students/${studentId}/orders`, {})).body.data
    gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
    await school.deliver()
    gateway.lose()
    gateway.outbox.splice(0)
    gateway.settle()
    await advance('P1D')
    const dues = (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data
    assert.equal(dues.total_amount, 5_000, 'the fees are open again')
    assert.deepEqual(await school.events(), ['pay.dispute.lost'])
    await school.expectSound()
  })

  test(`a dispute at ${name} of one payment for two children is each child's part, won or lost`, async t => {
    const school = await openSchool(t, name, false)
    const { bursar, demo, gateway, ctx, institute, advance, options, deliver } = school
    const ids: string[] = []
    for (const fee_amount of [9_000.01, 3_000])
      ids.push(await newStudent(demo, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount }] }))
    const wanted = ids.map(studentId => ({ studentId, componentTypes: ['TUITION_FEE'] }))
    const { checkoutId } = await openFamilyOrders(ctx, institute, wanted, {
      urlOf: () => `${bursar.url}/parents`,
      takeOver: false,
      payer: null,
    })
    const orderIds = (await findFamilyOrders(ctx, institute, checkoutId)).map(order => order.id)
    const { providerRef } = await startTogether(ctx, institute, orderIds, options)
    gateway.pay(providerRef ?? '')
    await deliver()
    gateway.settle()
    await advance('P1D')
    gateway.open()
    await deliver()
    const open = (await demo.get(`${PAY}/disputes`)).body.data
    assert.deepEqual(
      open.map((one: Json) => one.amount).toSorted((one: number, other: number) => one - other),
      [3_000, 9_000.01],
    )
    assert.equal(new Set(open.map((one: Json) => one.provider_reference)).size, 1)
    await advance('PT1H')
    const mails = await bursar.sql<{ recipient: string; subject: string }>(
      `select recipient, subject from messages where subject like 'Disputed payment of %'`,
    )
    assert.ok(mails.length > 0 && mails.every(one => one.subject.includes('₹12,000.01')), 'of the whole sum')
    assert.equal(new Set(mails.map(one => one.recipient)).size, mails.length, 'one mail to each')
    gateway.lose()
    await deliver()
    gateway.settle()
    await advance('P1D')
    const dues = await Promise.all(
      ids.map(async id => (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount),
    )
    assert.deepEqual(dues, [9_000.01, 3_000])
    assert.equal((await school.events()).filter(code => code === 'pay.dispute.lost').length, 2)
    await school.expectSound()
  })

  test(`a dispute at ${name} that is won moves nothing`, async t => {
    const school = await openSchool(t, name, false)
    const { demo, gateway, ctx, institute, advance, options, deliver } = school
    const { order_id: orderId } = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data
    gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
    await deliver()
    gateway.open()
    gateway.win()
    await deliver()
    gateway.settle()
    await advance('P1D')
    const { data } = (await demo.get(`${PAY}/orders/${orderId}`)).body
    assert.deepEqual([data.status, data.refunded_amount], ['paid', undefined])
    assert.deepEqual(await school.events(), ['pay.dispute.opened', 'pay.dispute.won'])
    await school.expectSound()
  })
}
