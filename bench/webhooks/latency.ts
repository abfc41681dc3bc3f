import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/app/config.ts'
import { recordEvents } from '../../src/events/events.service.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import type { Context } from '../../src/platform/context.ts'
import type { Figure } from '../figures.ts'
import { START_FLAGS, openReceiver, type Cluster } from '../rig.ts'
import { openBooks, PAYLOAD } from './books.ts'

const RATES = [10, 300]
const WEBHOOKS = 20
/** The worker has to start before, and the machine may be busy. */
const ARRIVAL_LIMIT_MS = 120_000

/** From the commit in one process to the arrival of the first attempt, made by another. */
export async function measureLatency(cluster: Cluster, seconds: number): Promise<Figure[]> {
  const receiver = await openReceiver('noting')
  const books = await openBooks(cluster, 'latency', { ports: receiver.ports, webhooks: WEBHOOKS })
  const worker = spawn(
    process.execPath,
    [...START_FLAGS, fileURLToPath(new URL('../../src/app/main.ts', import.meta.url))],
    {
      env: { ...process.env, ...books.env, BURSAR_ROLE: 'worker', WORKER_PORT: '0', LOG_FORMAT: 'json' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const { ctx } = await openDatabase(readConfig(books.env))
  const readArrivals = async (): Promise<Record<string, number>> => {
    const answer = await fetch(`http://127.0.0.1:${receiver.ports[0]}/arrivals`)
    return (await answer.json()) as Record<string, number>
  }
  try {
    const figures: Figure[] = []
    await record(ctx, 1)
    await untilAll(1, readArrivals)
    for (const rate of RATES) {
      const commits = await recordSteadily(ctx, rate, seconds * 2)
      const arrivals = await untilAll(commits.size, readArrivals)
      const waits = [...commits].map(([id, at]) => (arrivals[id] ?? Infinity) - at)
      waits.sort((left, right) => left - right)
      const at = (share: number): number => waits[Math.floor(waits.length * share)] ?? Infinity
      figures.push({
        name: `Milliseconds from the commit to the first attempt at ${rate} events a second, median`,
        value: at(0.5),
        aim: { most: 100 },
        detail: `99 of 100 within ${at(0.99).toFixed(1)} ms, ${waits.length} events`,
      })
    }
    return figures
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    await ctx.db.close()
    await books.client.end()
    await receiver.close()
  }
}

async function recordSteadily(ctx: Context, rate: number, seconds: number): Promise<Map<string, number>> {
  const commits = new Map<string, number>()
  const under: Promise<void>[] = []
  const start = performance.now()
  for (let n = 0; n < rate * seconds; n++) {
    const dueIn = start + (n * 1_000) / rate - performance.now()
    if (dueIn > 0) await wait(dueIn)
    under.push(recordAndNote(ctx, n, commits))
  }
  await Promise.all(under)
  return commits
}

async function recordAndNote(ctx: Context, n: number, commits: Map<string, number>): Promise<void> {
  const id = await record(ctx, n)
  commits.set(id, performance.timeOrigin + performance.now())
}

async function record(ctx: Context, n: number): Promise<string> {
  const [id = ''] = await ctx.db.transaction(tx =>
    recordEvents(tx, [
      {
        code: 'pay.payment.debited',
        instituteId: 1,
        collectorCode: `B${n % WEBHOOKS}`,
        resourceId: `order_${n}`,
        occurredAt: new Date(),
        payload: PAYLOAD,
      },
    ]),
  )
  return id
}

async function untilAll(
  count: number,
  read: () => Promise<Record<string, number>>,
): Promise<Record<string, number>> {
  const arrivals: Record<string, number> = {}
  const deadline = Date.now() + ARRIVAL_LIMIT_MS
  while (Object.keys(arrivals).length < count) {
    if (Date.now() > deadline) throw new Error('deliveries did not arrive')
    Object.assign(arrivals, await read())
    await wait(50)
  }
  return arrivals
}
