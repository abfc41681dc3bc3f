import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { KEYS as CASHFREE_KEYS } from '../../emulators/cashfree/books.ts'
import { loseDispute, openDispute, winDispute } from '../../emulators/cashfree/disputes.ts'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { payOrder } from '../../emulators/cashfree/orders.ts'
import { settle } from '../../emulators/cashfree/settlements.ts'
import { KEYS as RAZORPAY_KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { disputePayment, moveDispute, payOut } from '../../emulators/razorpay/settlements.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { findBroken } from '../harness/payments.ts'
import { assertStatus } from '../http/support.ts'

export const FEE = 118

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
export async function openSchool(t: TestContext, name: string, isOwn: boolean) {
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
