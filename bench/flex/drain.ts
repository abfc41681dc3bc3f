import { readConfig } from '../../src/app/config.ts'
import { runSteps } from '../../src/flex/engine/engine.service.ts'
import { runUntilDone, Slots } from '../../src/platform/jobs/job.ts'
import { createContext } from '../../src/app/context.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { countStatements } from '../../test/harness/statement-count.ts'

/**
 * Lets every instalment that is due take its step, as the worker does, and prints how it went as JSON. Needs
 * --expose-gc for the memory that stays.
 */
export type FlexPlan = { total: number; sampleEvery: number }
export type FlexSample = { count: number; heapBytes: number; rssBytes: number }
export type FlexResult = {
  ms: number
  steps: number
  statements: number
  cpuMs: number
  samples: FlexSample[]
}

/** As the job. */
const CHUNKS_AT_ONCE = 4
const CHUNK_LIMIT_MS = 900_000
const LOOK_MS = 20

const { total, sampleEvery } = JSON.parse(process.argv[2] ?? '{}') as FlexPlan
const collect = globalThis.gc
if (collect === undefined) throw new Error('run this with --expose-gc')

const counted = countStatements()
let answers = 0

const config = readConfig(process.env)
const { ctx: base } = await openDatabase(config)
const log = createLog({ level: 'silent', format: 'json', destination: { write() {} } })
const { ctx, closeErp } = await createContext(config, base, log)
const { callLimiter } = ctx.erp
const run = callLimiter.run.bind(callLimiter)
callLimiter.run = (...args) => run(...args).finally(() => answers++)

const samples: FlexSample[] = []
let samplingMs = 0
counted.statements = 0
const start = performance.now()
const cpuStart = process.cpuUsage()
const watch = setInterval(look, LOOK_MS)
const steps = await stepAll()
clearInterval(watch)
const cpu = process.cpuUsage(cpuStart)
const result: FlexResult = {
  ms: performance.now() - start - samplingMs,
  steps,
  statements: counted.statements,
  cpuMs: (cpu.user + cpu.system) / 1_000,
  samples,
}
process.stdout.write(JSON.stringify(result))
await closeErp()
await ctx.db.close()

async function stepAll(): Promise<number> {
  let done = 0
  let isAnyLeft = true
  const failures: unknown[] = []
  const slots = new Slots({
    size: CHUNKS_AT_ONCE,
    timeLimitMs: CHUNK_LIMIT_MS,
    onEnd(end) {
      isAnyLeft = true
      if ('error' in end) failures.push(end.error)
      else done += end.rows
    },
  })
  while (isAnyLeft) {
    isAnyLeft = false
    await runUntilDone(runSteps(ctx), slots)
    if (failures.length > 0) throw failures[0]
  }
  return done
}

function look(): void {
  if (answers < (samples.length + 1) * sampleEvery) return
  const at = performance.now()
  collect?.()
  const { heapUsed, rss } = process.memoryUsage()
  samples.push({ count: answers, heapBytes: heapUsed, rssBytes: rss })
  const perSecond = answers / ((at - start - samplingMs) / 1_000)
  process.stderr.write(`${answers} of ${total} asked for, ${Math.round(perSecond)} per second\n`)
  samplingMs += performance.now() - at
}
