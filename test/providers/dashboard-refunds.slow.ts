import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { requestRefund } from '../../src/payments/refunds/refunds.service.ts'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'
import { type GatewayName, GATEWAYS } from '../sim/gateways.ts'

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 9_000 },
  { component_type: 'BUS_FEE', fee_amount: 3_000 },
]

/** A student whose dues of ₹12,000 were paid through a gateway. */
async function paidStudent(t: TestContext, name: GatewayName) {
  let clock: { now(): Date } | null = null
  const gateway = await GATEWAYS[name](() => clock?.now() ?? new Date())
  t.after(() => gateway.close())
  const bursar = await startBursar(t, { ...gateway.apiEnv, ...gateway.keysEnv })
  const { demo, app } = bursar
  clock = app.ctx.clock
  const institute = await getInstitute(app.ctx, 'demo-school')
  const studentId = await newStudent(demo, { fee_components: FEES })
  const pay = async (): Promise<string> => {
    const answer = await demo.post(`${PAY}/students/${studentId}/orders`, {})
    assertStatus(answer, 201)
    const options = { mode: 'card' as const, returnUrl: `${bursar.url}/` }
    const { id } = await startPayment(app.ctx, institute, answer.body.data.order_id, options)
    await gateway.payer.pay(id)
    await deliver()
    return id
  }
  const deliver = async (times = 1): Promise<void> => {
    for (const { headers, rawBody } of gateway.callbacks())
      for (let n = 0; n < times; n++)
        assertStatus(
          await demo.post(`/callbacks/${name}`, rawBody.toString(), {
            ...headers,
            authorization: '',
          }),
          200,
        )
  }
  const dues = async (): Promise<number> => {
    const answer = await demo.get(`${ERP}/students/${studentId}/dues`)
    return answer.body.data.total_amount
  }
  const exceptions = () => bursar.sql<Json>('select problem from settlement_exceptions')
  const refunds = () =>
    bursar.sql<Json>(`select r.amount_paise::int as amount, r.state, r.settlement_id is not null as "isSettled",
      (select json_agg(json_build_array(l.component_type, l.amount_paise) order by l.line_no) from refund_lines l
       where l.refund_id = r.id) as lines from refunds r order by r.id`)
  const settle = async (): Promise<void> => {
    await gateway.bank.settle()
    await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })
  }
  const differences = async () => (await reconcile(app.ctx, institute)).differences
  const paymentId = await pay()
  const dashboard = async (id: string, paise: number): Promise<void> =>
    gateway.bank.refundInDashboard?.(id, paise) ?? assert.fail('no dashboard')
  return {
    bursar,
    gateway,
    paymentId,
    studentId,
    pay,
    deliver,
    dues,
    exceptions,
    refunds,
    settle,
    differences,
    dashboard,
  }
}

for (const name of ['razorpay', 'cashfree'] as const) {
  test(`a refund made in the dashboard of ${name} is taken over once: lines, event, dues, family, pay-out`, async t => {
    const school = await paidStudent(t, name)
    assert.equal(await school.dues(), 0)
    await school.dashboard(school.paymentId, 4_000_00)
    await school.deliver(2)
    const lines = [
      ['TUITION_FEE', 3_000_00],
      ['BUS_FEE', 1_000_00],
    ]
    const refund = { amount: 4_000_00, state: 'processed', lines }
    assert.deepEqual(await school.refunds(), [{ ...refund, isSettled: false }])
    assert.equal(await school.dues(), 4_000)
    const events = await school.bursar.sql<Json>(
      `select resource_id, payload from events where event_code = 'refund.processed'`,
    )
    assert.deepEqual(
      events.map(one => [one.resource_id, one.payload.refund.amount]),
      [[school.studentId, 4_000]],
    )
    await school.settle()
    assert.deepEqual(await school.refunds(), [{ ...refund, isSettled: true }])
    const mails = await school.bursar.sql<Json>(
      `select 1 from messages where channel = 'email' and body like '%₹4,000.00%' and subject ilike '%refund%'`,
    )
    assert.equal(mails.length, 1, 'the family was told')
    assert.deepEqual([await school.exceptions(), await school.differences()], [[], []])
  })

  test(`a refund made in the dashboard of ${name} whose callback was lost is found in the pay-out`, async t => {
    const school = await paidStudent(t, name)
    await school.dashboard(school.paymentId, 12_000_00)
    school.gateway.callbacks()
    await school.settle()
    assert.equal(await school.dues(), 12_000)
    assert.deepEqual(
      (await school.refunds()).map(one => [one.amount, one.isSettled]),
      [[12_000_00, true]],
    )
    assert.deepEqual([await school.exceptions(), await school.differences()], [[], []])
  })
}

test('a refund in the dashboard beside one of ours is an exception until ours is refused, and is booked with the pay-out', async t => {
  const school = await paidStudent(t, 'razorpay')
  const { ctx } = school.bursar.app
  const [order] = await school.bursar.sql<Json>('select order_id from payments')
  // Asked for here, not sent yet, and made there by an impatient person.
  const institute = await getInstitute(ctx, 'demo-school')
  const asked = { amountPaise: paiseOf(10_000_00), lines: null, reason: null }
  const target = { institute, orderId: String(order.order_id) }
  await requestRefund(ctx, { instituteId: institute.id }, target, asked)
  await school.dashboard(school.paymentId, 10_000_00)
  await school.deliver(2)
  assert.deepEqual(
    (await school.refunds()).map(one => [one.amount, one.state]),
    [[10_000_00, 'pending']],
  )
  const [exception, ...more] = await school.exceptions()
  assert.match(
    exception.problem,
    /^pay_\w+ was refunded at the provider itself while ₹10,000\.00 that were asked for here are under way/,
  )
  assert.deepEqual(more, [])
  assert.equal(await school.dues(), 10_000, 'given back once, whichever of the two it is')

  await school.settle()
  assert.deepEqual(
    (await school.refunds()).map(one => [one.amount, one.state, one.isSettled]),
    [
      [10_000_00, 'failed', false],
      [10_000_00, 'processed', true],
    ],
  )
  assert.equal(await school.dues(), 10_000)
  assert.deepEqual([await school.exceptions(), await school.differences()], [[], []])
})
