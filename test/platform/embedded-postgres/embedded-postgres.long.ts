import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { lockDataDir } from '../../../src/platform/embedded-postgres/data-dir-lock.ts'
import { connectTo } from '../../../src/platform/embedded-postgres/paths.ts'
import { openEmbeddedPostgres } from '../../../src/platform/embedded-postgres/supervisor.ts'
import { cluster, openFor, query, scratch, serverPid, undoLater, until } from './fixtures/support.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name)

test('the first open makes a cluster that promises durability, the next one finds it', async t => {
  const dataDir = scratch(t)
  const first = await openFor(t, dataDir)
  assert.equal(first.how, 'initialised')
  const settings = await query<{ name: string; setting: string }>(
    first,
    `select name, setting from pg_settings where name in
       ('fsync', 'synchronous_commit', 'TimeZone', 'listen_addresses', 'wal_level') order by name collate "C"`,
  )
  const found = Object.fromEntries(settings.map(row => [row.name, row.setting]))
  assert.deepEqual(found, {
    TimeZone: 'UTC',
    fsync: 'on',
    listen_addresses: '',
    synchronous_commit: 'on',
    wal_level: 'replica',
  })
  await first.stop()
  await first.stop()
  await assert.rejects(first.ensureRunning(), /was stopped/)
  assert.equal((await openFor(t, dataDir)).how, 'started')
})

test('an open while a server of an earlier run lives attaches to that very server', async t => {
  const dataDir = await cluster(t)
  await openFor(t, dataDir)
  const pid = await serverPid(dataDir)
  const second = await openFor(t, dataDir)
  assert.equal(second.how, 'attached')
  assert.equal(await serverPid(dataDir), pid)
})

test('rows committed before a kill -9 of the server are there after the next open', async t => {
  const dataDir = await cluster(t)
  const first = await openFor(t, dataDir)
  await query(first, 'create table fee (id int)')
  await query(first, 'insert into fee select generate_series(1, 1000)')
  process.kill(await serverPid(dataDir), 'SIGKILL')
  const begun = Date.now()
  const second = await openFor(t, dataDir)
  assert.ok(Date.now() - begun < 10_000)
  assert.equal(second.how, 'started')
  assert.deepEqual(await query(second, 'select count(*)::int from fee'), [{ count: 1000 }])
})

test('ensureRunning revives a killed server once, however many ask', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  const killed = await serverPid(dataDir)
  await postgres.ensureRunning()
  assert.equal(await serverPid(dataDir), killed)
  process.kill(killed, 'SIGKILL')
  await Promise.all([postgres.ensureRunning(), postgres.ensureRunning(), postgres.ensureRunning()])
  assert.notEqual(await serverPid(dataDir), killed)
  assert.deepEqual(await query(postgres, 'select 1 as one'), [{ one: 1 }])
})

test('two first opens at the same time end with one cluster and one server', async t => {
  const dataDir = scratch(t)
  const [one, other] = await Promise.all([openFor(t, dataDir), openFor(t, dataDir)])
  assert.deepEqual(one.connection, other.connection)
  await query(one, 'create table seen_by_both ()')
  assert.deepEqual(await query(other, 'select * from seen_by_both'), [])
  const names = readdirSync(dataDir).filter(name => name.startsWith('pg'))
  assert.deepEqual(names, ['pg'])
})

test('a start killed half-way leaves a draft that is swept when old, and never a data folder', async t => {
  const dataDir = scratch(t)
  const [old, young] = [join(dataDir, 'pg.init-old'), join(dataDir, 'pg.init-young')]
  for (const folder of [old, young, join(dataDir, 'pg.before-upgrade')]) mkdirSync(folder)
  utimesSync(old, 1, 1)
  await openFor(t, dataDir)
  const names = readdirSync(dataDir).filter(name => name.startsWith('pg'))
  assert.deepEqual(names.sort(), ['pg', 'pg.before-upgrade', 'pg.init-young'])
})

test('an empty lock file left by a crash does not block the start for ever', async t => {
  const dataDir = await cluster(t)
  writeFileSync(join(dataDir, 'pg', 'postmaster.pid'), '')
  assert.equal((await openFor(t, dataDir)).how, 'started')
})

