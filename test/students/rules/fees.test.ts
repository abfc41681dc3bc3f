import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf, sumPaise, type Paise } from '../../../src/platform/money.ts'
import {
  balanceOf,
  feeProblems,
  mergeFees,
  summariseFees,
  type Discount,
  type FeeComponent,
  type SentFee,
} from '../../../src/fees/fees.rules.ts'

const paise = fc.integer({ min: 0, max: 10_000_000 }).map(paiseOf)
const componentType = fc.constantFrom('TUITION', 'TRANSPORT', 'HOSTEL', 'LAB')
const discount = fc.record({ discountType: fc.constantFrom('MERIT', 'SIBLING'), valuePaise: paise })

/** Fees as they may be sent: no component twice, discounts within the fee. */
const sentFees: fc.Arbitrary<SentFee[]> = fc
  .uniqueArray(
    fc.record({
      componentType,
      feePaise: paise,
      discounts: fc.option(fc.array(discount, { maxLength: 3 }), { nil: undefined }),
    }),
    { selector: fee => fee.componentType },
  )
  .map(fees => fees.filter(fee => feeProblems([fee], 'fee_components').length === 0))

function apply(current: FeeComponent[], sent: SentFee[]): FeeComponent[] {
  const merged = new Map(current.map(fee => [fee.componentType, fee]))
  for (const { componentType: type, position, after } of mergeFees(current, sent)) {
    merged.set(type, { componentType: type, position, ...after })
  }
  return [...merged.values()]
}

/** The same discounts in another order are the same. */
function inOneOrder(discounts: readonly Discount[]): string[] {
  return discounts.map(one => `${one.discountType} ${one.valuePaise}`).sort()
}

const history = fc.array(sentFees, { maxLength: 6 })

test('whatever is sent in whatever order, discounts never exceed their fee', () => {
  fc.assert(
    fc.property(history, updates => {
      const fees = updates.reduce(apply, [])
      for (const fee of fees) {
        const taken = sumPaise(fee.discounts.map(one => one.valuePaise))
        assert.ok(taken <= fee.feePaise, `${fee.componentType}: ${taken} off ${fee.feePaise}`)
      }
    }),
  )
})

test('a component sent is set, one not sent stays as it was', () => {
  fc.assert(
    fc.property(history, sentFees, (updates, sent) => {
      const before = updates.reduce(apply, [])
      const after = apply(before, sent)
      for (const fee of after) {
        const asked = sent.find(one => one.componentType === fee.componentType)
        if (asked === undefined)
          assert.deepEqual(
            fee,
            before.find(one => one.componentType === fee.componentType),
          )
        else assert.equal(fee.feePaise, asked.feePaise)
        if (asked?.discounts !== undefined && asked.feePaise > 0)
          assert.deepEqual(inOneOrder(fee.discounts), inOneOrder(asked.discounts))
      }
    }),
  )
})

test('sending the same again changes nothing', () => {
  fc.assert(
    fc.property(history, sentFees, (updates, sent) => {
      const once = apply(updates.reduce(apply, []), sent)
      assert.deepEqual(mergeFees(once, sent), [])
    }),
  )
})

test('outstanding less advance is always fee less discount less paid', () => {
  const payments = fc.dictionary(fc.constantFrom('TUITION', 'TRANSPORT', 'CANTEEN'), paise)
  fc.assert(
    fc.property(history, payments, (updates, paid) => {
      const fees = updates.reduce(apply, [])
      const sum = summariseFees(fees, new Map<string, Paise>(Object.entries(paid)))
      assert.equal(
        sum.outstandingPaise - sum.advancePaise,
        sum.totalFeePaise - sum.discountPaise - sum.paidPaise,
      )
      assert.ok(sum.outstandingPaise >= 0 && sum.advancePaise >= 0)
    }),
  )
})

test('of one component either something is outstanding or something is in advance, never both', () => {
  fc.assert(
    fc.property(paise, paise, (feePaise, paid) => {
      const { outstandingPaise, advancePaise } = balanceOf({ feePaise, discounts: [] }, paid)
      assert.ok(outstandingPaise === 0 || advancePaise === 0)
    }),
  )
})

test('discounts that were not sent are capped at a lower fee in their order, and the change says so', () => {
  const current: FeeComponent[] = [
    {
      componentType: 'TUITION',
      position: 1,
      feePaise: paiseOf(100),
      discounts: [
        { discountType: 'MERIT', valuePaise: paiseOf(30) },
        { discountType: 'SIBLING', valuePaise: paiseOf(30) },
      ],
    },
  ]
  const [change] = mergeFees(current, [{ componentType: 'TUITION', feePaise: paiseOf(40) }])
  assert.deepEqual(change?.after.discounts, [
    { discountType: 'MERIT', valuePaise: 30 },
    { discountType: 'SIBLING', valuePaise: 10 },
  ])
  assert.equal(change?.note, 'discounts capped at the new fee')
  const [ended] = mergeFees(current, [{ componentType: 'TUITION', feePaise: paiseOf(0) }])
  assert.deepEqual(ended?.after, { feePaise: 0, discounts: [] })
})

test('discounts that fit the new fee stay untouched, those of 0 too, and nothing is noted', () => {
  const discounts = [
    { discountType: 'MERIT', valuePaise: paiseOf(0) },
    { discountType: 'SIBLING', valuePaise: paiseOf(30) },
  ]
  const current: FeeComponent[] = [
    { componentType: 'TUITION', position: 1, feePaise: paiseOf(100), discounts },
  ]
  const after = (fee: number) => mergeFees(current, [{ componentType: 'TUITION', feePaise: paiseOf(fee) }])[0]
  assert.deepEqual([after(30)?.after.discounts, after(30)?.note], [discounts, null])
  assert.deepEqual(
    after(20)?.after.discounts.map(one => one.valuePaise),
    [0, 20],
  )
  assert.equal(after(20)?.note, 'discounts capped at the new fee')
})

test('the same discounts in another order are no change', () => {
  const discounts = [
    { discountType: 'MERIT', valuePaise: paiseOf(1) },
    { discountType: 'SIBLING', valuePaise: paiseOf(2) },
  ]
  const price = { componentType: 'TUITION', feePaise: paiseOf(100) }
  const current: FeeComponent[] = [{ ...price, position: 1, discounts }]
  assert.deepEqual(mergeFees(current, [{ ...price, discounts: discounts.toReversed() }]), [])
})
