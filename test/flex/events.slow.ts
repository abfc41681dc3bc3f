import assert from 'node:assert/strict'
import { test } from 'node:test'
import { downpaymentOrder } from '../../src/flex/plans/open-setup.service.ts'
import { lockOrder } from '../../src/orders/order-payments.service.ts'
import { applyReport, findPayment } from '../../src/payments/payments.service.ts'
import { paiseOf } from '../../src/platform/money.ts'
import type { Json } from '../harness/client.ts'
import { readCatalogued } from '../harness/events.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { dayIn, FLEX, openWorld, setUpPlan, stateOf, type World } from './support.ts'

/** What a plan tells of: all of the money, all of the changes, exactly as the catalogue has it. */
const line = (component_type: string, amount: number): Json => ({ component_type, amount })

const row = (reference_id: string, days: number, details: Json[], more: Json = {}): Json => {
  return { reference_id, due_date: dayIn(days), details, ...more }
}

async function instituteOf({ bursar }: World): Promise<number> {
  const [row] = await bursar.sql<{ id: number }>(`select id from institutes where code = 'demo-school'`)
  return row?.id ?? 0
}

/** Takes a down payment; answers the order that it is paid by. */
async function openDownpayment(world: World): Promise<string> {
  const key = { instituteId: await instituteOf(world), planId: world.planId }
  const orderId = await downpaymentOrder(world.bursar.app.ctx, key, `${world.bursar.url}/`)
  assert.ok(orderId)
  return orderId
}

async function pay({ bursar }: World, orderId: string, outcome: string): Promise<string> {
  const paid = await bursar.demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome })
  assert.equal(paid.status, 200, paid.text)
  return paid.body.data.payment_id
}

/** An ERP that mirrors its books sends back what was collected here: it is answered as known and counted once. */
async function assertKnownWhenSentBack(
  { bursar, studentId }: World,
  kinds: readonly string[],
): Promise<void> {
  const { demo } = bursar
  const student = `/api/v1/integrations/erp/students/${studentId}`
  const before = (await demo.get(student)).body.data.fee_summary
  const paid = await bursar.sql<Json>(
    `select o.kind, p.id, p.transaction_id, p.amount_paise from orders o join payments p on p.order_id = o.id
     where o.student_id = $1 and p.state = 'captured' order by p.captured_at`,
    [studentId],
  )
  assert.deepEqual(
    paid.map(({ kind }) => kind),
    kinds,
  )
  for (const { id, transaction_id, amount_paise } of paid) {
    const amount = Number(amount_paise) / 100
    const sent = {
      amount,
      paid_at: '2026-11-15',
      mode: 'online',
      fee_components: [line('TUITION_FEE', amount)],
    }
    for (const named of [{ transaction_id }, { transaction_id: id }, { transaction_id: `ERP-${id}`, id }]) {
      const answer = await demo.post(`${student}/payments`, { ...sent, ...named })
      assert.deepEqual([answer.status, answer.body.data.id], [200, id], answer.text)
    }
  }
  assert.deepEqual((await demo.get(student)).body.data.fee_summary, before)
}

test('from the down payment to the end every event fits the catalogue and money carries the reference of the ERP', async t => {
  const schedule = [
    row('DOWN', 0, [line('TUITION_FEE', 20000)], { is_downpayment: true }),
    row('FIRST', 20, [line('TUITION_FEE', 30000)]),
    row('LAST', 50, [line('TUITION_FEE', 10000), line('TRANSPORT_FEE', 12000.5)]),
  ]
  const world = await openWorld(t, { schedule, setUp: false, withErp: false })
  await pay(world, await openDownpayment(world), 'success')
  await setUpPlan(world, 'enach')
  await world.advance('P4M')
  assert.equal((await world.plan()).status, 'closed')
  await assertKnownWhenSentBack(world, ['downpayment', 'instalment', 'instalment'])
  const events = await readCatalogued(world.bursar)
  const money = events.filter(({ payload }) => payload.payment !== undefined)
  assert.deepEqual(
    money.map(({ code, payload }) => `${code} ${payload.payment.reference_id} ${payload.payment.amount}`),
    [
      'flex.downpayment.debited DOWN 20000',
      'flex.downpayment.settled DOWN 20000',
      'flex.instalment.debited FIRST 30000',
      'flex.instalment.settled FIRST 30000',
      'flex.instalment.debited LAST 22000.5',
      'flex.instalment.settled LAST 22000.5',
    ],
  )
})

test('an instalment that the ERP adds and one that it splits anew are recorded as changes', async t => {
  const first = row('FIRST', 20, [line('TUITION_FEE', 30000)])
  const last = row('LAST', 50, [line('TUITION_FEE', 30000), line('TRANSPORT_FEE', 12000.5)])
  const world = await openWorld(t, { schedule: [first, last], customSchedule: true })
  const split = { ...last, details: [line('TUITION_FEE', 29000), line('TRANSPORT_FEE', 13000.5)] }
  const added = row('MORE', 80, [line('TUITION_FEE', 500)])
  const fee_components = [
    { component_type: 'TUITION_FEE', fee_amount: 59500 },
    { component_type: 'TRANSPORT_FEE', fee_amount: 13000.5 },
  ]
  world.erp.put(sampleRecord({}, { fee_components, payment_schedule: [first, split, added] }))
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the first debit')
  const [updated, ...more] = (await readCatalogued(world.bursar)).filter(
    ({ code }) => code === 'flex.subscription.updated',
  )
  assert.deepEqual(more, [])
  const ids = Object.fromEntries(plan.payment_schedule.map((one: Json) => [one.reference_id, one.id]))
  assert.deepEqual(updated?.payload.changes, [
    { field: `payment_schedule.${ids.LAST}.details`, before: last.details, after: split.details },
    { field: `payment_schedule.${ids.MORE}.amount`, after: 500 },
    { field: `payment_schedule.${ids.MORE}.status`, after: 'scheduled' },
    { field: `payment_schedule.${ids.MORE}.due_date`, after: added.due_date },
  ])
  assert.equal(updated?.payload.payment_schedule.length, 3)
})

