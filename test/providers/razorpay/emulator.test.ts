import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Razorpay from 'razorpay'
import type { Disputes } from 'razorpay/dist/types/disputes.js'
import type { Orders } from 'razorpay/dist/types/orders.js'
import type { PaymentLinks } from 'razorpay/dist/types/paymentLink.js'
import type { Payments } from 'razorpay/dist/types/payments.js'
import type { Refunds } from 'razorpay/dist/types/refunds.js'
import type { Subscriptions } from 'razorpay/dist/types/subscriptions.js'
import type { Tokens } from 'razorpay/dist/types/tokens.js'
import type { VirtualAccounts } from 'razorpay/dist/types/virtualAccounts.js'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../../emulators/razorpay/emulator.ts'
import type {
  Dispute,
  Invoice,
  Link,
  Order,
  Payment,
  Refund,
  Token,
  VirtualAccount,
} from '../../../emulators/razorpay/entities.ts'
import { authorise, moveToken } from '../../../emulators/razorpay/mandates.ts'
import { servePages } from '../../../emulators/razorpay/pages.ts'
import { transfer } from '../../../emulators/razorpay/virtual-accounts.ts'

const emulator = await startRazorpay({ pages: servePages })
after(() => emulator.close())
const { keyId: key_id, keySecret: key_secret } = KEYS
const sdk = new Razorpay({ key_id, key_secret })
const { rq } = (sdk as unknown as { api: { rq: { defaults: { baseURL: string } } } }).api
rq.defaults.baseURL = emulator.url

type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] }
type Widen<T> = T extends string
  ? string
  : T extends number
    ? number | string
    : T extends boolean
      ? boolean
      : T
type Shared<Ours, Theirs> = keyof Known<Ours> & keyof Theirs
/** Fields whose type is not the published one, with literals and nulls left aside. */
type Different<Ours, Theirs> = {
  [Key in Shared<Ours, Theirs>]: NonNullable<Ours[Key & keyof Ours]> extends Widen<NonNullable<Theirs[Key]>>
    ? never
    : Key
}[Shared<Ours, Theirs>]
type RequiredKey<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T]
type Missing<Ours, Theirs> = Exclude<RequiredKey<Theirs>, keyof Known<Ours>>
type Deviation<Ours, Theirs> = Record<Different<Ours, Theirs> | Missing<Ours, Theirs>, string>

test('the emulator’s entities have the types of the published SDK but for what is named here', () => {
  const notes = 'empty notes are [] in the examples of the reference'
  const unused = 'in no example of the reference that Bursar reads'
  const deviations = [
    {
      notes,
      payments: 'a list in the reference, one entry in the SDK',
      created_at: 'a number in the reference, a text in the SDK',
      reminders: unused,
    } satisfies Deviation<Link, PaymentLinks.RazorpayPaymentLink>,
    { notes, acquirer_data: notes, offers: unused } satisfies Deviation<Payment, Payments.RazorpayPayment>,
    { notes } satisfies Deviation<Refund, Refunds.RazorpayRefund>,
    { notes, description: unused, token: unused } satisfies Deviation<Order, Orders.RazorpayOrder>,
    { notes, auth_link_status: unused } satisfies Deviation<Invoice, Subscriptions.RazorpayRegistrationLink>,
    { source: unused, customer: unused, billing_address: unused } satisfies Deviation<
      Token,
      Tokens.RazorpayToken
    >,
    { evidence: unused } satisfies Deviation<Dispute, Disputes.RazorpayDispute>,
    {
      notes,
      receivers: 'one type for bank accounts and UPI ids in the SDK',
      allowed_payers: 'only of accounts with third-party validation in the reference',
    } satisfies Deviation<VirtualAccount, VirtualAccounts.RazorpayVirtualAccount>,
  ]
  assert.equal(deviations.length, 8)
})

