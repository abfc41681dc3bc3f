import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { startBursar } from '../../harness/bursar.ts'

const bursar = await startBursar({ after })
const { db } = bursar.app.ctx

type PgConnection = {
  bind(message: { statement?: string; values?: readonly unknown[] }): void
  describe(message: unknown): void
}

const OWN_MARK = 'a statement of this test'

test('the columns of a statement are asked for once a connection, and its rows stay the same', async t => {
  const { prototype } = (pg as unknown as { Connection: { prototype: PgConnection } }).Connection
  const bind = t.mock.method(prototype, 'bind')
  const describe = t.mock.method(prototype, 'describe')
  const text = `select n, n::bigint * 100 as paise, 'a' || n as "the name", null::text as nothing, n > 1 as "isMore",
    '2026-11-18 04:05:06.789012+05:30'::timestamptz as at, date '2026-11-18' as day, json_build_object('n', n) as json
    from generate_series(1, $1::int) n where $2 <> ''`
  const read = () => db.pointRead<Record<string, unknown>>(text, [2, OWN_MARK])
  const first = await read()
  const second = await read()
  const binds = bind.mock.calls.filter(call => call.arguments[0].values?.includes(OWN_MARK))
  assert.equal(binds.length, 2)
  // A connection asks for the columns right after it binds the values, and other statements of the process come between.
  // Where other tests of the process have used up the names, a statement has none and is described each time.
  const named = binds.filter(call => call.arguments[0].statement)
  if (named.length === 0) t.diagnostic('no name was left for the statement in this process')
  const described = named.filter(call => describe.mock.calls.some(({ this: own }) => own === call.this))
  assert.equal(described.length, new Set(described.map(call => call.this)).size)
  assert.deepEqual(second, first)
  assert.deepEqual(second[1], {
    n: 2,
    paise: 200,
    'the name': 'a2',
    nothing: null,
    isMore: true,
    at: new Date('2026-11-17T22:35:06.789Z'),
    day: '2026-11-18',
    json: { n: 2 },
  })
})

test('a moment is read to the millisecond, whatever its fraction, zone and year', async () => {
  const texts = [
    '2026-02-28 23:59:59+00',
    '2026-02-28 23:59:59.5+00',
    '2026-02-28 23:59:59.05+00',
    '2026-02-28 23:59:59.123999+00',
    '0099-03-01 00:00:00+00',
    '12026-03-01 00:00:00+00',
    '0044-03-15 12:00:00+00 BC',
  ]
  const parse = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text') as (text: string) => Date
  for (const text of texts) {
    const [row] = await db.pointRead<{ at: Date; text: string }>(
      'select $1::timestamptz as at, $1::timestamptz::text as text',
      [text],
    )
    assert.equal(row?.at.getTime(), parse(row?.text ?? '').getTime(), text)
  }
})

const WRITE = 'update schema_migrations set version = version where version = $1'

test('a statement that answers no rows, or fails, does so every time', async () => {
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(await db.query(WRITE, [-1]), [])
    await assert.rejects(db.query('select 1 / $1::int as never', [0]))
  }
})

const echo = (value: string) => db.pointRead<{ value: number }>('select $1::bigint as value', [value])

test('a bigint that is no safe integer fails its own read and none behind it', async () => {
  for (let time = 0; time < 2; time++) {
    const [lost, [kept]] = await Promise.all([
      echo('9007199254740993').catch(() => 'failed'),
      echo('7'),
    ] as const)
    assert.equal(lost, 'failed')
    assert.equal(kept?.value, 7)
  }
})
