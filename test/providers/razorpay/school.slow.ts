import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { lose } from '../../../emulators/faults.ts'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import { type RazorpayEmulator, startRazorpay } from '../../../emulators/razorpay/emulator.ts'
import type { Payment } from '../../../emulators/razorpay/entities.ts'
import { endRefund } from '../../../emulators/razorpay/links.ts'
import { authorise, moveToken } from '../../../emulators/razorpay/mandates.ts'
import { endDebit } from '../../../emulators/razorpay/orders.ts'
import { disputePayment, moveDispute, payOut } from '../../../emulators/razorpay/settlements.ts'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { startPayment } from '../../../src/payments/start/start-payment.service.ts'
import { dayOf, formatDay } from '../../../src/platform/calendar.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { createPerson } from '../../console/support.ts'
import { dayIn, FLEX, openWorld, stateOf, type World } from '../../flex/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

/** A school whose debits go through Razorpay, on its emulator and the school's own clock. */
async function openSchool(t: Parameters<typeof openWorld>[0], rail: 'enach' | 'upi_autopay') {
  let clock: { now(): Date } | null = null
  const razorpay = await startRazorpay({ now: () => clock?.now() ?? new Date() })
  t.after(() => razorpay.close())
  const world = await openWorld(t, {
    setUp: false,
    ...(rail === 'upi_autopay' ? { schedule: SMALL } : {}),
    env: envOf(razorpay),
  })
  const { ctx } = world.bursar.app
  clock = ctx.clock
  const institute = await getInstitute(ctx, 'demo-school')
  const key = { instituteId: institute.id, planId: world.planId }
  const page = await (await fetch((await world.plan()).redirect_url)).text()
  const url = await startMandate(ctx, key, { rail, language: 'en', returnUrl: `${world.bursar.url}/` })
  const invoiceId = new URL(url).pathname.slice(3)
  return { world, razorpay, page, invoiceId, institute, deliver: () => deliver(world, razorpay) }
}

function envOf({ url }: RazorpayEmulator): Record<string, string> {
  return {
    RAZORPAY_KEY_ID: KEYS.keyId,
    RAZORPAY_KEY_SECRET: KEYS.keySecret,
    RAZORPAY_WEBHOOK_SECRET: KEYS.webhookSecret,
    RAZORPAY_API_URL: url,
  }
}

function sign(text: string): Record<string, string> {
  return { 'x-razorpay-signature': createHmac('sha256', KEYS.webhookSecret).update(text).digest('hex') }
}

/** Within what UPI takes without the payer's PIN. */
const SMALL = [20, 50, 80, 110, 140].map(days => ({
  due_date: dayIn(days),
  details: [
    { component_type: 'TUITION_FEE', amount: 12_000 },
    { component_type: 'TRANSPORT_FEE', amount: 2_400.1 },
  ],
}))

async function deliver({ bursar }: World, { books }: RazorpayEmulator): Promise<void> {
  for (const { rawBody, headers } of books.outbox.splice(0)) {
    const answer = await bursar.demo.post('/callbacks/razorpay', rawBody.toString(), {
      ...headers,
      authorization: '',
    })
    assert.equal(answer.status, 200, answer.text)
  }
}

const lastDebit = ({ books }: RazorpayEmulator): Payment =>
  [...books.payments.values()].findLast(one => one.status === 'created') ?? assert.fail('no debit waits')

