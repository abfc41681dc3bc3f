import assert from 'node:assert/strict'
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { test, type TestContext } from 'node:test'
import { createGzip, gzipSync } from 'node:zlib'
import { pack as createPack } from 'tar-stream'
import { writeBackup } from '../../../src/platform/backup/write.ts'
import { restoreBackup } from '../../../src/platform/backup/restore.ts'
import { connectTo } from '../../../src/platform/embedded-postgres/client.ts'
import type { EmbeddedPostgres } from '../../../src/platform/embedded-postgres/supervisor.ts'
import { cluster, openFor, query, scratch, until } from '../embedded-postgres/fixtures/support.ts'

async function backUp(t: TestContext, dataDir: string, postgres: EmbeddedPostgres) {
  const file = join(scratch(t), 'bursar.backup')
  const { bytes } = await writeBackup({ dataDir, file, connection: postgres.connection })
  return { file, bytes }
}

/** Keeps committing pairs of rows, one in each table, so that half a transaction would show. */
async function payInPairs(postgres: EmbeddedPostgres) {
  const client = await connectTo(postgres.connection)
  const stopped = new AbortController()
  let committed = 0
  const done = (async () => {
    while (!stopped.signal.aborted) {
      await client.query(
        `with paid as (insert into payment select $1, repeat('x', 2000) returning id)
        insert into receipt select id from paid`,
        [committed + 1],
      )
      committed += 1
    }
    await client.end()
  })()
  const stop = async (): Promise<void> => {
    stopped.abort()
    await done
  }
  return { committed: () => committed, stop }
}

test('a backup taken while rows are being committed restores all that came before it, and no half transaction', async t => {
  const [dataDir, restored] = [await cluster(t), scratch(t)]
  writeFileSync(join(dataDir, 'master.key'), 'the key')
  const postgres = await openFor(t, dataDir)
  await query(postgres, 'create table payment (id int primary key, note text); create table receipt (id int)')
  await query(postgres, `insert into payment select -i, repeat('y', 500) from generate_series(1, 50000) i`)
  const payer = await payInPairs(postgres)
  const before = await until('some rows', () => (payer.committed() < 100 ? null : payer.committed()))
  const file = join(scratch(t), 'bursar.backup')
  const progress: number[] = []
  const written = writeBackup({
    dataDir,
    file,
    connection: postgres.connection,
    onProgress: bytes => progress.push(bytes),
  })
  await Promise.allSettled([written])
  await payer.stop()
  const { bytes } = await written
  assert.ok(payer.committed() > before, 'rows were committed during the backup')
  assert.equal(statSync(file).size, bytes)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok((progress.at(-1) ?? 0) > bytes)
  await query(postgres, 'select pg_switch_wal()')

  const { createdAt } = await restoreBackup({ dataDir: restored, file })
  assert.ok(Date.parse(createdAt) <= Date.now())
  assert.equal(readFileSync(join(restored, 'master.key'), 'utf8'), 'the key')
  assert.deepEqual(readdirSync(restored).sort(), ['master.key', 'pg'])
  const copy = await openFor(t, restored)
  const [seen] = await query<{ old: number; paid: number; last: number; unpaired: number }>(
    copy,
    `select count(*) filter (where p.id < 0)::int as old, count(*) filter (where p.id > 0)::int as paid,
       max(p.id) as last, count(*) filter (where p.id > 0 and r.id is null or p.id is null)::int as unpaired
     from payment p full join receipt r using (id)`,
  )
  assert.ok(seen)
  assert.equal(seen.old, 50_000)
  assert.equal(seen.unpaired, 0)
  assert.equal(seen.paid, seen.last, 'no row is missing in between')
  assert.ok(seen.paid >= before && seen.paid <= payer.committed())
  t.diagnostic(`${before} before, ${seen.paid} restored, ${payer.committed()} in the end, ${bytes} bytes`)
  await query(copy, `reindex table payment; insert into payment values (2000000000, 'life goes on')`)
})

test('a backup neither overwrites a file nor leaves a part of one behind', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  const { file } = await backUp(t, dataDir, postgres)
  const size = statSync(file).size
  await assert.rejects(writeBackup({ dataDir, file, connection: postgres.connection }), /never overwritten/)
  assert.equal(statSync(file).size, size)

  const folder = scratch(t)
  const options = { dataDir, file: join(folder, 'failing'), connection: postgres.connection }
  const killed = writeBackup({ ...options, onProgress: () => postgres.kill() })
  await assert.rejects(killed)
  assert.deepEqual(readdirSync(folder), [])
  await postgres.ensureRunning()
  await writeBackup(options)
  assert.deepEqual(readdirSync(folder), ['failing'])
})

