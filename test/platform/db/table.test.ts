import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { Table } from '../../../src/platform/db/table.ts'
import { startBursar } from '../../harness/bursar.ts'

type Parcel = {
  shelfId: number
  id: string
  weight: number
  isFragile: boolean
  sender: string | null
  sentAt: Date | null
  dueOn: string | null
  contents: unknown
  labels: string[]
  seal: Buffer | null
}

const parcels = new Table<Parcel>('parcels', {
  shelfId: 'int',
  id: 'text',
  weight: 'bigint',
  isFragile: 'boolean',
  sender: 'sender_name text',
  sentAt: 'timestamptz',
  dueOn: 'date',
  contents: 'jsonb',
  labels: 'text[]',
  seal: 'bytea',
})

const bursar = await startBursar({ after })
const { db } = bursar.app.ctx
await bursar.sql(`create table parcels (shelf_id int not null, id text not null, weight bigint not null,
  is_fragile boolean not null default true, sender_name text, sent_at timestamptz, due_on date, contents jsonb,
  labels text[] not null default '{}', seal bytea, primary key (shelf_id, id))`)

const anyText = fc.string({ unit: 'grapheme' }).map(text => text.replaceAll('\0', ''))
const anyParcel: fc.Arbitrary<Parcel> = fc.record(
  {
    shelfId: fc.integer({ min: 0, max: 1_000 }),
    id: anyText,
    weight: fc.maxSafeInteger(),
    isFragile: fc.boolean(),
    sender: fc.option(anyText),
    sentAt: fc.option(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })),
    dueOn: fc.option(fc.constantFrom('2026-11-17', '1999-02-28')),
    contents: fc.option(
      fc.oneof(anyText, fc.integer(), fc.array(anyText), fc.constant({ a: [1, { b: '"' }] })),
    ),
    labels: fc.array(fc.oneof(anyText, fc.constantFrom('', 'NULL', '{}', '"', '\\', 'a,b'))),
    seal: fc.option(fc.uint8Array().map(bytes => Buffer.from(bytes))),
  },
  { noNullPrototype: true },
)
const anyParcels = fc.uniqueArray(anyParcel, {
  selector: ({ shelfId, id }) => `${shelfId}/${id}`,
  maxLength: 8,
})

const inOrder = (rows: readonly Parcel[]): Parcel[] =>
  rows.toSorted((a, b) => a.shelfId - b.shelfId || (a.id < b.id ? -1 : 1))

async function readAll(): Promise<Parcel[]> {
  return inOrder(await db.query<Parcel>(`select ${parcels.columns('p')} from parcels p`))
}

test('whatever is inserted is selected again as it was', async () => {
  await fc.assert(
    fc.asyncProperty(anyParcels, async rows => {
      await bursar.sql('truncate parcels')
      assert.equal(await parcels.insert(db, rows), rows.length)
      assert.deepEqual(await readAll(), inOrder(rows))
    }),
    { numRuns: 100 },
  )
})

test('an update changes the columns that it names, in the rows that it names', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyParcels,
      fc.array(anyParcel, { minLength: 8, maxLength: 8 }),
      async (rows, others) => {
        await bursar.sql('truncate parcels')
        await parcels.insert(db, rows)
        const changed = rows.map((row, index) => ({
          ...others[index],
          ...row,
          labels: others[index]?.labels ?? [],
        }))
        const half = changed.slice(0, changed.length / 2)
        const count = await parcels.update(db, half, { key: ['shelfId', 'id'], set: ['labels'] })
        assert.equal(count, half.length)
        assert.deepEqual(await readAll(), inOrder([...half, ...rows.slice(half.length)]))
      },
    ),
    { numRuns: 50 },
  )
})

test('columns that are not written get their defaults', async () => {
  await bursar.sql('truncate parcels')
  await parcels.insert(db, [{ shelfId: 1, id: 'a', weight: 5 }], { only: ['shelfId', 'id', 'weight'] })
  assert.deepEqual(await bursar.sql('select is_fragile, labels from parcels'), [
    { is_fragile: true, labels: [] },
  ])
})

test('rows that exist already are counted out', async () => {
  await bursar.sql('truncate parcels')
  const rows = ['a', 'b'].map(id => ({ shelfId: 1, id, weight: 5 }))
  const options = { only: ['shelfId', 'id', 'weight'], onConflict: 'on conflict do nothing' } as const
  assert.equal(await parcels.insert(db, rows.slice(1), options), 1)
  assert.equal(await parcels.insert(db, rows, options), 1)
})

test('a row as JSON has the names of the domain', async () => {
  await bursar.sql('truncate parcels')
  await parcels.insert(db, [{ shelfId: 1, id: 'a', weight: 5 }], { only: ['shelfId', 'id', 'weight'] })
  const rows = await db.query(`select ${parcels.json('p', ['shelfId', 'sender'])} as json from parcels p`)
  assert.deepEqual(rows, [{ json: { shelfId: 1, sender: null } }])
})

test('the text of a statement does not depend on its rows, but for a few, which have one for each number', async () => {
  const texts = new Set<string>()
  const recorder: Queryable = {
    query: async text => {
      texts.add(text)
      return []
    },
  }
  const rows = fc.sample(anyParcel, 60)
  const insert = async (count: number): Promise<number> => {
    await parcels.insert(recorder, rows.slice(-count))
    return texts.size
  }
  for (const count of [1, 2, 3, 4, 5]) assert.equal(await insert(count), count)
  for (const count of [6, 30, 60, 1]) assert.equal(await insert(count), 5)
})

test('an unknown property is refused before anything is sent', () => {
  assert.throws(() => parcels.columns('p', ['weigth' as 'weight']), /no column for weigth/)
})
