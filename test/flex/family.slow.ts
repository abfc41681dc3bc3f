import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { queue } from '../messages/support.ts'
import { dayIn, FLEX, openWorld, setUpPlan, stateOf, type World } from './support.ts'

const TUITION = (amount: number): Json => [{ component_type: 'TUITION_FEE', amount }]
const TRANSPORT = [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }]

/** With the same phone number, and a plan of one instalment of her own. */
async function addSister(
  world: World,
  schedule: [{ due_date: string; details: Json }],
  rail: 'enach' | 'upi_autopay',
): Promise<void> {
  const { demo } = world.bursar
  const registered = await demo.post(`${ERP}/users/parent-2/students`, {
    student: sampleStudent({
      identifier: 'ADM-2',
      fullname: 'Mira Rao',
      primary_contact_number: '+91 98765-43210',
    }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: schedule[0].details[0].amount }],
  })
  const made = await demo.post(`${FLEX}/students/${registered.body.data.service_student_id}/plans`, {
    payment_schedule: schedule,
  })
  await setUpPlan({ ...world, planId: made.body.data.plan_id }, rail)
}

test('brothers and sisters get one reminder: the e-mail has the amount and day of each, the SMS the sum and the first day', async t => {
  const schedule = [{ due_date: '2027-01-05', details: [...TUITION(60000), ...TRANSPORT] }]
  const world = await openWorld(t, { withErp: false, schedule })
  const { demo } = world.bursar
  await addSister(world, [{ due_date: '2027-01-05', details: TUITION(7000) }], 'enach')
  await demo.post('/api/v1/sandbox/clock', { to: '2026-12-29T21:00:00+05:30' })
  const sent = (await world.mailbox()).filter(mail => mail.sent_at.startsWith('2026-12-29'))
  assert.deepEqual(new Set(sent.map(mail => mail.channel)), new Set(['email', 'sms']))
  assert.equal(sent.length, 2)
  const textOf = (channel: string): string => sent.find(mail => mail.channel === channel)?.text ?? ''
  assert.match(textOf('email'), /Kabir Rao: ₹72,000\.50 on 5 January 2027/)
  assert.match(textOf('email'), /Mira Rao: ₹7,000(\.00)? on 5 January 2027/)
  assert.match(textOf('sms'), /2 instalments, ₹79,000\.50 in all, are due from 5 January 2027 on/)
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

test('a family hears once of a debit that came back four times, at nine in the morning after the last', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  // Presented at 9:00, 13:00, 21:30 and at midnight; each comes back five minutes later.
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: '2027-01-07T00:00:00+05:30' })
  assert.deepEqual(await returnMails(world), ['2027-01-06T03:30'])
  assert.equal((await world.bursar.sql('select 1 from flex_presentations')).length, 4)
})

/** Channel and moment of what was sent about debits, in order. */
async function sentBefore(world: World, subject: RegExp): Promise<string[]> {
  const mails = (await world.mailbox()).filter(mail => subject.test(mail.subject ?? ''))
  return mails.map((mail): string => mail.sent_at.slice(0, 16)).toReversed()
}
const BEFORE_A_DEBIT = /^₹.* (is due|will be debited) on /

for (const rail of ['enach', 'upi_autopay'] as const)
  test(`before a debit by ${rail} a family gets one reminder, seven days ahead, and the notice at seven in the morning`, async t => {
    const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail })
    await world.bursar.demo.post('/api/v1/sandbox/clock', { to: '2027-01-05T10:00:00+05:30' })
    const sent = await sentBefore(world, BEFORE_A_DEBIT)
    assert.deepEqual(sent, ['2026-12-29T03:30', '2027-01-04T01:30'])
    const [row] = await world.bursar.sql<{ presented_at: Date; notified_at: Date }>(
      'select p.presented_at, i.notified_at from flex_presentations p join flex_instalments i on i.id = p.instalment_id',
    )
    assert.ok(row)
    assert.ok(row.presented_at.getTime() - row.notified_at.getTime() >= 24 * 3_600_000)
  })

