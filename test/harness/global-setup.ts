import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole, isConsoleStale } from '../../tools/build-console.ts'
import { failedFileCommands, makeClaims } from '../lanes/claims.ts'
import { startTestCluster, stopTestCluster } from './postgres/cluster.ts'
import { dropTemplate, makeTemplate } from './postgres/databases.ts'

/**
 * One PostgreSQL for the whole run, in memory where there is room, or the one that TEST_DATABASE_URL names. Its address
 * reaches the test files by the environment.
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
  const building = isConsoleStale() ? buildForTests() : null
  const parent = chooseParent()
  sweepLeftovers(parent)
  folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  makeClaims(join(folder, 'claims'))
  const own = process.env['TEST_DATABASE_URL'] ?? (await startOwnServer(folder))
  await Promise.all([makeTemplate(own), building])
}

async function buildForTests(): Promise<void> {
  const { NODE_ENV } = process.env
  try {
    await buildConsole()
  } catch (error) {
    console.error('THE CONSOLE COULD NOT BE BUILT:', String(error))
  }
  // Vite sets it for the whole process, and every test file would have it.
  if (NODE_ENV === undefined) delete process.env['NODE_ENV']
  else process.env['NODE_ENV'] = NODE_ENV
}

async function startOwnServer(place: string): Promise<string> {
  const host = await startTestCluster(place)
  return `postgres://bursar@localhost/postgres?host=${encodeURIComponent(host)}`
}

export async function globalTeardown(): Promise<void> {
  if (folder === null) return
  const failed = failedFileCommands()
  if (failed.length > 0) console.error(['', 'What failed, by itself:', ...failed, ''].join('\n'))
  if (process.env['TEST_DATABASE_URL'] !== undefined) await dropTemplate()
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
