import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorise, declineRegistration, moveToken } from '../../../emulators/razorpay/mandates.ts'
import { endDebit } from '../../../emulators/razorpay/orders.ts'
import { disputePayment, moveDispute } from '../../../emulators/razorpay/settlements.ts'
import { meaningOf } from '../../../src/flex/rules/returns.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { ProviderRefused, type Rail, type Report } from '../../../src/providers/port.ts'
import { returnCodeOf } from '../../../src/providers/razorpay/return-codes.rules.ts'
import { assertUnavailable, failureOf } from '../failures.ts'
import { fake, instituteId, order, paymentId, razorpay, startPaid, status } from './support.ts'

const mandateId = 'mdt_0f3k9z000003abcdefghjkmnpq'
const request = {
  instituteId,
  mandateId,
  rail: 'enach' as Rail,
  capPaise: paiseOf(14_000_00),
  startOn: '2026-11-15',
  endOn: '2027-06-30',
  payer: order.payer,
  description: 'Fees for Ravi Rao',
  returnUrl: 'https://fees.example.edu/return/1',
}
const mandates = () => razorpay.mandates ?? assert.fail()
const told = async (): Promise<Report[]> =>
  (await Promise.all(fake.books.outbox.splice(0).map(event => razorpay.readCallback(event)))).flatMap(
    reports => reports ?? assert.fail('not believed'),
  )

test('a registration link is asked for as documented: any way of authorising, a cap, an end, our notes', async () => {
  await mandates().register(request)
  const asked = fake.seen.find(({ method }) => method === 'POST')
  assert.equal(asked?.path, '/v1/subscription_registration/auth_links')
  assert.deepEqual(asked.body, {
    customer: { name: 'Asha Rao', email: 'void@razorpay.com', contact: '+919876543210' },
    type: 'link',
    amount: 0,
    currency: 'INR',
    description: 'Fees for Ravi Rao',
    subscription_registration: {
      method: 'emandate',
      max_amount: 14_000_00,
      expire_at: Date.UTC(2027, 5, 30, 18, 29, 59) / 1_000,
    },
    receipt: mandateId,
    expire_by: Date.UTC(2026, 10, 30, 18, 29, 59) / 1_000,
    sms_notify: false,
    email_notify: false,
    notes: { institute_id: '41', mandate_id: mandateId },
  })
})

test('the payer’s yes is told by payment and invoice events under the token’s name; the token’s own events only make us ask', async () => {
  const { providerRef } = await mandates().register(request)
  const token = authorise(fake.books, providerRef, 'aadhaar')
  const [customerId] = fake.books.customers.keys()
  const ref = `${token.id}/${customerId}`
  const authorised = {
    about: 'mandate',
    instituteId,
    mandateId,
    providerRef: ref,
    outcome: { kind: 'authorised' },
  }
  assert.deepEqual(await told(), [authorised, authorised, authorised])
  for (const status of ['confirmed', 'paused', 'cancelled'] as const) {
    moveToken(fake.books, token.id, status)
    assert.deepEqual(await told(), [{ about: 'mandate_change', providerRef: token.id }])
  }
})

test('an attempt that the payer gives up leaves the link open and tells nothing', async () => {
  const { providerRef } = await mandates().register(request)
  declineRegistration(fake.books, providerRef)
  assert.deepEqual(await told(), [])
  const report = await mandates().status({ instituteId, mandateId, providerRef })
  assert.deepEqual(report.outcome, { kind: 'open' })
})

test('a link whose time is up rejects its mandate, told and asked', async () => {
  const { providerRef } = await mandates().register(request)
  const invoice = fake.books.invoices.get(providerRef) ?? assert.fail()
  invoice.status = 'expired'
  const { outcome } = await mandates().status({ instituteId, mandateId, providerRef })
  assert.ok(outcome.kind === 'rejected' && outcome.code === 'expired')
  const event = fake.event('invoice.expired', { invoice })
  assert.deepEqual(await razorpay.readCallback(event), [
    { about: 'mandate', instituteId, mandateId, providerRef, outcome },
  ])
})

test('eNACH is cancelled by deleting its token and UPI by cancelling it, as each page says', async () => {
  for (const [rail, call] of [
    ['enach', 'DELETE'],
    ['upi_autopay', 'PUT'],
  ] as const) {
    const own = { ...request, rail, mandateId: `mdt_${rail}` }
    const { providerRef } = await mandates().register(own)
    authorise(fake.books, providerRef)
    await mandates().cancel({ instituteId, mandateId: own.mandateId, providerRef })
    assert.equal(fake.seen.at(-1)?.method, call)
  }
})

async function presented(): Promise<{ providerRef: string }> {
  const { providerRef } = await mandates().register(request)
  moveToken(fake.books, authorise(fake.books, providerRef).id, 'confirmed')
  // By the link's name too: the token's may not have reached us.
  const debit = {
    instituteId,
    collectorCode: 'north',
    paymentId,
    mandateRef: providerRef,
    rail: request.rail,
  }
  const details = {
    amountPaise: paiseOf(400_00),
    announcedRef: null,
    payer: order.payer,
    description: 'Fees',
  }
  return mandates().present({ ...debit, ...details })
}

