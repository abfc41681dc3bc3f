import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { dayIn, FEES, openWorld, setUpPlan, stateOf, type World } from './support.ts'

/** What an ERP said once and took back, and what is told of a plan meanwhile. */
const row = (reference_id: string, days: number, amount: number): Json => ({
  reference_id,
  due_date: dayIn(days),
  details: [{ component_type: 'TUITION_FEE', amount }],
})

function answer(world: World, payment_schedule?: Json[], fee_components: Json[] = FEES): void {
  world.erp.put(sampleRecord({}, { fee_components, ...(payment_schedule && { payment_schedule }) }))
}

test('rows that an ERP doubled once take their amounts again, and what its schedule leaves open is told at set-up', async t => {
  const rows = [row('A', 20, 30000), row('B', 50, 30000)]
  const rest = { component_type: 'TRANSPORT_FEE', amount: 12000.5 }
  const drafted = [rows[0], { ...rows[1], details: [rows[1]?.details[0], rest] }]
  const world = await openWorld(t, { schedule: drafted, customSchedule: true, setUp: false })
  answer(world, rows)
  const page = await fetch(`${world.bursar.url}/flex/demo-school/${world.planId}`)
  assert.equal(page.status, 200)
  await setUpPlan(world, 'enach')
  const [setup] = await world.eventsOf('flex.subscription.setup')
  assert.equal(setup.subscription.outside_amount, 12000.5)
  await world.advance('PT1M')
  const mail = (await world.mailbox()).find(one => (one.subject ?? '').includes(' are set up'))
  assert.match(mail.text, /₹12,000\.50 of the fees is not part of the instalments/)
  answer(world, [row('A', 20, 60000), row('B', 50, 60000)])
  await world.advanceUntil(plan => stateOf(plan, 1) === 'covered', 'the reminder')
  const [active] = await world.eventsOf('flex.subscription.active')
  assert.equal(active.subscription.outside_amount, 12000.5)
  answer(world, rows)
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the first debit')
  assert.deepEqual(
    plan.payment_schedule.map((one: Json) => [one.amount, one.status]),
    [
      [30000, 'settled'],
      [30000, 'scheduled'],
    ],
  )
})

test('a fee that the ERP dropped for a day before the only debit comes back by itself, and is debited', async t => {
  const details = FEES.map(({ component_type, fee_amount }) => ({ component_type, amount: fee_amount }))
  const world = await openWorld(t, { schedule: [{ due_date: dayIn(20), details }] })
  await world.advance('P1D')
  const [{ present_on: day }] = (await world.plan()).payment_schedule
  // After the last reminder, before the fetch of the presentation.
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${dayIn(-2, day)}T12:00:00+05:30` })
  answer(
    world,
    undefined,
    FEES.map(({ component_type }) => ({ component_type, fee_amount: 0 })),
  )
  await world.advanceUntil(plan => plan.status === 'closed', 'the end')
  answer(world)
  const plan = await world.advanceUntil(
    now => now.payment_schedule.some((one: Json) => one.status === 'settled'),
    'the debit',
    20,
  )
  assert.equal(plan.paid_amount, 72000.5)
})

test('what is above the mandate is counted once and told as a change, and an ended mandate shows a locked plan', async t => {
  const world = await openWorld(t, { withErp: false })
  const { demo } = world.bursar
  await world.advance('P2D')
  await demo.patch(`${ERP}/students/${world.studentId}/fee`, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 120000 }],
  })
  const plan = await world.advanceUntil(now => stateOf(now) === 'confirmed', 'the notice')
  const [skipped] = await world.eventsOf('flex.instalment.skipped')
  assert.deepEqual([skipped.subscription.total_amount, plan.total_amount], [132000.5, 132000.5])
  const { id } = plan.payment_schedule[0]
  const updated = (await world.eventsOf('flex.subscription.updated')).at(-1)
  const change = updated.changes.find((one: Json) => one.field === `payment_schedule.${id}.amount`)
  assert.equal(change?.after, plan.payment_schedule[0].amount)
  await demo.post(`/api/v1/sandbox/flex/mandates/${plan.mandate.id}/revoke`)
  const [ended] = await world.eventsOf('flex.mandate.cancelled')
  assert.equal(ended.subscription.status, 'locked')
})

test('a notice of a plan that was cancelled promises no other, and a payment counts before the clock moves on', async t => {
  const world = await openWorld(t, { withErp: false })
  const { demo } = world.bursar
  await world.advance('P2D')
  const paid = await demo.post(`${ERP}/students/${world.studentId}/payments`, {
    amount: 100,
    paid_at: dayIn(0),
    fee_components: [{ component_type: 'TUITION_FEE', amount: 100 }],
  })
  assert.equal(paid.status, 201, paid.text)
  const before = (await demo.get('/api/v1/sandbox/clock')).body.data.now
  await world.advance('P5D')
  const [event] = await world.bursar.sql<{ at: Date }>(
    `select occurred_at as at from events where event_code = 'flex.subscription.updated'`,
  )
  assert.ok(event && event.at.getTime() - Date.parse(before) < 60_000, String(event?.at))
  await world.advanceUntil(plan => stateOf(plan) === 'confirmed', 'the notice')
  await demo.post(`${ERP}/students/${world.studentId}/drop`, {})
  await world.advance('P2D')
  const mail = (await world.mailbox()).find(one => /will not take place/.test(one.subject ?? ''))
  assert.match(mail.text, /Nothing more is debited under this plan/)
})
