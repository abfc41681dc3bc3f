import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { openWorld, setUpPlan, stateOf, type World } from './support.ts'

/** Nothing ends a plan for good by data, and nobody is debited more than is owed. */
const [TUITION, TRANSPORT] = ['TUITION_FEE', 'TRANSPORT_FEE'] as const

function setFee(world: World, tuition: number, transport = 12000.5): void {
  const fee_components = [
    { component_type: TUITION, fee_amount: tuition },
    { component_type: TRANSPORT, fee_amount: transport },
  ]
  world.erp.put(sampleRecord({}, { fee_components }))
}

async function pushFee(world: World, tuition: number, transport = 12000.5): Promise<void> {
  setFee(world, tuition, transport)
  const { status, text } = await world.bursar.demo.send('PATCH', `${ERP}/students/${world.studentId}/fee`, {
    fee_components: [
      { component_type: TUITION, fee_amount: tuition },
      { component_type: TRANSPORT, fee_amount: transport },
    ],
  })
  assert.equal(status, 200, text)
}

async function pay(world: World, id: string, lines: Record<string, number>): Promise<void> {
  const amount = Object.values(lines).reduce((sum, one) => sum + one, 0)
  const { status, text } = await world.bursar.demo.post(`${ERP}/students/${world.studentId}/payments`, {
    amount,
    transaction_id: id,
    paid_at: '2026-11-16',
    mode: 'cheque',
    fee_components: Object.entries(lines).map(([component_type, part]) => ({ component_type, amount: part })),
  })
  assert.ok(status < 300, text)
}

async function cancelPayment(world: World, id: string): Promise<void> {
  const path = `${ERP}/students/${world.studentId}/payments/${id}`
  const { status, text } = await world.bursar.demo.send('DELETE', path)
  assert.ok(status < 300, text)
}

const sum = (plan: Json, ...states: string[]): number =>
  plan.payment_schedule
    .filter((one: Json) => states.length === 0 || states.includes(one.status))
    .reduce((total: number, one: Json) => total + Math.round(one.amount * 100), 0) / 100

test('a student dropped after the notice is not debited on any rail, and the plan ends', async t => {
  for (const rail of ['enach', 'upi_autopay'] as const) {
    const world = await openWorld(t, { rail })
    await world.advanceUntil(plan => stateOf(plan) === 'confirmed', 'the notice')
    const dropped = await world.bursar.demo.post(`${ERP}/students/${world.studentId}/drop`, {})
    assert.equal(dropped.status, 200, dropped.text)
    await world.advance('P3D')
    const plan = await world.plan()
    assert.equal(plan.status, 'cancelled')
    assert.deepEqual(
      plan.payment_schedule.flatMap((one: Json) => one.attempts),
      [],
    )
    assert.equal((await world.eventsOf('flex.subscription.cancelled')).length, 1)
    // The provider is told too.
    const [bank] = await world.bursar.sql('select state from bank_mandates')
    assert.equal(bank?.['state'], 'cancelled')
  }
})

test('a fee that falls to nothing and comes back revives what was waived, and the closed plan goes on', async t => {
  const world = await openWorld(t)
  await world.advance('P2D')
  const before = await world.plan()
  await pushFee(world, 0, 0)
  const closed = await world.plan()
  assert.deepEqual([closed.status, closed.total_amount], ['closed', 0])
  await pushFee(world, 60000)
  const after = await world.plan()
  assert.equal(after.status, 'active')
  assert.deepEqual(
    after.payment_schedule.map((one: Json) => [one.due_date, one.amount, one.status]),
    before.payment_schedule.map((one: Json) => [one.due_date, one.amount, one.status]),
  )
  const updated = (await world.eventsOf('flex.subscription.updated')).at(-1)
  assert.deepEqual(updated.changes[0], { field: 'status', before: 'closed', after: 'active' })
  const debited = await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the first debit')
  assert.equal(debited.payment_schedule[0].amount, before.payment_schedule[0].amount)
  const told = (await world.mailbox()).filter(mail => /is due again/.test(mail.subject ?? ''))
  assert.equal(told.length, 1)
})

test('the ERP is asked once more about a waived instalment, though the plan has closed since', async t => {
  const world = await openWorld(t)
  await world.advance('P2D')
  await pushFee(world, 0, 0)
  assert.equal((await world.plan()).status, 'closed')
  setFee(world, 60000)
  const plan = await world.advanceUntil(now => now.status === 'active', 'the question')
  assert.equal(plan.total_amount, 72000.5)
})

