import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { FLEX, openWorld, setUpPlan, stateOf, type World } from './support.ts'

const TUITION = (amount: number): Json => [{ component_type: 'TUITION_FEE', amount }]
const TRANSPORT = [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }]

test('brothers and sisters get one reminder, each with its own amount and day', async t => {
  const schedule = [{ due_date: '2027-01-05', details: [...TUITION(60000), ...TRANSPORT] }]
  const world = await openWorld(t, { withErp: false, schedule })
  const { demo } = world.bursar
  const sister = sampleStudent({
    identifier: 'ADM-2',
    fullname: 'Mira Rao',
    primary_contact_number: '+91 98765-43210',
  })
  const registered = await demo.post(`${ERP}/users/parent-2/students`, {
    student: sister,
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 7000 }],
  })
  const made = await demo.post(`${FLEX}/students/${registered.body.data.service_student_id}/plans`, {
    payment_schedule: [{ due_date: '2027-01-09', details: TUITION(7000) }],
  })
  await setUpPlan({ ...world, planId: made.body.data.plan_id }, 'enach')
  // Seven days before the one and three before the other.
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-02T21:00:00+05:30' })
  const sent = (await world.mailbox()).filter(mail => mail.sent_at.startsWith('2027-01-02'))
  assert.deepEqual(new Set(sent.map(mail => mail.channel)), new Set(['email', 'sms']))
  assert.equal(sent.length, 2)
  for (const { text } of sent) {
    assert.match(text, /Kabir Rao.*5 January 2027/s)
    assert.match(text, /Mira Rao.*9 January 2027/s)
    assert.match(text, /₹72,000\.50/)
    assert.match(text, /₹7,000/)
  }
})

/** The first is magic: the bank says that the account is short. */
const SHORT_FIRST = [
  ...[5000.81, 14000, 14000, 14000, 12999.19].map((amount, n) => ({
    due_date: `2027-0${n + 1}-05`,
    details: TUITION(amount),
  })),
  { due_date: '2027-06-05', details: TRANSPORT },
]

/** When they went out, the earliest first. */
async function returnMails(world: World): Promise<string[]> {
  const mails = (await world.mailbox()).filter(mail => /could not be debited/.test(mail.subject ?? ''))
  // The mailbox has the newest first.
  return mails.map((mail): string => mail.sent_at.slice(0, 16)).toReversed()
}

test('a family hears of a return in the night at nine in the morning', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  // Presented at 9:00, 13:00, 21:30 and at midnight; each comes back five minutes later.
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: '2027-01-07T00:00:00+05:30' })
  assert.deepEqual(await returnMails(world), [
    '2027-01-05T03:35',
    '2027-01-05T07:35',
    '2027-01-06T03:30',
    '2027-01-06T03:30',
  ])
})

test('a family that paid before the morning is not told of the return any more', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  const { demo } = world.bursar
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-06T02:00:00+05:30' })
  assert.equal(stateOf(await world.plan()), 'bounced')
  await demo.post(`${ERP}/students/${world.studentId}/payments`, {
    amount: 5000.81,
    paid_at: '2027-01-06T01:00:00+05:30',
    fee_components: TUITION(5000.81),
  })
  assert.equal(stateOf(await world.plan()), 'covered')
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-07T00:00:00+05:30' })
  assert.deepEqual(await returnMails(world), ['2027-01-05T03:35', '2027-01-05T07:35'])
})

test('a reminder that the ERP is against is not sent, and the plan says why', async t => {
  const world = await openWorld(t)
  world.erp.refuse('ADM-1042', 'data_error', 'Please ask the office.')
  const [{ due_date: due }] = (await world.plan()).payment_schedule
  const day = Temporal.PlainDate.from(due).subtract({ days: 7 }).toString()
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${day}T10:00:00+05:30` })
  const [noted] = (await world.plan()).decisions
  assert.deepEqual([noted.what, noted.why], ['reminder 7 days before', 'withheld: data_error'])
  assert.ok((await world.mailbox()).every(mail => !/is due on/.test(mail.subject ?? '')))
})
