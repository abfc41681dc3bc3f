import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleRecord } from '../../harness/fakes/erp.ts'
import { startFakeSmtp } from '../../harness/fakes/smtp.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { SMS_ACCOUNT } from '../../messages/support.ts'
import { dayIn, FEES, openWorld, stateOf } from '../support.ts'

test('a year of a plan happens in its order when the clock is moved, and every rupee is debited once', async t => {
  const world = await openWorld(t)
  const { summary } = await world.advance('P1Y')
  assert.equal(summary.items_settled, 10)
  const plan = await world.plan()
  assert.equal(plan.status, 'closed')
  assert.equal(plan.paid_amount, 72000.5)
  assert.ok(plan.payment_schedule.every((row: { status: string }) => row.status === 'settled'))
  const counts = await world.bursar.sql('select event_code, count(*) from events group by 1 order by 1')
  assert.deepEqual(Object.fromEntries(counts.map(row => [row['event_code'], row['count']])), {
    'flex.instalment.debited': 10,
    'flex.instalment.settled': 10,
    // Some weeks after the plan has closed.
    'flex.mandate.cancelled': 1,
    'flex.subscription.active': 1,
    'flex.subscription.closed': 1,
    'flex.subscription.setup': 1,
    'masterdata.student.registered': 1,
  })
  // At set-up the page asks; then before each of ten debits and each of thirty reminders.
  assert.equal(world.erp.requests.length, 10 + 30)
  const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
  assert.equal(body.data.fee_summary.outstanding, 0)
})

