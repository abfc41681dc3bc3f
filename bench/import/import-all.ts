import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { readConfig } from '../../src/app/config.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { createImport, getImport, type ImportFile } from '../../src/imports/imports.service.ts'

/**
 * Imports a file in one process, as the command line does, and prints how it went as JSON. Needs --expose-gc: what is
 * measured is what stays in memory, not what the collector has not come to yet.
 */
export type ImportPlan = { path: string; mode: 'all' | 'good' }

export type ImportSample = { percent: number; heapBytes: number; rssBytes: number }

export type ImportResult = {
  ms: number
  cpuMs: number
  rows: { total: number; bad: number; applied: number; unchanged: number }
  samples: ImportSample[]
  /** The same file once more. */
  again: { ms: number; applied: number; unchanged: number }
}

const { path, mode } = JSON.parse(process.argv[2] ?? '{}') as ImportPlan
const collect = globalThis.gc
if (collect === undefined) throw new Error('run this with --expose-gc')

const { ctx } = await openDatabase(readConfig(process.env))
const institute = await getInstitute(ctx, 'demo-school')
const samples: ImportSample[] = []
let samplingMs = 0

async function run(): Promise<{ ms: number; rows: ImportResult['rows'] }> {
  const handle = await open(path)
  const start = performance.now()
  samplingMs = 0
  const one = await createImport(ctx, { instituteId: institute.id }, institute, {
    kind: 'students',
    mode,
    isDryRun: false,
    file: await fileOf(handle),
  })
  let stage = 0
  await finishImport(
    ctx,
    { instituteId: institute.id, id: one.id },
    {
      onProgress(percent) {
        process.stderr.write(
          `${process.stderr.isTTY ? '\r' : ''}${percent} % ${process.stderr.isTTY ? '' : '\n'}`,
        )
        const at = performance.now()
        collect?.()
        const { heapUsed, rss } = process.memoryUsage()
        samples.push({ percent: stage + percent, heapBytes: heapUsed, rssBytes: rss })
        samplingMs += performance.now() - at
      },
    },
  )
  stage++
  const ms = performance.now() - start - samplingMs
  await handle.close()
  const { totalRows, badRows, appliedRows, unchangedRows, state, message } = await getImport(
    ctx,
    institute,
    one.id,
  )
  if (state !== 'done') throw new Error(`${state}: ${message}`)
  return { ms, rows: { total: totalRows, bad: badRows, applied: appliedRows, unchanged: unchangedRows } }
}

async function fileOf(handle: Awaited<ReturnType<typeof open>>): Promise<ImportFile> {
  const hash = createHash('sha256')
  for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 }))
    hash.update(chunk as Buffer)
  const { size } = await handle.stat()
  return {
    bytes: size,
    digest: hash.digest(),
    async read(from, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from)
      return buffer.subarray(0, bytesRead)
    },
  }
}

const cpuBefore = process.cpuUsage()
const { ms, rows } = await run()
const cpu = process.cpuUsage(cpuBefore)
const repeated = await run()
const result: ImportResult = {
  ms,
  cpuMs: (cpu.user + cpu.system) / 1_000,
  rows,
  samples,
  again: { ms: repeated.ms, applied: repeated.rows.applied, unchanged: repeated.rows.unchanged },
}
process.stdout.write(JSON.stringify(result))
await ctx.db.close()
