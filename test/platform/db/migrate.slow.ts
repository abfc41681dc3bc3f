import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pass } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { startBursar } from '../../harness/bursar.ts'

/** Of any other statement, and a little more. */
const LONGER_THAN_A_STATEMENT_MS = 11_500

test('a process waits for a sibling that migrates longer than an ordinary statement may take', async t => {
  const { app } = await startBursar(t)
  const sibling = new pg.Client({ connectionString: app.config.databaseUrl ?? '' })
  await sibling.connect()
  await sibling.query(`select pg_advisory_lock(hashtext('bursar migrations'))`)
  const waiting = migrate(app.ctx.db)
  await pass(LONGER_THAN_A_STATEMENT_MS)
  await sibling.end()
  assert.deepEqual((await waiting).applied, [])
})