/** The first instalment is paid by cheque, the second debited; answers the first. */
async function payFirstByCheque(world: World): Promise<Json> {
  await world.advance('P2D')
  const [first] = (await world.plan()).payment_schedule
  const lines = first.details.map((one: Json) => [one.component_type, one.amount])
  await pay(world, 'CHQ-1', Object.fromEntries(lines))
  assert.equal(stateOf(await world.plan()), 'covered')
  await world.advanceUntil(plan => stateOf(plan, 1) === 'settled', 'the second debit', 70)
  return first
}

test('a cheque that bounces after its instalments were due makes a new instalment', async t => {
  const world = await openWorld(t)
  const first = await payFirstByCheque(world)
  await cancelPayment(world, 'CHQ-1')
  const plan = await world.plan()
  const added = plan.payment_schedule.at(-1)
  assert.deepEqual([added.status, added.amount], ['scheduled', first.amount])
  assert.equal(sum(plan, 'scheduled', 'confirmed', 'settled'), 72000.5)
  assert.equal(plan.total_amount, 72000.5)
  await world.advanceUntil(now => now.payment_schedule.at(-1).status === 'settled', 'the new debit', 30)
})

test('without a mandate what comes back is an amount due online', async t => {
  const world = await openWorld(t)
  const first = await payFirstByCheque(world)
  const { mandate } = await world.plan()
  const revoked = await world.bursar.demo.post(`/api/v1/sandbox/flex/mandates/${mandate.id}/revoke`)
  assert.equal(revoked.status, 200, revoked.text)
  await cancelPayment(world, 'CHQ-1')
  const plan = await world.plan()
  assert.deepEqual([plan.status, plan.payment_schedule.at(-1).status], ['locked', 'due'])
  assert.equal(plan.payment_schedule.at(-1).amount, first.amount)
})

test('a debit returned late opens a closed plan again', async t => {
  const due = {
    due_date: '2026-12-10',
    details: [
      { component_type: TUITION, amount: 60000 },
      { component_type: TRANSPORT, amount: 12000.5 },
    ],
  }
  const world = await openWorld(t, { schedule: [due] })
  const closed = await world.advanceUntil(plan => plan.status === 'closed', 'the end', 40)
  const { id } = closed.payment_schedule[0]
  const late = await world.bursar.demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, {
    outcome: 'bounced',
    code: '04',
  })
  assert.equal(late.status, 200, late.text)
  assert.equal(late.body.data.status, 'returned')
  const plan = await world.plan()
  assert.deepEqual([plan.status, stateOf(plan)], ['active', 'reversed'])
  const updated = (await world.eventsOf('flex.subscription.updated')).at(-1)
  assert.deepEqual(updated.changes[0], { field: 'status', before: 'closed', after: 'active' })
  await world.advance('P1D')
  const mails = (await world.mailbox()).filter(one => /took back|taken back/.test(one.text))
  assert.deepEqual(new Set(mails.map(one => one.channel)), new Set(['email', 'sms']))
  for (const { text } of mails) assert.match(text, new RegExp(`online: .*/flex/demo-school/${world.planId}`))
  assert.equal(stateOf(await world.plan()), 'reversed')
})

test('a mandate is ended at the provider when its plan has closed for good, and not before', async t => {
  const due = {
    due_date: '2026-12-10',
    details: [
      { component_type: TUITION, amount: 60000 },
      { component_type: TRANSPORT, amount: 12000.5 },
    ],
  }
  const world = await openWorld(t, { schedule: [due], withErp: false })
  await world.advanceUntil(plan => plan.status === 'closed', 'the end', 40)
  const atBank = async (): Promise<unknown> =>
    (await world.bursar.sql('select state from bank_mandates'))[0]?.['state']
  await world.advance('P30D')
  assert.equal(await atBank(), 'active')
  await world.advance('P20D')
  assert.equal(await atBank(), 'cancelled')
  assert.equal((await world.plan()).mandate.status, 'cancelled')
  await world.advance('P30D')
  const told = await world.eventsOf('flex.mandate.cancelled')
  assert.deepEqual(
    told.map(({ mandate, subscription }) => [mandate.status, subscription.status]),
    [['cancelled', 'closed']],
  )
})

