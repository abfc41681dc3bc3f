import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import pg from 'pg'
import { BursarError } from '../../../src/platform/errors.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Client } from '../../harness/client.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import { startPostgresProxy } from '../../harness/postgres/postgres-proxy.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'

const bursar = await startBursar({ after })
const { db } = bursar.app.ctx

function isUnavailable(error: unknown): boolean {
  return error instanceof BursarError && error.code === 'SYE00001'
}

test('a connection lost between two statements fails its transaction and nothing else', async () => {
  await assert.rejects(
    db.transaction(async tx => {
      const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
      await bursar.sql('select pg_terminate_backend($1::int)', [row?.pid])
      await waitFor(async () => {
        const alive = await bursar.sql('select 1 from pg_stat_activity where pid = $1', [row?.pid])
        return alive.length === 0
      }, 'the connection to be gone')
      await tx.query('select 1')
    }),
    isUnavailable,
  )
  assert.equal((await bursar.demo.get(`${PAY}/orders`)).status, 200)
})

test('point reads go on after their shared connection was lost', async () => {
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  const read = () => bursar.demo.get(`${PAY}/orders/${body.data.order_id}`)
  assert.equal((await read()).status, 200)
  await bursar.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  const answers = await Promise.all(Array.from({ length: 50 }, read))
  assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([200]))
})

/** What a socket does when several pieces wait to be sent. */
type Writes = { _writev(chunks: Buffer[], done: () => void): void }

test('statements that do not wait for each other leave in one system call', async t => {
  const echo = (value: string) => db.pointRead<{ value: string }>('select $1::text as value', [value])
  await echo('prepared')
  const spy = t.mock.method(Socket.prototype as unknown as Writes, '_writev')
  const answers = await Promise.all([echo('read one'), echo('read two')])
  assert.deepEqual(
    answers.map(([row]) => row?.value),
    ['read one', 'read two'],
  )
  await db.transaction(tx => Promise.all([tx.query("select 'sent one'"), tx.query("select 'sent two'")]))
  const written = spy.mock.calls.map(({ arguments: [chunks] }) =>
    chunks.map(chunk => chunk.toString()).join(''),
  )
  for (const all of [
    ['read one', 'read two'],
    ['begin', "'sent one'", "'sent two'"],
  ])
    assert.ok(
      written.some(text => all.every(part => text.includes(part))),
      all.join(),
    )
})

test('other processes are told of work that nobody here does, or that is too much for this one, and of no other', async t => {
  const other = new pg.Client({ connectionString: bursar.app.config.databaseUrl ?? '' })
  await other.connect()
  t.after(() => other.end())
  const told: string[] = []
  other.on('notification', ({ channel }) => told.push(channel))
  for (const channel of ['deliveries', 'imports', 'messages']) await other.query(`listen ${channel}`)
  const done = db.listen('messages', () => {})
  const taken = db.listen(
    'deliveries',
    () => {},
    () => false,
  )
  for (const heard of [done, taken]) {
    heard.start()
    t.after(() => heard.stop())
  }
  await db.transaction(async tx => {
    for (const channel of ['messages', 'deliveries', 'imports'] as const) tx.notify(channel)
  })
  await waitFor(async () => told.length >= 2, 'the other process to be told')
  assert.deepEqual(told.toSorted(), ['deliveries', 'imports'])
})

test('a deadlock is tried again and both transactions are done', async () => {
  await bursar.sql('create table seat (id integer primary key, taken integer not null default 0)')
  await bursar.sql('insert into seat values (1), (2)')
  const bothHold = Promise.withResolvers<void>()
  let holding = 0
  const take = (first: number, second: number) =>
    db.transaction(async tx => {
      await tx.query('update seat set taken = taken + 1 where id = $1', [first])
      if (++holding === 2) bothHold.resolve()
      await bothHold.promise
      await tx.query('update seat set taken = taken + 1 where id = $1', [second])
    })
  await Promise.all([take(1, 2), take(2, 1)])
  assert.deepEqual(await bursar.sql('select taken from seat order by id'), [{ taken: 2 }, { taken: 2 }])
})

