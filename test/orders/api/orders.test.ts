import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

test('a created order can be read and its amounts are exact', async t => {
  const { demo, url } = await startBursar(t)
  const created = await demo.post(
    `${PAY}/orders`,
    sampleOrder({ details: [{ component_type: 'A', amount: 0.1 + 0.2 }] }),
  )
  assert.equal(created.status, 201)
  const id = created.body.data.order_id
  assert.equal(created.body.data.redirect_url, `${url}/pay/demo-school/${id}`)
  const read = await demo.get(`${PAY}/orders/${id}`)
  assert.deepEqual(read.body.data.details, [{ component_type: 'A', amount: 0.3 }])
})
