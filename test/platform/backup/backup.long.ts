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
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test, type TestContext } from 'node:test'
import { createGzip, gzipSync } from 'node:zlib'
import { pack as createPack } from 'tar-stream'
import { writeBackup } from '../../../src/platform/backup/write.ts'
import { restoreBackup } from '../../../src/platform/backup/restore.ts'
import { PURPOSE } from '../../../src/platform/backup/format.ts'
import { sealing, Vault } from '../../../src/platform/secrets.ts'
import { connectTo } from '../../../src/platform/embedded-postgres/paths.ts'
import type { EmbeddedPostgres } from '../../../src/platform/embedded-postgres/supervisor.ts'
import { cluster, openFor, query, scratch, until } from '../embedded-postgres/fixtures/support.ts'

const vault = new Vault(Buffer.alloc(32, 7))

async function backUp(t: TestContext, dataDir: string, postgres: EmbeddedPostgres) {
  const file = join(scratch(t), 'bursar.backup')
  const { bytes } = await writeBackup({ dataDir, file, connection: postgres.connection, vault })
  return { file, bytes }
}

function sealed(plain: Buffer[]): Promise<Buffer> {
  return buffer(sealing({ vault, purpose: PURPOSE })(Readable.from(plain)))
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
    vault,
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

  const { createdAt } = await restoreBackup({ dataDir: restored, file, vault })
  assert.ok(Date.parse(createdAt) <= Date.now())
  assert.deepEqual(readdirSync(restored), ['pg'], 'the key is not in it')
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
  await assert.rejects(
    writeBackup({ dataDir, file, connection: postgres.connection, vault }),
    /never overwritten/,
  )
  assert.equal(statSync(file).size, size)

  const folder = scratch(t)
  const options = { dataDir, file: join(folder, 'failing'), connection: postgres.connection, vault }
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

test('a restore never touches an existing cluster', async t => {
  const dataDir = await cluster(t)
  const { file } = await backUp(t, dataDir, await openFor(t, dataDir))
  await assert.rejects(restoreBackup({ dataDir, file, vault }), /choose another DATA_DIR or move it away/)
})

test('a restore refuses a backup of a newer Bursar and one under another master key', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  await query(
    postgres,
    `create table schema_migrations as select 7 as version;
     create table instance_settings as select 'master_key_fingerprint' as key, '${vault.fingerprint()}' as value`,
  )
  const { file } = await backUp(t, dataDir, postgres)
  const target = join(scratch(t), 'data')
  const restore = (schemaVersion: number, under = vault) =>
    restoreBackup({ dataDir: target, file, schemaVersion, vault: under })
  const other = new Vault(Buffer.alloc(32, 8))
  await assert.rejects(restore(6), /made by a newer Bursar \(schema 7, this release has 6\)/)
  await assert.rejects(restore(7, other), /made under another master key/)
  assert.ok(!existsSync(target), 'refused before anything is unpacked')
  await restore(7)
  assert.ok(existsSync(join(target, 'pg', 'PG_VERSION')))

  const mistyped = { dataDir, file: `${file}-2`, connection: postgres.connection, vault: other }
  await assert.rejects(writeBackup(mistyped), /not the one that this database was sealed with/)
  assert.ok(!existsSync(`${file}-2`), 'no backup is written that nobody could read')
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
    ['empty', Buffer.alloc(0), /is not a file that Bursar sealed/],
    ['something else', Buffer.from('hello'), /is not a file that Bursar sealed/],
    ['a plain one', gzipSync('hello'.repeat(500)), /is not encrypted, so it is not a file of this Bursar/],
    ['sealed, and something else', await sealed([gzipSync('hello'.repeat(500))]), /not a Bursar backup/],
  ]
  const parent = scratch(t)
  for (const [name, content, reason] of cases) {
    const path = join(scratch(t), 'bad.backup')
    writeFileSync(path, content)
    const target = join(parent, 'not', 'yet', 'there')
    await assert.rejects(restoreBackup({ dataDir: target, file: path, vault }), reason, name)
    assert.deepEqual(readdirSync(parent), [], name)
  }
  mkdirSync(join(parent, 'there'))
  const absent = { dataDir: join(parent, 'there'), file: join(parent, 'absent'), vault }
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
    { name: 'master.key' },
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
    const step = sealing({ vault, purpose: PURPOSE })
    await pipeline(pack as AsyncIterable<Buffer>, createGzip(), step, createWriteStream(file))
    const restored = restoreBackup({ dataDir: join(folder, 'data'), file, vault })
    await assert.rejects(restored, /unsafe entry/, entry.name)
    assert.deepEqual(readdirSync(folder), ['bad.backup'])
  }
  assert.ok(!existsSync('/tmp/bursar-escaped'))
})
