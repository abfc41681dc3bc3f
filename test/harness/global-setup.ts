import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../../src/app/config.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { writeSetting } from '../../src/platform/db/instance-settings.ts'
import { buildConsole, isConsoleStale } from '../../tools/build-console.ts'
import { startTestCluster, stopTestCluster } from './cluster.ts'
import { chooseOffset } from './sandbox-now.ts'

/**
 * One PostgreSQL for the whole run, in memory where there is room, with a migrated and seeded template that
 * every test clones in milliseconds. Its address reaches the test files by the environment.
 */
const PREFIX = 'bursar-test-'
const NEEDED_BYTES = 2 * 1024 ** 3

function chooseParent(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > NEEDED_BYTES ? memory : tmpdir()
}

let folder: string | null = null

export async function globalSetup(): Promise<void> {
  // Browser tests look at the console as it is built. What keeps it from being built must not keep all others from running.
  const building = isConsoleStale()
    ? buildConsole().catch((error: unknown) =>
        console.error('THE CONSOLE COULD NOT BE BUILT:', String(error)),
      )
    : null
  const parent = chooseParent()
  sweepLeftovers(parent)
  folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  process.env['BURSAR_TEST_CLAIMS'] = join(folder, 'claims')
  mkdirSync(join(folder, 'claims'))
  const host = await startTestCluster(folder)
  await Promise.all([makeTemplate(host), building])
  process.env['BURSAR_TEST_PG'] = host
}

export async function globalTeardown(): Promise<void> {
  if (folder === null) return
  await stopTestCluster(folder)
  rmSync(folder, { recursive: true, force: true })
}

/** Clusters of runs that were killed: their process is gone or is stopped here. */
function sweepLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^bursar-test-(\d+)-/.exec(name)?.[1])
    if (!pid || existsSync(`/proc/${pid}`)) continue
    void stopTestCluster(join(parent, name)).finally(() =>
      rmSync(join(parent, name), { recursive: true, force: true }),
    )
  }
}

async function makeTemplate(host: string): Promise<void> {
  const admin = new pg.Client({ host, user: 'bursar', database: 'postgres' })
  await admin.connect()
  await admin.query('create database template_bursar')
  const { ctx } = await openDatabase(
    readConfig({
      DATABASE_URL: `postgres://bursar@localhost/template_bursar?host=${encodeURIComponent(host)}`,
      MASTER_KEY: '11'.repeat(32),
      DEMO: 'off',
    }),
  )
  await writeSetting(ctx.db, 'clock_offset_ms', String(chooseOffset()))
  // What is cloned from it may become a sandbox or live.
  await ctx.db.query(`delete from instance_settings where key = 'mode'`)
  await ctx.db.close()
  await admin.query('alter database template_bursar with allow_connections false is_template true')
  await admin.end()
}