test('what the plan takes does not count what was waived or covered', async t => {
  const world = await openWorld(t)
  await world.advance('P2D')
  const [first] = (await world.plan()).payment_schedule
  await pay(
    world,
    'CASH-1',
    Object.fromEntries(first.details.map((one: Json) => [one.component_type, one.amount])),
  )
  assert.equal((await world.plan()).total_amount, Math.round((72000.5 - first.amount) * 100) / 100)
})

test('a lock and its end are told with their reason, and a bounced instalment is presented under the new mandate', async t => {
  const world = await openWorld(t)
  const { demo } = world.bursar
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the presentation')
  const [{ id }] = (await world.plan()).payment_schedule
  const ended = await demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, {
    outcome: 'bounced',
    code: '08',
  })
  assert.equal(ended.status, 200, ended.text)
  assert.deepEqual([(await world.plan()).status, stateOf(await world.plan())], ['locked', 'bounced'])
  const [locked] = await world.eventsOf('flex.subscription.locked')
  assert.deepEqual([locked.subscription.status, locked.reason.code], ['locked', '08'])
  await setUpPlan(world, 'enach')
  await world.advanceUntil(plan => plan.status === 'active', 'the new mandate', 5)
  assert.equal((await world.eventsOf('flex.subscription.unlocked')).length, 1)
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the debit', 30)
  assert.equal(plan.payment_schedule[0].attempts.length, 2)
})

test('a sandbox pauses, resumes and expires a mandate', async t => {
  const world = await openWorld(t, { withErp: false })
  const { demo } = world.bursar
  await world.advance('P2D')
  const at = `/api/v1/sandbox/flex/mandates/${(await world.plan()).mandate.id}`
  assert.equal((await demo.post(`${at}/resume`)).status, 409)
  assert.equal((await demo.post(`${at}/pause`)).body.data.is_paused, true)
  const plan = await world.advanceUntil(
    now => now.payment_schedule[0].attempts[0]?.status === 'bounced',
    'the return',
  )
  assert.equal(plan.payment_schedule[0].attempts[0].return_code, '59')
  assert.equal((await demo.post(`${at}/resume`)).body.data.is_paused, false)
  await world.advanceUntil(now => stateOf(now) === 'settled', 'the debit', 20)
  assert.equal((await demo.post(`${at}/expire`)).body.data.status, 'expired')
  assert.deepEqual([(await world.plan()).status, (await world.plan()).mandate.status], ['locked', 'expired'])
  const [locked] = await world.eventsOf('flex.subscription.locked')
  assert.equal(locked.reason.code, 'mandate_expired')
  const [expired] = await world.eventsOf('flex.mandate.expired')
  assert.deepEqual([expired.subscription.status, expired.mandate.status], ['locked', 'expired'])
  assert.equal((await demo.post('/api/v1/sandbox/flex/mandates/mdt_none/revoke')).status, 404)
})

test('what is above the mandate is due, told with its amount, and in the same reminder as the debit', async t => {
  const world = await openWorld(t)
  await world.advance('P2D')
  const { mandate, payment_schedule: before } = await world.plan()
  // The mandate takes a quarter more than the largest instalment.
  await pushFee(world, 120000)
  const plan = await world.advanceUntil(now => stateOf(now) === 'confirmed', 'the notice')
  const due = plan.payment_schedule.find((one: Json) => one.status === 'due')
  assert.equal(plan.payment_schedule[0].amount, mandate.max_amount)
  assert.ok(due.amount > 0 && due.due_date === before[0].due_date)
  const [skipped] = await world.eventsOf('flex.instalment.skipped')
  assert.deepEqual([skipped.reason.code, skipped.instalment.amount], ['above_mandate', due.amount])
  const mails = (await world.mailbox()).filter(({ channel }) => channel === 'email')
  const told = mails.filter(mail => /is to be paid online/.test(mail.subject))
  assert.ok(
    told.some(mail => /is due on/.test(mail.subject)) &&
      told.some(mail => /will be debited/.test(mail.subject)),
  )
  assert.ok(told.every(mail => mail.text.includes(`/flex/demo-school/${world.planId}`)))
  const page = await fetch(`${world.bursar.url}/flex/demo-school/${world.planId}`)
  assert.match(await page.text(), /Please pay it online/)
  await pay(
    world,
    'UPI-1',
    Object.fromEntries(due.details.map((one: Json) => [one.component_type, one.amount])),
  )
  const paid = await world.advanceUntil(
    now => now.payment_schedule.every((one: Json) => one.status !== 'due'),
    'the payment',
    3,
  )
  assert.equal(paid.payment_schedule.find((one: Json) => one.id === due.id).status, 'covered')
})
