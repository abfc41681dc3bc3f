import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advancesOf, moveAdvances } from '../../../src/fees/advances/advances.rules.ts'
import { paiseOf, sumPaise, type Paise } from '../../../src/platform/money.ts'

const TYPES = ['A', 'B', 'C', 'D', 'E', 'F']
const paise = fc.integer({ min: 0, max: 1_000_000 }).map(paiseOf)
const amounts = fc.tuple(...TYPES.map(() => paise))
const asLines = (values: readonly Paise[]) =>
  TYPES.map((componentType, index) => ({ componentType, amountPaise: values[index] ?? paiseOf(0) }))

test('an advance pays other fees as far as it reaches: nothing is lost, nobody is paid twice, and no fee is taken from that was not overpaid', () => {
  fc.assert(
    fc.property(amounts, amounts, (prices, paid) => {
      const paidOf = new Map(asLines(paid).map(line => [line.componentType, line.amountPaise]))
      const advances = advancesOf(asLines(prices), paidOf)
      const owed = asLines(prices)
        .map(({ componentType, amountPaise }) => ({
          componentType,
          amountPaise: paiseOf(Math.max(amountPaise - (paidOf.get(componentType) ?? 0), 0)),
        }))
        .filter(line => line.amountPaise > 0)
      const moves = moveAdvances(advances, owed)
      const advance = sumPaise(advances.map(one => one.amountPaise))
      const due = sumPaise(owed.map(one => one.amountPaise))
      assert.equal(sumPaise(moves.map(move => move.amountPaise)), Math.min(advance, due))
      for (const { fromComponent, toComponent, amountPaise } of moves) {
        assert.notEqual(fromComponent, toComponent)
        assert.ok(amountPaise > 0)
      }
      const sum = (of: (move: (typeof moves)[number]) => string, type: string): number =>
        sumPaise(moves.filter(move => of(move) === type).map(move => move.amountPaise))
      for (const { componentType, amountPaise } of advances)
        assert.ok(sum(move => move.fromComponent, componentType) <= amountPaise)
      for (const { componentType, amountPaise } of owed)
        assert.ok(sum(move => move.toComponent, componentType) <= amountPaise)
    }),
    { numRuns: 500 },
  )
})
