import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig, type Config } from '../../src/app/config.ts'
import { openDeliveries } from '../../src/app/bursar.ts'
import { createLog } from '../../src/platform/log.ts'
import { recordEvents } from '../../src/events/events.service.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import type { Context } from '../../src/platform/context.ts'
import type { Figure } from '../figures.ts'
import { START_FLAGS, openReceiver, type Cluster } from '../rig.ts'
import { openBooks, PAYLOAD } from './books.ts'

const WEBHOOKS = 20
/** The worker has to start before, and the machine may be busy. */
const ARRIVAL_LIMIT_MS = 120_000

/** From the commit to the arrival of the first attempt, made by the process that committed or by another. */
export async function measureLatency(cluster: Cluster, seconds: number): Promise<Figure[]> {
  return [
    ...(await measureFrom(cluster, 'the same process', seconds)),
    ...(await measureFrom(cluster, 'another process', seconds)),
  ]
}

type Sender = 'the same process' | 'another process'
const RATES = { 'the same process': [50], 'another process': [10, 300] }
/** Of the median and of 99 in 100. */
const AIMS = { 'the same process': [1, 5], 'another process': [100, 1_000] } as const

async function measureFrom(cluster: Cluster, sender: Sender, seconds: number): Promise<Figure[]> {
  const receiver = await openReceiver('noting')
  const name = sender === 'the same process' ? 'handed_over' : 'latency'
  const books = await openBooks(cluster, name, { ports: receiver.ports, webhooks: WEBHOOKS })
  const config = readConfig(books.env)
  const { ctx } = await openDatabase(config)
  const stop = sender === 'the same process' ? openOwn(config, ctx) : openWorker(books.env)
  const readArrivals = async (): Promise<Record<string, number>> => {
    const answer = await fetch(`http://127.0.0.1:${receiver.ports[0]}/arrivals`)
    return (await answer.json()) as Record<string, number>
  }
  try {
    const figures: Figure[] = []
    for (let n = 0; n < WEBHOOKS; n++) await record(ctx, n)
    await untilAll(WEBHOOKS, readArrivals)
    for (const rate of RATES[sender]) {
      const commits = await recordSteadily(ctx, rate, seconds * 2)
      const arrivals = await untilAll(commits.size, readArrivals)
      const waits = [...commits].map(([id, at]) => (arrivals[id] ?? Infinity) - at)
      waits.sort((left, right) => left - right)
      const at = (share: number): number => waits[Math.floor(waits.length * share)] ?? Infinity
      const what = `Milliseconds from the commit to the first attempt by ${sender} at ${rate} events a second`
      const detail = `${waits.length} events`
      const [most, mostOf99] = AIMS[sender]
      figures.push(
        { name: `${what}, median`, value: at(0.5), aim: { most }, detail },
        { name: `${what}, 99 of 100`, value: at(0.99), aim: { most: mostOf99 }, detail },
      )
    }
    return figures
  } finally {
    await stop()
    await ctx.db.close()
    await books.client.end()
    await receiver.close()
  }
}

function openOwn(config: Config, ctx: Context): () => Promise<void> {
  const log = createLog({ level: 'info', format: 'json', destination: { write() {} } })
  const { deliveries, closeDeliveries } = openDeliveries(config, ctx, log)
  deliveries.start()
  return closeDeliveries
}

function openWorker(env: NodeJS.ProcessEnv): () => Promise<void> {
  const main = fileURLToPath(new URL('../../src/app/main.ts', import.meta.url))
  const worker = spawn(process.execPath, [...START_FLAGS, main], {
    env: { ...process.env, ...env, BURSAR_ROLE: 'worker', WORKER_PORT: '0', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return async () => {
    worker.kill('SIGKILL')
    await once(worker, 'exit')
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