test('money that a bank pays after it had returned the debit has its events, debited and settled', async t => {
  const world = await openWorld(t, { withErp: false })
  const { demo, app } = world.bursar
  const [{ id, present_on: day }] = (await world.plan()).payment_schedule
  assert.equal((await demo.post('/api/v1/sandbox/clock', { to: `${day}T08:30:30+05:30` })).status, 200)
  const bounced = await demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, {
    outcome: 'bounced',
    code: '04',
  })
  assert.equal(bounced.status, 200, bounced.text)
  const [known] = await world.bursar.sql<{ id: string; amount: number }>(
    `select p.id, p.amount_paise as amount from payments p join orders o on o.institute_id = p.institute_id
       and o.id = p.order_id where o.kind = 'instalment'`,
  )
  assert.ok(known)
  const instituteId = await instituteOf(world)
  const capturedAt = app.ctx.clock.now()
  await applyReport(app.ctx, {
    about: 'payment',
    instituteId,
    paymentId: known.id,
    providerRef: '',
    outcome: {
      kind: 'captured',
      amountPaise: paiseOf(known.amount),
      mode: 'enach',
      transactionId: 'T-LATE',
      capturedAt,
    },
  })
  const payment = await findPayment(app.ctx, instituteId, known.id)
  assert.ok(payment)
  await app.ctx.db.transaction(async tx => {
    const order = await lockOrder(tx, instituteId, payment.orderId)
    assert.ok(order)
    await app.ctx.paymentHandlers.instalment.settled(tx, [{ payment, order }], capturedAt)
  })
  const money = (await readCatalogued(world.bursar)).filter(({ payload }) => payload.payment !== undefined)
  assert.deepEqual(
    money.map(({ code, payload }) => [code, payload.instalment.id, payload.payment.id]),
    [
      ['flex.instalment.debited', id, known.id],
      ['flex.instalment.settled', id, known.id],
    ],
  )
})

test('a down payment that arrives after its plan was cancelled has its event, and the plan stays cancelled', async t => {
  const schedule = [
    row('DOWN', 0, [line('TUITION_FEE', 20000)], { is_downpayment: true }),
    row('LAST', 50, [line('TUITION_FEE', 40000), line('TRANSPORT_FEE', 12000.5)]),
  ]
  const world = await openWorld(t, { schedule, setUp: false, withErp: false })
  const paymentId = await pay(world, await openDownpayment(world), 'pending')
  const { demo } = world.bursar
  assert.equal((await demo.post(`${FLEX}/plans/${world.planId}/cancel`)).status, 200)
  assert.equal((await demo.post(`/api/v1/sandbox/payments/${paymentId}/capture`)).status, 200)
  assert.equal((await demo.post('/api/v1/sandbox/settlements/run')).status, 200)
  const money = (await readCatalogued(world.bursar)).filter(({ payload }) => payload.payment !== undefined)
  assert.deepEqual(
    money.map(({ code, payload }) => [code, payload.payment.id, payload.subscription.status]),
    [
      ['flex.downpayment.debited', paymentId, 'cancelled'],
      ['flex.downpayment.settled', paymentId, 'cancelled'],
    ],
  )
  assert.equal((await world.plan()).status, 'cancelled')
})

test('a schedule is not replaced while its down payment is being paid, so that the money finds its plan', async t => {
  const schedule = [
    row('DOWN', 0, [line('TUITION_FEE', 20000)], { is_downpayment: true }),
    row('LAST', 50, [line('TUITION_FEE', 40000), line('TRANSPORT_FEE', 12000.5)]),
  ]
  const world = await openWorld(t, { schedule, setUp: false, withErp: false })
  const { demo } = world.bursar
  const paymentId = await pay(world, await openDownpayment(world), 'pending')
  const { service_student_id: studentId } = await world.plan()
  const refused = await demo.post(`${FLEX}/students/${studentId}/plans`)
  assert.equal(refused.status, 409, refused.text)
  assert.match(refused.body.message, /down payment of this plan is being paid/)
  // What it takes cannot be asked for a second time; the rest of the same fee, and others, can.
  const statusOf = async (component_type: string, amount: number): Promise<number> => {
    const details = [line(component_type, amount)]
    const order = await demo.post(`${PAY}/orders`, sampleOrder({ service_student_id: studentId, details }))
    return order.status
  }
  assert.deepEqual(
    [
      await statusOf('TUITION_FEE', 40_001),
      await statusOf('TUITION_FEE', 40_000),
      await statusOf('BOOKS', 500),
    ],
    [409, 201, 201],
  )
  assert.equal((await demo.post(`/api/v1/sandbox/payments/${paymentId}/capture`)).status, 200)
  const told = (await readCatalogued(world.bursar)).map(({ code }) => code)
  assert.ok(told.includes('flex.downpayment.debited'), told.join(' '))
})
