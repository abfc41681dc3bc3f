import assert from 'node:assert/strict'
import { test } from 'node:test'
import { downpaymentOrder } from '../../../src/flex/plans/open-setup.service.ts'
import type { Json } from '../../harness/client.ts'
import { sampleRecord } from '../../harness/fakes/erp.ts'
import { ERP } from '../../harness/samples.ts'
import { decide, FEES, openWorld, setUpPlan, stateOf, untilPresented } from '../support.ts'

test('a return for want of funds is presented again, at most twice, each at least three days later and announced anew', async t => {
  const world = await openWorld(t)
  for (let presentation = 1; presentation <= 3; presentation++) {
    await decide(world, await untilPresented(world), { outcome: 'bounced', code: '04' })
    const plan = await world.plan()
    assert.equal(stateOf(plan), presentation < 3 ? 'scheduled' : 'bounced')
  }
  await world.advance('P2M')
  const plan = await world.plan()
  assert.equal(stateOf(plan), 'bounced')
  const days = plan.payment_schedule[0].attempts.map(
    (one: Json) => Date.parse(one.presented_at.slice(0, 10)) / 86_400_000,
  )
  assert.equal(days.length, 3)
  assert.ok(days[1] - days[0] >= 3 && days[2] - days[1] >= 3)
  const events = await world.eventsOf('flex.instalment.bounced')
  assert.deepEqual(
    events
      .filter(event => event.instalment.id === plan.payment_schedule[0].id)
      .map(event => event.instalment.attempt),
    [1, 2, 3],
  )
  assert.equal(events[0].reason.category, 'funds')
  assert.match(events[0].next_presentation_on, /^\d{4}-\d{2}-\d{2}$/)
})

test('UPI is tried again in another window within 48 hours of the notice, without a new one', async t => {
  const world = await openWorld(t, { rail: 'upi_autopay' })
  await decide(world, await untilPresented(world), { outcome: 'bounced', code: 'Z9' })
  assert.equal(stateOf(await world.plan()), 'confirmed')
  await world.advance('P2D')
  const plan = await world.plan()
  assert.ok(['debited', 'settled'].includes(stateOf(plan)))
  const [first, second] = plan.payment_schedule[0].attempts
  assert.ok(Date.parse(second.presented_at) - Date.parse(first.presented_at) < 48 * 3_600_000)
  const notices = (await world.mailbox()).filter(mail => /will be debited on/.test(mail.subject ?? ''))
  assert.equal(notices.length, 1)
})

test('a mandate that the bank ended locks the plan, and a new one lets it go on', async t => {
  const world = await openWorld(t)
  await decide(world, await untilPresented(world), { outcome: 'bounced', code: '08' })
  const locked = await world.plan()
  assert.deepEqual(
    [locked.status, locked.mandate.status, stateOf(locked)],
    ['locked', 'cancelled', 'bounced'],
  )
  const [ended] = await world.eventsOf('flex.mandate.cancelled')
  assert.equal(ended.mandate.npci_category_code, 'mandate_error')
  await world.advance('P1M')
  assert.equal((await world.eventsOf('flex.instalment.debited')).length, 0)
  await setUpPlan(world, 'upi_autopay')
  const active = await world.plan()
  assert.deepEqual([active.status, active.mandate.rail], ['active', 'upi_autopay'])
  await world.advance('P1Y')
  const later = (await world.plan()).payment_schedule.slice(1)
  assert.ok(later.every((row: Json) => row.status === 'settled'))
})

test('a debit that the bank takes back late is reversed in the books, and only a person sets it anew', async t => {
  const world = await openWorld(t)
  const settled = await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the settlement')
  await decide(world, settled, { outcome: 'bounced', code: '04' })
  const reversed = await world.plan()
  assert.equal(stateOf(reversed), 'reversed')
  const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
  assert.equal(body.data.fee_summary.paid, 0)
  const [row] = await world.bursar.sql(`select
    sum(amount_paise) filter (where source = 'institute_payable')::bigint as collected,
    sum(amount_paise) filter (where destination = 'institute_payable')::bigint as "settledAndReturned",
    sum(amount_paise) filter (where destination = 'settlement_bank')::bigint as settled
    from ledger_transfers`)
  // It had reached the bank, so now the institute owes it.
  assert.deepEqual(row, {
    collected: row?.['settled'],
    settled: row?.['settled'],
    settledAndReturned: 2 * Number(row?.['settled']),
  })
  await world.advance('P2M')
  assert.equal(stateOf(await world.plan()), 'reversed')
})

