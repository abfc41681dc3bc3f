import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { findObstacles, placeTables, type Table } from '../../../src/platform/citus/placement.rules.ts'
import { examineServer } from '../../../src/platform/citus/preflight.ts'
import { readTables } from '../../../src/platform/citus/tables.ts'
import { isUniqueViolation } from '../../../src/platform/db/errors.ts'
import { cloneDatabase, withoutCitus } from '../../harness/postgres/databases.ts'

type Owner = { after(done: () => Promise<void>): void }

async function connect(t: Owner, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

const table = (name: string, more: Partial<Table> = {}): Table => ({
  name,
  hasInstitute: true,
  wideKeys: [],
  references: [],
  ...more,
})

const error = (message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { code: '23505' }, more)

test('of the schema only these tables are not a school’s own, and no foreign key stands in the way', async t => {
  const client = await connect(t, await cloneDatabase(t))
  const tables = await readTables(client)
  const placements = placeTables(tables)
  const named = (kind: string): string[] =>
    placements.filter(one => one.kind === kind).map(({ name }) => name)
  assert.deepEqual(named('reference'), ['branches', 'institutes', 'lenders'])
  assert.deepEqual(
    named('local').filter(name => !/^console_|^(schema_migrations|instance_settings|holidays)$/.test(name)),
    ['api_keys'],
  )
  assert.equal(named('distributed')[0], 'students', 'the others lie beside it')
  assert.ok(named('distributed').includes('console_audit'))
  assert.deepEqual(findObstacles(tables, placements), [])
})

test('a table that is unique over all schools stays whole, and a foreign key out of it is an obstacle', () => {
  const tables = [table('orders'), table('tickets', { wideKeys: ['tickets_pkey'], references: ['orders'] })]
  const placements = placeTables(tables)
  assert.deepEqual(
    placements.map(({ name, kind }) => [name, kind]),
    [
      ['orders', 'distributed'],
      ['tickets', 'local'],
    ],
  )
  assert.deepEqual(findObstacles(tables, placements), [
    'tickets is not distributed and has a foreign key to orders, which is',
  ])
})

test('a server without Citus is named as what stands in the way', { skip: !withoutCitus() }, async t => {
  const client = await connect(t, await cloneDatabase(t))
  const { version, obstacles } = await examineServer(client)
  assert.equal(version, null)
  assert.match(obstacles.join(), /has no Citus.*shared_preload_libraries/)
})

test('Bursar does not start on a database that is half distributed', async t => {
  const url = await cloneDatabase(t)
  const client = await connect(t, url)
  await client.query('create table distribution_under_way (kind text)')
  const starting = openDatabase(readConfig({ DATABASE_URL: url, MASTER_KEY: '11'.repeat(32), DEMO: 'off' }))
  await assert.rejects(starting, /`bursar distribute` was not finished.*Run it again/)
})

test('a table that a later migration adds is placed without a Citus too, where nothing happens', async t => {
  const client = await connect(t, await cloneDatabase(t))
  await client.query(`create table notes (institute_id integer not null, id text, primary key (institute_id, id));
    select place_tenant_table('notes');
    alter table notes add foreign key (institute_id, id) references students;`)
  await assert.rejects(client.query(`insert into notes values (1, 'nobody')`), /foreign key/)
})

test('a broken unique constraint is known by its name also where a shard reports it', () => {
  const text = 'duplicate key value violates unique constraint "students_identity_102031"'
  assert.ok(isUniqueViolation(error(text), 'students_identity'))
  assert.ok(isUniqueViolation(error('', { constraint: 'students_identity_102031' }), 'students_identity'))
  assert.ok(isUniqueViolation(error('', { constraint: 'students_identity' }), 'students_identity'))
  assert.ok(isUniqueViolation(error(text, { code: 'XX000' }), 'students_identity'), 'while rows are copied')
  assert.ok(!isUniqueViolation(error('out of "students_identity"', { code: 'XX000' }), 'students_identity'))
  assert.ok(!isUniqueViolation(error(text), 'students_pkey'))
  assert.ok(!isUniqueViolation(Object.assign(new Error(text), { code: '23503' }), 'students_identity'))
})
