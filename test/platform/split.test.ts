import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf, splitInProportion, sumPaise } from '../../src/platform/money.ts'

const weights = fc
  .array(fc.integer({ min: 0, max: 1_000_000_000 }), { minLength: 1, maxLength: 50 })
  .filter(values => values.some(value => value > 0))
  .map(values => values.map(paiseOf))

test('a split is exact to the paisa and no part is above its weight', () => {
  fc.assert(
    fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
      const whole = paiseOf(Math.floor(sumPaise(parts) * share))
      const split = splitInProportion(whole, parts)
      assert.equal(sumPaise(split), whole)
      assert.equal(split.length, parts.length)
      split.forEach((part, index) => assert.ok(part >= 0 && part <= (parts[index] ?? -1), split.join(' ')))
    }),
    { numRuns: 2_000 },
  )
})

test('a split is within a paisa of the true share, equal weights get the earlier ones first, and the same split comes twice', () => {
  fc.assert(
    fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
      const total = sumPaise(parts)
      const whole = paiseOf(Math.floor(total * share))
      const split = splitInProportion(whole, parts)
      assert.deepEqual(splitInProportion(whole, parts), split)
      parts.forEach((weight, index) => {
        const difference = BigInt(split[index] ?? -1) * BigInt(total) - BigInt(whole) * BigInt(weight)
        assert.ok(difference > -BigInt(total) && difference < BigInt(total))
        const twin = parts.indexOf(weight)
        assert.ok((split[twin] ?? -1) >= (split[index] ?? 0), 'the earlier of two equals has no less')
      })
    }),
    { numRuns: 1_000 },
  )
})

test('splits of what is left of each line, one after another, use up every line exactly', () => {
  fc.assert(
    fc.property(
      weights,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      (lines, shares) => {
        let left = [...lines]
        for (const share of [...shares, 1]) {
          const rest = sumPaise(left)
          if (rest === 0) break
          const split = splitInProportion(paiseOf(Math.floor(rest * share)), left)
          left = left.map((line, index) => paiseOf(line - (split[index] ?? 0)))
          assert.ok(left.every(line => line >= 0))
        }
        assert.equal(sumPaise(left), 0)
      },
    ),
  )
})

test('an amount cannot be split over nothing', () => {
  assert.throws(() => splitInProportion(paiseOf(1), [paiseOf(0), paiseOf(0)]))
})
