import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/app/config.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'

for (const [mode, other, refusal] of [
  ['live', 'sandbox', /This database is live\. Set BURSAR_MODE=live/],
  ['sandbox', 'live', /This database is a sandbox/],
] as const)
  test(`a database that was opened in ${mode} mode is refused in ${other} mode`, async t => {
    const url = await cloneDatabase(t)
    const open = (wanted: string) =>
      openDatabase(
        readConfig({
          BURSAR_MODE: wanted,
          DATABASE_URL: url,
          MASTER_KEY: TEST_MASTER_KEY,
          PUBLIC_URL: 'https://fees.example.in',
          TRUST_PROXY: '127.0.0.1',
        }),
      )
    await (await open(mode)).ctx.db.close()
    await assert.rejects(open(other), refusal)
    await (await open(mode)).ctx.db.close()
  })
