import { readConfig } from '../../src/app/config.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { createContext } from '../../src/app/context.ts'
import { createLog } from '../../src/platform/log.ts'
import { settleDay, today } from '../../src/payments/settlements/settlements.service.ts'

/**
 * Pays out and settles all that a database holds, in one process, and prints how it went as JSON. Needs --expose-gc:
 * what is measured is what stays in memory, not what the collector has not come to yet.
 */
export type SettlePlan = { total: number; sampleEvery: number }

export type Sample = { settled: number; ms: number; heapBytes: number; rssBytes: number }

export type SettleResult = {
  payOutMs: number
  settleMs: number
  settled: number
  exceptions: number
  samples: Sample[]
  /** The same day read once more, as the worker does every hour. */
  again: { ms: number; settled: number; exceptions: number }
}

const BAR_WIDTH = 40

const { total, sampleEvery } = JSON.parse(process.argv[2] ?? '{}') as SettlePlan
const collect = globalThis.gc
if (collect === undefined) throw new Error('run this with --expose-gc')

const config = readConfig(process.env)
const { ctx: base } = await openDatabase(config)
const log = createLog({ level: 'silent', format: 'json', destination: { write() {} } })
const { ctx, simulators } = await createContext(config, base, log)
if (simulators === null) throw new Error('only the sandbox has a bank that pays out when told to')

const samples: Sample[] = []
let samplingMs = 0

function onProgress(settled: number): void {
  drawBar(settled)
  if (settled < (samples.length + 1) * sampleEvery) return
  const at = performance.now()
  collect?.()
  const { heapUsed, rss } = process.memoryUsage()
  samples.push({ settled, ms: at - start - samplingMs, heapBytes: heapUsed, rssBytes: rss })
  samplingMs += performance.now() - at
}

/** Drawn over itself on a terminal; elsewhere a line for every tenth. */
function drawBar(settled: number): void {
  const { isTTY } = process.stderr
  const isTenth = settled % Math.ceil(total / 10) < 1
  if (!isTTY && !isTenth) return
  const full = Math.round((settled / total) * BAR_WIDTH)
  const bar = '#'.repeat(full).padEnd(BAR_WIDTH, '.')
  const text = `[${bar}] ${String(Math.floor((settled / total) * 100)).padStart(3)} %  ${settled} of ${total}`
  process.stderr.write(isTTY ? `\r${text}${settled === total ? '\n' : ''}` : `${text}\n`)
}

// The day before the pay-out, so that midnight between the two does not part them.
const day = today(ctx)
const begin = performance.now()
await simulators.bank.payOut(new Date(ctx.clock.now().getTime() + 1))
const start = performance.now()
const bank = ctx.accounts.accountOfInstallation('sandbox')
if (bank === null) throw new Error('there is no sandbox bank')
const summary = await settleDay(ctx, bank, day, onProgress)
const settleMs = performance.now() - start - samplingMs
const restart = performance.now()
const repeated = await settleDay(ctx, bank, day)
const result: SettleResult = {
  ...summary,
  payOutMs: start - begin,
  settleMs,
  samples,
  again: { ...repeated, ms: performance.now() - restart },
}
process.stdout.write(JSON.stringify(result))
await ctx.db.close()