test('who has to pay a part online is reminded of it seven and three days before, and the notice says it', async t => {
  const world = await openWorld(t, { rail: 'upi_autopay' })
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the first debit')
  const [, { due_date: due, present_on: day }] = (await world.plan()).payment_schedule
  world.erp.put(sampleRecord({}, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 300000 }] }))
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${day}T08:00:00+05:30` })
  const sent = await sentBefore(world, /is to be paid online/)
  assert.deepEqual(
    sent.map(at => at.slice(0, 10)),
    [dayIn(-7, due), dayIn(-3, due), dayIn(-1, day)],
  )
})

test('a notice that is withdrawn in the night is not sent at all, and neither is its withdrawal', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'enach' })
  const { demo } = world.bursar
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-04T05:00:00+05:30' })
  assert.equal(stateOf(await world.plan()), 'confirmed')
  const held = await demo.post(`${FLEX}/plans/${world.planId}/hold`)
  assert.equal(held.status, 200, held.text)
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-04T12:00:00+05:30' })
  assert.deepEqual(await sentBefore(world, /debit/), [])
})

test('a return that the ERP is against telling of is not told, and the plan says why', async t => {
  const world = await openWorld(t, { schedule: SHORT_FIRST, rail: 'upi_autopay' })
  const { demo } = world.bursar
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-06T08:00:00+05:30' })
  assert.equal(stateOf(await world.plan()), 'bounced')
  world.erp.refuse('ADM-1042', 'data_error', 'Please ask the office.')
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-06T10:00:00+05:30' })
  assert.deepEqual(await returnMails(world), [])
  const { decisions } = await world.plan()
  const noted = decisions.find(({ what }: Json) => what === 'family not told')
  assert.equal(noted?.why, 'withheld: data_error')
})

test('brothers and sisters whose debits come back in one night are in one message', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  const { demo } = world.bursar
  await addSister(world, [{ due_date: '2027-01-05', details: TUITION(5000.81) }], 'upi_autopay')
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-06T09:30:00+05:30' })
  const morning = (await world.mailbox()).filter(mail => mail.sent_at.startsWith('2027-01-06T03:30'))
  const textOf = (channel: string): string[] =>
    morning.filter(mail => mail.channel === channel).map(mail => mail.text)
  assert.equal(textOf('email').length, 1)
  assert.match(
    textOf('email')[0] ?? '',
    new RegExp(
      `Kabir Rao: ₹5,000\\.81\\. .*Please pay it online: .*/flex/demo-school/${world.planId}\nMira Rao: ₹5,000\\.81\\. .*Please pay it online: `,
    ),
  )
  assert.deepEqual(textOf('sms').length, 1)
  assert.match(textOf('sms')[0] ?? '', /2 debits of ₹10,001\.62 in all came back/)
})

test('a family that paid before the morning gets no message about the return', async t => {
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
  assert.deepEqual(await returnMails(world), [])
})

test('a reminder that could not be sent yet is not sent any more once its instalment is paid; another one is', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  const { bursar, planId } = world
  const [first, second] = (await world.plan()).payment_schedule
  const later = new Date(bursar.app.ctx.clock.now().getTime() + 3_600_000)
  const reminder = { about: planId, inWakingHours: true, at: later }
  await queue(
    bursar,
    { ...reminder, subject: 'of the first', concerns: [first.id] },
    { ...reminder, subject: 'of both', concerns: [first.id, second.id] },
    { ...reminder, subject: 'of the second', concerns: [second.id] },
  )
  await bursar.demo.post(`${ERP}/students/${world.studentId}/payments`, {
    amount: 5000.81,
    paid_at: bursar.app.ctx.clock.now().toISOString(),
    fee_components: TUITION(5000.81),
  })
  assert.equal(stateOf(await world.plan()), 'covered')
  const left = await bursar.sql<{ subject: string }>(
    `select subject from messages where state = 'queued' and subject like 'of %' order by 1`,
  )
  assert.deepEqual(
    left.map(({ subject }) => subject),
    ['of both', 'of the second'],
  )
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
