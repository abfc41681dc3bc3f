import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authorise,
  chargeOf,
  confirm,
  decline,
  endCharge,
  endChargeRefund,
  moveSubscription,
} from '../../../emulators/cashfree/subscriptions.ts'
import { answerWith } from '../../../emulators/faults.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { ProviderRefused, type DebitRequest } from '../../../src/providers/port.ts'
import { failureOf } from '../failures.ts'
import {
  cashfree,
  clock,
  fake,
  heard,
  instituteId,
  mandate,
  mandates,
  orderId,
  outcomeOf,
  paymentId,
  posts,
  refundId,
  subscriptionId,
  debit,
  pass,
} from './support.ts'

const chargeId = orderId

async function active(rail: DebitRequest['rail']): Promise<DebitRequest> {
  await mandates().register({ ...mandate, rail })
  authorise(fake.books, subscriptionId)
  if (rail === 'enach') confirm(fake.books, subscriptionId)
  await heard()
  return { ...debit, rail }
}

test('a mandate is a subscription on demand under our id, up to its cap, for one method, to its end', async () => {
  const { providerRef, redirectUrl } = await mandates().register(mandate)
  assert.equal(providerRef, subscriptionId)
  assert.match(redirectUrl, /\/checkout\/mandate\/sub_session_/)
  assert.deepEqual(fake.seen[0]?.body, {
    subscription_id: subscriptionId,
    customer_details: {
      customer_name: 'Asha Rao',
      customer_email: 'asha@example.com',
      customer_phone: '9876543210',
    },
    plan_details: {
      plan_name: 'Fees',
      plan_type: 'ON_DEMAND',
      plan_currency: 'INR',
      plan_max_amount: 20_000,
    },
    authorization_details: {
      authorization_amount: 1,
      authorization_amount_refund: true,
      payment_methods: ['enach'],
    },
    subscription_meta: { return_url: 'https://fees.example.edu/return/1' },
    subscription_expiry_time: '2027-03-31T23:59:59+05:30',
    subscription_tags: { institute_id: '41', mandate_id: mandate.mandateId },
  })
})

test('a payer without an e-mail address is refused before Cashfree is asked, which demands one', async () => {
  const error = await failureOf(mandates().register({ ...mandate, payer: { ...mandate.payer, email: '' } }))
  assert.ok(error instanceof ProviderRefused)
  assert.match(error.message, /e-mail address/)
  assert.equal(fake.seen.length, 0)
})

test('callbacks tell a mandate’s life with its UMRN, and one that is not known changes nothing', async () => {
  await mandates().register(mandate)
  authorise(fake.books, subscriptionId)
  confirm(fake.books, subscriptionId)
  for (const status of ['ON_HOLD', 'CUSTOMER_PAUSED', 'SOMETHING_NEW', 'CUSTOMER_CANCELLED'])
    moveSubscription(fake.books, subscriptionId, status)
  const umrn = fake.books.subscriptions.get(subscriptionId)?.authorisation_details.authorization_reference
  const reports = await heard()
  assert.deepEqual(
    reports.map(report => (report.about === 'mandate' ? report.outcome : null)),
    [
      { kind: 'open' },
      { kind: 'authorised', umrn },
      { kind: 'active', umrn, isPausedByPayer: false },
      { kind: 'open' },
      { kind: 'active', umrn, isPausedByPayer: true },
      { kind: 'open' },
      { kind: 'cancelled', code: 'QA', message: 'The payer cancelled the mandate at the bank.' },
    ],
  )
})

test('a payer who declines may approve at the same page afterwards, on either rail', async () => {
  for (const rail of ['enach', 'upi_autopay'] as const) {
    fake.books.subscriptions.clear()
    fake.books.answers.clear()
    await mandates().register({ ...mandate, rail })
    decline(fake.books, subscriptionId, 'The customer declined the mandate')
    assert.deepEqual(
      (await heard()).map(one => (one.about === 'mandate' ? one.outcome : one)),
      [{ kind: 'open' }],
    )
    const { mandateId } = mandate
    const asked = { instituteId, mandateId, providerRef: subscriptionId }
    assert.deepEqual((await mandates().status(asked)).outcome, { kind: 'open' })
    authorise(fake.books, subscriptionId)
    const { kind } = (await mandates().status(asked)).outcome
    assert.equal(kind, rail === 'enach' ? 'authorised' : 'active')
    await heard()
  }
})

