import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Figure } from '../figures.ts'
import { findFaults } from '../checks.ts'
import { CHECKS, meanCall, seedDue } from './books.ts'
import type { FlexPlan, FlexResult } from './drain.ts'
import { openCluster, runPart, type Cluster } from '../rig.ts'
import type { Size } from '../size.ts'

const MANY = 100_000
const FEW = 10_000
const AT_ONCE = 64
/** An ERP that answers in 50 ms and allows 64 calls at once answers so many in a second. */
const ERP_PER_SECOND = AT_ONCE / 0.05

/** The instalments of one due date, each asked for at its ERP and announced: how fast, with how much memory, and rightly. */
export async function measureFlex({ rows }: Size): Promise<Figure[]> {
  const cluster = await openCluster()
  try {
    // Few before and few after, so that what else the machine does in between hits both.
    const before = await announce(cluster, rows(FEW), 'before')
    const many = await announce(cluster, rows(MANY), 'many')
    const after = await announce(cluster, rows(FEW), 'after')
    return figuresOf([before, after], many)
  } finally {
    await cluster.close()
  }
}

type Run = FlexResult & { total: number; perSecond: number; callMs: number; load: number; faults: string[] }

async function announce(cluster: Cluster, total: number, name: string): Promise<Run> {
  const url = await cluster.makeDatabase(`flex_${name}`)
  const env = { DATABASE_URL: url, DATA_DIR: cluster.folder, LOG_LEVEL: 'warn' }
  const erp = await openFakeErp()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    process.stderr.write(`Seeding ${total} instalments\n`)
    await seedDue(client, total, { url: erp.url, maxCalls: AT_ONCE })
    const plan: FlexPlan = { total, sampleEvery: total / 10 }
    const load = loadavg()[0] ?? 0
    const result = (await runPart('flex/drain.ts', plan, env)) as FlexResult
    const faults = await findFaults(client, CHECKS, total)
    const callMs = await meanCall(client)
    const { calls, mostAtOnce } = await erp.look()
    if (result.steps !== total) faults.push(`${result.steps} steps instead of ${total}`)
    if (calls !== total) faults.push(`${calls} calls instead of ${total}`)
    if (mostAtOnce > AT_ONCE) faults.push(`${mostAtOnce} calls at once`)
    return { ...result, total, faults, load, callMs, perSecond: total / (result.ms / 1_000) }
  } finally {
    await client.end()
    await erp.close()
  }
}

type ErpLook = { calls: number; mostAtOnce: number }

export async function openFakeErp(): Promise<{
  url: string
  look(): Promise<ErpLook>
  close(): Promise<void>
}> {
  const child = fork(fileURLToPath(new URL('erp.ts', import.meta.url)))
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}/student`,
    async look() {
      child.send('look')
      const [look] = (await once(child, 'message')) as [ErpLook]
      return look
    },
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function figuresOf(few: readonly Run[], many: Run): Figure[] {
  const [first, ...later] = many.samples
  if (first === undefined) throw new Error('the memory was never looked at')
  const heap = Math.max(first.heapBytes, ...later.map(sample => sample.heapBytes))
  const rss = Math.max(...many.samples.map(sample => sample.rssBytes))
  const faults = [...few, many].flatMap(run => run.faults)
  const fewRate = few.reduce((sum, run) => sum + run.perSecond, 0) / few.length
  const atLoad = (run: Run): string => `${Math.round(run.perSecond)}/s at load ${run.load.toFixed(1)}`
  return [
    {
      name: `Instalments announced, of what an ERP answers that takes ${AT_ONCE} calls at once and 50 ms for each`,
      value: many.perSecond / ERP_PER_SECOND,
      aim: { least: 0.8 },
      detail: `${Math.round(many.perSecond)}/s of ${ERP_PER_SECOND}/s, ${many.total} in ${(many.ms / 1_000).toFixed(0)} s`,
    },
    {
      // What else the machine does makes each call longer, but leaves no place empty.
      name: `Calls under way, of ${AT_ONCE} allowed`,
      value: (many.perSecond * many.callMs) / 1_000 / AT_ONCE,
      aim: { least: 0.9 },
      detail: `a call took ${many.callMs.toFixed(0)} ms on average; ${(many.cpuMs / many.total).toFixed(2)} ms of processor an instalment`,
    },
    {
      name: `Rate with ${many.total} instalments, of that with ${few[0]?.total}`,
      value: many.perSecond / fewRate,
      aim: { least: 0.8 },
      detail: `${atLoad(many)} against ${few.map(atLoad).join(' before and ')} after`,
    },
    {
      name: 'SQL statements an instalment',
      value: many.statements / many.total,
      aim: { most: 0.2 },
      detail: `${many.statements} for ${many.total}`,
    },
    {
      name: `Most heap since, of that after ${first.count} instalments`,
      value: heap / first.heapBytes,
      aim: { most: 1.3 },
      detail: `${mega(heap)} against ${mega(first.heapBytes)} after collection; process at most ${mega(rss)}`,
    },
    {
      name: 'Faults in the books: asked once, announced once by e-mail and SMS',
      value: faults.length,
      aim: { most: 0 },
      detail: faults.length === 0 ? 'none' : faults.join('; '),
    },
  ]
}

const mega = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
