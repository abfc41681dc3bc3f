import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { applyRefundReport } from '../../src/payments/refunds/refunds.service.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { dayIn, FEES, FLEX, openWorld, payDownPayment, setUpPlan, stateOf, type World } from './support.ts'

const WHOLE = FEES.map(({ component_type, fee_amount }) => ({ component_type, amount: fee_amount }))

async function orderOf(world: World, instalmentId: string): Promise<string> {
  const [row] = await world.bursar.sql<{ order_id: string }>(
    'select order_id from flex_instalments where id = $1',
    [instalmentId],
  )
  return row?.order_id ?? ''
}

async function refund(world: World, orderId: string, body: Json): Promise<void> {
  const { status, text } = await world.bursar.demo.post(
    `/api/v1/integrations/pay/orders/${orderId}/refunds`,
    body,
  )
  assert.ok(status < 300, text)
}

const dueRows = (plan: Json): Json[] => plan.payment_schedule.filter((one: Json) => one.status === 'due')

test('what is refunded of an instalment is due again, is told, and is debited only on a day that somebody gives it', async t => {
  const world = await openWorld(t, { withErp: false })
  const before = await world.advanceUntil(now => stateOf(now) === 'settled', 'the debit')
  const [first] = before.payment_schedule
  await refund(world, await orderOf(world, first.id), { amount: 1000, reason: 'Left the bus' })
  const after = await world.plan()
  assert.deepEqual(
    [after.payment_schedule[0].status, after.payment_schedule[0].refunded_amount],
    ['settled', 1000],
  )
  const [due] = dueRows(after)
  assert.deepEqual([due?.amount, due?.due_date, after.outside_amount], [1000, first.due_date, undefined])
  assert.deepEqual([after.total_amount, after.paid_amount], [before.total_amount, before.paid_amount - 1000])
  const updated = (await world.eventsOf('flex.subscription.updated')).at(-1)
  assert.deepEqual(
    updated.changes.find((one: Json) => one.field === `payment_schedule.${due?.id}.status`).after,
    'due',
  )
  await world.advance('P1D')
  assert.ok((await world.mailbox()).some(mail => mail.subject === '₹1,000.00 is due again'))
  assert.deepEqual(dueRows(await world.plan()).length, 1)
  const new_due_date = dayIn(20, first.due_date)
  const moved = await world.bursar.demo.patch(`${FLEX}/students/${world.studentId}/reschedule`, {
    due_date: first.due_date,
    new_due_date,
  })
  assert.equal(moved.status, 200, moved.text)
  const debited = await world.advanceUntil(
    now => now.payment_schedule.find((one: Json) => one.id === due?.id).status === 'settled',
    'the new debit',
    30,
  )
  assert.equal(debited.paid_amount, before.paid_amount)
  await world.advance('P1Y')
  const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
  assert.deepEqual([body.data.fee_summary.outstanding, body.data.fee_summary.advance], [0, 0])
  assert.equal((await world.plan()).status, 'closed')
})

test('a refund opens a closed plan again, with or without a mandate, and what is paid online covers it', async t => {
  const world = await openWorld(t, { withErp: false, schedule: [{ due_date: dayIn(20), details: WHOLE }] })
  const { demo } = world.bursar
  const closed = await world.advanceUntil(plan => plan.status === 'closed', 'the end', 40)
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the settlement', 5)
  const orderId = await orderOf(world, closed.payment_schedule[0].id)
  const revoked = await demo.post(`/api/v1/sandbox/flex/mandates/${closed.mandate.id}/revoke`)
  assert.equal(revoked.status, 200, revoked.text)
  await refund(world, orderId, {})
  const open = await world.plan()
  assert.deepEqual([open.status, open.paid_amount, open.total_amount], ['active', 0, 72000.5])
  assert.deepEqual(
    dueRows(open).map(one => one.amount),
    [72000.5],
  )
  assert.equal((await world.eventsOf('flex.subscription.locked')).length, 0)
  const updated = (await world.eventsOf('flex.subscription.updated')).at(-1)
  assert.deepEqual(updated.changes[0], { field: 'status', before: 'closed', after: 'active' })
  // Nothing can be debited, so no day is promised.
  const moved = await demo.patch(`${FLEX}/students/${world.studentId}/reschedule`, {
    due_date: dayIn(20),
    new_due_date: dayIn(60),
  })
  assert.equal(moved.status, 409, moved.text)
  const paid = await demo.post(`${ERP}/students/${world.studentId}/payments`, {
    amount: 72000.5,
    paid_at: dayIn(0),
    fee_components: WHOLE,
  })
  assert.equal(paid.status, 201, paid.text)
  const again = await world.plan()
  assert.deepEqual([again.status, dueRows(again).length], ['closed', 0])
})

test('a closed plan whose fee rises again without a mandate is active, and what is owed is due online', async t => {
  const world = await openWorld(t, { withErp: false })
  await world.advance('P2D')
  const path = `${ERP}/students/${world.studentId}/fee`
  await world.bursar.demo.patch(path, {
    fee_components: FEES.map(({ component_type }) => ({ component_type, fee_amount: 0 })),
  })
  const { status, mandate } = await world.plan()
  assert.equal(status, 'closed')
  await world.bursar.demo.post(`/api/v1/sandbox/flex/mandates/${mandate.id}/revoke`)
  await world.bursar.demo.patch(path, { fee_components: FEES })
  const plan = await world.plan()
  assert.equal(plan.status, 'active')
  assert.ok(plan.payment_schedule.every((one: Json) => one.status === 'due'))
  assert.equal(plan.total_amount, 72000.5)
  assert.equal((await world.eventsOf('flex.subscription.locked')).length, 0)
})

