import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { guess, rangesOf } from '../../../src/console/search/search.rules.ts'
import {
  readMoment,
  roomFor,
  toWordQuery,
  withConcession,
  writeMoment,
} from '../../../src/console/students/students.rules.ts'
import { newId } from '../../../src/platform/ids.ts'
import { paiseOf, sumPaise } from '../../../src/platform/money.ts'
import type { Price } from '../../../src/fees/fees.rules.ts'

const discounts = fc.uniqueArray(
  fc.record({
    discountType: fc.constantFrom('A', 'B', 'C', 'D'),
    valuePaise: fc.integer({ min: 1, max: 1_000 }).map(paiseOf),
  }),
  { selector: one => one.discountType, maxLength: 4 },
)
const price = fc.record({ feePaise: fc.integer({ min: 4_000, max: 9_000 }).map(paiseOf), discounts })

test('a concession changes its own discount and no other, and within its room never exceeds the fee', () => {
  fc.assert(
    fc.property(price, fc.constantFrom('A', 'B', 'E'), fc.nat(9_000), (before, discountType, wanted) => {
      const valuePaise = paiseOf(Math.min(wanted, roomFor(before, discountType)))
      const after = withConcession(before, { discountType, valuePaise })
      const others = ({ discounts: all }: Price) => all.filter(one => one.discountType !== discountType)
      assert.deepEqual(others(after), others(before))
      const own = after.discounts.find(one => one.discountType === discountType)?.valuePaise ?? 0
      assert.equal(own, valuePaise)
      assert.ok(sumPaise(after.discounts.map(one => one.valuePaise)) <= after.feePaise)
    }),
  )
})

test('whatever is typed becomes a search of quoted words of its own institute, or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(1_000), (typed, institute) => {
      const query = toWordQuery(institute, typed)
      if (typed.trim() === '') return assert.equal(query, null)
      const quoted = new RegExp(String.raw`'${institute}:(?:[^'\\]|''|\\\\)*':\*`, 'gu')
      assert.match(query?.replaceAll(quoted, '') ?? 'none', /^[()&| ]*$/)
      return undefined
    }),
  )
})

test('a phone is looked for by its digits, with and without the code of the country', () => {
  assert.equal(toWordQuery(7, '98765'), "'7:98765':* | '7:98765':*")
  assert.match(toWordQuery(7, '+91 98765 43210') ?? '', /\| '7:919876543210':\* \| '7:9876543210':\*$/)
  assert.equal(toWordQuery(7, 'kabir ra'), "('7:kabir':* & '7:ra':*)")
})

test('the place in a timeline survives the way through the address', () => {
  fc.assert(
    fc.property(
      fc.nat(4_000_000_000_000),
      fc.constantFrom(newId('evt'), newId('audit'), 'fee-17'),
      (ms, id) => {
        const place = { at: new Date(ms), id }
        assert.deepEqual(readMoment(writeMoment(place)), place)
      },
    ),
  )
  assert.throws(() => readMoment('yesterday'))
})

test('what is typed is looked for only where it can be', () => {
  assert.deepEqual(guess(' kabir rao '), { kind: 'words', reference: null, receipt: null })
  assert.deepEqual(guess('ADM-1042'), { kind: 'words', reference: 'ADM-1042', receipt: null })
  assert.deepEqual(guess('2026-27/000042'), {
    kind: 'words',
    reference: '2026-27/000042',
    receipt: { financialYear: '2026-27', number: 42 },
  })
  const id = newId('order')
  assert.deepEqual(guess(id), { kind: 'id', id })
  const request = newId('req')
  assert.deepEqual(guess(`${request} `), { kind: 'request', id: request })
})

test('a range holds every text that begins so', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (beginning, rest) => {
      const [range] = rangesOf(beginning)
      const text = Buffer.from(beginning + rest)
      assert.ok(range && Buffer.compare(text, Buffer.from(range.from)) >= 0)
      assert.ok(range && Buffer.compare(text, Buffer.from(range.to)) < 0)
    }),
  )
})
