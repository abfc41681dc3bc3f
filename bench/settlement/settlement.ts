import pg from 'pg'
import type { Figure } from '../figures.ts'
import { openCluster, runPart, type Cluster } from '../rig.ts'
import type { Size } from '../size.ts'
import type { SettlePlan, SettleResult } from './settle-all.ts'
import { findFaults } from '../checks.ts'
import { CHECKS, seedCaptured } from './books.ts'

const MANY = 100_000
const FEW = 10_000

/** One institute's payments of a day settled in one process: how fast, with how much memory, and rightly. */
export async function measureSettlement({ rows }: Size): Promise<Figure[]> {
  const cluster = await openCluster()
  try {
    // Few before and few after, so that what else the machine does in between hits both.
    const before = await settle(cluster, rows(FEW), 'before')
    const many = await settle(cluster, rows(MANY), 'many')
    const after = await settle(cluster, rows(FEW), 'after')
    return figuresOf([before, after], many)
  } finally {
    await cluster.close()
  }
}

type Run = SettleResult & { total: number; perSecond: number; faults: string[] }

async function settle(cluster: Cluster, total: number, name: string): Promise<Run> {
  const url = await cluster.makeDatabase(`settle_${name}`)
  const env = { DATABASE_URL: url, DATA_DIR: cluster.folder, LOG_LEVEL: 'warn' }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    process.stderr.write(`Seeding ${total} captured payments\n`)
    await seedCaptured(client, total)
    const plan: SettlePlan = { total, sampleEvery: Math.ceil(total / 10) }
    const result = (await runPart('settlement/settle-all.ts', plan, env)) as SettleResult
    const faults = await findFaults(client, CHECKS, total)
    if (result.settled !== total) faults.push(`${result.settled} of ${total} were settled`)
    if (result.exceptions !== 0) faults.push(`${result.exceptions} exceptions`)
    if (result.again.settled + result.again.exceptions !== 0)
      faults.push('reading the day again did something')
    return { ...result, total, faults, perSecond: total / ((result.payOutMs + result.settleMs) / 1_000) }
  } finally {
    await client.end()
  }
}

function figuresOf(few: readonly Run[], many: Run): Figure[] {
  const first = many.samples[0]
  const last = many.samples.at(-1)
  if (first === undefined || last === undefined) throw new Error('the memory was never looked at')
  const faults = [...few, many].flatMap(run => run.faults)
  const fewRate = few.reduce((sum, run) => sum + run.perSecond, 0) / few.length
  const rss = Math.max(...many.samples.map(sample => sample.rssBytes))
  return [
    {
      name: `Settlement of ${many.total} payments, payments per second`,
      value: Math.round(many.perSecond),
      aim: null,
      detail: `pay-out ${seconds(many.payOutMs)}, settling ${seconds(many.settleMs)}, the day read again ${seconds(many.again.ms)}`,
    },
    {
      name: `Rate with ${many.total} payments, of that with ${few[0]?.total}`,
      value: many.perSecond / fewRate,
      aim: { least: 0.7 },
      detail: `${Math.round(many.perSecond)}/s against ${few.map(run => `${Math.round(run.perSecond)}/s`).join(' before and ')} after`,
    },
    {
      name: `Heap after ${last.settled} payments, of that after ${first.settled}`,
      value: last.heapBytes / first.heapBytes,
      aim: { most: 1.3 },
      detail: `${mega(last.heapBytes)} against ${mega(first.heapBytes)} after collection; process ${mega(first.rssBytes)} to ${mega(last.rssBytes)}, at most ${mega(rss)}`,
    },
    {
      name: 'Faults in the books: settled exactly once, ledger balanced',
      value: faults.length,
      aim: { most: 0 },
      detail: faults.length === 0 ? 'none' : faults.join('; '),
    },
  ]
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const mega = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
