import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  carryAgain,
  takeBack,
  type Advances,
  type ComponentAmount,
} from '../../../src/fees/advances/advances.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'

const TYPES = ['A', 'B', 'C']
const type = fc.constantFrom(...TYPES)
const amount = fc.integer({ min: 1, max: 1000 }).map(paiseOf)
const carried = fc.uniqueArray(
  fc.record({
    componentType: type,
    amountPaise: amount,
    otherStudentId: fc.constant('next'),
    gainedAs: fc.constant('ADVANCE'),
    rolloverId: fc.constant('roll'),
  }),
  { selector: one => one.componentType },
)
const advances: fc.Arbitrary<Advances> = fc.record({
  surpluses: fc
    .array(fc.integer({ min: -1500, max: 1500 }).map(paiseOf), { minLength: 3, maxLength: 3 })
    .map(all => all.map((amountPaise, index) => ({ componentType: TYPES[index] ?? '', amountPaise }))),
  carried,
  takenBack: carried,
  // As the store nets them: of two fees, only one has given to the other.
  used: fc
    .uniqueArray(fc.record({ fromComponent: type, toComponent: type, amountPaise: amount }), {
      selector: one => [one.fromComponent, one.toComponent].sort().join(),
    })
    .map(all => all.filter(one => one.fromComponent !== one.toComponent)),
})

const sum = (all: readonly { amountPaise: number }[]): number =>
  all.reduce((total, one) => total + one.amountPaise, 0)

const gone: fc.Arbitrary<ComponentAmount[]> = fc.array(
  fc.record({ componentType: type, amountPaise: amount }),
)
const of = (all: readonly ComponentAmount[], componentType: string): number =>
  sum(all.filter(one => one.componentType === componentType))

test('what comes back was given away, is missing and went away; a fee that lost it all has everything back', () => {
  fc.assert(
    fc.property(advances, gone, (given, lines) => {
      const taken = takeBack(given, lines)
      for (const { componentType, amountPaise: before } of given.surpluses) {
        const back =
          of(taken.carried, componentType) +
          sum(taken.used.filter(one => one.fromComponent === componentType))
        const lost = sum(taken.used.filter(one => one.toComponent === componentType))
        const given1 =
          of(given.carried, componentType) +
          sum(given.used.filter(one => one.fromComponent === componentType))
        assert.ok(back <= given1, 'no more than was given')
        assert.ok(back <= of(lines, componentType) + lost, 'no more than went away')
        assert.ok(back === 0 || before + back - lost <= 0, 'no more than is missing')
        const isEnough = of(lines, componentType) + lost >= lost - before
        if (isEnough) assert.ok(before + back - lost >= 0 || back === given1, 'nothing stays away')
      }
    }),
  )
})

test('what is carried again was taken back, is there and came', () => {
  fc.assert(
    fc.property(advances, gone, (given, came) => {
      const again = carryAgain(given, came)
      for (const { componentType, amountPaise: held } of given.surpluses) {
        const most = Math.min(of(given.takenBack, componentType), of(came, componentType), Math.max(held, 0))
        assert.equal(of(again, componentType), most)
      }
    }),
  )
})
