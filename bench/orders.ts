import { compare, HEADERS, ORDER_BODY, type Figure, type CountedRound } from './figures.ts'
import type { LoadPlan } from './load.ts'
import { load, type Rig, type Server } from './rig.ts'
import type { Size } from './size.ts'
import { SpentMeter } from './spent.ts'

export const ORDERS_PATH = '/api/v1/integrations/pay/orders'

export async function measureOrders({ bare, full }: Rig, size: Size): Promise<Figure[]> {
  const bareId = await createOrder(`${bare.origin}/orders`)
  const fullId = await createOrder(`${full.origin}${ORDERS_PATH}`)
  const create = await loading(full, { path: ORDERS_PATH, body: ORDER_BODY })
  const createBare = await loading(bare, { path: '/orders', body: ORDER_BODY })
  return [
    await compare(
      'Get Pay Order, everything on: CPU of a bare handler with one SELECT, of ours',
      1.1,
      {
        bare: await loading(bare, { path: `/orders/${bareId}` }),
        full: await loading(full, { path: `${ORDERS_PATH}/${fullId}` }),
      },
      size,
    ),
    await compare(
      'Create Pay Order: CPU of a bare handler awaiting the INSERTs in a transaction, of ours',
      1.2,
      { bare: createBare, full: create },
      size,
    ),
    await compare(
      'Create Pay Order with an Idempotency-Key: CPU of the same bare handler, of ours',
      1,
      {
        bare: createBare,
        full: await loading(full, { path: ORDERS_PATH, body: ORDER_BODY, freshKeys: true }),
      },
      size,
    ),
  ]
}

export async function createOrder(url: string, headers = HEADERS): Promise<string> {
  const answer = await fetch(url, { method: 'POST', headers, body: ORDER_BODY })
  const { data } = (await answer.json()) as { data: { order_id: string } }
  return data.order_id
}

/** A body is posted; without one it is a GET. */
export async function loading(
  server: Server,
  {
    path,
    headers = HEADERS,
    ...plan
  }: Pick<LoadPlan, 'body' | 'freshKeys'> & { path: string; headers?: Record<string, string> },
): Promise<(seconds: number) => Promise<CountedRound>> {
  const url = `${server.origin}${path}`
  const method = plan.body === undefined ? 'GET' : 'POST'
  return async seconds => {
    const meter = await SpentMeter.open(server)
    let perSecond = 0
    const { each, count } = await meter.measure(async () => {
      const result = await load({ ...plan, url, method, headers, seconds, connections: 50 })
      perSecond = result.perSecond
      return result.count
    })
    await meter.close()
    return { each, count, perSecond }
  }
}
