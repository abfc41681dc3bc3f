import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatRupees, parseRupees, paiseOf, sumPaise, toRupees } from '../../src/platform/money.ts'

const MAX_PAISE = 10_000_000_000_000

test('every amount of paise survives the way out as rupees and back in, as number and as text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_PAISE }), value => {
      const amount = paiseOf(value)
      assert.equal(parseRupees(toRupees(amount)), amount)
      assert.equal(parseRupees(JSON.parse(JSON.stringify(toRupees(amount)))), amount)
      assert.equal(parseRupees((value / 100).toFixed(2)), amount)
    }),
    { numRuns: 5_000 },
  )
})

test('a sum of amounts as doubles, with all its noise, is read as the exact sum', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000_000 }), { maxLength: 20 }), values => {
      const noisy = values.reduce((total, value) => total + value / 100, 0)
      assert.equal(parseRupees(noisy), sumPaise(values.map(paiseOf)))
    }),
  )
})

test('an amount that is not a whole number of paise is refused', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 1, max: 9 }), (rupees, mill) => {
      assert.equal(parseRupees(rupees + mill / 1_000), null)
    }),
  )
})

test('what is not an amount is refused', () => {
  const bad = [
    -1,
    -0.01,
    1e11 + 1,
    Number.NaN,
    Infinity,
    '',
    '1,000',
    '1.234',
    '-5',
    '+5',
    ' 5',
    '5 ',
    '.5',
    '5.',
    '1e3',
    '0x10',
    null,
    true,
    {},
    [],
  ]
  for (const value of bad) assert.equal(parseRupees(value), null, `${JSON.stringify(value)} was read`)
  assert.equal(parseRupees(1e11), 1e13)
  assert.equal(parseRupees('0'), 0)
})

test('people see Indian grouping with two decimals', () => {
  assert.equal(formatRupees(paiseOf(12_345_650)), '₹1,23,456.50')
  assert.equal(formatRupees(paiseOf(1_000_000_000)), '₹1,00,00,000.00')
  assert.equal(formatRupees(paiseOf(5)), '₹0.05')
})
