import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { writeBackup } from '../../../src/platform/backup/write.ts'
import { parseMasterKey, Vault } from '../../../src/platform/secrets.ts'
import { run } from '../../cli/command-line.ts'
import { cluster, openFor, query, scratch } from '../embedded-postgres/fixtures/support.ts'

const MASTER_KEY = '7a'.repeat(32)

test('on another machine the backup and the master key are all that a restore needs, and the backup alone gives nothing', async t => {
  const dataDir = await cluster(t)
  const postgres = await openFor(t, dataDir)
  await query(postgres, `create table child as select 'Asha Rao' as name`)
  const vault = new Vault(parseMasterKey(MASTER_KEY) ?? assert.fail())
  const made = join(scratch(t), 'one.backup')
  await writeBackup({ dataDir, file: made, connection: postgres.connection, vault })
  const whole = readFileSync(made)

  const there = scratch(t)
  const carried = (name: string, content: Buffer): string => {
    writeFileSync(join(there, name), content)
    return join(there, name)
  }
  const file = carried('one.backup', whole)
  const DATA_DIR = scratch(t)
  for (const [key, brought, sentence] of [
    [{}, file, /A backup is encrypted under the master key: set MASTER_KEY, or put the master\.key/],
    [{ MASTER_KEY: '33'.repeat(32) }, file, /one\.backup was made under another master key: set MASTER_KEY/],
    [{ MASTER_KEY }, carried('half', whole.subarray(0, whole.length / 2)), /half is damaged, cut short/],
    [{ MASTER_KEY }, carried('plain', gzipSync(whole)), /plain is not encrypted, so it is not a file of/],
  ] as const) {
    const refused = await run({ DATA_DIR, ...key }, 'restore', brought)
    assert.deepEqual([refused.code, readdirSync(DATA_DIR)], [1, []])
    assert.match(refused.err, sentence)
  }
  const restored = await run({ DATA_DIR, MASTER_KEY }, 'restore', file)
  assert.match(restored.out, /Start Bursar with the same MASTER_KEY to use it\./, restored.err)
  const copy = await openFor(t, DATA_DIR)
  assert.deepEqual(await query(copy, 'select name from child'), [{ name: 'Asha Rao' }])
})
