import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { applyRefundReport } from '../../src/payments/refunds/refunds.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'

const bursar = await startBursar({ after })
const { demo, url } = bursar

/** Somebody goes to the bank's page, comes back and goes there again another way. */
async function startTwice(orderId: string): Promise<string[]> {
  for (const body of ['mode=upi', 'mode=card&another=1']) {
    const answer = await fetch(`${url}/pay/demo-school/${orderId}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      redirect: 'manual',
    })
    assert.equal(answer.status, 303)
  }
  const rows = await bursar.sql<{ id: string }>('select id from payments where order_id = $1 order by id', [
    orderId,
  ])
  return rows.map(({ id }) => id)
}

async function failRefund(orderId: string): Promise<void> {
  const [refund] = await bursar.sql<{ id: string }>('select id from refunds where order_id = $1', [orderId])
  const outcome = { kind: 'failed', message: 'The account is closed.' } as const
  const about = 'refund' as const
  const report = {
    about,
    instituteId: 1,
    refundId: refund?.id ?? '',
    providerRef: 'refused-by-bank',
    outcome,
  }
  await applyRefundReport(bursar.app.ctx, report)
}

for (const [name, ends] of [
  ['goes back', 'processed'],
  ['cannot go back', 'failed'],
] as const)
  test(`of a second payment that ${name} by itself the ERP hears neither of its money nor of its refund`, async () => {
    const details = [{ component_type: 'TUITION_FEE', amount: 500 }]
    const orderId = (await demo.post(`${PAY}/orders`, sampleOrder({ details }))).body.data.order_id
    const payments = await startTwice(orderId)
    assert.equal(payments.length, 2)
    for (const id of payments) {
      const captured = await demo.post(`/api/v1/sandbox/payments/${id}/capture`)
      assert.equal(captured.status, 200, captured.text)
    }
    if (ends === 'failed') await failRefund(orderId)
    assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'P5D' })).status, 200)
    const refunds = await bursar.sql('select kind, state from refunds where order_id = $1', [orderId])
    assert.deepEqual(refunds, [{ kind: 'duplicate', state: ends }])
    const events = await bursar.sql<{ code: string; payment: string }>(
      `select event_code as code, payload -> 'payment' ->> 'id' as payment from events where resource_id = $1`,
      [orderId],
    )
    assert.deepEqual(events.map(({ code }) => code).toSorted(), [
      'order.payment.debited',
      'order.payment.settled',
      'pay.payment.debited',
      'pay.payment.settled',
    ])
    assert.deepEqual(new Set(events.map(({ payment }) => payment)), new Set([payments[0]]))
  })
