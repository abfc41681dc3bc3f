import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { partitionedLogs } from '../../../src/app/retention.ts'
import { retireOldest } from '../../../src/platform/retention/logs.ts'
import { verifyDistribution } from '../../../src/platform/citus/verify.ts'
import { placeTables } from '../../../src/platform/citus/placement.rules.ts'
import { readTables } from '../../../src/platform/citus/tables.ts'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { bareEnv } from '../../harness/child-env.ts'
import { cloneDatabase, emptyCitus, withoutCitus } from '../../harness/postgres/databases.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import {
  forgetMonths,
  idsAt,
  insertEvents,
  insertRequests,
  monthsFromNow,
  retain,
  temporaryFolder,
} from '../retention/support.ts'

/** Runs only where TEST_DATABASE_URL names the coordinator of a Citus; see docs/operator/citus.md. */
const skip = withoutCitus()

type End = () => Promise<void> | void

type Ask = (text: string) => Promise<Record<string, string>[]>

/** By a connection of its own each time: nobody may be connected while tables are moved. */
function asker(url: string): Ask {
  return async text => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
}

/** As an operator runs it; `killAfter` lines of progress it is killed. */
async function distribute(url: string, args: string[] = [], killAfter?: number) {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'distribute', '--shards', '2', ...args], {
    env: { ...bareEnv(), DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  const steps: string[] = []
  const errors: string[] = []
  child.stdout.on('data', part => (out += String(part)))
  createInterface({ input: child.stderr }).on('line', line => {
    if (/^ *\d+ of \d+ /.test(line)) steps.push(line)
    else errors.push(line)
    if (steps.length === killAfter) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return { out, steps, errors: errors.join('\n'), code: child.exitCode }
}

/** A sandbox with a paid order on ordinary tables of a Citus. */
async function startUndistributed(t: TestContext) {
  const url = await emptyCitus(t)
  // Stopped by the test itself, once.
  const ends: End[] = []
  const bursar = await startBursar({ after: (end: End) => void ends.push(end) }, { DATABASE_URL: url })
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end()
  }
  t.after(stop)
  const made = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  assert.equal(made.status, 201, made.text)
  const orderId: string = made.body.data.order_id
  const paid = await bursar.demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  assert.ok(paid.status < 300, paid.text)
  return { bursar, url, stop, orderId }
}

const SUMS = `select (select count(*) from events)::text as events, (select count(*) from ledger_postings)::text as postings,
  (select sum(amount_paise) from ledger_transfers)::text as paise, (select count(*) from receipts)::text as receipts`

const GUESTS = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  and backend_type = 'client backend' and application_name not like 'citus%'`

test('killed again and again it goes on, and loses and changes nothing', { skip }, async t => {
  const { url, stop, orderId } = await startUndistributed(t)
  const ask = asker(url)
  const before = await ask(SUMS)
  const busy = await distribute(url)
  assert.equal(busy.code, 1)
  assert.match(busy.errors, /bursar\S* is connected .*Stop every Bursar/)
  await stop()
  for (const steps of [1, 120]) {
    const killed = await distribute(url, [], steps)
    assert.equal(killed.code, null, killed.errors)
    const starting = openDatabase(readConfig({ DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY }))
    await assert.rejects(starting, /was not finished/)
    await waitFor(async () => (await ask(GUESTS)).length === 0, 'the connection of the killed one to end')
  }
  const rest = await distribute(url)
  assert.equal(rest.code, 0, rest.errors)
  assert.match(rest.out, /Every shard has its triggers/)
  const again = await distribute(url)
  assert.deepEqual([again.code, again.steps], [0, []], again.errors)
  assert.deepEqual(await ask(SUMS), before)
  const started = await startBursar(t, { DATABASE_URL: url })
  assert.equal((await started.demo.get(`${PAY}/orders/${orderId}`)).body.data.status, 'paid')
})

test(
  'rows that were being sorted into months and months that wait for the archive are not lost',
  { skip },
  async t => {
    const { bursar, url, stop } = await startUndistributed(t)
    const { db } = bursar.app.ctx
    await forgetMonths(bursar, { table: 'api_requests', prefix: 'req' })
    await insertRequests(bursar, idsAt('req', monthsFromNow(2), 2_500))
    await db.query(`select stage_months('api_requests', 'req', $1)`, [
      `${monthsFromNow(3).toISOString().slice(0, 7)}-01`,
    ])
    await db.query(`select copy_later('api_requests', 1000, 0, '')`)
    await insertEvents(bursar, idsAt('evt', monthsFromNow(-20), 300))
    const folder = await temporaryFolder(t)
    const events = partitionedLogs({
      archiveDir: folder,
      events: 13,
      deliveries: 4,
      fetches: 17,
      requests: 1,
    }).find(({ table }) => table === 'events')
    assert.ok(events !== undefined)
    assert.ok(
      (await retireOldest(db, { ...events, isNeeded: async () => false }, monthsFromNow(20))) !== null,
    )
    await stop()
    const done = await distribute(url)
    assert.equal(done.code, 0, done.errors)

    const started = await startBursar(t, { DATABASE_URL: url })
    const dropped = await retain(started, folder, new Date())
    assert.ok(dropped.some(({ table, archive }) => table === 'events' && archive?.rows === 300))
    const rows = await started.sql<{ part: string; rows: number }>(
      `select regexp_replace(tableoid::regclass::text, '_\\d{6,}$', '') as part, count(*)::int as rows from api_requests
     where route = '/x' group by 1`,
    )
    const month = monthsFromNow(2).toISOString().slice(0, 7).replace('-', '_')
    assert.deepEqual(rows, [{ part: `api_requests_${month}`, rows: 2_500 }])
  },
)

test('a preview changes nothing and names every table', { skip }, async t => {
  const url = await emptyCitus(t)
  const none = await distribute(url, ['--dry-run'])
  assert.deepEqual([none.code, /run "bursar migrate" first/.test(none.out)], [1, true], none.errors)
  const { ctx } = await openDatabase(
    readConfig({ DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY, DEMO: 'off' }),
  )
  await ctx.db.close()
  const preview = await distribute(url, ['--dry-run'])
  assert.equal(preview.code, 0, preview.errors + preview.out)
  assert.match(preview.out, /^students +\d+ +ordinary +distributed/m)
  assert.match(preview.out, /^institutes +\d+ +ordinary +reference/m)
  assert.match(preview.out, /^api_keys +\d+ +ordinary +local/m)
  assert.deepEqual(await asker(url)('select from pg_dist_partition'), [])
})

test('what is append-only stays so on every shard, and a missing guard is found', { skip }, async t => {
  const bursar = await startBursar(t)
  const made = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  const orderId: string = made.body.data.order_id
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  const url = bursar.app.config.databaseUrl ?? ''
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  const [posting] = (
    await client.query<{ institute_id: number; id: string }>(
      'select institute_id, id::text from ledger_postings limit 1',
    )
  ).rows
  const { institute_id: institute = 0, id = '' } = posting ?? {}
  for (const offence of [
    `update ledger_transfers set amount_paise = 1 where institute_id = ${institute}`,
    `delete from ledger_postings where institute_id = ${institute}`,
    `truncate ledger_transfers`,
    `update events set event_code = 'x'`,
  ])
    await assert.rejects(client.query(offence), /is append-only/, offence)
  const line = `(${institute}, ${id}, 99, 'fees', 'refunds', 100)`
  await assert.rejects(client.query(`insert into ledger_transfers values ${line}`), /is closed/)
  const lone = `insert into ledger_postings (institute_id, kind, reference, occurred_at) values (${institute}, 'x', 'y', now())`
  await assert.rejects(client.query(lone), /has no transfer/)
  const placements = placeTables(await readTables(client))
  assert.deepEqual(await verifyDistribution(client, placements), [])
  await client.query(`select run_command_on_shards('events', $$alter table %s disable trigger user$$)`)
  assert.match((await verifyDistribution(client, placements)).join(), /of events has 0 of 1 triggers/)
})

test('a later migration adds a table to the shards and columns to all of them', { skip }, async t => {
  const ask = asker(await cloneDatabase(t))
  await ask(`begin; set local citus.multi_shard_modify_mode = 'sequential';
    create table notes (institute_id integer not null, id text, student_id text not null, primary key (institute_id, id));
    select place_tenant_table('notes');
    alter table notes add foreign key (institute_id, student_id) references students;
    alter table orders add column colour text not null default 'blue';
    commit`)
  const [placed] =
    await ask(`select (select colocationid from pg_dist_partition where logicalrelid = 'notes'::regclass)
    = (select colocationid from pg_dist_partition where logicalrelid = 'students'::regclass) as together`)
  assert.deepEqual(placed, { together: true })
  await assert.rejects(ask(`insert into notes values (1, 'a', 'nobody')`), /foreign key/)
})

test('a school goes on when its shard has moved to another node', { skip }, async t => {
  const bursar = await startBursar(t)
  const { order_id: orderId } = (await bursar.demo.post(`${PAY}/orders`, sampleOrder())).body.data
  const ask = asker(bursar.app.config.databaseUrl ?? '')
  const moved =
    await ask(`select citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, o.nodename, o.nodeport, 'block_writes')
    from citus_shards s, pg_dist_node o where s.table_name = 'students'::regclass and o.shouldhaveshards
      and (o.nodename, o.nodeport) <> (s.nodename, s.nodeport) and s.shardid = get_shard_id_for_distribution_column('students',
        (select id from institutes where code = 'demo-school')) limit 1`)
  assert.equal(moved.length, 1, 'there is another node')
  assert.equal((await bursar.demo.get(`${PAY}/orders/${orderId}`)).status, 200)
  assert.equal((await bursar.demo.post(`${PAY}/orders`, sampleOrder())).status, 201)
})
