import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { allOf, list, type Page } from '../../../src/platform/db/list.ts'
import { BursarError } from '../../../src/platform/errors.ts'
import { startBursar } from '../../harness/bursar.ts'

type Note = { id: string; at: number; colour: string | null }
type Filter = { colour?: string | undefined; from?: number | undefined }

const bursar = await startBursar({ after })
const { db } = bursar.app.ctx
await bursar.sql('create table notes (shelf int, at int, id text, colour text, primary key (shelf, id))')

async function fill(rows: readonly (Note & { shelf: number })[]): Promise<void> {
  await bursar.sql('truncate notes')
  for (const { shelf, at, id, colour } of rows)
    await bursar.sql('insert into notes values ($1, $2, $3, $4)', [shelf, at, id, colour])
}

function listNotes(
  shelf: number,
  filter: Filter,
  page: { cursor: string | undefined; limit: number; direction?: 'asc' | 'desc' },
): Promise<Page<Note>> {
  return list<Note>(
    db,
    {
      select: 'n.id, n.at, n.colour',
      from: 'notes n',
      scope: [['n.shelf = $1', shelf]],
      filters: [
        ['n.colour = $1', filter.colour],
        ['n.at >= $1', filter.from],
      ],
      order: ['at', 'id'],
      direction: page.direction ?? 'desc',
    },
    page,
  )
}

const anyNotes = fc.uniqueArray(
  fc.record({
    shelf: fc.constantFrom(1, 2),
    at: fc.integer({ min: 0, max: 3 }),
    id: fc.constantFrom(...Array.from({ length: 26 }, (_, no) => String.fromCodePoint(97 + no))),
    colour: fc.constantFrom('red', 'blue', null),
  }),
  { selector: ({ shelf, id }) => `${shelf}${id}`, maxLength: 12 },
)

test('pages that follow each other hold every row once, in order, whatever the filter and the limit', async () => {
  const anyFilter = fc.record({
    colour: fc.constantFrom('red', undefined),
    from: fc.constantFrom(1, undefined),
  })
  const anyDirection = fc.constantFrom('asc', 'desc')
  await fc.assert(
    fc.asyncProperty(
      anyNotes,
      anyFilter,
      anyDirection,
      fc.integer({ min: 1, max: 5 }),
      async (notes, filter, direction, limit) => {
        await fill(notes)
        const shown: string[] = []
        let cursor: string | undefined
        do {
          const page: Page<Note> = await listNotes(1, filter, { cursor, limit, direction })
          assert.ok(page.rows.length <= limit)
          shown.push(...page.rows.map(({ id }) => id))
          cursor = page.nextCursor
        } while (cursor !== undefined)
        const ascending = notes
          .filter(
            ({ shelf, at, colour }) =>
              shelf === 1 && at >= (filter.from ?? 0) && colour === (filter.colour ?? colour),
          )
          .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
          .map(({ id }) => id)
        assert.deepEqual(shown, direction === 'asc' ? ascending : ascending.toReversed())
      },
    ),
    { numRuns: 60 },
  )
})

test('a cursor that is not of this list is refused', async () => {
  await fill([
    { shelf: 1, at: 1, id: 'a', colour: null },
    { shelf: 2, at: 2, id: 'b', colour: null },
  ])
  for (const cursor of ['b', 'nothing', ''])
    await assert.rejects(
      listNotes(1, {}, { cursor, limit: 5 }),
      (error: unknown) => error instanceof BursarError && error.httpStatus === 400,
    )
})

test('the last row is a cursor too: nothing follows it', async () => {
  await fill([{ shelf: 1, at: 1, id: 'a', colour: 'red' }])
  const nothing = { rows: [], nextCursor: undefined }
  assert.deepEqual(await listNotes(1, {}, { cursor: 'a', limit: 5 }), nothing)
  assert.deepEqual(await listNotes(1, { colour: 'blue' }, { cursor: 'a', limit: 5 }), nothing)
})

test('a condition without its value is left out and the others keep theirs', () => {
  const values: unknown[] = ['first']
  const text = allOf(values, [
    ['a = $1', 1],
    ['b = $1', undefined],
    false,
    ['(c, d) > ($1, $2) or c > $1', 'x', null],
    ['e is null'],
  ])
  assert.equal(text, '(a = $2) and ((c, d) > ($3, $4) or c > $3) and (e is null)')
  assert.deepEqual(values, ['first', 1, 'x', null])
  assert.equal(allOf([], [['a = $1', undefined]]), 'true')
})

test('in a list whose rows are purged a cursor that is gone is still a place', async () => {
  await fill(['a', 'c'].map(id => ({ shelf: 1, at: 1, id, colour: null })))
  const { rows } = await list<Note>(
    db,
    { select: 'n.*', from: 'notes n', scope: [], order: ['id'], direction: 'asc', isPurged: true },
    { cursor: 'b', limit: 5 },
  )
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['c'],
  )
})
