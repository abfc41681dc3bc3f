import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { takeBack, type Advances } from '../../../src/fees/advances/take-back.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'

const TYPES = ['A', 'B', 'C']
const type = fc.constantFrom(...TYPES)
const amount = fc.integer({ min: 1, max: 1000 }).map(paiseOf)
const advances: fc.Arbitrary<Advances> = fc.record({
  surpluses: fc
    .array(fc.integer({ min: -1500, max: 1500 }).map(paiseOf), { minLength: 3, maxLength: 3 })
    .map(all => all.map((amountPaise, index) => ({ componentType: TYPES[index] ?? '', amountPaise }))),
  carried: fc.uniqueArray(
    fc.record({
      componentType: type,
      amountPaise: amount,
      otherStudentId: fc.constant('next'),
      gainedAs: fc.constant('ADVANCE'),
      rolloverId: fc.constant('roll'),
    }),
    { selector: one => one.componentType },
  ),
  // As the store nets them: of two fees, only one has given to the other.
  used: fc
    .uniqueArray(fc.record({ fromComponent: type, toComponent: type, amountPaise: amount }), {
      selector: one => [one.fromComponent, one.toComponent].sort().join(),
    })
    .map(all => all.filter(one => one.fromComponent !== one.toComponent)),
})

const sum = (all: readonly { amountPaise: number }[]): number =>
  all.reduce((total, one) => total + one.amountPaise, 0)

test('what comes back was given away, is missing, and leaves nothing given away by a fee that is owed', () => {
  fc.assert(
    fc.property(advances, given => {
      const taken = takeBack(given)
      for (const [componentType, before] of given.surpluses.map(
        one => [one.componentType, one.amountPaise] as const,
      )) {
        const own = taken.carried.filter(one => one.componentType === componentType)
        const returned = taken.used.filter(one => one.fromComponent === componentType)
        const lost = taken.used.filter(one => one.toComponent === componentType)
        const after = before + sum(own) + sum(returned) - sum(lost)
        const left =
          sum(given.carried.filter(one => one.componentType === componentType)) -
          sum(own) +
          sum(given.used.filter(one => one.fromComponent === componentType)) -
          sum(returned)
        assert.ok(left >= 0, 'no more than was given')
        assert.ok(after >= 0 || left === 0, 'a fee that is owed has everything back')
        if (before >= 0 && lost.length === 0) assert.equal(sum(own) + sum(returned), 0)
      }
    }),
  )
})

test('nothing comes back while what is held is not below nothing', () => {
  const used = [{ fromComponent: 'A', toComponent: 'B', amountPaise: paiseOf(500) }]
  assert.deepEqual(takeBack({ surpluses: [], carried: [], used }), { carried: [], used: [] })
})