function stepTwice(first: number, last: number): Promise<void> {
  return db.transaction(async tx => {
    tx.endWith('insert into step values ($1)', [last])
    await tx.query('insert into step values ($1)', [first])
  })
}

function leap(...ids: number[]): Promise<unknown> {
  return db.transaction(tx => Promise.all(ids.map(id => tx.query('insert into leap values ($1)', [id]))))
}

test('what a transaction ends with is committed with all of it, or undoes all of it', async () => {
  await bursar.sql('create table step (id integer primary key)')
  await stepTwice(1, 2)
  await assert.rejects(stepTwice(3, 2), /duplicate key/)
  await assert.rejects(stepTwice(1, 4), /duplicate key/)
  assert.deepEqual(await bursar.sql('select id from step order by id'), [{ id: 1 }, { id: 2 }])
})

test('statements that leave together are in the transaction, the first of them too, and one that fails undoes all', async () => {
  await bursar.sql('create table leap (id integer primary key)')
  await leap(1, 2)
  await assert.rejects(leap(3, 4, 2, 5), /duplicate key/)
  await Promise.all(Array.from({ length: 40 }, (_, n) => leap(100 + n, 200 + n)))
  assert.deepEqual(await bursar.sql('select count(*) as rows from leap'), [{ rows: 82 }])
})

test('a transaction that keeps its plans never plans for a list of ids anew, and the next on its connection is as any', async () => {
  const text = 'select i.id from unnest($1::int[]) as asked (id) join institutes i on i.id = asked.id'
  const plansOf = (keepsPlans: boolean) =>
    db.transaction(
      async tx => {
        for (let time = 0; time < 7; time++) await tx.query(text, [[1]])
        const [row] = await tx.query<{ mode: string; anew: number }>(
          `select current_setting('plan_cache_mode') as mode,
             (select custom_plans::int from pg_prepared_statements where statement = $1) as anew`,
          [text],
        )
        return row
      },
      { keepsPlans },
    )
  assert.deepEqual(await plansOf(true), { mode: 'force_generic_plan', anew: 0 })
  assert.equal((await plansOf(false))?.mode, 'auto')
})

test('reading an order is one statement', async t => {
  const { demo, least } = await countStatements(t)
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.get(`${PAY}/orders/${body.data.order_id}`)
  assert.equal(await least(() => demo.get(`${PAY}/orders/${body.data.order_id}`)), 1)
})

test('creating an order is one statement, with an Idempotency-Key too', async t => {
  const { demo, least } = await countStatements(t)
  await demo.post(`${PAY}/orders`, sampleOrder())
  assert.equal(await least(() => demo.post(`${PAY}/orders`, sampleOrder())), 1)
  let key = 0
  assert.equal(
    await least(() => demo.post(`${PAY}/orders`, sampleOrder(), { 'idempotency-key': `k${++key}` })),
    1,
  )
})

async function countStatements(
  t: TestContext,
): Promise<{ demo: Client; least: (act: () => Promise<unknown>) => Promise<number> }> {
  const url = new URL(await cloneDatabase(t))
  const proxy = await startPostgresProxy(url)
  t.after(() => proxy.close())
  url.searchParams.set('host', proxy.host)
  const { demo } = await startBursar(t, { DATABASE_URL: url.toString() })
  const counted = async (act: () => Promise<unknown>): Promise<number> => {
    const before = proxy.statements()
    await act()
    return proxy.statements() - before
  }
  // Time that passes here is real: the clock is followed and keys are looked up again now and then.
  return { demo, least: async act => Math.min(await counted(act), await counted(act), await counted(act)) }
}

test('a list is found by its index, not by reading the whole table', async () => {
  const plan = await bursar.sql<{ 'QUERY PLAN': string }>(
    `explain select o.id from orders o where o.institute_id = 1 and o.kind = 'order'
     order by o.created_at desc, o.id desc limit 51`,
  )
  assert.match(plan.map(row => row['QUERY PLAN']).join('\n'), /orders_by_creation/)
})
