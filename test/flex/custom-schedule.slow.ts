import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSetup } from '../../src/flex/plans/open-setup.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import type { Json } from '../harness/client.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { FEES, openWorld, stateOf, type World } from './support.ts'

function row(due: string, amount: number, reference: string): Json {
  return { due_date: due, reference_id: reference, details: [{ component_type: 'TUITION_FEE', amount }] }
}

const TRANSPORT = { component_type: 'TRANSPORT_FEE', amount: 12000.5 }
const FIRST = row('2027-01-05', 20000, 'R1')
const SECOND = row('2027-02-05', 20000, 'R2')
const LAST = { ...row('2027-03-05', 20000, 'R3'), details: [...row('', 20000, '').details, TRANSPORT] }
const SCHEDULE = [FIRST, SECOND, LAST]

function answer(world: World, payment_schedule: Json[]): void {
  world.erp.put(sampleRecord({}, { fee_components: FEES, payment_schedule }))
}

const mails = async (world: World, subject: RegExp): Promise<Json[]> =>
  (await world.mailbox()).filter(mail => subject.test(mail.subject ?? ''))

test("money at the counter lowers rows of the ERP's schedule until the ERP is heard again", async t => {
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true })
  await world.advanceUntil(plan => stateOf(plan) === 'confirmed', 'the notice', 90)
  await world.bursar.demo.post(`${ERP}/students/${world.studentId}/payments`, {
    amount: 5000,
    paid_at: '2026-12-15',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 5000 }],
  })
  const [first, second] = (await world.plan()).payment_schedule
  assert.deepEqual([first.amount, first.status, second.amount], [15000, 'scheduled', 20000])
  answer(world, [{ ...FIRST, details: [{ component_type: 'TUITION_FEE', amount: 16000 }] }, SECOND, LAST])
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the debit', 15)
  assert.equal(plan.payment_schedule[0].amount, 16000)
})

test("two rows of the ERP's schedule on one day are set up and debited on two days", async t => {
  const twin = row('2027-01-05', 20000, 'R2')
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true, setUp: false })
  answer(world, [FIRST, twin, LAST])
  const authorised = await world.bursar.demo.post(`/api/v1/sandbox/flex/plans/${world.planId}/authorise`)
  assert.equal(authorised.status, 200, authorised.text)
  const plan = await world.advanceUntil(
    ({ payment_schedule: [one, two] }) => one.status === 'settled' && two.status === 'settled',
    'both debits',
    90,
  )
  const [one, two] = plan.payment_schedule
  assert.deepEqual([one.due_date, two.due_date], ['2027-01-05', '2027-01-05'])
  assert.deepEqual([one.presented_on, two.presented_on], ['2027-01-05', '2027-01-06'])
})

test('what an announced row loses by the ERP is taken back before the family, and new rows are told', async t => {
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true })
  // Announced at 02:30 of the day before, reminded of at 09:00, when the ERP is asked again.
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: '2027-01-04T08:00:00+05:30' })
  assert.equal(stateOf(await world.plan()), 'confirmed')
  answer(world, [row('2027-01-05', 12000, 'R1'), row('2027-01-20', 8000, 'R1b'), SECOND, LAST])
  await world.advance('PT2H')
  assert.equal((await mails(world, /announced for 5 January 2027 will not take place/)).length, 1)
  const told = (await world.eventsOf('flex.subscription.updated')).at(-1)
  const added = told.payment_schedule.find((one: Json) => one.reference_id === 'R1b')
  assert.deepEqual(
    told.changes.filter((one: Json) => one.field.includes(added.id)),
    [
      { field: `payment_schedule.${added.id}.amount`, after: 8000 },
      { field: `payment_schedule.${added.id}.status`, after: 'scheduled' },
      { field: `payment_schedule.${added.id}.due_date`, after: '2027-01-20' },
    ],
  )
})

