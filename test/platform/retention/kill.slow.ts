import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  archiveProblem,
  linesPath,
  listArchives,
  readLines,
  sealOf,
} from '../../../src/platform/retention/retention.ts'
import { startBursar, TEST_MASTER_KEY, type TestBursar } from '../../harness/bursar.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'
import {
  addOlderMonths,
  countOf,
  forgetMonths,
  idsAt,
  insertRequests,
  monthsFromNow,
  temporaryFolder,
} from './support.ts'

const ROOT = new URL('../../..', import.meta.url).pathname
const ROWS = 20_000
const LATER_ROWS = 10_000
const MONTHS = [-5, -4, -3]

test('killed again and again, the command archives every row once and drops none that is not archived', async t => {
  const folder = await temporaryFolder(t)
  const bursar = await startBursar(t)
  await addOlderMonths(bursar, { table: 'api_requests', prefix: 'req' }, 6)
  for (const month of MONTHS) await insertRequests(bursar, idsAt('req', monthsFromNow(month), ROWS))
  const kills = await runAndKill(bursar, folder, async () => {
    const left = await waiting(bursar)
    assert.ok(left + (await archived(folder)) >= MONTHS.length * ROWS, 'nothing is lost on the way')
  })
  t.diagnostic(`${kills} kills`)
  assert.equal(await countOf(bursar, 'api_requests'), 0)
  assert.equal(await waiting(bursar), 0)
  const ids = new Set<string>()
  let lines = 0
  for (const manifest of await listArchives(folder)) {
    const { vault } = bursar.app.ctx
    assert.equal(await archiveProblem(folder, manifest, vault), null)
    await readLines(linesPath(folder, manifest), sealOf(vault, manifest), line => {
      lines++
      ids.add((JSON.parse(line) as { id: string }).id)
    })
  }
  assert.deepEqual([lines, ids.size], [MONTHS.length * ROWS, MONTHS.length * ROWS])
})

test('killed again and again, the command sorts rows behind the last month, and others find each once all the while', async t => {
  const folder = await temporaryFolder(t)
  const bursar = await startBursar(t)
  await forgetMonths(bursar, { table: 'api_requests', prefix: 'req' })
  for (const month of [1, 2, 3, 40])
    await insertRequests(bursar, idsAt('req', monthsFromNow(month), LATER_ROWS))
  let seen = 4 * LATER_ROWS
  let halfDone = 0
  const kills = await runAndKill(bursar, folder, async () => {
    halfDone += await countOf(bursar, `pg_class where oid = to_regclass('staging.api_requests')`)
    await insertRequests(bursar, [`${idsAt('req', monthsFromNow(2), 1)[0]}${seen}`])
    assert.equal(await countOf(bursar, 'api_requests'), ++seen)
  })
  t.diagnostic(`${kills} kills, ${halfDone} while rows were copied`)
  assert.ok(halfDone > 0)
  const [counted] = await bursar.sql(
    `select count(*)::int as rows, count(distinct id)::int as ids from api_requests`,
  )
  assert.deepEqual(counted, { rows: seen, ids: seen })
  assert.equal(await countOf(bursar, 'api_requests_after'), LATER_ROWS)
  assert.equal(await countOf(bursar, `pg_class where relnamespace = 'staging'::regnamespace`), 0)
})

/**
 * The command, each time killed a little later until it ends by itself; answers how often it was killed. The first kill
 * waits for most of the command's start, in which it does nothing yet, and each delay is an eighth longer than the last.
 */
async function runAndKill(
  bursar: TestBursar,
  folder: string,
  afterKill: () => Promise<void>,
): Promise<number> {
  const env = {
    ...bareEnv(),
    DATABASE_URL: bursar.app.config.databaseUrl ?? '',
    MASTER_KEY: TEST_MASTER_KEY,
    ARCHIVE_DIR: folder,
  }
  let kills = 0
  for (let delayMs = 600; ; delayMs *= 1.125) {
    const child = spawn(process.execPath, ['src/cli/main.ts', 'archive', 'run'], {
      cwd: ROOT,
      env,
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    const isOver = await Promise.race([ended.then(() => true), wait(delayMs, false, { ref: false })])
    if (!isOver && child.kill('SIGKILL')) kills++
    await ended
    if (child.exitCode === 0) break
    await afterKill()
  }
  assert.ok(kills > 0)
  return kills
}

/** Rows that are still in the database, in the log or on their way out of it. */
async function waiting(bursar: Parameters<typeof countOf>[0]): Promise<number> {
  const tables = await bursar.sql<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'retired'::regnamespace and relkind = 'r'`,
  )
  let rows = await countOf(bursar, 'api_requests')
  for (const { name } of tables) rows += await countOf(bursar, name)
  return rows
}

async function archived(folder: string): Promise<number> {
  return (await listArchives(folder)).reduce((sum, { rows }) => sum + rows, 0)
}