test('a debit whose notice cannot leave in time is put off until one has left 24 hours before', async t => {
  const smtp = await startFakeSmtp(t)
  smtp.behave('busy')
  const env = {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'fees@school.example',
    SMS_URL: `http://${NOBODY}`,
    ...SMS_ACCOUNT,
  }
  const world = await openWorld(t, { env })
  const dayBefore = dayIn(-1, (await world.plan()).payment_schedule[0].present_on)
  await world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${dayBefore}T10:00:00+05:30` })
  assert.equal(stateOf(await world.plan()), 'confirmed')
  // The next try, in the afternoon, arrives.
  smtp.behave('accept')
  const plan = await world.advanceUntil(one => stateOf(one) === 'settled', 'the debit')
  assert.ok(
    plan.decisions.some((one: { why: string }) => one.why === 'its notice did not leave 24 hours before'),
  )
  const [row] = await world.bursar.sql(
    `select p.presented_at, (select max(sent_at) from messages where subject like '%will be debited on%' and sent_at < p.presented_at) as sent_at
     from flex_presentations p`,
  )
  assert.ok(row && row['presented_at'] - row['sent_at'] >= 24 * 3_600_000)
  assert.equal((await world.eventsOf('flex.instalment.debited')).length, 1)
})

test('a refusal before a presentation skips it, the ERP is asked every day, and it is presented once that allows it', async t => {
  const world = await openWorld(t)
  for (const [n, code] of ['student_not_found', 'data_error', 'something_new'].entries()) {
    world.erp.refuse('ADM-1042', code, 'Please ask the office.')
    const skipped = await world.advanceUntil(plan => stateOf(plan, n) === 'skipped', 'the skip')
    const event = (await world.eventsOf('flex.instalment.skipped')).at(-1)
    assert.deepEqual(event.reason, { code, category: 'erp', message: 'Please ask the office.' })
    assert.ok(
      skipped.decisions.some((one: { why: string }) => one.why.includes(`${code}: Please ask the office.`)),
    )
    const asked = world.erp.requests.length
    await world.advance('P3D')
    assert.ok(world.erp.requests.length >= asked + 3, 'asked again every day')
    world.erp.put(sampleRecord({}, { fee_components: FEES }))
    await world.advanceUntil(
      plan => stateOf(plan, n) === 'debited' || stateOf(plan, n) === 'settled',
      'the debit',
      10,
    )
    assert.equal((await world.eventsOf('flex.instalment.skipped')).length, n + 1)
  }
})

test('student_discontinued before a presentation ends the plan and everything of it', async t => {
  const world = await openWorld(t)
  world.erp.refuse('ADM-1042', 'student_discontinued', 'Left the school.')
  const plan = await world.advanceUntil(now => now.status === 'cancelled', 'the end')
  assert.ok(plan.payment_schedule.every((row: { status: string }) => row.status === 'cancelled'))
  const [event] = await world.eventsOf('flex.subscription.cancelled')
  assert.equal(event.reason.code, 'student_discontinued')
  world.erp.put(sampleRecord({}, { fee_components: FEES }))
  await world.advance('P2M')
  assert.equal((await world.eventsOf('flex.instalment.debited')).length, 0)
})

test('a student dropped here ends its plan in the same moment', async t => {
  const world = await openWorld(t, { withErp: false })
  await world.bursar.demo.post(`${ERP}/students/${world.studentId}/drop`)
  const plan = await world.plan()
  assert.equal(plan.status, 'cancelled')
  assert.ok(plan.payment_schedule.every((row: { status: string }) => row.status === 'cancelled'))
  const [event] = await world.eventsOf('flex.subscription.cancelled')
  assert.equal(event.reason.code, 'student_discontinued')
})

test('student_transferred locks the plan until a later 200', async t => {
  const world = await openWorld(t)
  world.erp.refuse('ADM-1042', 'student_transferred', 'Now at the other branch.')
  await world.advanceUntil(now => now.status === 'locked', 'the lock')
  world.erp.put(sampleRecord({}, { fee_components: FEES }))
  await world.advanceUntil(
    now => now.status === 'active' && stateOf(now) === 'settled',
    'the debit after it',
    15,
  )
})

test('an ERP that is away is asked again until the last moment for the notice, then the instalment is skipped', async t => {
  const world = await openWorld(t)
  world.erp.disturb(() => ({ status: 503 }))
  await world.advanceUntil(plan => stateOf(plan) === 'skipped', 'the skip')
  const [event] = await world.eventsOf('flex.instalment.skipped')
  assert.equal(event.reason.code, 'unavailable')
  const tries = await world.bursar.sql(`select 1 from erp_fetches where reason = 'presentation'`)
  assert.ok(tries.length >= 5, `asked ${tries.length} times`)
})

test('a direct payment lowers the earliest instalments, and one that it pays whole is covered', async t => {
  const schedule = [4000, 4000, 4000.5].map((transport, n) => ({
    due_date: dayIn(20 + 30 * n),
    details: [
      { component_type: 'TUITION_FEE', amount: 20000 },
      { component_type: 'TRANSPORT_FEE', amount: transport },
    ],
  }))
  const world = await openWorld(t, { withErp: false, schedule })
  await world.bursar.demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent(),
    fee_components: FEES,
    payments: [
      {
        amount: 25000,
        paid_at: '2026-11-15',
        mode: 'cash',
        transaction_id: 'CASH-1',
        fee_components: [{ component_type: 'TUITION_FEE', amount: 25000 }],
      },
    ],
  })
  const plan = await world.advanceUntil(now => stateOf(now) === 'settled', 'the first debit')
  const [first, second, third] = plan.payment_schedule
  // 20,000 of tuition fall off the first and 5,000 off the second.
  assert.deepEqual([first.amount, second.amount, third.amount], [4000, 19000, 24000.5])
  await world.advance('P4M')
  const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
  assert.deepEqual([body.data.fee_summary.outstanding, body.data.fee_summary.advance], [0, 0])
})

test('a fee that the ERP raised is spread over what is still to come, and one that it dropped is waived', async t => {
  const world = await openWorld(t)
  await world.advanceUntil(now => stateOf(now) === 'settled', 'the first debit')
  world.erp.put(
    sampleRecord({}, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 69000 }, FEES[1]] }),
  )
  const raised = await world.advanceUntil(now => stateOf(now, 1) === 'settled', 'the second debit')
  assert.equal(raised.payment_schedule[1].amount, 8200.05)
  world.erp.put(
    sampleRecord(
      {},
      {
        fee_components: [
          { component_type: 'TUITION_FEE', fee_amount: 13000 },
          { component_type: 'TRANSPORT_FEE', fee_amount: 2400.1 },
        ],
      },
    ),
  )
  const closed = await world.advanceUntil(now => now.status === 'closed', 'the end', 60)
  assert.ok(closed.payment_schedule.slice(2).every((row: { status: string }) => row.status === 'waived'))
})
