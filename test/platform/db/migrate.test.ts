import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { Database } from '../../../src/platform/db/database.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { startBursar } from '../../harness/bursar.ts'
import { waitFor } from '../../harness/wait.ts'

/** In the place of those that every connection has. */
const SHORT_LIMITS = 'statement_timeout=400&lock_timeout=300&query_timeout=600'

test('a process waits for a sibling that migrates longer than an ordinary statement may take', async t => {
  const { app } = await startBursar(t)
  const url = app.config.databaseUrl ?? ''
  const sibling = new pg.Client({ connectionString: url })
  await sibling.connect()
  await sibling.query(`select pg_advisory_lock(hashtext('bursar migrations'))`)

  const limited = `${url}${url.includes('?') ? '&' : '?'}${SHORT_LIMITS}`
  const db = new Database({ connections: [{ connectionString: limited }], poolSize: 2 })
  t.after(() => db.close())
  const waiting = migrate(db)
  // Both begin after it and are ended by their limits, one after the other, while it goes on.
  for (const [ordinary, code] of [
    [`select pg_sleep(60)`, '57014'],
    [`select pg_advisory_xact_lock(hashtext('bursar migrations'))`, '55P03'],
  ] as const)
    await assert.rejects(db.query(ordinary), ({ cause }: Error) => (cause as pg.DatabaseError).code === code)
  await sibling.end()
  assert.deepEqual((await waiting).applied, [])
})

test('a migration that has to wait for a table lets everybody else through meanwhile, and is done when it is free', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-migrations-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(new URL('../../../migrations', import.meta.url), folder, { recursive: true })
  const next = `${String(readdirSync(folder).length + 1).padStart(4, '0')}_planted.sql`
  writeFileSync(
    join(folder, next),
    '-- Works with code from 0001 on.\nalter table orders add column planted text;',
  )
  const bursar = await startBursar(t)
  const reader = new pg.Client({ connectionString: bursar.app.config.databaseUrl ?? '' })
  await reader.connect()
  await reader.query('begin; select count(*) from orders')
  const db = new Database({
    connections: [{ connectionString: bursar.app.config.databaseUrl ?? '' }],
    poolSize: 2,
  })
  t.after(() => db.close())

  const migrating = migrate(db, pathToFileURL(`${folder}/`))
  await waitFor(async () => (await bursar.countWaiting()) > 0, 'the migration to wait for the reader')
  await bursar.sql('select count(*) from orders')
  await reader.end()
  assert.deepEqual((await migrating).applied, [next])
})
