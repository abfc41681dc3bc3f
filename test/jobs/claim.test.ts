import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, test } from 'node:test'
import { STATEMENTS } from '../../src/platform/db/client.ts'
import { unavailable } from '../../src/platform/errors.ts'
import { findDue, forEachInstitute, leasedRows, takeDue } from '../../src/platform/jobs/due-rows.ts'
import type { RowKey } from '../../src/platform/db/query.ts'
import { startBursar } from '../harness/bursar.ts'

const bursar = await startBursar({ after })
const { db, clock } = bursar.app.ctx

/** So many rows of each of so many institutes, all due, those of one institute in between those of the others. */
async function openTable(table: string, { institutes, each }: { institutes: number; each: number }) {
  await bursar.sql(`create table ${table} (institute_id int, id text, due_at timestamptz, held_until timestamptz,
    primary key (institute_id, id))`)
  await bursar.sql(
    `insert into ${table} select i, n::text, now() - interval '1 hour' + (n * 1000 + i) * interval '1 ms'
     from generate_series(1, $1::int) i, generate_series(1, $2::int) n`,
    [institutes, each],
  )
  const columns = 'institute_id as "instituteId", id'
  return leasedRows<RowKey>({ table, dueAt: 'due_at', columns })
}

const names = (rows: readonly RowKey[]): string[] => rows.map(({ instituteId, id }) => `${instituteId}/${id}`)

test('due rows of many institutes are claimed in the order of time, each by one of several workers', async () => {
  const leased = await openTable('many', { institutes: 30, each: 4 })
  const first = await leased.claim(db, clock.now(), 30)
  assert.deepEqual(
    names(first.map(({ row }) => row)).toSorted(),
    Array.from({ length: 30 }, (_, index) => `${index + 1}/1`).toSorted(),
  )
  const claimed = [...first]
  while (claimed.length < 120) {
    const rounds = await Promise.all([1, 2, 3].map(() => leased.claim(db, clock.now(), 20)))
    assert.ok(
      rounds.some(({ length }) => length > 0),
      'somebody gets something',
    )
    claimed.push(...rounds.flat())
  }
  assert.equal(new Set(names(claimed.map(({ row }) => row))).size, 120)
  assert.equal(claimed.length, 120)
})

test('a row that somebody holds in a transaction is passed by, and a claim does not wait for it', async () => {
  const leased = await openTable('locked', { institutes: 2, each: 2 })
  const taken = await db.transaction(async tx => {
    await tx.query('select from locked where institute_id = 1 and id = $1 for update', ['1'])
    return leased.claim(db, clock.now(), 10)
  })
  assert.deepEqual(names(taken.map(({ row }) => row)).toSorted(), ['1/2', '2/1', '2/2'])
  assert.deepEqual(names((await leased.claim(db, clock.now(), 10)).map(({ row }) => row)), ['1/1'])
})

test('rows of twenty institutes are locked by one statement', async () => {
  const leased = await openTable('counted', { institutes: 20, each: 2 })
  const sent: string[] = []
  const note = (text: unknown): void => void sent.push(String(text))
  subscribe(STATEMENTS, note)
  const claimed = await leased.claim(db, clock.now(), 40).finally(() => unsubscribe(STATEMENTS, note))
  assert.equal(claimed.length, 40)
  assert.equal(sent.filter(text => text.includes('for update')).length, 1)
})

test('what is due is taken once with all', async () => {
  const keys = [7, 8, 7].map(instituteId => ({ instituteId }))
  const taken: number[][] = []
  const take = async (_: unknown, some: readonly { instituteId: number }[]): Promise<number> =>
    taken.push(some.map(({ instituteId }) => instituteId)) && some.length
  assert.equal(await takeDue(db, keys, take), 3)
  assert.equal(await takeDue(db, [], take), 0)
  assert.deepEqual(taken, [[7, 8, 7]])
  const groups: number[][] = []
  const count = await forEachInstitute(
    keys,
    async (id, some) => groups.push([id, some.length]) && some.length,
  )
  assert.equal(count, 3)
  assert.deepEqual(groups, [
    [7, 2],
    [8, 1],
  ])
})

test("one institute's work that fails keeps no other's from being done, and is told at the end", async () => {
  const done: number[] = []
  const keys = Array.from({ length: 40 }, (_, index) => ({ instituteId: index % 20 }))
  await assert.rejects(
    takeDue(db, keys, async (_, some) => {
      if (some.some(({ instituteId }) => instituteId === 3)) throw new Error('the third')
      done.push(...new Set(some.map(({ instituteId }) => instituteId)))
      assert.equal(some.length, 2)
      return some.length
    }),
    /the third/,
  )
  assert.deepEqual(
    done.toSorted((one, other) => one - other),
    Array.from({ length: 20 }, (_, index) => index).filter(index => index !== 3),
  )
})

test('what fails although it is of one institute, or because the database is away, is not tried again', async () => {
  for (const [keys, error] of [
    [[{ instituteId: 7 }, { instituteId: 7 }], new Error('always')],
    [[{ instituteId: 7 }, { instituteId: 8 }], unavailable('away')],
  ] as const) {
    let calls = 0
    const fail = async (): Promise<number> => {
      calls++
      throw error
    }
    await assert.rejects(takeDue(db, keys, fail), error)
    assert.equal(calls, 1)
  }
})

test('looking for what is due locks nothing', async () => {
  await openTable('looked', { institutes: 2, each: 1 })
  await db.transaction(async tx => {
    const due = { table: 'looked', where: 'due_at <= $1', order: 'due_at' }
    const found = await findDue(tx, due, clock.now(), 9)
    assert.equal(found.length, 2)
    const free = await db.query('select from looked for update nowait')
    assert.equal(free.length, 2)
  })
})
