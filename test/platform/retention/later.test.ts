import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startBursar } from '../../harness/bursar.ts'
import { subscribe } from '../../webhooks/support.ts'
import {
  countOf,
  forgetMonths,
  idsAt,
  insertEvents,
  insertRequests,
  monthsFromNow,
  retain,
} from './support.ts'

const bursar = await startBursar({ after })
const { db } = bursar.app.ctx

/** Rows that stand in another month than their ids are of. */
async function misplaced(table: string): Promise<unknown[]> {
  return bursar.sql(
    `select part, month from (
       select tableoid::regclass::text as part,
         to_char(at at time zone 'Asia/Kolkata', 'YYYY_MM') as month from ${table}
     ) as rows where part !~ '_(before|after)$' and right(part, 7) <> month`,
  )
}

/** What was left behind on the way. */
function leftovers(): Promise<unknown[]> {
  return bursar.sql(
    `select conname as name from pg_constraint where conname ~ '^staged' or (not convalidated and conrelid = 'api_requests'::regclass)
     union all select tgname from pg_trigger where tgname ~ '^mirrored'
     union all select relname from pg_class where relnamespace = to_regnamespace('staging')`,
  )
}

/** With ids of the moments that their columns say. */
async function insertAt(months: number, count: number): Promise<void> {
  const at = monthsFromNow(months)
  await insertRequests(bursar, idsAt('req', at, count))
  await bursar.sql(`update api_requests set at = $1 where id = any($2::text[])`, [
    at,
    idsAt('req', at, count),
  ])
}

test('rows behind the last month get months of their own, however many they are', async () => {
  for (const month of [4, 5, 6, 300]) await insertAt(month, 1_500)
  assert.equal(await countOf(bursar, 'api_requests_after'), 6_000)
  const all = `select count(*)::int, sum(hashtextextended(t::text, 0))::text from api_requests t where route = '/x'`
  const were = await bursar.sql(all)
  await retain(bursar, null, monthsFromNow(2))
  assert.deepEqual(await bursar.sql(all), were)
  assert.equal(await countOf(bursar, 'api_requests_after'), 3_000)
  assert.deepEqual(await misplaced('api_requests'), [])
  assert.deepEqual(await leftovers(), [])
})

test('whatever is written while rows are sorted, and however often it is cut short, no row is lost or doubled', async () => {
  const webhookId = await subscribe(bursar.demo, 'http://127.0.0.1:1/')
  const act = fc.record({
    kind: fc.constantFrom('insert', 'update', 'delete', 'copy', 'restart', 'stage'),
    no: fc.integer({ min: 0, max: 9 }),
  })
  let round = 6
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: 9 })),
      fc.array(act, { maxLength: 25 }),
      async (stood, acts) => {
        const month = monthsFromNow(round)
        const last = `${month.toISOString().slice(0, 7)}-01`
        const ids = [...idsAt('dlv', month, 5), ...idsAt('dlv', monthsFromNow(round + 1), 5)]
        round++
        const model = new Map<string, number>()
        const write = {
          insert: async (id: string) => {
            if (model.has(id)) return
            model.set(id, 0)
            await bursar.sql(
              `insert into webhook_deliveries (institute_id, id, webhook_id, event_id, attempts) values (1, $1, $2, 'evt_x', '[]')`,
              [id, webhookId],
            )
          },
          update: async (id: string) => {
            if (model.has(id)) model.set(id, (model.get(id) ?? 0) + 1)
            await bursar.sql(
              `update webhook_deliveries set attempts = attempts || '[{}]' where institute_id = 1 and id = $1`,
              [id],
            )
          },
          delete: async (id: string) => {
            model.delete(id)
            await bursar.sql('delete from webhook_deliveries where institute_id = 1 and id = $1', [id])
          },
        }
        const read = async (): Promise<[string, number][]> =>
          (
            await bursar.sql<{ id: string; attempts: number }>(
              `select id, jsonb_array_length(attempts) as attempts from webhook_deliveries order by id`,
            )
          ).map(({ id, attempts }) => [id, attempts])
        const stage = (): Promise<unknown> =>
          bursar.sql(`select stage_months('webhook_deliveries', 'dlv', $1)`, [last])
        let key: [number | null, string | null] = [0, '']
        const copy = async (): Promise<void> => {
          const [row] = await bursar.sql<{ institute: number | null; last_id: string | null }>(
            `select * from copy_later('webhook_deliveries', 2, $1, $2)`,
            [key[0] ?? 0, key[1] ?? ''],
          )
          key = [row?.institute ?? null, row?.last_id ?? null]
        }
        for (const no of stood) await write.insert(ids[no] ?? '')
        await stage()
        for (const { kind, no } of acts) {
          if (kind === 'copy') await copy()
          else if (kind === 'restart') key = [0, '']
          else if (kind === 'stage') await stage()
          else await write[kind](ids[no] ?? '')
          assert.deepEqual(new Map(await read()), model)
        }
        key = [0, '']
        while (key[0] !== null) await copy()
        await bursar.sql(`select swap_months('webhook_deliveries')`)
        const rows = await read()
        assert.equal(rows.length, model.size, 'none is doubled')
        assert.deepEqual(new Map(rows), model)
        const months = await bursar.sql<{ part: string }>(
          `select distinct regexp_replace(tableoid::regclass::text, '_\\d{6,}$', '') as part from webhook_deliveries where id < $1 and id >= $2`,
          [ids[5], ids[0]],
        )
        assert.deepEqual(
          months.map(({ part }) => part),
          ids.slice(0, 5).some(id => model.has(id))
            ? [`webhook_deliveries_${last.slice(0, 7).replace('-', '_')}`]
            : [],
        )
        await bursar.sql('delete from webhook_deliveries')
      },
    ),
    { numRuns: 12 },
  )
})

test('nobody waits while a batch is copied, and no row is read while the log is locked', async () => {
  await forgetMonths(bursar, { table: 'events', prefix: 'evt' })
  const month = monthsFromNow(1)
  await insertEvents(bursar, idsAt('evt', month, 2_000))
  await bursar.sql(`select stage_months('events', 'evt', $1)`, [`${month.toISOString().slice(0, 7)}-01`])
  await db.transaction(async copying => {
    await copying.query(`select copy_later('events', 2000, 0, '')`)
    await db.transaction(async other => {
      await other.query(`set local lock_timeout = '1ms'`)
      await other.query(
        `insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload)
         select institute_id, id || 'x', event_code, collector_code, resource_id, occurred_at, payload from events_after where institute_id = 1 limit 10`,
      )
      await other.query('select count(*) from events where institute_id = 1')
    })
  })
  const read = await db.transaction(async tx => {
    await tx.query(`select swap_months('events')`)
    return tx.query(
      `select relname, seq_tup_read, idx_tup_fetch from pg_stat_xact_user_tables
       where relname ~ '^events' and seq_tup_read + coalesce(idx_tup_fetch, 0) > 0`,
    )
  })
  assert.deepEqual(read, [])
  assert.equal(await countOf(bursar, 'events'), 2_010)
  assert.equal(await countOf(bursar, 'events_after'), 0)
  await assert.rejects(
    bursar.sql(`delete from events_${month.toISOString().slice(0, 7).replace('-', '_')}`),
    /append-only/,
  )
  await assert.rejects(
    bursar.sql(
      `insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload)
      values (1, $1, 'x', 'nowhere', 'x', now(), '{}')`,
      [idsAt('evt', month, 2_001)[2_000]],
    ),
    /foreign key/,
  )
})
