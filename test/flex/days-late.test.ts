import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API, demoVisitor } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { openWorld, SHORT_FIRST } from './support.ts'

const AT = `${API}/institutes/demo-school`

test('a child on a plan is late since the day of the instalment that it missed: in dues, ageing, defaulters, Home and the late fee', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  const { bursar, studentId } = world
  const { demo } = bursar
  const rules = { late_fees: [{ due_date: '2026-10-10', kind: 'per_day', amount_per_day: 10 }] }
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, rules)).status, 200)
  const dues = async (): Promise<Json> => (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data
  assert.deepEqual([(await dues()).overdue_amount, (await dues()).late_fee_amount], [0, 0])
  await demo.post('/api/v1/sandbox/clock', { to: '2027-01-16T12:00:00+05:30' })
  const late = await dues()
  assert.equal(late.overdue_amount, 5110.81, JSON.stringify(late))
  const [fee] = late.late_fees
  assert.deepEqual([fee.due_date, fee.days_late, fee.amount], ['2027-01-05', 11, 110])

  const office = await demoVisitor(bursar.url)
  const { data: defaulters } = (await office.get(`${AT}/money/defaulters`)).body
  const [row] = defaulters
  assert.deepEqual(
    [row.days_late, row.owed, row.oldest_due_on],
    [11, 5000.81, '2027-01-05'],
    JSON.stringify(row),
  )
  const { body: ageing } = await office.get(`${AT}/money/ageing`)
  assert.match(JSON.stringify(ageing), /"days_0_30":5000\.81/)
  const { body: home } = await office.get(`${AT}/home`)
  assert.match(JSON.stringify(home), /5000\.81/)

  // The order of the late fee is paid as it was asked for: nothing of it goes back.
  const order = await demo.post(`/api/v1/integrations/pay/students/${studentId}/orders`, { amount: 5110.81 })
  assert.equal(order.status, 201, order.text)
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`, {
    outcome: 'success',
  })
  assert.equal(paid.status, 200, paid.text)
  assert.equal((await dues()).overdue_amount, 0)
  assert.deepEqual(await bursar.sql('select 1 from refunds'), [])
})
