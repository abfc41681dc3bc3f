import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { openWorld, stateOf, type World } from '../../flex/support.ts'
import type { Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import { assertStatus } from '../../http/support.ts'

const SANDBOX = '/api/v1/sandbox'

async function firstDebit(world: World): Promise<{ paymentId: string; orderId: string; amount: number }> {
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the first settlement')
  const [row] = await world.bursar.sql<Json>(
    `select id, order_id, amount_paise::int as paise from payments where state = 'captured' order by captured_at limit 1`,
  )
  return { paymentId: row.id, orderId: row.order_id, amount: row.paise / 100 }
}

async function expectSoundBooks({ bursar }: World): Promise<void> {
  const institute = await getInstitute(bursar.app.ctx, 'demo-school')
  assert.deepEqual((await reconcile(bursar.app.ctx, institute)).differences, [])
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
}

async function paidOf({ bursar, studentId }: World): Promise<{ paid: number; fees: Record<string, number> }> {
  const { data } = (await bursar.demo.get(`${ERP}/students/${studentId}`)).body
  const fee = (await bursar.demo.get(`${ERP}/students/${studentId}/fee`)).body.data
  const fees = Object.fromEntries(fee.fee_components.map((one: Json) => [one.component_type, one.fee_amount]))
  return { paid: data.fee_summary.paid, fees }
}

for (const rail of ['enach', 'upi_autopay'] as const)
  test(`a lost dispute of an instalment by ${rail} takes it back: the plan owes it again, its order stays paid and refunded`, async t => {
    const world = await openWorld(t, {
      rail,
      schedule: [
        { due_date: '2027-01-05', details: [{ component_type: 'TUITION_FEE', amount: 12_000 }] },
        { due_date: '2027-02-05', details: [{ component_type: 'TUITION_FEE', amount: 48_000 - 36_000 }] },
        { due_date: '2027-03-05', details: [{ component_type: 'TUITION_FEE', amount: 12_000 }] },
        { due_date: '2027-04-05', details: [{ component_type: 'TUITION_FEE', amount: 12_000 }] },
        { due_date: '2027-05-05', details: [{ component_type: 'TUITION_FEE', amount: 12_000 }] },
        { due_date: '2027-06-05', details: [{ component_type: 'TRANSPORT_FEE', amount: 12_000.5 }] },
      ],
    })
    const { demo } = world.bursar
    const { paymentId, orderId, amount } = await firstDebit(world)
    for (const outcome of ['open', 'lost'])
      assertStatus(await demo.post(`${SANDBOX}/payments/${paymentId}/dispute`, { outcome }), 200)
    assert.equal(stateOf(await world.plan()), 'reversed')
    const order = (await demo.get(`${PAY}/orders/${orderId}`)).body.data
    assert.deepEqual([order.status, order.refunded_amount], ['paid', amount])
    const [bounced] = await world.eventsOf('flex.instalment.bounced')
    assert.equal(bounced?.reason.code, 'dispute_lost')
    const [lost] = await world.eventsOf('pay.dispute.lost')
    assert.deepEqual(
      [lost?.service_student_id, lost?.payment.product, lost?.payment.mode, lost?.dispute.amount],
      [world.studentId, 'flex', rail, amount],
    )
    assert.equal((await paidOf(world)).paid, 0)
    await demo.post(`${SANDBOX}/settlements/run`)
    await expectSoundBooks(world)
  })

test('a debit that the bank takes back after a part was refunded: paid stays at nothing, and that part is a charge of its own', async t => {
  const world = await openWorld(t)
  const { demo } = world.bursar
  const { orderId, amount } = await firstDebit(world)
  assertStatus(await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 1_000 }), 201)
  await world.advance('PT1H')
  const [instalment] = (await world.plan()).payment_schedule
  const body = { outcome: 'bounced', code: '04' }
  assertStatus(await demo.post(`${SANDBOX}/flex/instalments/${instalment.id}/outcome`, body), 200)
  const { paid, fees } = await paidOf(world)
  assert.deepEqual([paid, fees['RETURNED_AFTER_REFUND']], [0, 1_000])
  const [bounced] = await world.eventsOf('flex.instalment.bounced')
  assert.match(
    bounced?.reason.message,
    /₹1,000\.00 of it had been refunded before and is owed as RETURNED_AFTER_REFUND/,
  )
  const rows = (await world.plan()).payment_schedule.filter((row: Json) => row.status !== 'cancelled')
  const owed = rows.reduce(
    (sum: number, row: Json) => sum + (['covered', 'waived'].includes(row.status) ? 0 : row.amount),
    0,
  )
  assert.equal(Math.round(owed * 100), 72_000_50 + 1_000_00, 'the plan asks for what is owed, once')
  assert.ok(amount > 1_000)
  await demo.post(`${SANDBOX}/settlements/run`)
  await expectSoundBooks(world)
})

test('a debit that the bank takes back while its refund waits to be sent ends the refund, and nothing is charged', async t => {
  const world = await openWorld(t)
  const { demo, app } = world.bursar
  const { orderId } = await firstDebit(world)
  await app.worker.stop()
  assertStatus(await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 1_000 }), 201)
  const [instalment] = (await world.plan()).payment_schedule
  const body = { outcome: 'bounced', code: '04' }
  assertStatus(await demo.post(`${SANDBOX}/flex/instalments/${instalment.id}/outcome`, body), 200)
  const refunds = await world.bursar.sql<Json>(
    'select kind, state, charged_paise::int as charged from refunds order by kind',
  )
  assert.deepEqual(
    refunds.map(one => [one.kind, one.state, one.charged]),
    [
      ['requested', 'failed', 0],
      ['returned', 'processed', 0],
    ],
  )
  assert.equal((await world.eventsOf('refund.failed')).length, 1)
  assert.equal((await paidOf(world)).fees['RETURNED_AFTER_REFUND'], undefined)
  await expectSoundBooks(world)
})
