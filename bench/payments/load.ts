import { Pool } from 'undici'

/** Payers from a process of their own: each pays one after the other until the time is up. Prints a JSON result. */
export type PayPlan = {
  origin: string
  /** full: Bursar's two requests, create and pay. bare: the peer's one. */
  kind: 'full' | 'bare'
  headers: Record<string, string>
  body: string
  seconds: number
  payers: number
}

export type PayResult = { perSecond: number; p50Ms: number; p99Ms: number; failures: string[] }

const plan = JSON.parse(process.argv[2] ?? '{}') as PayPlan
const pool = new Pool(plan.origin, { connections: plan.payers, pipelining: 1 })
const { headers } = plan
const PAY_BODY = JSON.stringify({ outcome: 'success' })

type Answer = { data: { order_id: string; status?: string } }

async function post(path: string, body: string): Promise<Answer> {
  const answer = await pool.request({ method: 'POST', path, headers, body })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`)
  return JSON.parse(text) as Answer
}

async function payFull(): Promise<void> {
  const { data } = await post('/api/v1/integrations/pay/orders', plan.body)
  const paid = await post(`/api/v1/sandbox/pay/orders/${data.order_id}/pay`, PAY_BODY)
  if (paid.data.status !== 'captured')
    throw new Error(`${data.order_id} is ${paid.data.status}, not captured`)
}

const pay = plan.kind === 'full' ? payFull : async () => void (await post('/payments', plan.body))
const times: number[] = []
const failures: string[] = []
const start = performance.now()
const end = start + plan.seconds * 1_000

async function payUntilTheEnd(): Promise<void> {
  for (let now = performance.now(); now < end && failures.length === 0;) {
    try {
      await pay()
    } catch (error) {
      failures.push(String(error))
      return
    }
    const after = performance.now()
    times.push(after - now)
    now = after
  }
}

await Promise.all(Array.from({ length: plan.payers }, payUntilTheEnd))
const seconds = (performance.now() - start) / 1_000
times.sort((left, right) => left - right)
const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
const result: PayResult = { perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures }
process.stdout.write(JSON.stringify(result))
await pool.close()