test('a plan is authorised, debited, bounced, debited again, settled and taken back through Razorpay', async t => {
  const { world, razorpay, invoiceId, institute, deliver } = await openSchool(t, 'enach')
  const token = authorise(razorpay.books, invoiceId, 'aadhaar')
  await deliver()
  assert.equal((await world.plan()).mandate.status, 'pending')
  moveToken(razorpay.books, token.id, 'confirmed')
  await deliver()
  assert.equal((await world.plan()).status, 'active')

  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the first presentation')
  endDebit(razorpay.books, lastDebit(razorpay), { reason: 'insufficient_funds' })
  await deliver()
  assert.equal((await world.eventsOf('flex.instalment.bounced')).length, 1)
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the second presentation')
  const debit = lastDebit(razorpay)
  endDebit(razorpay.books, debit, 'captured')
  razorpay.books.outbox.splice(0)
  await world.advance('PT2H')
  assert.equal(stateOf(await world.plan()), 'debited', 'found by asking, though no event came')
  payOut(razorpay.books)
  await world.advance('P1D')
  assert.equal(stateOf(await world.plan()), 'settled')

  const dispute = disputePayment(razorpay.books, debit)
  await deliver()
  const [paid] = await world.bursar.sql<Json>(`select id, order_id from payments where state = 'captured'`)
  const viewer = await createPerson(world.bursar, {
    email: 'viewer@school.example',
    institute: 'demo-school',
    role: 'viewer',
  })
  const shown = await viewer.get(`/console/api/institutes/demo-school/orders/${paid.order_id}`)
  assert.deepEqual(
    shown.body.data.disputes.map((one: Json) => [one.id, one.payment_id, one.status]),
    [[dispute.id, paid.id, 'open']],
  )
  assert.match(shown.text, /The payer disputes/)
  await createPerson(world.bursar, { email: 'fin@school.example', institute: 'demo-school', role: 'finance' })
  await world.advance('PT1H')
  moveDispute(razorpay.books, dispute, 'lost')
  await deliver()
  await deliver()
  await world.advance('PT1H')
  const mails = await world.bursar.sql<Json>(
    `select recipient, body from messages where subject like 'Disputed payment of %' and recipient like '%@school.example'`,
  )
  const answerBy = formatDay(dayOf(new Date(dispute.respond_by * 1_000)))
  assert.deepEqual(
    mails.map(one => one.recipient),
    ['fin@school.example'],
    'once, those who answer for money, and nobody else',
  )
  assert.match(mails[0].body, new RegExp(`${paid.order_id}[^]*Answer it .* by ${answerBy}\\.`))
  assert.notEqual(stateOf(await world.plan()), 'settled', 'the debit was taken back')
  payOut(razorpay.books)
  await world.advance('P1D')
  assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])
})

test('a mandate that the payer withdraws in the app locks its plan, though the event names the token alone', async t => {
  const { world, razorpay, invoiceId, deliver } = await openSchool(t, 'enach')
  const token = authorise(razorpay.books, invoiceId)
  moveToken(razorpay.books, token.id, 'confirmed')
  await deliver()
  moveToken(razorpay.books, token.id, 'cancelled')
  await deliver()
  const plan = await world.plan()
  assert.deepEqual([plan.status, plan.mandate.status], ['locked', 'cancelled'])
})

test('a plan cancelled while a debit is at the bank keeps its token at Razorpay until the debit is paid', async t => {
  const { world, razorpay, invoiceId, institute, deliver } = await openSchool(t, 'enach')
  const { books } = razorpay
  const token = authorise(books, invoiceId)
  moveToken(books, token.id, 'confirmed')
  await deliver()
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the presentation')
  const cancelled = await world.bursar.demo.post(`${FLEX}/plans/${world.planId}/cancel`)
  assert.equal(cancelled.body.data.status, 'cancelling', cancelled.text)
  await world.advance('PT15M')
  const atRazorpay = () => books.tokens.get(token.id)
  assert.deepEqual([token.recurring_details.status, atRazorpay()?.isDeleted], ['confirmed', false])
  endDebit(books, lastDebit(razorpay), 'captured')
  razorpay.spoil('DELETE /v1/customers/', lose)
  await deliver()
  const plan = await world.plan()
  assert.deepEqual([plan.status, plan.mandate.status, stateOf(plan)], ['cancelled', 'cancelled', 'debited'])
  await world.advance('PT15M')
  assert.equal(atRazorpay()?.isDeleted, true)
  moveToken(books, token.id, 'cancelled')
  await deliver()
  assert.equal((await world.eventsOf('flex.mandate.cancelled')).length, 1)
  payOut(books)
  await world.advance('P1D')
  assert.equal(stateOf(await world.plan()), 'settled')
  assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])
})

test('a UPI debit is announced to the payer’s bank a day ahead, and charged under that order at its time', async t => {
  const { world, razorpay, page, invoiceId, deliver } = await openSchool(t, 'upi_autopay')
  assert.match(page, /asks for ₹1\.00 to check your account; you get it back/)
  authorise(razorpay.books, invoiceId)
  await deliver()
  assert.equal((await world.plan()).status, 'active')
  for (const _ of ['its rupee', 'what gave it back']) {
    payOut(razorpay.books)
    await world.advance('P1D')
    for (const refund of razorpay.refunds)
      if (refund.status === 'pending') endRefund(razorpay.books, refund, 'processed')
    await deliver()
  }
  assert.deepEqual(
    razorpay.refunds.map(one => one.amount),
    [100],
    'the rupee of the registration went back, once',
  )
  assert.deepEqual(await world.bursar.sql('select problem from settlement_exceptions'), [])
  razorpay.spoil('POST /v1/orders', lose)
  const plan = await world.advanceUntil(now => stateOf(now) === 'presented', 'the presentation')
  const [notice, ...more] = razorpay.books.notifications.values()
  assert.ok(notice !== undefined && more.length === 0, 'announced once, though the first answer was lost')
  const debit = lastDebit(razorpay)
  const order = razorpay.books.orders.get(debit.order_id ?? '')
  assert.ok(order !== undefined)
  assert.ok(order.created_at <= notice.paymentAfter - 24 * 3_600, 'a day before')
  assert.ok(debit.created_at >= notice.paymentAfter)
  assert.equal(debit.amount, Math.round(plan.payment_schedule[0].amount * 100))
  endDebit(razorpay.books, debit, 'captured')
  await deliver()
  assert.equal(stateOf(await world.plan()), 'debited')
})

