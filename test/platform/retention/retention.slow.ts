import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { linesPath, listArchives, readLines, sealOf } from '../../../src/platform/retention/retention.ts'
import { startBursar } from '../../harness/bursar.ts'
import {
  countOf,
  idsAt,
  insertEvents,
  insertRequests,
  monthsFromNow,
  retain,
  temporaryFolder,
} from './support.ts'
import { trigger, subscribe } from '../../webhooks/support.ts'

const bursar = await startBursar({ after })

test('no insert fails, whatever the moment of its id, and each row stands where its id belongs', async () => {
  const moments = ['1999-05-05', '2026-11-17', '2040-01-01'].map(day => new Date(day))
  const ids = moments.flatMap(at => idsAt('req', at, 2))
  await insertRequests(bursar, ids)
  await retain(bursar, null, monthsFromNow(1))
  await insertRequests(bursar, idsAt('req', monthsFromNow(4), 1))
  const rows = await bursar.sql<{ part: string; rows: number }>(
    `select regexp_replace(tableoid::regclass::text, '_\\d{6,}$', '') as part, count(*)::int as rows from api_requests where route = '/x' group by 1`,
  )
  const parts = new Map(rows.map(({ part, rows }) => [part, rows]))
  assert.equal(parts.get('api_requests_before'), 2)
  assert.equal(parts.get('api_requests_after'), 2, 'of 2040, also after months were made before it')
  assert.equal(rows.length, 4)
})

test('a month past its time is archived row for row and leaves; what is younger stays', async t => {
  const folder = await temporaryFolder(t)
  const old = idsAt('evt', monthsFromNow(0), 5_000)
  await insertEvents(bursar, old)
  const young = idsAt('evt', monthsFromNow(1), 3)
  await insertEvents(bursar, young)
  const sums = `select count(*)::int as rows, sum(hashtextextended(t::text, 0))::text as hash from`
  const [was] = await bursar.sql(`${sums} events t where id < $1`, [idsAt('evt', monthsFromNow(1), 1)[0]])

  assert.deepEqual(
    (await retain(bursar, folder, monthsFromNow(13))).filter(({ table }) => table === 'events'),
    [],
    'its last day is not thirteen months old yet',
  )
  const dropped = await retain(bursar, folder, monthsFromNow(14))
  assert.deepEqual(
    dropped.flatMap(({ table, archive }) => (archive === null ? [] : `${table} ${archive.rows}`)),
    [`events ${was?.['rows']}`],
  )
  assert.deepEqual(
    await bursar.sql('select id from events order by id'),
    young.map(id => ({ id })),
  )
  assert.deepEqual(await bursar.sql(`select from pg_class where relnamespace = 'retired'::regnamespace`), [])

  const archive = (await listArchives(folder)).find(({ table }) => table === 'events')
  assert.ok(archive !== undefined)
  const lines: string[] = []
  await readLines(
    linesPath(folder, archive),
    sealOf(bursar.app.ctx.vault, archive),
    line => void lines.push(line),
  )
  await bursar.sql('create table scratch (like events)')
  await bursar.sql(
    'insert into scratch select r.* from unnest($1::json[]) l, json_populate_record(null::scratch, l) r',
    [lines],
  )
  const [restored] = await bursar.sql(`${sums} scratch t`)
  assert.deepEqual(restored?.['rows'], was?.['rows'])
  const differing = await bursar.sql(
    `select from scratch where payload::jsonb <> '{"name": "आशा \\"R\\" \\n \\\\ 🎓", "amount": 100.50}' and resource_id = 'order_1'`,
  )
  assert.equal(differing.length, 0)
  await insertEvents(bursar, old.slice(0, 1))
  assert.equal(await countOf(bursar, 'events_before'), 1, 'a late row of that month finds its place')
})

test('a month stays as long as a delivery of it waits, and its events as long as the log has a delivery of them', async t => {
  const folder = await temporaryFolder(t)
  await subscribe(bursar.demo, 'http://127.0.0.1:1/')
  const eventId = await trigger(bursar.demo)
  const late = monthsFromNow(30)
  const ofOurs = async (): Promise<string[]> =>
    (await retain(bursar, folder, late)).map(({ table }) => table).filter(table => !/req|fetch/.test(table))
  assert.deepEqual(await ofOurs(), [], 'the delivery waits')
  assert.equal((await bursar.sql('select from events where id = $1', [eventId])).length, 1)

  await bursar.sql(
    `with taken as (delete from webhook_queue) update webhook_deliveries set state = 'cancelled'`,
  )
  assert.deepEqual(new Set(await ofOurs()), new Set(['webhook_deliveries', 'events']))
  assert.equal(await countOf(bursar, 'webhook_deliveries'), 0)
  assert.equal((await bursar.sql('select from events where id = $1', [eventId])).length, 0)
})

test('without an archive events stay for ever, and the other logs leave as they are', async t => {
  const own = await startBursar(t)
  await insertEvents(own, idsAt('evt', new Date(), 2))
  await insertRequests(own, idsAt('req', new Date(), 2))
  const tables = (await retain(own, null, monthsFromNow(20))).map(({ table }) => table)
  assert.ok(tables.includes('api_requests'))
  assert.ok(!tables.includes('events'))
  assert.equal(await countOf(own, 'events'), 2)
  assert.equal(await countOf(own, 'api_requests'), 0)
})

test('several processes retire one month once', async t => {
  const folder = await temporaryFolder(t)
  const own = await startBursar(t)
  const other = await startBursar(t, { DATABASE_URL: own.app.config.databaseUrl ?? '' })
  await insertRequests(own, idsAt('req', new Date(), 3_000))
  const all = await Promise.all([own, other, own, other].map(one => retain(one, folder, monthsFromNow(3))))
  const rows = all.flat().map(({ archive }) => archive?.rows ?? 0)
  assert.equal(
    rows.reduce((sum, one) => sum + one, 0),
    3_000,
  )
  assert.deepEqual(
    (await readdir(join(folder, 'api_requests'))).map(name => name.replace(/^[\d-]+/, '')).sort(),
    ['.json', '.jsonl.gz.sealed'],
  )
})
