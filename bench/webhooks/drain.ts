import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readConfig } from '../../src/app/config.ts'
import { openDeliveries } from '../../src/app/bursar.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { createLog } from '../../src/platform/log.ts'
import { countStatements } from '../../test/harness/statement-count.ts'
import { eachOf, spentByThisProcess, type Spent } from '../spent.ts'

/**
 * One worker over a backlog: for some seconds, or until it is empty. Prints how it went as JSON. Needs --expose-gc for
 * the memory that stays.
 */
export type DrainPlan = { warmUpMs: number; seconds: number } | { total: number; sampleEvery: number }
export type DrainSample = { count: number; ms: number; heapBytes: number; rssBytes: number }
export type DrainResult = { perSecond: number; each: Spent; count: number; samples: DrainSample[] }

const plan = JSON.parse(process.argv[2] ?? '{}') as DrainPlan
const counted = countStatements()

const config = readConfig(process.env)
// Written as in production; nobody reads it.
const destination = createWriteStream(join(config.dataDir, 'drain.log'))
const log = createLog({ level: 'info', format: 'json', destination })
const { ctx } = await openDatabase(config)
const { deliveries, closeDeliveries } = openDeliveries(config, ctx, log)

const samples: DrainSample[] = []
const spentSoFar = (): Spent => spentByThisProcess(config.dataDir, counted)
deliveries.start()
const result = 'seconds' in plan ? await drainFor(plan) : await drainAll(plan.total, plan.sampleEvery)
await closeDeliveries()
await ctx.db.close()
process.stdout.write(JSON.stringify(result))

async function drainFor({ warmUpMs, seconds }: { warmUpMs: number; seconds: number }): Promise<DrainResult> {
  await wait(warmUpMs)
  const before = { attempts: deliveries.attempted, at: performance.now(), spent: spentSoFar() }
  do await wait(seconds * 1_000)
  while (deliveries.attempted === before.attempts)
  const count = deliveries.attempted - before.attempts
  const perSecond = count / ((performance.now() - before.at) / 1_000)
  return { perSecond, each: eachOf(before.spent, spentSoFar(), count), count, samples }
}

async function drainAll(total: number, sampleEvery: number): Promise<DrainResult> {
  const start = performance.now()
  const before = spentSoFar()
  let samplingMs = 0
  while (samples.length < total / sampleEvery) {
    await wait(20)
    if (deliveries.attempted < (samples.length + 1) * sampleEvery) continue
    const at = performance.now()
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    samples.push({
      count: deliveries.attempted,
      ms: at - start - samplingMs,
      heapBytes: heapUsed,
      rssBytes: rss,
    })
    samplingMs += performance.now() - at
    process.stderr.write(`${deliveries.attempted} of ${total} delivered\n`)
  }
  const count = deliveries.attempted
  return {
    perSecond: count / ((performance.now() - start) / 1_000),
    each: eachOf(before, spentSoFar(), count),
    count,
    samples,
  }
}
