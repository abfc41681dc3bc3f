import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'

/** Payers from a process of their own: each pays one after the other until the time is up. Prints a JSON result. */
export type PayPlan = {
  origin: string
  /** api: Bursar's two requests, create and pay. page: created, then paid as a family does. bare: the peer's one. */
  kind: 'api' | 'page' | 'bare'
  headers: Record<string, string>
  body: string
  seconds: number
  payers: number
  /** So many begin in a second; absent: each payer begins the next when the last is paid. */
  beginPerSecond?: number
}

export type PayResult = { count: number; perSecond: number; p50Ms: number; p99Ms: number; failures: string[] }

const plan = JSON.parse(process.argv[2] ?? '{}') as PayPlan
const pool = new Pool(plan.origin, { connections: plan.payers, pipelining: 1 })
const { headers } = plan
const PAY_BODY = JSON.stringify({ outcome: 'success' })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Answer = { data: { order_id: string; redirect_url?: string; status?: string } }

async function post(path: string, body: string): Promise<Answer> {
  const answer = await pool.request({ method: 'POST', path, headers, body })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`)
  return JSON.parse(text) as Answer
}

/** A step of a browser: follows where it is sent, and answers where it ended and what it saw there. */
async function visit(path: string, form?: string): Promise<{ path: string; text: string }> {
  const answer = await pool.request(
    form === undefined ? { method: 'GET', path } : { method: 'POST', path, headers: FORM, body: form },
  )
  const text = await answer.body.text()
  const { location } = answer.headers
  if (typeof location === 'string') {
    const url = new URL(location, plan.origin)
    return visit(url.pathname + url.search)
  }
  if (answer.statusCode !== 200)
    throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`)
  return { path, text }
}

const createOrder = (): Promise<Answer> => post('/api/v1/integrations/pay/orders', plan.body)

async function payByApi(): Promise<void> {
  const { data } = await createOrder()
  const paid = await post(`/api/v1/sandbox/pay/orders/${data.order_id}/pay`, PAY_BODY)
  if (paid.data.status !== 'captured')
    throw new Error(`${data.order_id} is ${paid.data.status}, not captured`)
}

async function payByPage(): Promise<void> {
  const { data } = await createOrder()
  const page = new URL(data.redirect_url ?? '').pathname
  await visit(page)
  const bank = await visit(`${page}/start`, 'mode=upi')
  const end = await visit(bank.path, 'mode=upi&outcome=success')
  if (end.path !== page || !end.text.includes('/receipt.pdf'))
    throw new Error(`${page} does not say that it is paid`)
}

const pay = {
  api: payByApi,
  page: payByPage,
  bare: async () => void (await post('/payments', plan.body)),
}[plan.kind]
const times: number[] = []
const failures: string[] = []
const start = performance.now()
const end = start + plan.seconds * 1_000

/** When a payer begins the next payment. */
async function nextTurn(payer: number, turn: number): Promise<number> {
  if (plan.beginPerSecond === undefined) return performance.now()
  const at = start + ((turn * plan.payers + payer) / plan.beginPerSecond) * 1_000
  await wait(Math.max(at - performance.now(), 0))
  return performance.now()
}

async function payUntilTheEnd(payer: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const now = await nextTurn(payer, turn)
    if (now >= end || failures.length > 0) return
    try {
      await pay()
    } catch (error) {
      failures.push(String(error))
      return
    }
    times.push(performance.now() - now)
  }
}

await Promise.all(Array.from({ length: plan.payers }, (_, payer) => payUntilTheEnd(payer)))
const seconds = (performance.now() - start) / 1_000
times.sort((left, right) => left - right)
const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
const result: PayResult = {
  count: times.length,
  perSecond: times.length / seconds,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  failures,
}
process.stdout.write(JSON.stringify(result))
await pool.close()