test('a down payment comes first, and has its events when debited and settled', async t => {
  const schedule = [
    {
      due_date: '2026-11-15',
      is_downpayment: true,
      details: [{ component_type: 'TUITION_FEE', amount: 20000 }],
    },
    {
      due_date: '2027-01-05',
      details: [
        { component_type: 'TUITION_FEE', amount: 40000 },
        { component_type: 'TRANSPORT_FEE', amount: 12000.5 },
      ],
    },
  ]
  const world = await openWorld(t, { schedule, setUp: false })
  await assert.rejects(setUpPlan(world, 'enach'), /down payment comes first/)
  const { ctx: flex } = world.bursar.app
  const [institute] = await world.bursar.sql(`select id from institutes where code = 'demo-school'`)
  const key = { instituteId: institute?.['id'] as number, planId: world.planId }
  const orderId = await downpaymentOrder(flex, key, `${world.bursar.url}/`)
  assert.equal(
    await downpaymentOrder(flex, key, `${world.bursar.url}/`),
    orderId,
    'one order however often it is asked for',
  )
  const paid = await world.bursar.demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, {
    outcome: 'success',
  })
  assert.equal(paid.status, 200, paid.text)
  const [event] = await world.eventsOf('flex.downpayment.debited')
  assert.deepEqual([event.payment.amount, event.payment.product], [20000, 'flex'])
  assert.equal((await world.eventsOf('pay.payment.debited')).length, 0)
  await setUpPlan(world, 'enach')
  await world.advance('P6M')
  assert.equal((await world.eventsOf('flex.downpayment.settled')).length, 1)
  assert.equal((await world.plan()).status, 'closed')
})

function row(due: string, amount: number, reference: string) {
  return { due_date: due, reference_id: reference, details: [{ component_type: 'TUITION_FEE', amount }] }
}

test("the ERP's own schedule replaces what is still to come and leaves what was presented", async t => {
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60000 }, FEES[1]]
  const rest = {
    due_date: '2027-04-05',
    reference_id: 'R4',
    details: [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }],
  }
  const schedule = [
    row('2027-01-05', 20000, 'R1'),
    row('2027-02-05', 20000, 'R2'),
    row('2027-03-05', 20000, 'R3'),
    rest,
  ]
  const world = await openWorld(t, { schedule, customSchedule: true })
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the first debit', 90)
  const changed = [
    row('2027-01-05', 1, 'R1'),
    row('2027-02-09', 15000, 'R2'),
    row('2027-05-05', 25000, 'R5'),
    rest,
  ]
  world.erp.put(sampleRecord({}, { fee_components: fees, payment_schedule: changed }))
  await world.advance('P1M')
  const plan = await world.plan()
  const byReference = Object.fromEntries(plan.payment_schedule.map((one: Json) => [one.reference_id, one]))
  assert.deepEqual([byReference.R1.amount, byReference.R1.status], [20000, 'settled'])
  assert.deepEqual([byReference.R2.amount, byReference.R2.due_date], [15000, '2027-02-09'])
  assert.equal(byReference.R3.status, 'cancelled')
  assert.equal(byReference.R5.amount, 25000)
  assert.ok(plan.decisions.some((one: Json) => one.what === 'row ignored'))
})

test('a held plan presents nothing, and goes on when it is resumed', async t => {
  const world = await openWorld(t)
  const { demo } = world.bursar
  assert.equal((await demo.post(`/api/v1/integrations/flex/plans/${world.planId}/hold`)).status, 200)
  await world.advance('P3M')
  assert.equal((await world.eventsOf('flex.instalment.debited')).length, 0)
  assert.equal((await demo.post(`/api/v1/integrations/flex/plans/${world.planId}/resume`)).status, 200)
  await world.advance('P1M')
  assert.ok((await world.eventsOf('flex.instalment.debited')).length >= 2)
})