test('a row above what the mandate may take is announced once; the rest is due online', async t => {
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true })
  // The mandate is for 40,100: a quarter more than the largest row at set-up.
  answer(world, [row('2027-01-05', 60000, 'R1'), LAST])
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the debit', 90)
  const open = plan.payment_schedule.filter((one: Json) => one.status !== 'cancelled')
  const [first, , rest] = open
  assert.deepEqual([first.amount, first.presented_on], [40100, '2027-01-05'])
  assert.deepEqual([rest.amount, rest.status, rest.due_date], [19900, 'due', '2027-01-05'])
  assert.equal((await mails(world, /will be debited on 5 January/)).length, 1)
})

test("at set-up the ERP's schedule is offered as it is, without what lies in the past", async t => {
  const world = await openWorld(t, { setUp: false, schedule: SCHEDULE, customSchedule: true })
  answer(world, [
    row('2026-05-05', 9000, 'OLD'),
    row('2027-01-05', 30000, 'R1'),
    row('2027-02-05', 20000, 'R2'),
  ])
  const { ctx: flex } = world.bursar.app
  const setup = await openSetup(flex, await getInstitute(flex, 'demo-school'), world.planId)
  assert.equal(setup.kind, 'ready')
  const { payment_schedule: rows } = await world.plan()
  assert.deepEqual(
    rows.map((one: Json) => [one.reference_id, one.amount]),
    [
      ['R1', 30000],
      ['R2', 20000],
    ],
  )
})

test('rows never take more of a component than is owed: the latest give way, and nothing goes into an advance', async t => {
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true })
  await world.advance('P2D')
  const hostel = {
    ...row('2027-04-05', 5000, 'R4'),
    details: [{ component_type: 'HOSTEL_FEE', amount: 5000 }],
  }
  answer(world, [FIRST, row('2027-02-05', 50000, 'R2'), LAST, hostel])
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the first debit', 90)
  assert.deepEqual(
    plan.payment_schedule.map((one: Json) => [one.reference_id, one.amount]),
    [
      ['R1', 20000],
      ['R2', 40000],
      ['R3', 12000.5],
    ],
  )
  assert.equal(plan.outside_amount, undefined)
})

test('what the rows leave open is shown, and told when it changes and when the plan closes', async t => {
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true })
  await world.advance('P2D')
  answer(world, [FIRST, row('2027-02-05', 10000, 'R2')])
  const plan = await world.advanceUntil(now => now.outside_amount !== undefined, 'the schedule', 90)
  assert.equal(plan.outside_amount, 42000.5)
  const updated = (await world.eventsOf('flex.subscription.updated')).at(-1)
  const change = updated.changes.find((one: Json) => one.field === 'outside_amount')
  assert.deepEqual(change, { field: 'outside_amount', before: 0, after: 42000.5 })
  await world.advanceUntil(now => now.status === 'closed', 'the end', 60)
  const [closed] = await world.eventsOf('flex.subscription.closed')
  assert.equal(closed.reason.code, 'owed_outside_plan')
  assert.equal((await mails(world, /is due beside your instalments/)).length, 1)
})

test('a test of the fetch names what the plan of the student would make of its rows', async t => {
  const world = await openWorld(t, { schedule: SCHEDULE, customSchedule: true })
  await world.advance('P2D')
  const tested = async (): Promise<Json[]> => {
    const { status, text, body } = await world.bursar.demo.post(`${ERP}/pull/test`, {
      identifier: 'ADM-1042',
    })
    assert.equal(status, 200, text)
    return body.data.problems ?? []
  }
  assert.deepEqual(await tested(), [])
  answer(world, [FIRST, { ...LAST, is_downpayment: true }])
  const messages = (await tested()).map(({ message }) => message)
  assert.ok(
    messages.includes('is ignored by the plan: a down payment is only taken at set-up'),
    messages.join(),
  )
  assert.ok(
    messages.some(message => message.startsWith('has no row for the instalment of 2027-02-05')),
    messages.join(),
  )
})
