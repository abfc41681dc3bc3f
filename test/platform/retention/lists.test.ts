import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { listEvents } from '../../../src/events/events.service.ts'
import { findEvent } from '../../../src/events/events.store.ts'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { firstIdAt } from '../../../src/platform/ids.ts'
import { requestList } from '../../../src/request-log/request.list.ts'
import { claimDue } from '../../../src/webhooks/engine/queue.store.ts'
import { finishAll } from '../../../src/webhooks/engine/queue.store.ts'
import { deliveryList } from '../../../src/webhooks/delivery-log/delivery.list.ts'
import { findDelivery } from '../../../src/webhooks/delivery-log/deliveries.store.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { subscribe, trigger } from '../../webhooks/support.ts'
import { addOlderMonths } from './support.ts'

const bursar = await startBursar({ after })
const { ctx } = bursar.app
const SCHOOL = { id: 1 }
const MONTHS = 8
const HOUR_MS = 3_600_000
const COUNT = 400

/** Over eight months, each id up to 23 hours away from the moment of recording. */
before(async () => {
  for (const [table, prefix] of [
    ['events', 'evt'],
    ['webhook_deliveries', 'dlv'],
    ['api_requests', 'req'],
  ] as const)
    await addOlderMonths(bursar, { table, prefix }, MONTHS)
  const rows = Array.from({ length: COUNT }, (_, no) => {
    const at = Date.now() - (COUNT - no) * ((MONTHS * 30 * 24 * HOUR_MS) / COUNT)
    const skew = ((no * 7_919) % 47) - 23
    return {
      at: new Date(at),
      id: firstIdAt('evt', new Date(at + skew * HOUR_MS)) + String(no).padStart(15, '0'),
    }
  })
  await bursar.sql(
    `insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload, recorded_at)
     select 1, id, 'pay.order.created', (select collector_code from branches where institute_id = 1 limit 1), 'order_' || no % 9, at,
       '{}', at
     from unnest($1::text[], $2::timestamptz[]) with ordinality as e (id, at, no) order by no`,
    [rows.map(({ id }) => id), rows.map(({ at }) => at)],
  )
  await bursar.sql(
    `insert into api_requests select 1, 'req_' || substr(id, 5), recorded_at, 'GET', '/x', 200, null, 1, 'k' from events`,
  )
  const webhookId = await subscribe(bursar.demo, 'http://127.0.0.1:1/')
  await bursar.sql(
    `insert into webhook_deliveries (institute_id, id, webhook_id, event_id, state)
     select 1, 'dlv_' || substr(id, 5), $1, id, 'delivered' from events`,
    [webhookId],
  )
})

test('pages of events are exact over months, whatever the clocks of processes said', async () => {
  const all = await bursar.sql<{ id: string; at: Date }>(
    'select id, recorded_at as at from events where institute_id = 1 order by sequence',
  )
  const moment = fc.option(fc.integer({ min: 0, max: all.length - 1 }), { nil: undefined })
  const asked = fc.record({
    order: fc.constantFrom('newest' as const, 'oldest' as const),
    limit: fc.integer({ min: 1, max: 60 }),
    cursor: moment,
    from: moment,
    before: moment,
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ order, limit, cursor, from, before: until }) => {
      const recordedFrom = from === undefined ? undefined : all[from]?.at
      const recordedBefore = until === undefined ? undefined : all[until]?.at
      const inOrder = order === 'newest' ? all.toReversed() : all
      const start = cursor === undefined ? 0 : inOrder.indexOf(all[cursor]!) + 1
      const expected = inOrder
        .slice(start)
        .filter(({ at }) => recordedFrom === undefined || at >= recordedFrom)
        .filter(({ at }) => recordedBefore === undefined || at < recordedBefore)
        .slice(0, limit)
      const page = { order, limit, cursor: cursor === undefined ? undefined : all[cursor]?.id }
      const found = await listEvents(ctx, 1, { recordedFrom, recordedBefore }, page)
      assert.deepEqual(
        found.rows.map(({ id }) => id),
        expected.map(({ id }) => id),
      )
    }),
    { numRuns: 150 },
  )
})

