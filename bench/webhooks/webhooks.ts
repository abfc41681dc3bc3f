import { compare, type Figure } from '../figures.ts'
import { openCluster, openReceiver, runChild, runPart, type Cluster } from '../rig.ts'
import type { Size } from '../size.ts'
import { NOTHING } from '../spent.ts'
import type { BarePlan, BareResult } from './bare.ts'
import { BODY, openBooks, seedPending, type Books } from './books.ts'
import type { DrainPlan, DrainResult } from './drain.ts'
import { measureLatency } from './latency.ts'

const WEBHOOKS = 100
const AT_ONCE = 500
const MANY = 1_000_000

/** Deliveries to a local receiver: how fast, how soon, at what cost, and over a long backlog. */
export async function measureWebhooks(size: Size): Promise<Figure[]> {
  return withReceiver(async (cluster, ports) => [
    ...(await measureRate(cluster, ports, size)),
    ...(await measureLatency(cluster, size.seconds)),
  ])
}

/** A million deliveries that are due: the last tenth must go as fast as the first. */
export async function measureBacklog({ rows }: Size): Promise<Figure[]> {
  const total = rows(MANY)
  return withReceiver(async (cluster, ports) => {
    const books = await openBooks(cluster, 'backlog', { ports, webhooks: WEBHOOKS })
    process.stderr.write(`Seeding ${total} deliveries\n`)
    await seedPending(books, total, WEBHOOKS)
    const plan: DrainPlan = { total, sampleEvery: total / 10 }
    const { samples, perSecond } = await drain(books, plan)
    const rates = samples.map((sample, index) => {
      const before = samples[index - 1] ?? { count: 0, ms: 0 }
      return (sample.count - before.count) / ((sample.ms - before.ms) / 1_000)
    })
    const [first, last] = [samples[0], samples.at(-1)]
    const left = await books.client.query(
      `select count(*)::int as n from webhook_deliveries where state <> 'delivered'`,
    )
    await books.client.end()
    if (first === undefined || last === undefined) throw new Error('nothing was delivered')
    return [
      {
        name: `Rate in the last tenth of ${total} pending deliveries, of that in the first`,
        value: (rates.at(-1) ?? 0) / (rates[0] ?? 1),
        aim: { least: 0.9 },
        detail: `${rates.map(Math.round).join(', ')} per second; ${Math.round(perSecond)}/s in all`,
      },
      {
        name: 'Heap at the end, of that after the first tenth',
        value: last.heapBytes / first.heapBytes,
        aim: { most: 1.3 },
        detail: `${mega(first.heapBytes)} to ${mega(last.heapBytes)}; process ${mega(first.rssBytes)} to ${mega(last.rssBytes)}`,
      },
      {
        name: 'Deliveries left undelivered',
        value: (left.rows[0] as { n: number }).n,
        aim: { most: 0 },
        detail: `of ${total}`,
      },
    ]
  })
}

async function measureRate(cluster: Cluster, ports: readonly number[], size: Size): Promise<Figure[]> {
  // Neither is measured while its code is still being compiled.
  const warmUpMs = size.warmUpSeconds * 2_000
  const books = await openBooks(cluster, 'rate', { ports, webhooks: WEBHOOKS })
  const urls = ports.map(port => `http://127.0.0.1:${port}/hooks`)
  const runs: DrainResult[] = []
  const walBytes: number[] = []
  const rate = await compare(
    'A delivery: CPU of a bare undici loop that only POSTs the same body, of ours',
    0.3,
    {
      bare: async time => {
        const plan: BarePlan = { urls, body: BODY, warmUpMs, seconds: time, atOnce: AT_ONCE }
        const { perSecond, cpuMs } = (await runChild('webhooks/bare.ts', plan)) as BareResult
        return { perSecond, each: { ...NOTHING, nodeMs: cpuMs } }
      },
      full: async time => {
        await books.client.query('truncate webhook_deliveries, webhook_queue')
        await seedPending(books, Math.round((time + 1 + warmUpMs / 1_000) * 18_000), WEBHOOKS)
        const before = await walPosition(books)
        const run = await drain(books, { warmUpMs, seconds: time })
        walBytes.push((await walPosition(books)) - before)
        runs.push(run)
        return run
      },
    },
    size,
  )
  const attempted = await books.client.query(
    `select count(*)::int as n from webhook_deliveries where state = 'delivered'`,
  )
  await books.client.end()
  const last = runs.at(-1)
  if (last === undefined) throw new Error('nothing was delivered')
  return [
    rate,
    {
      name: 'SQL statements a delivery, under load',
      value: last.each.statements,
      aim: { most: 0.2 },
      detail: `of ${last.count}; one by itself takes a claim, a transaction of two and its commit`,
    },
    {
      name: 'Bytes written to the log of the database for one delivery',
      value: Math.round((walBytes.at(-1) ?? 0) / (attempted.rows[0] as { n: number }).n),
      aim: null,
      detail: 'claim and result; the row and its event were there before',
    },
  ]
}

async function drain(books: Books, plan: DrainPlan): Promise<DrainResult> {
  return (await runPart('webhooks/drain.ts', plan, books.env)) as DrainResult
}

async function walPosition({ client }: Books): Promise<number> {
  const { rows } = await client.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as at`)
  return (rows[0] as { at: number }).at
}

async function withReceiver(
  measure: (cluster: Cluster, ports: number[]) => Promise<Figure[]>,
): Promise<Figure[]> {
  const cluster = await openCluster()
  const receiver = await openReceiver('plain')
  try {
    return await measure(cluster, receiver.ports)
  } finally {
    await receiver.close()
    await cluster.close()
  }
}

const mega = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