test('a refund that fails makes nothing due, and one of what was paid too much neither', async t => {
  const world = await openWorld(t, { withErp: false })
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the debit')
  const orderId = await orderOf(world, plan.payment_schedule[0].id)
  await world.bursar.demo.patch(`${ERP}/students/${world.studentId}/fee`, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 5000 }],
  })
  await refund(world, orderId, { details: [{ component_type: 'TUITION_FEE', amount: 1000 }] })
  const advance = await world.plan()
  assert.deepEqual([dueRows(advance).length, advance.payment_schedule[0].refunded_amount], [0, 1000])
  await refund(world, orderId, { details: [{ component_type: 'TRANSPORT_FEE', amount: 200 }] })
  assert.equal(dueRows(await world.plan()).length, 1)
  const [row] = await world.bursar.sql<{ id: string; institute_id: number }>(
    `select id, institute_id from refunds where amount_paise = 20000`,
  )
  assert.ok(row)
  await applyRefundReport(world.bursar.app.ctx, {
    about: 'refund',
    instituteId: row.institute_id,
    refundId: row.id,
    providerRef: 'ref',
    outcome: { kind: 'failed', message: 'The account is closed.' },
  })
  const after = await world.plan()
  assert.deepEqual([dueRows(after).length, after.payment_schedule[0].refunded_amount], [0, 1000])
})

test('a settled instalment and down payment carry settlement and UTR, and their events the order', async t => {
  const schedule = [
    { due_date: dayIn(0), is_downpayment: true, details: [WHOLE[1]] },
    { due_date: dayIn(20), details: [WHOLE[0]] },
  ]
  const world = await openWorld(t, { withErp: false, schedule, setUp: false })
  await payDownPayment(world)
  await setUpPlan(world, 'enach')
  const plan = await world.advanceUntil(now => stateOf(now, 1) === 'settled', 'the settlement', 60)
  for (const row of plan.payment_schedule) {
    const orderId = await orderOf(world, row.id)
    const { body } = await world.bursar.demo.get(`/api/v1/integrations/pay/settlements/${row.settlement_id}`)
    assert.equal(body.data.utr, row.settlement_utr)
    const code = row.is_downpayment ? 'flex.downpayment' : 'flex.instalment'
    for (const happened of ['debited', 'settled']) {
      const [event] = await world.eventsOf(`${code}.${happened}`)
      assert.equal(event.order_id, orderId)
    }
  }
  const [settled] = await world.eventsOf('flex.instalment.settled')
  assert.equal(settled.instalment.settlement_utr, settled.payment.settlement_utr)
  // A refund of a down payment is due too.
  const [down] = plan.payment_schedule
  await refund(world, await orderOf(world, down.id), { amount: 500 })
  assert.deepEqual(
    dueRows(await world.plan()).map(one => [one.amount, one.is_downpayment]),
    [[500, false]],
  )
})

test('what was refunded of a debit that the bank then takes back whole is a charge of its own, and nothing of it is invisible', async t => {
  const world = await openWorld(t, { withErp: false, schedule: [{ due_date: dayIn(20), details: WHOLE }] })
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the settlement', 40)
  const { id } = plan.payment_schedule[0]
  await refund(world, await orderOf(world, id), { amount: 300 })
  await world.advance('PT1H')
  const outcome = { outcome: 'bounced', code: '04' }
  const late = await world.bursar.demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, outcome)
  assert.equal(late.status, 200, late.text)
  const [bounced] = await world.eventsOf('flex.instalment.bounced')
  assert.equal(bounced.subscription.paid_amount, 0)
  const after = await world.plan()
  assert.deepEqual([after.total_amount, after.paid_amount], [72300.5, 0])
  assert.equal(after.payment_schedule[0].status, 'reversed')
  const lines = after.payment_schedule.flatMap((one: Json) => (one.status === 'covered' ? [] : one.details))
  const charged = lines.filter((line: Json) => line.component_type === 'RETURNED_AFTER_REFUND')
  assert.deepEqual(
    charged.map((line: Json) => line.amount),
    [300],
    'the plan asks for it, once',
  )
  const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
  const { paid, outstanding, advance } = body.data.fee_summary
  assert.deepEqual([paid, outstanding, advance], [0, 72300.5, 0])
  const institute = await getInstitute(world.bursar.app.ctx, 'demo-school')
  assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])
  assert.match(
    bounced.reason.message,
    /₹300\.00 of it had been refunded before and is owed as RETURNED_AFTER_REFUND\.$/,
  )
  const pay = '/api/v1/integrations/pay'
  const order = await world.bursar.demo.post(`${pay}/students/${world.studentId}/orders`, {})
  assert.equal(order.status, 201, order.text)
  await world.bursar.demo.post(`/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`, {
    outcome: 'success',
  })
  await world.advance('PT1M')
  const paidUp = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
  const summary = paidUp.body.data.fee_summary
  assert.deepEqual([summary.paid, summary.outstanding, summary.advance], [72300.5, 0, 0])
  assert.equal((await world.plan()).status, 'closed')
  assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])
})
