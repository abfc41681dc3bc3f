import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { Bursar } from '../../sdk/node/src/index.ts'
import { listInstitutes } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import type { Queryable } from '../../src/platform/db/database.ts'
import { applyMigrations } from '../../src/platform/db/migrate.ts'
import { readKeptData, restoreKeptData } from '../../tools/release/kept-data.ts'
import { findTableWork } from '../../tools/release/table-work.ts'
import { startBursar } from '../harness/bursar.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'

/** A database as the last release left it, with features in use: tools/release/keep-data.ts. */
const kept = readKeptData()

async function lastRelease(t: TestContext): Promise<{ url: string; client: pg.Client; tx: Queryable }> {
  // Hooks run in the order in which they were added: the database goes after its client.
  let client = new pg.Client()
  t.after(() => client.end())
  const url = await emptyDatabase(t)
  await restoreKeptData(url, kept)
  client = new pg.Client({ connectionString: url })
  await client.connect()
  const query: Queryable['query'] = async (sql, values) => (await client.query(sql, values as unknown[])).rows
  return { url, client, tx: { query } }
}

test('data of the last release is taken over whole, its books agree, and its callers go on', async t => {
  const { url } = await lastRelease(t)
  const bursar = await startBursar(t, { DATABASE_URL: url })
  for (const { name, rows } of kept.tables) {
    const [row] = await bursar.sql<{ rows: number }>(`select count(*)::int as rows from ${name}`)
    // A start may add, such as months and the moment of a check.
    assert.ok((row?.rows ?? 0) >= rows.split('\n').length - 1, name)
  }
  const { ctx } = bursar.app
  const institutes = await listInstitutes(ctx)
  assert.ok(institutes.length >= 3)
  for (const institute of institutes)
    assert.deepEqual((await reconcile(ctx, institute)).differences, [], institute.code)

  const erp = new Bursar({ baseUrl: bursar.url, apiKey: 'key_test_demo', apiSecret: 'secret_test_demo' })
  const [paid = assert.fail('no order was paid')] = await bursar.sql<{ id: string }>(
    `select id from orders where state = 'paid' and institute_id = (select id from institutes where code = 'demo-school')`,
  )
  assert.equal((await erp.getPayOrder(paid.id)).status, 'paid')
  const { data: students } = await erp.listStudents().page()
  for (const { service_student_id: id } of students.slice(0, 5)) await erp.getDues(id)
  const { order_id: made } = await erp.createPayOrder({
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    details: [{ component_type: 'TUITION_FEE', amount: '51500.50' }],
  })
  await erp.sandboxPay(made, { outcome: 'success' })
  await erp.refundPayOrder(made, { amount: '500.50' })
  assert.equal((await erp.getPayOrder(made)).status, 'paid')
})

test('a migration since the last release locks no table for as long as it has rows', async t => {
  const { client, tx } = await lastRelease(t)
  await client.query('begin')
  assert.deepEqual(await findTableWork(tx, () => applyMigrations(tx)), [])
  await client.query('rollback')
})

test('what would lock a table for as long as it has rows is found, and what does not is let through', async t => {
  const { client, tx } = await lastRelease(t)
  const found = async (sql: string): Promise<string[]> => {
    await client.query('begin')
    const flaws = await findTableWork(tx, () => client.query(sql))
    await client.query('rollback')
    return flaws
  }
  assert.deepEqual(await found('alter table orders alter column grade type varchar(600)'), [
    'orders is rewritten',
  ])
  assert.deepEqual(
    await found(`alter table orders add column planted text not null default gen_random_uuid()::text`),
    ['orders is rewritten'],
  )
  assert.deepEqual(await found('create index planted on orders (name)'), ['orders is indexed as planted'])
  assert.deepEqual(await found('alter table orders add constraint planted check (name is not null)'), [
    'orders is read for planted',
  ])
  assert.match(
    (await found(`update students set fullname = fullname || ''`)).join(),
    /^students has \d+ rows written$/,
  )
  const harmless = [
    'alter table orders add column planted text',
    `alter table orders add column planted text not null default 'none'`,
    'alter table orders add constraint planted check (name is not null) not valid',
    'create table planted (institute_id integer, id text, primary key (institute_id, id)); create index on planted (id)',
    `update institutes set name = name || ''`,
  ]
  for (const sql of harmless) assert.deepEqual(await found(sql), [], sql)
})