test('a bounce keeps Razorpay’s reason beside the return code', async () => {
  const { providerRef } = await presented()
  const [, payment = assert.fail()] = fake.books.payments.values()
  endDebit(fake.books, payment, { reason: 'insufficient_funds', description: 'Not enough balance.' })
  const { outcome } = await razorpay.status({ instituteId, paymentId, providerRef })
  assert.deepEqual(outcome, {
    kind: 'failed',
    code: '04',
    message: 'Not enough balance. (Razorpay: insufficient_funds)',
  })
})

test('every reason that the documentation names has a meaning on both rails, others go to a person', () => {
  const meant = {
    insufficient_funds: 'funds',
    bank_technical_error: 'bank',
    payment_mandate_not_active: 'bank',
    mandate_paused: 'bank',
    transaction_limit_exceeded: 'limit',
    mandate_cancelled: 'mandate',
    mandate_expired: 'mandate',
    duplicate_request: 'duplicate',
  }
  for (const [reason, category] of Object.entries(meant))
    for (const rail of ['enach', 'upi_autopay'] as const)
      assert.equal(meaningOf(returnCodeOf(reason, rail)).category, category, `${rail} ${reason}`)
  assert.equal(meaningOf(returnCodeOf('bank_account_invalid', 'enach')).action, 'mandate_ended')
  assert.equal(meaningOf(returnCodeOf('bank_account_invalid', 'upi_autopay')).action, 'mandate_ended')
  assert.equal(returnCodeOf('payment_stopped_by_court_order', 'enach'), 'payment_stopped_by_court_order')
  assert.equal(meaningOf('payment_stopped_by_court_order').action, 'stop')
})

test('a dispute names our payment, also where an attempt has no notes, and is found by asking', async () => {
  const { payment } = await startPaid()
  fake.books.outbox.splice(0)
  const dispute = disputePayment(fake.books, payment)
  const [opened, ...none] = await told()
  assert.ok(opened?.about === 'dispute' && none.length === 0)
  assert.deepEqual([opened.paymentId, opened.providerRef, opened.state], [paymentId, dispute.id, 'open'])
  moveDispute(fake.books, dispute, 'lost')
  const [ended] = await told()
  assert.ok(ended?.about === 'dispute')
  assert.deepEqual(
    [ended.state, ended.deductedPaise, ended.reasonCode],
    ['lost', payment.amount, 'chargeback'],
  )
  await presented()
  const debit = [...fake.books.payments.values()].at(-1) ?? assert.fail()
  endDebit(fake.books, debit, 'captured')
  const disputed = disputePayment(fake.books, debit)
  fake.books.outbox.splice(0)
  moveDispute(fake.books, disputed, 'lost')
  const [lost, ...more] = await told()
  assert.ok(lost?.about === 'dispute' && more.length === 0)
  assert.deepEqual([lost.state, lost.deductedPaise], ['lost', 400_00])
  const asked = { instituteId: lost.instituteId, paymentId: lost.paymentId, transactionId: null }
  const found = await razorpay.disputes?.({ ...asked, providerRef: debit.order_id })
  assert.deepEqual(
    found?.map(one => [one.providerRef, one.state]),
    [[disputed.id, 'lost']],
  )
})

const REFUSED = {
  error: { code: 'BAD_REQUEST_ERROR', description: 'Request failed. Please try after sometime.' },
}

test('a mandate ends only when Razorpay knows its customer and no longer its token, never by a refusal', async () => {
  const { providerRef } = await mandates().register(request)
  const token = authorise(fake.books, providerRef)
  moveToken(fake.books, token.id, 'confirmed')
  const asked = { instituteId, mandateId, providerRef }
  fake.spoil('GET /v1/customers', status(400, JSON.stringify(REFUSED)))
  await assertUnavailable(mandates().status(asked), /did not say/)
  assert.equal((await mandates().status(asked)).outcome.kind, 'active')
  const held = fake.books.tokens.get(token.id) ?? assert.fail()
  held.isDeleted = true
  assert.equal((await mandates().status(asked)).outcome.kind, 'cancelled')
  // As with the keys of another account.
  fake.books.customers.clear()
  await assertUnavailable(mandates().status(asked), /did not say/)
})

test('a debit that is refused before it is charged never reached a bank, unless the refusal names the mandate', async () => {
  for (const start of ['POST /v1/orders', 'POST /v1/payments/create']) {
    // As if it had not been carried out.
    fake.spoil(start, response => {
      for (const payment of fake.books.payments.values())
        if (payment.status === 'created') fake.books.payments.delete(payment.id)
      status(400, JSON.stringify(REFUSED))(response)
    })
    const refused = await failureOf(presented())
    assert.ok(refused instanceof ProviderRefused)
    assert.equal(meaningOf(refused.code ?? '').action, 'again_uncounted', start)
    assert.match(refused.message, /Please try after sometime/)
    fake.books.invoices.clear()
  }
})
