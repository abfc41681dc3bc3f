import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { rehearseRestore } from '../../../src/platform/backup/restore.ts'
import { BackupSchedule } from '../../../src/platform/backup/schedule.ts'
import type { EmbeddedPostgres } from '../../../src/platform/embedded-postgres/supervisor.ts'
import { createLog } from '../../../src/platform/log.ts'
import { Vault } from '../../../src/platform/secrets.ts'
import { cluster, openFor, query, scratch, until } from '../embedded-postgres/fixtures/support.ts'

const START = Date.parse('2026-11-16T21:00:00Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const vault = new Vault(Buffer.alloc(32, 7))

async function openSchedule(t: TestContext, keep = 2, folder = scratch(t)) {
  const dataDir = await cluster(t)
  const embedded = await openFor(t, dataDir)
  let nowMs = START
  let logged = ''
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: line => void (logged += line) },
  })
  const settings = { folder, at: { hour: 2, minute: 30 }, keep }
  const schedule = new BackupSchedule({ settings, dataDir, embedded, vault, log, now: () => new Date(nowMs) })
  const runAt = async (ms: number): Promise<string[]> => {
    nowMs = ms
    await schedule.runIfDue()
    return readdirSync(folder).sort()
  }
  return { schedule, embedded, dataDir, folder, runAt, logged: () => logged }
}

test('a backup is made once a day, can be restored, and the oldest go', async t => {
  const { schedule, embedded, folder, runAt, logged } = await openSchedule(t)
  writeFileSync(join(folder, 'holiday.jpg'), 'not ours')
  await query(embedded, 'create table fee as select generate_series(1, 1000) as paise')
  const first = 'bursar-20261116T210000Z.backup'
  assert.deepEqual(await runAt(START), [first, 'holiday.jpg'])
  assert.deepEqual(await runAt(START + DAY - MINUTE), [first, 'holiday.jpg'], 'not due yet')
  const { lastAt, lastBytes, nextAt, isLate } = schedule.state
  assert.deepEqual([lastAt?.getTime(), nextAt.getTime(), isLate], [START, START + DAY, false])
  assert.equal(lastBytes, statSync(join(folder, first)).size)

  await runAt(START + DAY)
  const names = await runAt(START + 2 * DAY + 5 * MINUTE)
  assert.deepEqual(names, ['bursar-20261117T210000Z.backup', 'bursar-20261118T210500Z.backup', 'holiday.jpg'])
  assert.equal(schedule.state.kept, 2)
  assert.match(logged(), /"level":30.*backup written and verified|backup written and verified/)
  const { tables, rows } = await rehearseRestore({ file: join(folder, names[1] ?? ''), vault })
  assert.deepEqual([tables, rows], [1, 1000])
})

test('a failed backup is logged at error, shown with the age of the last good one, and tried again', async t => {
  const { schedule, embedded, folder, runAt, logged } = await openSchedule(t)
  const [first = ''] = await runAt(START)
  await embedded.stop()
  assert.deepEqual(await runAt(START + DAY), [first], 'nothing of the failed one is left')
  const { failuresInRow, lastFailure, lastAt, isLate, nextAt } = schedule.state
  assert.deepEqual([failuresInRow, lastAt?.getTime(), isLate], [1, START, true])
  assert.equal(nextAt.getTime(), START + DAY + 15 * MINUTE)
  assert.ok((lastFailure?.message ?? '').length > 0)
  assert.match(logged(), /"level":(50|"error").*backup failed/)
  await runAt(START + DAY + 14 * MINUTE)
  assert.equal(schedule.state.failuresInRow, 1, 'left alone for a quarter of an hour')
  await runAt(START + DAY + 15 * MINUTE)
  assert.equal(schedule.state.failuresInRow, 2)
  assert.deepEqual(readdirSync(folder), [first])
})

test('stopping gives up a backup that is being written, and leaves nothing of it', async t => {
  const { schedule, embedded, folder, logged } = await openSchedule(t)
  await query(embedded, `create table fee as select repeat('x', 500) from generate_series(1, 100000)`)
  const running = schedule.runIfDue()
  await until('the backup to be under way', () => (readdirSync(folder).length > 0 ? true : null))
  await schedule.stop()
  await running
  assert.deepEqual(readdirSync(folder), [])
  assert.doesNotMatch(logged(), /backup failed/)
})

test('a folder that cannot be made is a failed backup, not a crash', async t => {
  const file = join(scratch(t), 'file')
  writeFileSync(file, '')
  const { schedule } = await openSchedule(t, 2, join(file, 'backups'))
  await schedule.runIfDue()
  assert.match(schedule.state.lastFailure?.message ?? '', /ENOTDIR/)
  assert.equal(schedule.state.isLate, true)
})

test('a process killed in the middle of a backup leaves nothing that is taken for one', async t => {
  const { schedule, embedded, dataDir, folder, runAt } = await openSchedule(t)
  const name = 'bursar-20261116T200000Z.backup'
  await beginAndKill(embedded, dataDir, join(folder, name))
  assert.deepEqual(readdirSync(folder), [`${name}.partial`])
  await assert.rejects(rehearseRestore({ file: join(folder, `${name}.partial`), vault }), /cut short/)

  utimesSync(join(folder, `${name}.partial`), new Date(START), new Date(START))
  const made = 'bursar-20261116T210100Z.backup'
  assert.deepEqual(await runAt(START + MINUTE), [`${name}.partial`, made], 'it may still be written')
  assert.equal(schedule.state.lastAt?.getTime(), START + MINUTE)
  await runAt(START + DAY)
  assert.ok(!readdirSync(folder).includes(`${name}.partial`), 'removed once nobody can be writing it')
  assert.deepEqual(await query(embedded, 'select slot_name from pg_replication_slots'), [])
})

async function beginAndKill(embedded: EmbeddedPostgres, dataDir: string, file: string): Promise<void> {
  const fixture = join(import.meta.dirname, 'fixtures', 'write-and-hang.ts')
  const child = spawn(process.execPath, [fixture, dataDir, file, embedded.connection.host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
}
