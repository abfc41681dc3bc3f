import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  captureOf,
  duplicateRefundOf,
  refundRequestOf,
  refundResultOf,
  returnOf,
  settlementOf,
  type Account,
  type Posting,
} from '../../src/journal/ledger.rules.ts'
import { paiseOf, splitInProportion, sumPaise } from '../../src/platform/money.ts'

const MAX_PAISE = 10_000_000_000_000
const amount = fc.integer({ min: 1, max: MAX_PAISE }).map(paiseOf)

function balances(postings: readonly Posting[]): Partial<Record<Account, number>> {
  const totals: Partial<Record<Account, number>> = {}
  for (const { account, amountPaise } of postings.flatMap(posting => posting.entries))
    totals[account] = (totals[account] ?? 0) + amountPaise
  return Object.fromEntries(Object.entries(totals).filter(([, total]) => total !== 0))
}

function assertBalanced(posting: Posting): void {
  assert.equal(
    posting.entries.reduce((sum, entry) => sum + entry.amountPaise, 0),
    0,
  )
  assert.ok(posting.entries.length >= 2)
  assert.ok(posting.entries.every(entry => entry.amountPaise !== 0))
}

test('every posting balances for every amount', () => {
  fc.assert(
    fc.property(amount, fc.boolean(), (paise, flag) => {
      assertBalanced(captureOf('pay_1', paise, flag))
      assertBalanced(refundRequestOf('rfd_1', paise))
      assertBalanced(refundResultOf('rfd_1', paise, flag))
      assertBalanced(duplicateRefundOf('rfd_1', paise))
      assertBalanced(returnOf('rfd_1', paise))
      assert.deepEqual(balances([captureOf('pay_1', paise, false), returnOf('rfd_1', paise)]), {})
    }),
    { numRuns: 2_000 },
  )
})

test('a settlement balances whatever it pays out, keeps and takes back, also when refunds outweigh payments', () => {
  const part = fc.integer({ min: 0, max: MAX_PAISE }).map(paiseOf)
  fc.assert(
    fc.property(part, part, part, (grossPaise, feePaise, refundPaise) => {
      fc.pre(grossPaise !== refundPaise || feePaise !== 0)
      const posting = settlementOf('stl_1', { grossPaise, feePaise, refundPaise })
      assertBalanced(posting)
      const payable = grossPaise - refundPaise
      assert.deepEqual(
        balances([posting]),
        payable === 0 ? {} : { provider_receivable: -payable, institute_payable: payable },
      )
    }),
    { numRuns: 2_000 },
  )
})

test('a payment that is refunded in parts and settled leaves every account empty', () => {
  fc.assert(
    fc.property(amount, fc.double({ min: 0, max: 1, noNaN: true }), (paise, share) => {
      const refunded = paiseOf(Math.floor(paise * share))
      const refunds =
        refunded === 0 ? [] : [refundRequestOf('rfd_1', refunded), refundResultOf('rfd_1', refunded, true)]
      const sums = { grossPaise: paise, feePaise: paiseOf(0), refundPaise: refunded }
      const settled = refunded === paise ? [] : [settlementOf('stl_1', sums)]
      assert.deepEqual(balances([captureOf('pay_1', paise, false), ...refunds, ...settled]), {})
    }),
  )
})

test('a refund that fails leaves the institute owed as before it was asked for', () => {
  fc.assert(
    fc.property(amount, paise => {
      assert.deepEqual(balances([refundRequestOf('r', paise), refundResultOf('r', paise, false)]), {})
    }),
  )
})

test('a duplicate is owed to its payer, not to the institute, and nobody is owed once it went back', () => {
  fc.assert(
    fc.property(amount, paise => {
      const captured = captureOf('pay_2', paise, true)
      assert.deepEqual(balances([captured]), { provider_receivable: paise, payer_clearing: 0 - paise })
      assert.deepEqual(balances([captured, duplicateRefundOf('rfd_2', paise)]), {})
    }),
  )
})

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
