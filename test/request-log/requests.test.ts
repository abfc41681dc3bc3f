import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { assertRefused, clientWith, openContract } from '../http/support.ts'

const contract = await openContract()

test('a key finds its own requests of the last week by their ids, and none of another key of its institute', async () => {
  const [own, other] = [await clientWith(contract, {}), await clientWith(contract, {})]
  const refused = await own.get(`${PAY}/orders/order_unknown`)
  const id: string = refused.body.request_id
  await waitFor(async () => (await own.get(`${ERP}/requests/${id}`)).status === 200, 'the request log')
  const { data } = (await own.get(`${ERP}/requests?outcome=refused&route=${PAY}/orders/:order_id`)).body
  assert.equal(data[0].id, id)
  assert.deepEqual(
    [data[0].method, data[0].route, data[0].status, data[0].error_code],
    ['GET', `${PAY}/orders/:order_id`, 404, 'HUE00001'],
  )
  assertRefused(await other.get(`${ERP}/requests/${id}`), 'HUE00001')
  const ids = (await other.get(`${ERP}/requests`)).body.data.map((one: Json) => one.id)
  assert.ok(!ids.includes(id))
})
