import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { loweredClasses, type FeeStructure } from '../../../src/fees/structures/structure.rules.ts'
import { isBeyond } from '../../../src/institutes/institutes.rules.ts'
import { paiseOf, ZERO } from '../../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 1e9 }).map(paiseOf)
const gifts = fc.array(fc.record({ about: fc.constantFrom('a', 'b', 'c'), amountPaise: paise }), {
  maxLength: 8,
})
const earlier = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), paise)
  .map(sums => new Map(Object.entries(sums)))

test('one person may give up to both limits and not a paisa more, however the gifts are cut into parts', () => {
  fc.assert(
    fc.property(
      paise,
      paise,
      paise,
      gifts,
      earlier,
      (perActPaise, perChildPaise, wholePaise, given, before) => {
        const sumOf = (some: typeof given): number => some.reduce((sum, one) => sum + one.amountPaise, 0)
        const isTooMuch =
          sumOf(given) > perActPaise ||
          wholePaise > perActPaise ||
          given.some(
            ({ about }) =>
              sumOf(given.filter(one => one.about === about)) + (before.get(about) ?? 0) > perChildPaise,
          )
        const limits = { perActPaise, perChildPaise }
        assert.equal(isBeyond(limits, given, { wholePaise, earlier: before }), isTooMuch)
      },
    ),
  )
})

const structure = (amount: number, concessions: FeeStructure['concessions'] = []): FeeStructure => ({
  academicYearStart: 2026,
  academicYearEnd: 2027,
  collectorCode: null,
  terms: [{ name: 'Year', dueOn: '2026-06-10' }],
  heads: ['TUITION_FEE'],
  grades: ['5'],
  amounts: [{ grade: '5', componentType: 'TUITION_FEE', term: 1, amountPaise: paiseOf(amount) }],
  concessions,
})
const STAFF = { discountType: 'STAFF', category: 'Staff', child: null, heads: [], amountPaise: null } as const
const shared = (one: FeeStructure | null) => ({ shared: one, own: new Map<string, FeeStructure>() })
const BRANCHES = [{ collectorCode: 'MAIN' }]

const lowered = (before: FeeStructure | null, after: FeeStructure | null): number =>
  loweredClasses(shared(before), shared(after), BRANCHES)[0]?.amountPaise ?? ZERO

test('a class is lowered by what the child who gains most pays less: by amounts, by a new rule, or by no structure at all', () => {
  assert.equal(lowered(structure(6_000), structure(5_000)), 1_000)
  assert.equal(lowered(structure(6_000), structure(7_000)), 0)
  const halfForStaff = [{ ...STAFF, kind: 'category' as const, percent: 50 }]
  assert.equal(lowered(structure(6_000), structure(6_000, halfForStaff)), 3_000)
  assert.equal(lowered(structure(6_000, halfForStaff), structure(6_000)), 0)
  assert.equal(lowered(structure(6_000), null), 6_000)
  assert.equal(lowered(null, structure(6_000)), 0)
})