test('a lock file whose number now belongs to a stranger neither blocks the start nor harms the stranger', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  await postgres.stop()
  const stranger = spawn('sleep', ['60'])
  undoLater(t, () => stranger.kill('SIGKILL'))
  const lines = [stranger.pid, join(dataDir, 'pg'), 1, 5432, dataDir, '', '', 'ready', '']
  writeFileSync(join(dataDir, 'pg', 'postmaster.pid'), lines.join('\n'))
  postgres.kill()
  const second = await openFor(t, dataDir)
  assert.equal(second.how, 'started')
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
})

test('what is in the way of the cluster is reported and left alone', async t => {
  const dataDir = scratch(t)
  const precious = join(dataDir, 'pg', 'precious')
  mkdirSync(dirname(precious))
  writeFileSync(precious, '')
  await assert.rejects(openEmbeddedPostgres({ dataDir }), /not a PostgreSQL cluster; move it away/)
  writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), '17\n')
  await assert.rejects(openEmbeddedPostgres({ dataDir }), /made by PostgreSQL 17/)
  assert.ok(statSync(precious).isFile())
})

test('a server that cannot start says why in the error', async t => {
  const dataDir = await cluster(t)
  writeFileSync(join(dataDir, 'pg', 'postgresql.conf'), 'no_such_setting = 1\n')
  await assert.rejects(openEmbeddedPostgres({ dataDir }), /DATABASE_URL[^]*no_such_setting/)
})

test('a data folder too deep, or too odd, for a socket works through a private folder', async t => {
  const dataDir = join(scratch(t), 'a-rather-deep, "quoted" folder'.repeat(4))
  const postgres = await openFor(t, dataDir)
  undoLater(t, () => rmSync(postgres.connection.host, { recursive: true, force: true }))
  assert.notEqual(postgres.connection.host, dataDir)
  assert.equal(statSync(postgres.connection.host).mode & 0o777, 0o700)
  assert.deepEqual(await query(postgres, 'select 1 as one'), [{ one: 1 }])
  assert.equal((await openFor(t, dataDir)).how, 'attached')
  await postgres.stop()
})

test('one Bursar holds a data folder, and its kill -9 frees it', async t => {
  const dataDir = await cluster(t)
  const { connection } = await openFor(t, dataDir)
  const holder = spawn(process.execPath, [fixture('hold-lock.ts'), connection.host])
  undoLater(t, () => holder.kill('SIGKILL'))
  const [said] = (await once(holder.stdout, 'data')) as [Buffer]
  assert.equal(said.toString(), 'held\n')
  assert.equal(await lockDataDir(connection), null)
  holder.kill('SIGKILL')
  const lock = await until('the lock is free', () => lockDataDir(connection))
  await lock.release()
})

test('losing the lock is told and does not end the process', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  const lock = await lockDataDir(postgres.connection)
  assert.ok(lock)
  const idle = await connectTo(postgres.connection)
  postgres.kill()
  await lock.lost
  await assert.rejects(idle.query('select 1'))
  await lock.release()
})

test('an ordinary user runs the server', async t => {
  const dataDir = scratch(t)
  if (isRoot) chownSync(dataDir, NOBODY, NOBODY)
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [fixture('open-once.ts'), dataDir], {
    ...identity,
    timeout: 30_000,
  })
  assert.deepEqual(JSON.parse(stdout), {
    how: 'initialised',
    uid: isRoot ? NOBODY : process.getuid?.(),
    rows: [{ answer: 42 }],
  })
})

test(
  'root runs the server of a folder that belongs to a user as that user',
  { skip: !isRoot && 'needs root' },
  async t => {
    const dataDir = scratch(t)
    chownSync(dataDir, NOBODY, NOBODY)
    const postgres = await openFor(t, dataDir)
    for (const name of ['pg', 'postgres.log']) assert.equal(statSync(join(dataDir, name)).uid, NOBODY)
    assert.equal(statSync(`/proc/${await serverPid(dataDir)}`).uid, NOBODY)
    assert.deepEqual(await query(postgres, 'select 1 as one'), [{ one: 1 }])
  },
)