test('a UPI debit is asked for the next day, of which Cashfree notifies the payer', async () => {
  await mandates().present(await active('upi_autopay'))
  const { body } = fake.seen.at(-1) ?? assert.fail('nothing was asked')
  assert.deepEqual(body, {
    subscription_id: subscriptionId,
    payment_id: chargeId,
    payment_type: 'CHARGE',
    payment_amount: 4_000.5,
    payment_remarks: 'Fees for Ravi Rao',
    payment_schedule_date: '2026-06-11T00:00:00+05:30',
  })
})

test('a UPI debit that failed is pending while Cashfree may try it again, so that we do not present it beside that', async () => {
  const { providerRef } = await mandates().present(await active('upi_autopay'))
  await heard()
  clock.now = new Date('2026-06-11T05:00:00Z')
  for (const retries of [0, 1, 2]) {
    endCharge(fake.books, chargeId, { isPaid: false, retries })
    const [told] = await heard()
    assert.ok(told?.about === 'payment')
    assert.deepEqual(told.outcome, { kind: 'pending' }, `after ${retries} retries`)
    assert.deepEqual(await outcomeOf(providerRef), { kind: 'pending' })
    pass(1)
  }
  endCharge(fake.books, chargeId, { isPaid: false, retries: 3 })
  const failed = { kind: 'failed', code: 'Z9', message: 'Insufficient balance' }
  assert.deepEqual(await outcomeOf(providerRef), failed)
})

test('a UPI debit that failed for good without retries has failed when its day is over', async () => {
  const { providerRef } = await mandates().present(await active('upi_autopay'))
  clock.now = new Date('2026-06-11T05:00:00Z')
  endCharge(fake.books, chargeId, { isPaid: false, reason: 'Account is closed', retries: 0 })
  assert.deepEqual(await outcomeOf(providerRef), { kind: 'pending' })
  clock.now = new Date('2026-06-11T18:30:00Z')
  assert.deepEqual(await outcomeOf(providerRef), { kind: 'failed', code: '01', message: 'Account is closed' })
})

test('a subscription that a bounce has put on hold is activated for the next debit', async () => {
  await mandates().present(await active('enach'))
  endCharge(fake.books, chargeId, { isPaid: false })
  assert.equal(fake.books.subscriptions.get(subscriptionId)?.subscription_status, 'ON_HOLD')
  const next = { ...debit, paymentId: 'pay_0f3k9z000009abcdefghjkmnpq' }
  await mandates().present(next)
  assert.equal(posts('/manage'), 1)
  assert.equal(chargeOf(fake.books, `41-${next.paymentId}`).payment_status, 'PENDING')
})

test('a debit keeps the bank’s own words, and a reason that is not understood gets no code that would try it again', async () => {
  const { providerRef } = await mandates().present(await active('enach'))
  endCharge(fake.books, chargeId, { isPaid: false, reason: 'Debit declined (X-77)' })
  assert.deepEqual(await outcomeOf(providerRef), {
    kind: 'failed',
    code: 'failed',
    message: 'Debit declined (X-77)',
  })
})

test('the reference of a debit is known before it is sent, and finds it', async () => {
  const request = await active('enach')
  const ref = mandates().referenceOf?.(request)
  assert.deepEqual(await mandates().present(request), { providerRef: ref })
  assert.deepEqual(await outcomeOf(ref ?? null), { kind: 'pending' })
  fake.spoil(
    `GET /pg/subscriptions/${subscriptionId}`,
    answerWith({ ...chargeOf(fake.books, chargeId), payment_status: 'A_NEW_STATE' }),
  )
  assert.deepEqual(await outcomeOf(ref ?? null), { kind: 'pending' })
})

test('a debit is refunded at the speed that its rail allows, and told of', async () => {
  for (const rail of ['enach', 'upi_autopay'] as const) {
    fake.books.subscriptions.clear()
    fake.books.charges.clear()
    fake.books.answers.clear()
    const { providerRef } = await mandates().present(await active(rail))
    endCharge(fake.books, chargeId, { isPaid: true })
    await heard()
    const id = refundId.replace('2', rail === 'enach' ? '4' : '5')
    const payment = { paymentId, providerRef }
    const refund = { instituteId, refundId: id, payment, amountPaise: paiseOf(1_000) }
    const made = await cashfree.refund(refund)
    assert.deepEqual(made.outcome, { kind: 'pending' })
    endChargeRefund(fake.books, `41-${id}`, 'SUCCESS')
    const [told] = await heard()
    assert.ok(told?.about === 'refund' && told.outcome.kind === 'processed')
    assert.deepEqual(await cashfree.refund(refund), told)
  }
})
