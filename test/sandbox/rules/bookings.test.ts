import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toRupees, type Paise } from '../../../src/platform/money.ts'
import {
  differenceIn,
  readBookings,
  type Expected,
} from '../../../src/sandbox/integration-check/check.rules.ts'

const expected = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom('payment' as const, 'refund' as const),
    id: fc.stringMatching(/^(pay|rfd)_[a-z0-9]{4,8}$/),
    amountPaise: fc.integer({ min: 1, max: 1_000_000_000 }).map(paise => paise as Paise),
  }),
  { minLength: 1, maxLength: 6, selector: ({ type, id }) => `${type} ${id}` },
)

/** As an ERP shows them: amounts as numbers or as text. */
function shown(rows: readonly Expected[], isText: boolean) {
  const bookings = rows.map(({ type, id, amountPaise }) => ({
    type,
    id,
    amount: isText ? toRupees(amountPaise).toFixed(2) : toRupees(amountPaise),
  }))
  const read = readBookings(200, Buffer.from(JSON.stringify({ data: { bookings } })))
  assert.equal(read.kind, 'read')
  return read.kind === 'read' ? read.bookings : []
}

test('books that have every payment and refund once are right, in any order and with amounts as text or numbers', () => {
  fc.assert(
    fc.property(expected, fc.boolean(), (rows, isText) => {
      assert.equal(differenceIn(shown(rows.toReversed(), isText), rows), null)
    }),
  )
})

test('a row that is missing, twice, of another amount or of nobody is named, and only what is missing may still come', () => {
  fc.assert(
    fc.property(expected, fc.nat(), (rows, at) => {
      const row = rows[at % rows.length]
      assert.ok(row !== undefined)
      const others = rows.filter(one => one !== row)
      const other = { ...row, amountPaise: (row.amountPaise + 1) as Paise }
      const found = (books: readonly Expected[], wanted = rows) => differenceIn(shown(books, false), wanted)
      assert.match(found(others)?.message ?? '', new RegExp(`${row.id}.* not in your books`))
      assert.equal(found(others)?.mayPass, true)
      assert.match(found([...rows, row])?.message ?? '', new RegExp(`${row.id}.*2 times`))
      assert.match(found([...others, other])?.message ?? '', new RegExp(`${row.id}.*exact to the paisa`))
      assert.match(found(rows, others)?.message ?? '', new RegExp(`${row.id}.*besides`))
      assert.equal(found([...rows, row])?.mayPass, false)
    }),
  )
})

test('an answer that shows no books is told what to look like', () => {
  fc.assert(
    fc.property(fc.constantFrom(200, 401, 500), fc.oneof(fc.string(), fc.json()), (status, body) => {
      const read = readBookings(status, Buffer.from(body))
      assert.ok(read.kind === 'unreadable')
      assert.match(read.message, /bookings_url has to answer 200 with/)
    }),
  )
})
