import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  childNoOf,
  mergeStructure,
  payableOf,
  priceStudent,
  mergeOrders,
  type FeeStructure,
} from '../../src/fees/structures/structure.rules.ts'
import { paiseOf } from '../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 10_000_000 }).map(paiseOf)
const grade = fc.constantFrom('1', '2')
const head = fc.constantFrom('A', 'B')
const structures: fc.Arbitrary<FeeStructure> = fc.record({
  academicYearStart: fc.constant(2026),
  academicYearEnd: fc.constant(2027),
  collectorCode: fc.constant(null),
  terms: fc.constantFrom(
    [{ name: 'T1', dueOn: '2026-06-01' }],
    [
      { name: 'T1', dueOn: '2026-06-01' },
      { name: 'T2', dueOn: '2026-12-01' },
    ],
  ),
  heads: fc.constant(['A', 'B']),
  grades: fc.constant(['1', '2']),
  amounts: fc.uniqueArray(
    fc.record({ grade, componentType: head, term: fc.constantFrom(1, 2), amountPaise: paise }),
    { selector: one => `${one.grade} ${one.componentType} ${one.term}` },
  ),
  concessions: fc.uniqueArray(
    fc.oneof(
      fc.record({
        discountType: fc.constantFrom('X', 'Y', 'Z'),
        kind: fc.constant('sibling' as const),
        child: fc.integer({ min: 2, max: 4 }),
        category: fc.constant(null),
        heads: fc.subarray(['A', 'B']),
        percent: fc.integer({ min: 1, max: 100 }),
        amountPaise: fc.constant(null),
      }),
      fc.record({
        discountType: fc.constantFrom('X', 'Y', 'Z'),
        kind: fc.constant('category' as const),
        child: fc.constant(null),
        category: fc.constant('Staff'),
        heads: fc.subarray(['A', 'B']),
        percent: fc.constant(null),
        amountPaise: paise,
      }),
    ),
    { selector: one => one.discountType },
  ),
})
const student = fc.record({
  grade,
  category: fc.constantFrom(null, 'Staff'),
  childNo: fc.integer({ min: 1, max: 6 }),
})

test('no concession takes more than its fee, and merging the same structure again changes nothing', () => {
  fc.assert(
    fc.property(structures, student, (one, who) => {
      const priced = priceStudent(one, who)
      assert.ok(payableOf(priced) >= 0)
      for (const fee of priced) assert.ok(payableOf([fee]) >= 0)
      const options = {
        ruleNames: new Set(one.concessions.map(rule => rule.discountType)),
        chargedBefore: priced.map(fee => fee.componentType),
      }
      const first = mergeStructure([], priced, options)
      const stored = first.map((fee, index) => ({
        ...fee,
        discounts: fee.discounts ?? [],
        position: index + 1,
      }))
      assert.deepEqual(mergeStructure(stored, priced, options), first)
    }),
  )
})

test('the children of a family are counted once each, the one in the highest class first', () => {
  const child = fc.record({
    id: fc.uuid(),
    grade,
    dateOfBirth: fc.constantFrom(null, '2015-01-01', '2016-01-01'),
  })
  fc.assert(
    fc.property(fc.uniqueArray(child, { selector: one => one.id, minLength: 1, maxLength: 6 }), family => {
      const numbers = family.map(one => childNoOf(one.id, family, ['1', '2']))
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        family.map((_, index) => index + 1),
      )
      const eldest = family[numbers.indexOf(1)]
      assert.equal(eldest?.grade, family.some(one => one.grade === '2') ? '2' : '1')
    }),
  )
})

test('classes of all branches come in one order that keeps the institute’s and forgets none', () => {
  const orders = fc.array(fc.uniqueArray(fc.constantFrom<string[]>('N', 'L', '1', '2', '3', '4')), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(orders, all => {
      const merged = mergeOrders(all)
      assert.equal(new Set(merged).size, merged.length)
      assert.deepEqual(new Set(merged), new Set(all.flat()))
      const [first = []] = all
      assert.deepEqual(
        merged.filter(one => first.includes(one)),
        first,
      )
    }),
  )
})
