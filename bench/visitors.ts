import { Client } from 'undici'
import { median, HEADERS, ORDER_BODY, type Figure } from './figures.ts'
import { runChild, type Rig } from './rig.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import type { Size } from './size.ts'

/** How much ten connections of strangers slow an ERP down, at whichever address costs most. */
const ROUNDS = 3
const STRANGERS = 10

export async function measureVisitors(rig: Rig, size: Size): Promise<Figure[]> {
  const orders = `${rig.full.origin}/api/v1/integrations/pay/orders`
  const answer = await fetch(orders, { method: 'POST', headers: HEADERS, body: ORDER_BODY })
  const { data } = (await answer.json()) as { data: { order_id: string } }
  await fetch(`${rig.full.origin}/api/v1/sandbox/pay/orders/${data.order_id}/pay`, {
    method: 'POST',
    headers: HEADERS,
    body: '{"outcome":"success"}',
  })
  const medianMs = (): Promise<number> => medianOf(`${orders}/${data.order_id}`, size.seconds)
  const figures: Figure[] = []
  for (const plan of strangers(rig.full.origin, data.order_id))
    figures.push(await compareMedians(plan, medianMs, size))
  return figures
}

/** One request after the other, on one connection. */
async function medianOf(url: string, seconds: number): Promise<number> {
  const client = new Client(new URL(url).origin)
  const times: number[] = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const start = performance.now()
    const { statusCode, body } = await client.request({
      method: 'GET',
      path: new URL(url).pathname,
      headers: HEADERS,
    })
    await body.dump()
    if (statusCode !== 200) throw new Error(`Get Pay Order answered ${statusCode}`)
    times.push(performance.now() - start)
  }
  await client.close()
  return median(times)
}

type Stranger = Pick<LoadPlan, 'url' | 'method' | 'headers' | 'body'>

const get = (url: string, headers = {}): Stranger => ({ url, method: 'GET', headers })

function strangers(home: string, orderId: string): Stranger[] {
  const page = `${home}/pay/demo-school/${orderId}`
  return [
    get(`${page}/receipt.pdf`),
    get(page),
    get(`${home}/docs/`),
    get(`${home}/openapi.json`),
    get(`${home}/console`),
    get(`${home}/healthz`),
    get(`${home}/nowhere`),
    get(`${home}/api/v1/integrations/pay/orders/${orderId}`, { authorization: 'Basic a2V5OnNlY3JldA==' }),
    { url: `${home}/callbacks/sandbox`, method: 'POST', headers: {}, body: '['.repeat(100_000) },
  ]
}

/** Rounds with and without strangers alternate, so that what else the machine does hits both alike. */
async function compareMedians(
  plan: Stranger,
  medianMs: () => Promise<number>,
  { seconds, warmUpSeconds, rounds }: Size,
): Promise<Figure> {
  const ratios: number[] = []
  const found: number[] = []
  const before: number[] = []
  for (let round = 0; round < rounds(ROUNDS); round++) {
    const alone = await medianMs()
    before.push(alone)
    const loading = runChild('load.ts', { ...plan, seconds: seconds + warmUpSeconds, connections: STRANGERS })
    const beside = await medianMs()
    found.push(((await loading) as LoadResult).perSecond)
    ratios.push(beside / alone)
  }
  const { method, url } = plan
  return {
    name: `median of Get Pay Order beside ${STRANGERS} connections to ${method} ${new URL(url).pathname.replace(/order_\w+/, ':id')}`,
    value: median(ratios),
    aim: { most: 2 },
    detail: `${median(before).toFixed(2)} ms alone; ${Math.round(median(found))}/s answered to them`,
  }
}
