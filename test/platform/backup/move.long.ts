import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { moveDatabase } from '../../../src/platform/backup/move.ts'
import { startBursar } from '../../harness/bursar.ts'
import { emptyDatabase } from '../../harness/postgres/databases.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

async function emptyTarget(
  t: TestContext,
): Promise<{ url: string; sql: (text: string) => Promise<object[]> }> {
  const url = await emptyDatabase(t)
  const sql = async (text: string): Promise<object[]> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  return { url, sql }
}

const TABLES = `select relname from pg_class where relnamespace = 'public'::regnamespace`
const SUMS = `select (select count(*)::int from events) as events, (select count(*)::int from ledger_postings) as entries,
  (select sum(amount_paise)::text from order_lines) as paise, (select last_value::text from events_sequence_seq) as last`

/** A sandbox in which an order was paid. */
async function startWithPayment(t: TestContext) {
  const bursar = await startBursar(t)
  const made = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  const id: string = made.body.data.order_id
  const paid = await bursar.demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })
  assert.ok(paid.status < 300, paid.text)
  const source = { connectionString: bursar.app.config.databaseUrl ?? '' }
  return { bursar, id, source }
}

test('everything is moved to an empty database, on which Bursar goes on as before', async t => {
  const { bursar, id, source } = await startWithPayment(t)
  const target = await emptyTarget(t)
  const seen: string[] = []
  const { tables, rows } = await moveDatabase({
    source,
    target: { connectionString: target.url },
    onTable: ({ name }) => seen.push(name),
  })
  assert.equal(seen.length, tables)
  assert.ok(rows > 10)
  assert.deepEqual(await target.sql(SUMS), await bursar.sql(SUMS))
  assert.ok(Number((await bursar.sql<{ entries: number }>(SUMS))[0]?.entries) > 0, 'the ledger has entries')

  const moved = await startBursar(t, { DATABASE_URL: target.url })
  const { status, body } = await moved.demo.get(`${PAY}/orders/${id}`)
  assert.equal(status, 200)
  assert.equal(body.data.status, (await bursar.demo.get(`${PAY}/orders/${id}`)).body.data.status)
  assert.equal((await moved.demo.post(`${PAY}/orders`, sampleOrder())).status, 201, 'sequences go on')
})

test('a target that is not empty is refused and left alone', async t => {
  const { source } = await startWithPayment(t)
  const target = await emptyTarget(t)
  await target.sql('create table theirs as select 1 as one')
  const move = moveDatabase({ source, target: { connectionString: target.url }, onTable() {} })
  await assert.rejects(move, /the target is not empty \(it has theirs\)/)
  assert.deepEqual(await target.sql(TABLES), [{ relname: 'theirs' }])
})

test('a move that fails half way leaves the target empty, and can be done again', async t => {
  const { source } = await startWithPayment(t)
  const target = await emptyTarget(t)
  const options = { source, target: { connectionString: target.url } }
  const failing = moveDatabase({
    ...options,
    onTable({ name }) {
      if (name === 'orders') throw new Error('the power went')
    },
  })
  await assert.rejects(failing, /the power went/)
  assert.deepEqual(await target.sql(TABLES), [])
  await moveDatabase({ ...options, onTable() {} })
})

test('a source at another schema, or without Bursar in it, is refused', async t => {
  const { bursar, source } = await startWithPayment(t)
  const [target, other] = [await emptyTarget(t), await emptyTarget(t)]
  const options = { target: { connectionString: target.url }, onTable() {} }
  const empty = { connectionString: other.url }
  await assert.rejects(moveDatabase({ ...options, source: empty }), /the source has no tables of Bursar/)
  await bursar.sql(`update schema_migrations set checksum = 'other'`)
  await assert.rejects(moveDatabase({ ...options, source }), /start this Bursar on it once/)
  const nowhere = { connectionString: 'postgres://bursar@127.0.0.1:1/bursar' }
  await assert.rejects(moveDatabase({ source, target: nowhere, onTable() {} }), /cannot be reached/)
  assert.deepEqual(await target.sql(TABLES), [])
})