/** The partitions of a log that the statements of an act read rows of, with what they were asked. */
async function partitionsRead(log: string, act: (db: Queryable) => Promise<unknown>): Promise<string[]> {
  const read = new Set<string>()
  const recording: Pick<typeof ctx.db, 'query' | 'pointRead' | 'transaction'> = {
    transaction: work => work(recording as never),
    pointRead: (text, values) => ctx.db.pointRead(text, values),
    query: async (text: string, values: readonly unknown[]) => {
      const [plan] = await ctx.db.transaction(async tx => {
        const rows = await tx.query<{ 'QUERY PLAN': Json }>(`explain (analyze, format json) ${text}`, values)
        await tx.query('rollback')
        await tx.query('begin')
        return rows
      })
      const walk = (node: Json): void => {
        const name: string = node['Relation Name'] ?? ''
        const isLooked = node['Node Type'].includes('Scan') && node['Actual Loops'] > 0
        if (isLooked && /_(\d{4}_\d{2}|before)$/.test(name) && name.startsWith(log)) read.add(name)
        for (const child of node.Plans ?? []) walk(child)
      }
      walk(plan?.['QUERY PLAN'][0].Plan)
      return ctx.db.query(text, values)
    },
  }
  await act(recording)
  // Months to come are empty; looking there costs nothing.
  const [latest] = await bursar.sql<{ name: string }>(
    `select max(tableoid::regclass::text) as name from ${log}`,
  )
  return [...read].filter(name => name.endsWith('before') || name <= (latest?.name ?? '')).sort()
}

test('what is found by its id is looked for in one month', async () => {
  const [row] = await bursar.sql<{ id: string; part: string }>(
    'select id, tableoid::regclass::text as part from events order by id offset 20 limit 1',
  )
  assert.deepEqual(await partitionsRead('events', db => findEvent(db, 1, row?.id ?? '')), [row?.part])
  const delivery = `dlv_${row?.id.slice(4)}`
  const parts = await partitionsRead('webhook_deliveries', db => findDelivery(db, 1, delivery))
  assert.deepEqual(parts, [row?.part.replace('events', 'webhook_deliveries')])
})

test('the newest page of a list does not read the months behind it', async () => {
  const [newest] = await bursar.sql<{ month: string }>(
    `select right(max(tableoid::regclass::text), 7) as month from events`,
  )
  const own = `_${newest?.month}`
  assert.deepEqual(
    await partitionsRead('api_requests', db =>
      requestList.page({ ...ctx, db } as never, SCHOOL, {}, { limit: 5 }),
    ),
    [`api_requests${own}`],
  )
  assert.deepEqual(
    await partitionsRead('webhook_deliveries', db =>
      deliveryList.page({ ...ctx, db } as never, SCHOOL, {}, { limit: 5 }),
    ),
    [`webhook_deliveries${own}`],
  )
  const events = await partitionsRead('events', db =>
    listEvents({ ...ctx, db } as never, 1, {}, { order: 'newest', limit: 5 }),
  )
  assert.ok(events.length <= 2, events.join())
  const [old] = await bursar.sql<{ id: string }>('select id from events order by sequence offset 30 limit 1')
  const followed = await partitionsRead('events', db =>
    listEvents({ ...ctx, db } as never, 1, {}, { order: 'oldest', limit: 5, cursor: old?.id }),
  )
  assert.ok(followed.length <= 3, followed.join())
})

test('a page of a log, and a delivery by its id, have one plan for all months', async () => {
  await bursar.sql('analyze webhook_deliveries')
  const [row] = await bursar.sql<{ id: string }>('select id from webhook_deliveries order by id limit 1')
  const planned = await ctx.db.transaction(async tx => {
    for (let time = 0; time < 8; time++) {
      await deliveryList.page({ ...ctx, db: tx } as never, SCHOOL, {}, { limit: 25 })
      await requestList.page({ ...ctx, db: tx } as never, SCHOOL, {}, { limit: 25 })
      await findDelivery(tx, 1, row?.id ?? '')
    }
    return tx.query<{ text: string; isOnce: boolean }>(
      `select statement as text, generic_plans > 0 as "isOnce" from pg_prepared_statements
       where statement ~ 'from (webhook_deliveries|api_requests)' and generic_plans + custom_plans >= 8`,
    )
  })
  assert.equal(planned.length, 3)
  for (const { text, isOnce } of planned) assert.ok(isOnce, text)
})

