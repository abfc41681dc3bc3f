import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFamilyOrders, openFamilyOrders } from '../../src/dues/pay-dues.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { startTogether } from '../../src/payments/start/start-payment.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'
import { GATEWAYS } from '../sim/gateways.ts'

const FEES = [
  [{ component_type: 'TUITION_FEE', fee_amount: 9_000.01 }],
  [{ component_type: 'TUITION_FEE', fee_amount: 3_000 }],
]

for (const name of ['razorpay', 'cashfree'] as const)
  test(`one payment through ${name} for two children: captured, refunded for one, refunded in the dashboard and paid out for each, exact to the paisa`, async t => {
    let clock: { now(): Date } | null = null
    const gateway = await GATEWAYS[name](() => clock?.now() ?? new Date())
    t.after(() => gateway.close())
    const bursar = await startBursar(t, { ...gateway.apiEnv, ...gateway.keysEnv })
    const { demo, app } = bursar
    clock = app.ctx.clock
    const institute = await getInstitute(app.ctx, 'demo-school')
    const ids: string[] = []
    for (const fee_components of FEES) ids.push(await newStudent(demo, { fee_components }))
    const deliver = async (times = 1): Promise<void> => {
      for (const { headers, rawBody } of gateway.callbacks())
        for (let n = 0; n < times; n++)
          assertStatus(
            await demo.post(`/callbacks/${name}`, rawBody.toString(), { ...headers, authorization: '' }),
            200,
          )
    }
    const dues = async (): Promise<number[]> =>
      Promise.all(ids.map(async id => (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount))
    const refunds = () =>
      bursar.sql<Json>(
        `select o.student_id as student, r.amount_paise::int as amount, r.state, r.settlement_id is not null as "isSettled"
         from refunds r join orders o on o.id = r.order_id order by r.requested_at, r.amount_paise desc`,
      )

    const wanted = ids.map(studentId => ({ studentId, componentTypes: ['TUITION_FEE'] }))
    const { checkoutId } = await openFamilyOrders(app.ctx, institute, wanted, {
      urlOf: () => `${bursar.url}/parents`,
      takeOver: false,
      payer: null,
    })
    const orders = await findFamilyOrders(app.ctx, institute, checkoutId)
    const options = { mode: 'card' as const, returnUrl: `${bursar.url}/` }
    const orderIds = orders.map(order => order.id)
    const { groupId } = await startTogether(app.ctx, institute, orderIds, options)
    assert.ok(groupId !== null)
    await gateway.payer.pay(groupId)
    await deliver(2)
    assert.deepEqual(await dues(), [0, 0])

    // One child's part, asked for here.
    const second = orders.find(order => order.studentId === ids[1])?.id
    assertStatus(await demo.post(`${PAY}/orders/${second}/refunds`, { amount: 1_000 }), 201)
    await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
    for (const id of gateway.books.pendingRefunds()) await gateway.bank.processRefund(id)
    await deliver(2)
    assert.deepEqual(await dues(), [0, 1_000])

    // In the dashboard nobody says which child is meant: in proportion to what is left of each, ₹9,000.01 and ₹2,000.
    await gateway.bank.refundInDashboard?.(groupId, 1_100_00)
    await deliver(2)
    assert.deepEqual(
      (await refunds()).map(one => [one['student'], one['amount'], one['state']]),
      [
        [ids[1], 1_000_00, 'processed'],
        [ids[0], 900_00, 'processed'],
        [ids[1], 200_00, 'processed'],
      ],
    )
    assert.deepEqual(await dues(), [900, 1_200])

    await gateway.bank.settle()
    await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })
    assert.ok((await refunds()).every(one => one['isSettled'] === true))
    assert.deepEqual(await bursar.sql('select problem from settlement_exceptions'), [])
    assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  })
