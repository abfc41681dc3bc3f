import assert from 'node:assert/strict'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { newestBackup } from '../../../src/platform/backup/schedule.ts'
import { PURPOSE } from '../../../src/platform/backup/format.ts'
import { POSTGRES_MAJOR } from '../../../src/platform/embedded-postgres/paths.ts'
import { sealing, Vault } from '../../../src/platform/secrets.ts'
import { scratch } from '../embedded-postgres/fixtures/support.ts'

const vault = new Vault(Buffer.alloc(32, 7))

/** The least that a backup has to hold, made at a moment. */
async function backupOf(createdAt: string, under = vault): Promise<Buffer> {
  const manifest = { format: 1, created_at: createdAt, pg_version: `${POSTGRES_MAJOR}.0` }
  const archive = pack()
  archive.entry({ name: 'bursar-backup.json' }, JSON.stringify(manifest))
  for (const name of ['PG_VERSION', 'backup_label', 'global/pg_control'])
    archive.entry({ name: `pg/${name}` }, name)
  archive.finalize()
  const plain = Readable.from([gzipSync(await buffer(archive))])
  return buffer(sealing({ vault: under, purpose: PURPOSE })(plain))
}

test('a backup made by hand counts like one of the schedule, if it reads to its end', async t => {
  const folder = scratch(t)
  const put = (name: string, content: Buffer | string, writtenAt = '2026-11-17T12:00:00Z'): void => {
    writeFileSync(join(folder, name), content)
    utimesSync(join(folder, name), new Date(writtenAt), new Date(writtenAt))
  }
  const newest = async (): Promise<string | undefined> => (await newestBackup(folder, vault))?.toISOString()
  assert.equal(await newest(), undefined)
  assert.equal(await newestBackup(join(folder, 'missing'), vault), null)

  put('bursar-20261116T210000Z.backup', 'its name says that it was read back')
  assert.equal(await newest(), '2026-11-16T21:00:00.000Z')
  put('before-upgrade', await backupOf('2026-11-17T06:00:00.000Z'))
  assert.equal(await newest(), '2026-11-17T06:00:00.000Z')

  // A copy of an old one is written later and is old all the same.
  put('a-copy', await backupOf('2026-10-01T06:00:00.000Z'))
  const later = await backupOf('2026-11-17T09:00:00.000Z')
  put('cut-short', later.subarray(0, -40))
  put('growing.partial', later)
  put('of-another-key', await backupOf('2026-11-17T09:30:00.000Z', new Vault(Buffer.alloc(32, 8))))
  put('undated', await backupOf('some day'))
  put('holiday.jpg', 'not ours')
  assert.equal(await newest(), '2026-11-17T06:00:00.000Z')

  put('cut-even-shorter', (await backupOf('2026-11-17T08:00:00.000Z')).subarray(0, -40))
  assert.equal(await newest(), '2026-11-17T06:00:00.000Z')

  put('whole', later)
  assert.equal((await newestBackup(folder, null))?.toISOString(), '2026-11-16T21:00:00.000Z')
  assert.equal(await newest(), '2026-11-17T09:00:00.000Z')
  // What was last written before the newest is not read at all: this one would say a later day.
  put('bursar-20261118T210000Z.backup', '')
  put('untouched', await backupOf('2026-12-24T09:00:00.000Z'), '2026-11-18T20:00:00Z')
  assert.equal(await newest(), '2026-11-18T21:00:00.000Z')
})
