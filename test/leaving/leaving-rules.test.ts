import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Discount, Price } from '../../src/fees/fees.rules.ts'
import {
  CHARGES,
  depositAfter,
  loweredBy,
  monthsBegun,
  payableOf,
  priceAfter,
  proposedCharge,
  proposeRefunds,
  refundedBeside,
  withWrittenOff,
  yearSpan,
  type SettledLine,
} from '../../src/leaving/leaving.rules.ts'
import { paiseOf, sumPaise } from '../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 20_000_000 }).map(paiseOf)
const price: fc.Arbitrary<Price> = fc
  .record({ feePaise: paise, shares: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 2 }) })
  .map(({ feePaise, shares }) => ({
    feePaise,
    discounts: shares.map((share, index): Discount => ({
      discountType: `KIND_${index}`,
      valuePaise: paiseOf(Math.floor((feePaise * share) / 100)),
    })),
  }))
const share = fc
  .integer({ min: 1, max: 14 })
  .chain(whole => fc.record({ part: fc.integer({ min: 0, max: whole }), whole: fc.constant(whole) }))
const line = fc.record({
  price,
  paid: paise,
  charge: fc.constantFrom(...CHARGES),
  isDeposit: fc.boolean(),
})

const settled = (
  lines: readonly (typeof line extends fc.Arbitrary<infer One> ? One : never)[],
  of: { part: number; whole: number },
) =>
  lines.map(({ price: before, paid, charge, isDeposit }, index): SettledLine => {
    const after = isDeposit && charge !== 'full' ? depositAfter(before, paid) : priceAfter(before, charge, of)
    return {
      componentType: `FEE_${index}`,
      charge,
      isDeposit,
      isOptional: false,
      dueOn: null,
      beforePaise: payableOf(before),
      afterPaise: payableOf(after),
      paidPaise: paid,
    }
  })

test('a fee of a leaver never rises, never falls below nothing, and keeps discounts that fit', () => {
  fc.assert(
    fc.property(price, fc.constantFrom(...CHARGES), share, (before, charge, of) => {
      const after = priceAfter(before, charge, of)
      assert.ok(payableOf(after) >= 0 && payableOf(after) <= payableOf(before))
      assert.ok(after.feePaise <= before.feePaise)
      assert.ok(after.discounts.every(one => one.valuePaise > 0 || charge === 'full' || charge === 'ended'))
      if (charge === 'none') assert.equal(after.feePaise, 0)
      if (charge === 'full') assert.equal(after, before)
      if (charge === 'prorated')
        assert.equal(payableOf(after), Math.floor((payableOf(before) * of.part) / of.whole))
    }),
  )
})

test('what is given up, what is refunded and what stays add up, and no rupee is counted twice', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 6 }),
      share,
      paise,
      fc.array(paise, { maxLength: 3 }),
      (lines, of, online, taken) => {
        const all = settled(lines, of)
        const { loweredPaise, freedPaise } = loweredBy(all)
        assert.ok(freedPaise >= 0 && freedPaise <= loweredPaise)
        const over = sumPaise(all.map(one => paiseOf(Math.max(one.paidPaise - one.afterPaise, 0))))
        const refundable = {
          onlinePaise: online,
          counter: taken.map((refundablePaise, id) => ({ id, refundablePaise })),
        }
        const { onlinePaise, counter, keptPaise } = proposeRefunds(over, refundable)
        const back = [onlinePaise, ...counter.map(one => one.amountPaise)]
        assert.equal(sumPaise([...back, keptPaise]), over)
        assert.ok(onlinePaise <= online && counter.every(one => one.amountPaise <= one.refundablePaise))
        const beside = refundedBeside(
          freedPaise,
          back.map(amountPaise => ({ amountPaise })),
        )
        assert.ok(beside.every((one, index) => one >= 0 && one <= (back[index] ?? 0)))
        assert.equal(sumPaise(beside), Math.max(sumPaise(back) - freedPaise, 0))
      },
    ),
  )
})

test('of a deposit as much is asked as was paid, so all of it can go back', () => {
  fc.assert(
    fc.property(price, fc.integer({ min: -5_000, max: 20_000_000 }).map(paiseOf), (before, paid) => {
      const after = depositAfter(before, paid)
      assert.equal(payableOf(after), Math.max(Math.min(paid, payableOf(before)), 0))
    }),
  )
})

test('what is written off takes what is owed to nothing, also the second time', () => {
  fc.assert(
    fc.property(price, paise, (before, again) => {
      const once = withWrittenOff(before.discounts, payableOf(before))
      assert.equal(payableOf({ feePaise: before.feePaise, discounts: once }), 0)
      const feePaise = sumPaise([before.feePaise, again])
      assert.equal(payableOf({ feePaise, discounts: withWrittenOff(once, again) }), 0)
      assert.equal(once.filter(one => one.discountType === 'WRITTEN_OFF').length, 1)
    }),
  )
})

test('what fell due by the leaving day is owed, and what has no day; a deposit is not', () => {
  const fee = { dueOn: '2026-09-10', isCarried: false, isDeposit: false, isOptional: false }
  assert.deepEqual(
    [
      proposedCharge(fee, '2026-09-10'),
      proposedCharge(fee, '2026-09-09'),
      proposedCharge({ ...fee, dueOn: null }, '2026-09-09'),
      proposedCharge({ ...fee, isCarried: true }, '2026-09-09'),
      proposedCharge({ ...fee, isDeposit: true }, '2026-12-31'),
      proposedCharge({ ...fee, isOptional: true }, '2026-09-09'),
    ],
    ['full', 'none', 'full', 'full', 'none', 'ended'],
  )
})

test('the month of the leaving day counts whole, within the year', () => {
  const year = yearSpan(2026, 2027)
  assert.deepEqual(
    ['2026-04-01', '2026-11-30', '2027-03-31', '2026-03-31', '2027-06-01'].map(
      day => monthsBegun(year, day).part,
    ),
    [1, 8, 12, 0, 12],
  )
  assert.deepEqual(monthsBegun({ from: '2026-06-10', to: '2027-03-20' }, '2026-09-01'), {
    part: 4,
    whole: 10,
  })
})
