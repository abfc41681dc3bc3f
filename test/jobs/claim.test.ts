import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, test } from 'node:test'
import { STATEMENTS } from '../../src/platform/db/client.ts'
import { findDue, forEachInstitute, inGroups, instituteOf, takeDue } from '../../src/platform/jobs/claim.ts'
import { leasedRows, type RowKey } from '../../src/platform/jobs/leased-rows.ts'
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

for (const isDistributed of [false, true]) {
  const where = isDistributed ? 'on a distributed database' : 'on one server'

  test(`due rows of many institutes are claimed in the order of time, each by one of several workers: ${where}`, async () => {
    db.isDistributed = isDistributed
    const leased = await openTable(`many_${isDistributed}`, { institutes: 30, each: 4 })
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

  test(`a row that somebody holds in a transaction is passed by, and a claim does not wait for it: ${where}`, async () => {
    db.isDistributed = isDistributed
    const leased = await openTable(`locked_${isDistributed}`, { institutes: 2, each: 2 })
    const taken = await db.transaction(async tx => {
      await tx.query(`select from locked_${isDistributed} where institute_id = 1 and id = $1 for update`, [
        '1',
      ])
      return leased.claim(db, clock.now(), 10)
    })
    assert.deepEqual(names(taken.map(({ row }) => row)).toSorted(), ['1/2', '2/1', '2/2'])
    assert.deepEqual(names((await leased.claim(db, clock.now(), 10)).map(({ row }) => row)), ['1/1'])
  })

  test(`rows of one institute are locked by one statement, and those of twenty by as many as there are places: ${where}`, async () => {
    db.isDistributed = isDistributed
    const leased = await openTable(`counted_${isDistributed}`, { institutes: 20, each: 2 })
    const sent: string[] = []
    const note = (text: unknown): void => void sent.push(String(text))
    subscribe(STATEMENTS, note)
    const claimed = await leased.claim(db, clock.now(), 40).finally(() => unsubscribe(STATEMENTS, note))
    assert.equal(claimed.length, 40)
    const locks = sent.filter(text => text.includes('for update'))
    assert.equal(locks.length, isDistributed ? 20 : 1)
    for (const text of locks) assert.equal(text.includes('due.institute_id = $2'), isDistributed, text)
  })

  test(`one institute's work that fails keeps no other's from being done, and is told at the end: ${where}`, async () => {
    const done: number[] = []
    const keys = Array.from({ length: 40 }, (_, index) => ({ instituteId: index % 20 }))
    await assert.rejects(
      takeDue({ isDistributed }, keys, async some => {
        if (some.some(({ instituteId }) => instituteId === 3)) throw new Error('the third')
        done.push(instituteOf(some))
        assert.equal(some.length, 2)
      }),
      /the third/,
    )
    assert.deepEqual(
      done.toSorted((one, other) => one - other),
      Array.from({ length: 20 }, (_, index) => index).filter(index => index !== 3),
    )
  })
}

test('what was leased of one institute is worked on although that of another was refused, which is logged', async t => {
  const before = db.isDistributed
  t.after(() => void (db.isDistributed = before))
  db.isDistributed = true
  const leased = await openTable('refused', { institutes: 2, each: 2 })
  await bursar.sql(`create function refuse_second() returns trigger language plpgsql as $$
    begin raise exception 'the second is refused'; end $$`)
  await bursar.sql(`create trigger refused before update on refused for each row when (new.institute_id = 2)
    execute function refuse_second()`)
  const taken = await leased.claim(db, clock.now(), 10)
  assert.deepEqual(names(taken.map(({ row }) => row)).toSorted(), ['1/1', '1/2'])
  assert.match(bursar.logText(), /"institute":2,"msg":"due work of an institute was not taken"/)
  await assert.rejects(leased.claim(db, clock.now(), 10), /the second is refused/)
})

test('looking for what is due locks nothing', async () => {
  await openTable('looked', { institutes: 2, each: 1 })
  await db.transaction(async tx => {
    const found = await findDue(
      {
        overAll: (write, values) =>
          tx.query(
            write(() => 'true'),
            values,
          ),
      },
      { table: 'looked', where: 'due_at <= $1', order: 'due_at' },
      clock.now(),
      9,
    )
    assert.equal(found.length, 2)
    const free = await db.query('select from looked for update nowait')
    assert.equal(free.length, 2)
  })
})

test('what cannot be undone is done once with all, and on a distributed database once with each institute', async () => {
  const keys = [7, 8, 7].map(instituteId => ({ instituteId }))
  const groups = async (isDistributed: boolean): Promise<number[][]> =>
    inGroups({ isDistributed }, keys, async some => some.map(({ instituteId }) => instituteId))
  assert.deepEqual(await groups(false), [[7, 8, 7]])
  assert.deepEqual(await groups(true), [[7, 7], [8]])
  assert.deepEqual(await forEachInstitute(keys, async id => id), [7, 8])
  let calls = 0
  const fail = async (): Promise<void> => {
    calls++
    throw new Error('always')
  }
  await assert.rejects(inGroups({ isDistributed: false }, keys, fail), /always/)
  assert.equal(calls, 1)
})

test('what is written for one institute is refused rows of two', () => {
  assert.equal(instituteOf([{ instituteId: 7 }, { instituteId: 7 }]), 7)
  assert.throws(() => instituteOf([{ instituteId: 7 }, { instituteId: 8 }]), /of one institute/)
})
