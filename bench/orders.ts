import { compare, HEADERS, ORDER_BODY, type Figure } from './figures.ts'
import type { LoadPlan } from './load.ts'
import { load, type Rig } from './rig.ts'
import type { Size } from './size.ts'

export async function measureOrders(rig: Rig, size: Size): Promise<Figure[]> {
  const create = `${rig.full}/api/v1/integrations/pay/orders`
  const answer = await fetch(create, { method: 'POST', headers: HEADERS, body: ORDER_BODY })
  const { data } = (await answer.json()) as { data: { order_id: string } }
  return [
    await compare(
      'Get Pay Order, everything on, of a bare handler with one SELECT',
      0.85,
      { bare: get(`${rig.bare}/orders/${data.order_id}`), full: get(`${create}/${data.order_id}`) },
      size,
    ),
    await compare(
      'Create Pay Order, of a bare handler awaiting the INSERTs in a transaction',
      1,
      { bare: post(`${rig.bare}/orders`), full: post(create) },
      size,
    ),
    await compare(
      'Create Pay Order with an Idempotency-Key, of the same bare handler',
      0.8,
      { bare: post(`${rig.bare}/orders`), full: post(create, true) },
      size,
    ),
  ]
}

const get = (url: string) => loading({ url, method: 'GET' })
const post = (url: string, freshKeys = false) => loading({ url, method: 'POST', body: ORDER_BODY, freshKeys })

function loading(
  plan: Pick<LoadPlan, 'url' | 'method' | 'body' | 'freshKeys'>,
): (seconds: number) => Promise<number> {
  return async seconds => (await load({ ...plan, headers: HEADERS, seconds, connections: 50 })).perSecond
}