test('a pay-out over two branches is split between them, and read at once when a sandbox asks', async t => {
  let clock: { now(): Date } | null = null
  const razorpay = await startRazorpay({ now: () => clock?.now() ?? new Date() })
  t.after(() => razorpay.close())
  const bursar = await startBursar(t, envOf(razorpay))
  const { ctx } = bursar.app
  clock = ctx.clock
  const institute = await getInstitute(ctx, 'demo-group')
  for (const [collector_code, amount] of [
    ['NORTH', 1_000],
    ['SOUTH', 2_000],
  ] as const) {
    const made = await bursar.group.post(
      `${PAY}/orders`,
      sampleOrder({ collector_code, details: [{ component_type: 'TUITION_FEE', amount }] }),
    )
    assert.equal(made.status, 201, made.text)
    const { order_id: orderId } = made.body.data
    const { providerRef } = await startPayment(ctx, institute, orderId, {
      mode: 'upi',
      returnUrl: `${bursar.url}/`,
    })
    razorpay.pay(providerRef ?? '')
  }
  const post = (body: string, headers: Record<string, string>) =>
    bursar.group.post('/callbacks/razorpay', body, { ...headers, authorization: '' })
  for (const { rawBody, headers } of razorpay.books.outbox)
    assert.equal((await post(rawBody.toString(), headers)).status, 200)
  payOut(razorpay.books)
  const { body } = await bursar.group.post('/api/v1/sandbox/settlements/run')
  assert.equal(body.data.settled, 2)
  for (const [branch, gross] of [
    ['NORTH', 1_000],
    ['SOUTH', 2_000],
  ]) {
    const { data } = (await bursar.group.get(`${PAY}/settlements?collector_code=${branch}`)).body
    assert.deepEqual(
      data.map((one: Json) => [one.collector_code, one.gross, one.payment_count]),
      [[branch, gross, 1]],
    )
  }
  assert.deepEqual((await reconcile(ctx, institute)).differences, [])
  const { data: both } = (await bursar.group.get(`${PAY}/settlements`)).body
  const byUtr = await bursar.group.get(`${PAY}/settlements/${both[0].utr}`)
  assert.equal(byUtr.status, 409, 'neither branch is passed over')
  for (const { id } of both) assert.ok(byUtr.text.includes(id), byUtr.text)

  // A lost dispute takes a payment of the checkout back as a refund that nobody asked for, from the next pay-out.
  const [north = assert.fail()] = razorpay.payments.values()
  const dispute = disputePayment(razorpay.books, north)
  moveDispute(razorpay.books, dispute, 'lost')
  for (const { rawBody, headers } of razorpay.books.outbox.toReversed())
    assert.equal((await post(rawBody.toString(), headers)).status, 200)
  payOut(razorpay.books)
  await bursar.group.post('/api/v1/sandbox/settlements/run')
  const [paid] = await bursar.sql<Json>(
    'select order_id from payments where amount_paise = 100000 and institute_id = $1',
    [institute.id],
  )
  const order = (await bursar.group.get(`${PAY}/orders/${paid.order_id}`)).body.data
  assert.equal(order.refunded_amount, 1_000)
  const [last] = (await bursar.group.get(`${PAY}/settlements?collector_code=NORTH`)).body.data
  assert.deepEqual([last.gross, last.refunds, last.net], [0, 1_000, -1_000])
  assert.deepEqual(await bursar.sql('select problem from settlement_exceptions'), [])
  assert.deepEqual((await reconcile(ctx, institute)).differences, [])

  // Signed, and not to be read: the sender's fault, not an error of ours that would be repeated for a day.
  for (const text of ['not json', '[]', '{}']) assert.equal((await post(text, sign(text))).status, 400)
  const notes = { institute_id: String(institute.id), payment_id: 'pay_\u0000' }
  const odd = razorpay.event('payment.captured', {
    payment: { ...[...razorpay.payments.values()][0], notes },
  })
  assert.equal((await post(odd.rawBody.toString(), odd.headers)).status, 200)
})