test('the published SDK finds every address that Bursar calls, and what it expects there', async () => {
  const link = await sdk.paymentLink.create({
    amount: 500_00,
    currency: 'INR',
    reference_id: 'r1',
    customer: {},
  })
  assert.equal((await sdk.paymentLink.fetch(link.id)).status, 'created')
  const { id } = emulator.pay(link.id)
  assert.equal((await sdk.payments.fetch(id)).status, 'captured')
  const refund = await sdk.payments.refund(id, { amount: 100_00 })
  assert.equal((await sdk.payments.fetchMultipleRefund(id)).items[0]?.id, refund.id)
  const registration = await sdk.subscriptions.createRegistrationLink({
    customer: { name: 'Asha Rao', email: 'asha@example.in', contact: '9876543210' },
    type: 'link',
    amount: 0,
    currency: 'INR',
    description: 'Fees',
    subscription_registration: { method: 'emandate', max_amount: 5_000_00, first_payment_amount: 0 },
  })
  const token = authorise(emulator.books, registration.id)
  moveToken(emulator.books, token.id, 'confirmed')
  assert.equal((await sdk.invoices.fetch(registration.id)).status, 'paid')
  const customerId = registration.customer_id ?? ''
  assert.equal((await sdk.customers.fetchToken(customerId, token.id)).recurring_details.status, 'confirmed')
  const order = await sdk.orders.create({ amount: 400_00, currency: 'INR', receipt: 'p1' })
  const charged = await sdk.payments.createRecurringPayment({
    email: 'asha@example.in',
    contact: '9876543210',
    amount: 400_00,
    currency: 'INR',
    order_id: order.id,
    customer_id: customerId,
    token: token.id,
    recurring: true,
    notes: {},
  })
  const { items } = await sdk.orders.fetchPayments(order.id)
  assert.equal(items[0]?.id, charged.razorpay_payment_id)
  assert.equal((await sdk.orders.all({ receipt: 'p1' })).count, 1)
  assert.deepEqual(await sdk.customers.deleteToken(customerId, token.id), { deleted: true })
  assert.equal((await sdk.disputes.all()).count, 0)
  const account = await sdk.virtualAccounts.create({ receivers: { types: ['bank_account'] } })
  assert.equal((await sdk.virtualAccounts.fetch(account.id)).receivers[0]?.ifsc, 'RATN0VAAPIS')
  assert.equal((await sdk.virtualAccounts.all({ count: 10 })).count, 1)
  const sent = transfer(emulator.books, account.id, { paise: 900_00, utr: 'N1', name: 'Asha Rao' })
  assert.equal((await sdk.payments.bankTransfer(sent?.id ?? '')).bank_reference, 'N1')
  await sdk.virtualAccounts.close(account.id)
  assert.equal((await sdk.virtualAccounts.fetch(account.id)).status, 'closed')
  assert.deepEqual(await sdk.settlements.reports({ year: 2026, month: 11 }), {
    entity: 'collection',
    count: 0,
    items: [],
  })
  await assert.rejects(
    sdk.payments.fetch('pay_none'),
    (error: { statusCode: number; error: { code: string } }) => {
      assert.deepEqual([error.statusCode, error.error.code], [400, 'BAD_REQUEST_ERROR'])
      return true
    },
  )
})

test('a person plays the payer on the hosted page and comes back with the ids', async () => {
  const callback_url = 'https://fees.example.in/return'
  const link = await sdk.paymentLink.create({
    amount: 500_00,
    reference_id: 'r2',
    callback_url,
    customer: {},
  })
  assert.match(await (await fetch(link.short_url)).text(), /₹500\.00/)
  const paid = await fetch(link.short_url, {
    method: 'POST',
    body: new URLSearchParams({ do: 'pay card' }),
    redirect: 'manual',
  })
  assert.equal(paid.status, 303)
  const back = new URL(paid.headers.get('location') ?? '')
  assert.equal(back.searchParams.get('razorpay_payment_link_id'), link.id)
  assert.match(await (await fetch(emulator.url)).text(), /by card/)
})
