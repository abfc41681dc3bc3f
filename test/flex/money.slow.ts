import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { FEES, FLEX, openWorld, setUpPlan, stateOf, type World } from './support.ts'

const WHOLE = FEES.map(({ component_type, fee_amount }) => ({ component_type, amount: fee_amount }))

/** Money at the counter. */
async function payDirect({ bursar, studentId }: World, lines: Json[]): Promise<void> {
  const amount = lines.reduce((sum: number, line: Json) => sum + line.amount, 0)
  const answer = await bursar.demo.post(`${ERP}/students/${studentId}/payments`, {
    amount,
    paid_at: '2026-11-15',
    fee_components: lines,
  })
  assert.equal(answer.status, 201, answer.text)
}

const tuition = (amount: number): Json => ({ component_type: 'TUITION_FEE', amount })

/** To the hour of a day on which what was announced for it has been presented and not decided. */
async function toPresentation(world: World): Promise<Json> {
  const [{ present_on: day }] = (await world.plan()).payment_schedule
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${day}T09:00:00+05:30` })
  return (await world.plan()).payment_schedule[0]
}

test('a payment at the counter is in the plan when it is next read, and the ERP is told once', async t => {
  const world = await openWorld(t, { withErp: false })
  await payDirect(world, [tuition(9000)])
  const [first, second, third] = (await world.plan()).payment_schedule
  assert.deepEqual([first.amount, second.amount, third.amount], [1200.05, 4200.05, 7200.05])
  await world.plan()
  const events = await world.eventsOf('flex.subscription.updated')
  assert.equal(events.length, 1)
  assert.deepEqual(
    events[0].changes.map((one: Json) => [one.before, one.after]),
    [
      [7200.05, 1200.05],
      [7200.05, 4200.05],
    ],
  )
})

test('a payment between notice and presentation withdraws the notice, and the family is told', async t => {
  const world = await openWorld(t, { withErp: false })
  await world.advanceUntil(plan => stateOf(plan) === 'confirmed', 'the notice')
  await payDirect(world, [tuition(1000)])
  assert.equal(stateOf(await world.plan()), 'scheduled')
  await world.advance('PT1M')
  assert.ok((await world.mailbox()).some(mail => /will not take place/.test(mail.subject ?? '')))
})

test('what came back for good and is paid at the counter is covered, and its plan closes', async t => {
  const schedule = [{ due_date: '2027-01-05', details: WHOLE }]
  const world = await openWorld(t, { withErp: false, schedule })
  const { id, status } = await toPresentation(world)
  assert.equal(status, 'presented')
  const outcome = { outcome: 'bounced', code: '07' }
  await world.bursar.demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, outcome)
  assert.equal(stateOf(await world.plan()), 'bounced')
  await world.advance('P1D')
  const mail = (await world.mailbox()).find(one => /could not be debited/.test(one.subject ?? ''))
  assert.match(mail?.text, new RegExp(`Please pay it online: .*/flex/demo-school/${world.planId}`))
  await payDirect(world, WHOLE)
  const plan = await world.plan()
  assert.deepEqual([stateOf(plan), plan.status], ['covered', 'closed'])
  assert.equal((await world.eventsOf('flex.subscription.closed')).length, 1)
})

test('a fee that rises leaves what came back from the bank as it was', async t => {
  const half = [{ component_type: 'TUITION_FEE', amount: 30000 }]
  const schedule = [
    { due_date: '2027-01-05', details: half },
    { due_date: '2027-02-05', details: [...half, WHOLE[1]] },
  ]
  const world = await openWorld(t, { withErp: false, schedule })
  const { id } = await toPresentation(world)
  await world.bursar.demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, {
    outcome: 'bounced',
    code: '07',
  })
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 61000 }]
  await world.bursar.demo.patch(`${ERP}/students/${world.studentId}/fee`, { fee_components })
  const [first, second] = (await world.plan()).payment_schedule
  assert.deepEqual([first.amount, second.amount], [30000, 43000.5])
})

test('an instalment that cannot be written is set aside, and keeps nobody else from being debited', async t => {
  const world = await openWorld(t, { withErp: false })
  const { bursar } = world
  const registered = await bursar.demo.post(`${ERP}/users/parent-2/students`, {
    student: sampleStudent({ identifier: 'ADM-2' }),
    fee_components: FEES,
  })
  const other = await bursar.demo.post(`${FLEX}/students/${registered.body.data.service_student_id}/plans`)
  const planId = other.body.data.plan_id
  await setUpPlan({ ...world, planId }, 'enach')
  const [first] = (await world.plan()).payment_schedule
  await bursar.sql(
    `alter table flex_presentations add constraint poison check (instalment_id <> '${first.id}')`,
  )
  const { summary } = await world.advance('P2M')
  assert.ok(summary.work_failed > 0)
  const { body } = await bursar.demo.get(`${FLEX}/plans/${planId}`)
  assert.equal(stateOf(body.data), 'settled')
  assert.ok((await world.plan()).decisions.some((one: Json) => one.what === 'set aside'))
  await bursar.sql('alter table flex_presentations drop constraint poison')
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the debit after all', 15)
})

test('a mandate that ends in the night of a retry takes its notice along, and a new one goes on', async t => {
  const world = await openWorld(t, { withErp: false, rail: 'upi_autopay' })
  await world.advanceUntil(plan => stateOf(plan) === 'confirmed', 'the notice')
  // Its last day is today, and what was announced is for tomorrow.
  const now = (await world.bursar.demo.get('/api/v1/sandbox/clock')).body.data.now
  await world.bursar.sql(
    `update flex_mandates set end_on = ($1::timestamptz at time zone 'Asia/Kolkata')::date - 1, next_check_at = $1`,
    [now],
  )
  await world.advance('PT1M')
  const locked = await world.plan()
  assert.deepEqual(
    [locked.status, locked.mandate.status, stateOf(locked)],
    ['locked', 'expired', 'scheduled'],
  )
  await setUpPlan(world, 'upi_autopay')
  assert.equal((await world.plan()).status, 'active')
  const subjects = (await world.mailbox()).map(mail => mail.subject ?? '')
  assert.ok(subjects.some(subject => /mandate for .* has ended/.test(subject)))
})

test('student_discontinued ends the mandate at the bank too', async t => {
  const world = await openWorld(t)
  world.erp.refuse('ADM-1042', 'student_discontinued', 'Left the school.')
  const plan = await world.advanceUntil(now => now.status === 'cancelled', 'the end')
  assert.equal(plan.mandate.status, 'cancelled')
  assert.equal((await world.eventsOf('flex.mandate.cancelled')).length, 1)
  const [atBank] = await world.bursar.sql('select state from bank_mandates')
  assert.equal(atBank?.['state'], 'cancelled')
})
