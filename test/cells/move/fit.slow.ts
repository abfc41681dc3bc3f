import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CellConnections } from '../../../src/cells/connections.ts'
import { addCell } from '../../../src/cells/directory.service.ts'
import { moveSchool } from '../../../src/cells/move/move.service.ts'
import { examineCells } from '../../../src/cells/status.service.ts'
import { syncOnce } from '../../../src/cells/maps.service.ts'
import { waitFor } from '../../harness/wait.ts'
import { startTwoCells } from './two-cells.ts'

test('what a move lacks is said before anything is touched, each with what to change', async t => {
  const cells = await startTwoCells(t)
  const { north, south, asAdmin } = cells
  const options = cells.moving('demo-school', north, south)
  const refused = async (wanted: RegExp, change: Partial<typeof options> = {}): Promise<void> => {
    await assert.rejects(moveSchool({ ...options, ...change }), ({ message }: Error) => {
      assert.match(message, wanted)
      return true
    })
    for (const { sql } of [north, south]) assert.deepEqual(await sql('select from moving_schools'), [])
    assert.deepEqual(await north.sql('select from school_moves'), [])
    assert.deepEqual(await south.sql('select from pg_subscription'), [])
  }
  /** A setting that is taken away and given back. */
  const without = async (take: string, giveBack: string, wanted: RegExp): Promise<void> => {
    await asAdmin(take)
    await refused(wanted)
    await asAdmin(giveBack)
  }

  await without(
    'revoke create on database north from cell',
    'grant create on database north to cell',
    /^At north: grant create on database north to cell\.$/,
  )
  await without(
    'revoke create on database south from cell',
    'grant create on database south to cell',
    /^At south: grant create on database south to cell\.$/,
  )
  await without(
    'alter role cell noreplication',
    'alter role cell replication',
    /^At north: alter role cell replication\.$/,
  )
  await without(
    'revoke pg_create_subscription from cell',
    'grant pg_create_subscription to cell',
    /^At south: grant pg_create_subscription to cell\.$/,
  )
  await without(
    'revoke set on parameter session_replication_role from cell',
    'grant set on parameter session_replication_role to cell',
    /^At north: grant set on parameter .* to cell\.\nAt south: grant set on parameter .* to cell\.$/,
  )
  await without(
    `select pg_create_physical_replication_slot('taken_' || n) from generate_series(1, 17) n`,
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots`,
    /^The PostgreSQL of north has 3 replication slots left, and a move needs 7: raise max_replication_slots there, or lower/,
  )
  /** As `without`, of a setting that is read again. */
  const reload = async (statement: string, isDone: string): Promise<void> => {
    await asAdmin(statement)
    await asAdmin('select pg_reload_conf()')
    await waitFor(async () => (await asAdmin(`select where ${isDone}`)).length === 1, statement)
  }
  await reload(
    `alter system set synchronous_standby_names = '*'`,
    `current_setting('synchronous_standby_names') = '*'`,
  )
  await refused(/^The PostgreSQL of north has synchronous_standby_names = \*, .*name the standbys there\.$/)
  await reload(
    'alter system reset synchronous_standby_names',
    `current_setting('synchronous_standby_names') = ''`,
  )
  const at = (address: string) => ({ source: { ...options.source, address } })
  await refused(
    /^The PostgreSQL of south cannot replicate from north: .*password authentication failed.*--replicate-from-env/,
    at(north.address.replace(':secret@', ':wrong@')),
  )
  await refused(/cannot replicate from north: .*[Pp]assword/, at(north.address.replace(':secret@', '@')))
  await refused(
    /cannot replicate from north: .*(refused|No such file)/,
    at('postgres://cell:secret@127.0.0.1:1/north'),
  )
})

test('the doctor names the rights that a move would miss, before somebody needs one', async t => {
  const { north, south, asAdmin } = await startTwoCells(t)
  const { ctx } = north.bursar.app
  for (const { name, address, bursar } of [north, south])
    await addCell(ctx, { name, addresses: [new URL(bursar.url).host], databaseUrl: address })
  const connections = new CellConnections(ctx)
  t.after(() => connections.close())
  await syncOnce(ctx, connections, { sockets: [] })
  const examine = () => examineCells(ctx, { cell: 'north', proxies: { sockets: [] } })
  assert.deepEqual(await examine(), { cells: 2, problems: [] })
  await asAdmin('alter role cell noreplication')
  await asAdmin('revoke create on database south from cell')
  assert.deepEqual((await examine())?.problems, [
    'No school can be moved yet. At north: alter role cell replication.',
    'No school can be moved yet. At south: alter role cell replication.',
    'No school can be moved yet. At south: grant create on database south to cell.',
  ])
})

test('a server that is set too small for replication is said to be so, with every setting to raise', async t => {
  const settings = [
    'wal_level=replica',
    'max_wal_senders=6',
    'max_logical_replication_workers=5',
    'max_worker_processes=7',
    'max_active_replication_origins=4',
  ]
  const cells = await startTwoCells(t, { settings })
  await assert.rejects(
    moveSchool(cells.moving('demo-school', cells.north, cells.south)),
    ({ message }: Error) => {
      assert.match(message, /wal_level = replica: set wal_level = logical and restart it/)
      for (const [cell, setting] of [
        ['north', 'max_wal_senders'],
        ['south', 'max_logical_replication_workers'],
        ['south', 'max_worker_processes'],
        ['south', 'max_active_replication_origins'],
      ])
        assert.match(
          message,
          new RegExp(`The PostgreSQL of ${cell} has \\d .* a move needs 7: raise ${setting}`),
        )
      return true
    },
  )
})
