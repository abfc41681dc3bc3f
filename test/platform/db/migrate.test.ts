import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Database } from '../../../src/platform/db/database.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { startBursar } from '../../harness/bursar.ts'

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
