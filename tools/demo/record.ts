import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/app/config.ts'
import { openDatabase, type OpenedDatabase } from '../../src/app/open-database.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { DAY_MS, dayOf } from '../../src/platform/calendar.ts'
import { createLog } from '../../src/platform/log.ts'
import { findSeededTables, recordSchool, RECORDING_FILE } from '../../src/sandbox/demo/demo.service.ts'
import { DEMO_SCHOOL } from '../../src/sandbox/seed/seed.service.ts'
import { PastSandbox } from './past-sandbox.ts'
import { SunriseSchool } from './sunrise-school.ts'

/**
 * Records the demo school: the whole product lives through half a year of it on a database that is thrown away afterwards, and the rows
 * that this left are what a new sandbox is filled with.
 */
const HISTORY_MS = 151 * DAY_MS
/** Stands in messages until the address of a real sandbox takes its place. */
const PUBLIC_URL = 'http://sunrise-school.invalid'

export async function recordDemo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-demo-'))
  const config = readConfig({ DATA_DIR: folder, PUBLIC_URL })
  const log = createLog({ level: 'error', format: 'json' })
  let opened: OpenedDatabase | null = null
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const abandon = (): void => {
    opened?.embedded?.kill()
    remove()
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abandon)
  try {
    opened = await openDatabase(config)
    const { ctx } = opened
    // Nothing here has to survive a power failure.
    await ctx.db.query('alter system set fsync = off')
    await ctx.db.query('alter system set synchronous_commit = off')
    await ctx.db.query('select pg_reload_conf()')
    const school = await getInstitute(ctx, DEMO_SCHOOL.code)
    const seeded = await findSeededTables(ctx, school)
    const startedAt = new Date()
    const start = new Date(startedAt.getTime() - HISTORY_MS)
    const past = await PastSandbox.open(config, ctx, { log, key: DEMO_SCHOOL.key, start })
    await new SunriseSchool(past, startedAt).liveThrough()
    await past.close()
    const about = { startedAt, endedAt: new Date(), day: dayOf(startedAt), seeded }
    moveInto(await recordSchool(ctx, school, about))
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abandon)
    await opened?.ctx.db.close()
    await opened?.embedded?.stop()
    remove()
  }
}

const MIGRATIONS = new URL('../../migrations/', import.meta.url)

/** Whether the schema or the school's story changed after it was recorded. */
export function isRecordingStale(): boolean {
  if (!existsSync(RECORDING_FILE)) return true
  const recordedMs = statSync(RECORDING_FILE).mtimeMs
  const migrations = readdirSync(MIGRATIONS).map(name => new URL(name, MIGRATIONS))
  const sources = ['past-sandbox.ts', 'record.ts', 'sunrise-school.ts'].map(
    name => new URL(name, import.meta.url),
  )
  return [...migrations, ...sources].some(source => statSync(source).mtimeMs > recordedMs)
}

/** Whole or not at all: a Bursar may start meanwhile. */
function moveInto(recording: Buffer): void {
  const file = fileURLToPath(RECORDING_FILE)
  mkdirSync(dirname(file), { recursive: true })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, recording)
  renameSync(fresh, file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await recordDemo()
  } catch (error) {
    // A machine that cannot run the embedded PostgreSQL can still use one of its own.
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`Sunrise School, the demo, was not recorded: ${reason}\n`)
  }
}
