import { Agent, request } from 'undici'

/** A loop that only POSTs the same bodies, without a database behind it: what a delivery is measured against. */
export type BarePlan = { urls: string[]; body: string; warmUpMs: number; seconds: number; atOnce: number }

const { urls, body, warmUpMs, seconds, atOnce } = JSON.parse(process.argv[2] ?? '{}') as BarePlan
const dispatcher = new Agent({ connections: Math.ceil(atOnce / urls.length), pipelining: 1 })
const headers = { 'content-type': 'application/json' }
const start = performance.now() + warmUpMs
const end = start + seconds * 1_000
let sent = 0
let cpuBefore: NodeJS.CpuUsage | undefined

export type BareResult = { perSecond: number; cpuMs: number }

async function post(n: number): Promise<void> {
  const url = urls[n % urls.length] ?? ''
  while (performance.now() < end) {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher })
    await answer.body.text()
    if (performance.now() < start) continue
    cpuBefore ??= process.cpuUsage()
    sent++
  }
}

await Promise.all(Array.from({ length: atOnce }, (_, n) => post(n)))
const { user, system } = process.cpuUsage(cpuBefore)
const result: BareResult = {
  perSecond: sent / ((performance.now() - start) / 1_000),
  cpuMs: (user + system) / 1_000 / sent,
}
process.stdout.write(JSON.stringify(result))
await dispatcher.close()
