import { sampleOrder } from '../test/harness/samples.ts'
import type { LoadPlan } from './load.ts'
import { load, median, type Rig } from './rig.ts'

/** A figure is a ratio measured in one run against a peer: rounds alternate, so drift hits both alike. */
export type Figure = { name: string; ratio: number; wanted: number; detail: string }

const ROUNDS = 5
const AUTH = `Basic ${Buffer.from('key_test_demo:secret_test_demo').toString('base64')}`
const HEADERS = { authorization: AUTH, 'content-type': 'application/json' }

const BODY = JSON.stringify(
  sampleOrder({
    details: [
      { component_type: 'TUITION_FEE', amount: 45000 },
      { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
    ],
  }),
)

async function compare(
  name: string,
  wanted: number,
  plans: { bare: LoadPlan; full: LoadPlan },
  seconds: number,
): Promise<Figure> {
  const bare: number[] = []
  const full: number[] = []
  await load({ ...plans.bare, seconds: 2 })
  await load({ ...plans.full, seconds: 2 })
  for (let round = 0; round < ROUNDS; round++) {
    bare.push((await load({ ...plans.bare, seconds })).perSecond)
    full.push((await load({ ...plans.full, seconds })).perSecond)
  }
  const ratio = median(full.map((value, index) => value / (bare[index] ?? 1)))
  return {
    name,
    ratio,
    wanted,
    detail: `${Math.round(median(full))}/s against ${Math.round(median(bare))}/s`,
  }
}

export async function measureOrders(rig: Rig, seconds: number): Promise<Figure[]> {
  const create = `${rig.full}/api/v1/integrations/pay/orders`
  const answer = await fetch(create, { method: 'POST', headers: HEADERS, body: BODY })
  const { data } = (await answer.json()) as { data: { order_id: string } }
  const common = { headers: HEADERS, seconds, connections: 50 }
  const get = (url: string): LoadPlan => ({ ...common, url, method: 'GET' })
  const post = (url: string): LoadPlan => ({ ...common, url, method: 'POST', body: BODY })
  return [
    await compare(
      'Get Pay Order, everything on, of a bare handler with one SELECT',
      0.85,
      { bare: get(`${rig.bare}/orders/${data.order_id}`), full: get(`${create}/${data.order_id}`) },
      seconds,
    ),
    await compare(
      'Create Pay Order, of a bare handler awaiting the INSERTs in a transaction',
      1,
      { bare: post(`${rig.bare}/orders`), full: post(create) },
      seconds,
    ),
    await compare(
      'Create Pay Order with an Idempotency-Key, of the same bare handler',
      0.8,
      { bare: post(`${rig.bare}/orders`), full: { ...post(create), freshKeys: true } },
      seconds,
    ),
  ]
}