test('a claim reads the events that it takes and nothing else of the log', async () => {
  await trigger(bursar.demo)
  const parts = await partitionsRead('events', db =>
    claimDue(db as never, { limit: 10, roomEach: 5, busy: [] }),
  )
  assert.equal(parts.length, 1, parts.join())
})

test('the rows of a claim are written where they stand, and the queue is not read for them', async () => {
  const texts: string[] = []
  const recording = {
    pointRead: ctx.db.pointRead.bind(ctx.db),
    transaction: (work: (tx: unknown) => Promise<unknown>) => work(recording),
    query: (text: string, values: readonly unknown[]) => {
      texts.push(text)
      return ctx.db.query(text, values)
    },
  }
  await trigger(bursar.demo)
  await claimDue(recording as never, { limit: 10, roomEach: 5, busy: [] })
  const claim = texts.find(text => text.includes('update webhook_queue'))
  const found: Json[] = []
  await ctx.db.transaction(async tx => {
    const rows = await tx.query<{ 'QUERY PLAN': Json }>(`explain (generic_plan, format json) ${claim}`)
    const walk = (node: Json, isTaking: boolean): void => {
      const isOfQueue = node['Relation Name'] === 'webhook_queue'
      if (isTaking && isOfQueue) found.push(node['Node Type'])
      const isWrite = node['Node Type'] === 'ModifyTable' && isOfQueue
      for (const child of node.Plans ?? []) walk(child, isTaking || isWrite)
    }
    walk(rows[0]?.['QUERY PLAN'][0].Plan, false)
  })
  assert.deepEqual(found, ['Tid Scan'])
})

/** How many pairs of rows a statement compared in vain, by the plan that it has once it is prepared. */
async function countCompared(text: string, values: readonly unknown[]): Promise<number> {
  const literals = values.map(value =>
    Array.isArray(value) ? `'{${value.join()}}'` : pg.escapeLiteral(String(value)),
  )
  return ctx.db.transaction(async tx => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    await tx.query(`prepare results as ${text}`)
    const [plan] = await tx.query<{ 'QUERY PLAN': Json }>(
      `explain (analyze, format json) execute results (${literals.join()})`,
    )
    await tx.query('rollback')
    await tx.query('begin')
    await tx.query('deallocate results')
    const count = (node: Json): number =>
      (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'] +
      (node.Plans ?? []).reduce((sum: number, child: Json) => sum + count(child), 0)
    return count(plan?.['QUERY PLAN'][0].Plan)
  })
}

test('results of many deliveries are not compared with each other', async () => {
  const [row] = await bursar.sql<{ id: string }>(
    'select id from webhook_subscriptions where institute_id = 1 limit 1',
  )
  await bursar.sql(
    `with owed as (
       insert into webhook_deliveries (institute_id, id, webhook_id, event_id)
       select institute_id, 'dlv_' || substr(id, 5) || n, $1, id from events cross join generate_series(1, 5) n
       returning institute_id, id, webhook_id, event_id
     )
     insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id) select * from owed`,
    [row?.id],
  )
  await bursar.sql('analyze webhook_deliveries, webhook_queue')
  const { claims } = await claimDue(ctx.db, { limit: 1_500, roomEach: 1_500, busy: [] })
  assert.equal(claims.length, 1_500)
  let compared = 0
  const recording = {
    async query(text: string, values: readonly unknown[]) {
      compared += await countCompared(text, values)
      return ctx.db.query(text, values)
    },
  }
  await finishAll(
    recording as never,
    claims.map(claimed => ({ claimed, state: 'delivered', failures: 0, nextInMs: null, attempt: null })),
  )
  const [left] = await bursar.sql<{ n: number }>(
    'select count(*)::int as n from webhook_queue where delivery_id = any ($1)',
    [claims.map(({ id }) => id)],
  )
  assert.equal(left?.n, 0)
  assert.ok(compared < claims.length, `${compared} pairs were compared for ${claims.length} results`)
})
