import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTables } from '../../../src/cells/move/carry.store.ts'
import { findStale, kindOf, problemOf } from '../../../src/cells/move/move.rules.ts'
import { startBursar } from '../../harness/bursar.ts'

test('every table is replicated, carried in the switch, or a cell’s own for a reason', async t => {
  const { app } = await startBursar(t)
  const tables = await readTables(app.ctx.db)
  assert.deepEqual(
    tables.flatMap(table => problemOf(table) ?? []),
    [],
  )
  assert.deepEqual(findStale(tables.map(({ name }) => name)), [])
  const replicated = tables.filter(table => kindOf(table) === 'replicated').map(({ name }) => name)
  for (const name of ['orders', 'payments', 'ledger_transfers', 'events', 'webhook_queue', 'erp_settings'])
    assert.ok(replicated.includes(name), name)
})

test('a new table of schools is replicated without a word of it, and one that cannot be stops the move', () => {
  const table = { name: 'new_table', hasInstituteId: true, isNamedByInstitute: true, isLogged: true }
  assert.equal(kindOf(table), 'replicated')
  assert.equal(problemOf(table), null)
  assert.match(problemOf({ ...table, hasInstituteId: false }) ?? '', /say in .*move\.rules\.ts/)
  assert.match(problemOf({ ...table, isNamedByInstitute: false }) ?? '', /replica identity full/)
  assert.match(problemOf({ ...table, isLogged: false }) ?? '', /unlogged/)
})