test('a backup leaves no slot behind that would keep the log from being recycled', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  await backUp(t, dataDir, postgres)
  assert.deepEqual(await query(postgres, 'select slot_name from pg_replication_slots'), [])
})

test('a restore never touches an existing cluster or key', async t => {
  const dataDir = await cluster(t)
  writeFileSync(join(dataDir, 'master.key'), 'the key')
  const { file } = await backUp(t, dataDir, await openFor(t, dataDir))
  await assert.rejects(restoreBackup({ dataDir, file }), /choose another DATA_DIR or move it away/)
  const other = scratch(t)
  writeFileSync(join(other, 'master.key'), 'another key')
  await assert.rejects(restoreBackup({ dataDir: other, file }), /another key than the backup's/)
  assert.deepEqual(readdirSync(other), ['master.key'])
  assert.equal(readFileSync(join(other, 'master.key'), 'utf8'), 'another key')
})

test('a restore refuses a backup of a newer Bursar and one under another master key', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  await query(
    postgres,
    `create table schema_migrations as select 7 as version;
     create table instance_settings as select 'master_key_fingerprint' as key, 'ours' as value`,
  )
  const { file } = await backUp(t, dataDir, postgres)
  const target = join(scratch(t), 'data')
  const restore = (schemaVersion: number, masterKeyFingerprint: string | null) =>
    restoreBackup({ dataDir: target, file, schemaVersion, masterKeyFingerprint })
  await assert.rejects(restore(6, 'ours'), /made by a newer Bursar \(schema 7, this release has 6\)/)
  await assert.rejects(restore(7, 'another'), /made under another master key/)
  assert.ok(!existsSync(target), 'refused before anything is unpacked')
  await restore(7, 'ours')
  assert.ok(existsSync(join(target, 'pg', 'PG_VERSION')))
})

test('a truncated, damaged or foreign backup is refused and leaves nothing', async t => {
  const dataDir = await cluster(t)
  const { file, bytes } = await backUp(t, dataDir, await openFor(t, dataDir))
  const whole = readFileSync(file)
  const damaged = Buffer.from(whole)
  const middle = Math.floor(bytes / 2)
  damaged.fill(0xff, middle, middle + 64)
  const cases: [string, Buffer, RegExp][] = [
    ['half', whole.subarray(0, middle), /cut short/],
    ['all but the last byte', whole.subarray(0, bytes - 1), /cut short/],
    ['damaged', damaged, /damaged/],
    ['empty', Buffer.alloc(0), /not a Bursar backup|cut short/],
    ['not gzip', Buffer.from('hello'), /not a Bursar backup/],
    ['gzip of something', gzipSync('hello'.repeat(500)), /not a Bursar backup/],
  ]
  const parent = scratch(t)
  for (const [name, content, reason] of cases) {
    const path = join(scratch(t), 'bad.backup')
    writeFileSync(path, content)
    const target = join(parent, 'not', 'yet', 'there')
    await assert.rejects(restoreBackup({ dataDir: target, file: path }), reason, name)
    assert.deepEqual(readdirSync(parent), [], name)
  }
  mkdirSync(join(parent, 'there'))
  const absent = { dataDir: join(parent, 'there'), file: join(parent, 'absent') }
  await assert.rejects(restoreBackup(absent), /cannot read the backup/)
  assert.deepEqual(readdirSync(join(parent, 'there')), [])
})

test('an archive cannot write outside the data folder', async t => {
  const manifest = JSON.stringify({ format: 1, created_at: '2026-01-01T00:00:00Z', pg_version: '18.4' })
  const entries = [
    { name: 'pg/../../escaped' },
    { name: '../escaped' },
    { name: '/tmp/bursar-escaped' },
    { name: 'pg//escaped' },
    { name: 'other' },
    { name: 'pg/link', type: 'symlink' as const, linkname: '/etc/passwd' },
    { name: 'pg/link', type: 'link' as const, linkname: '/etc/passwd' },
  ]
  for (const entry of entries) {
    const folder = scratch(t)
    const pack = createPack()
    pack.entry({ name: 'bursar-backup.json' }, manifest)
    pack.entry({ name: 'pg', type: 'directory' })
    if (entry.type === undefined) pack.entry(entry, 'content')
    else pack.entry(entry)
    pack.finalize()
    const file = join(folder, 'bad.backup')
    await pipeline(pack as AsyncIterable<Buffer>, createGzip(), createWriteStream(file))
    await assert.rejects(restoreBackup({ dataDir: join(folder, 'data'), file }), /unsafe entry/, entry.name)
    assert.deepEqual(readdirSync(folder), ['bad.backup'])
  }
  assert.ok(!existsSync('/tmp/bursar-escaped'))
})
