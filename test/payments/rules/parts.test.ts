import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  divideLines,
  divideRefund,
  toLinkedParts,
  type Part,
} from '../../../src/payments/parts/parts.rules.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../../src/platform/money.ts'
import {
  destinationOf,
  type Destination,
  type Destinations,
} from '../../../src/providers/settlement-accounts/destinations.rules.ts'

const amount = fc.integer({ min: 1, max: 10_000_000_00 }).map(paiseOf)
const lines = fc.array(
  fc.record({ componentType: fc.constantFrom('A', 'B', 'C', 'D', 'E'), amountPaise: amount }),
  { minLength: 1, maxLength: 12 },
)
/** Where each component goes: to the account itself, or to one of three others. */
const places = fc.record({
  A: fc.nat(3),
  B: fc.nat(3),
  C: fc.nat(3),
  D: fc.nat(3),
  E: fc.nat(3),
})
type Places = Readonly<Record<string, number>>

const goesTo =
  (where: Places) =>
  (componentType: string): Destination => {
    const place = where[componentType] ?? 0
    return place === 0
      ? { kind: 'own' }
      : { kind: 'linked', bankAccountId: `acct_${place}`, linkedId: `acc_${place}` }
  }

test('whatever belongs where, the parts add up to the payment, and each line is in the part of its account', () => {
  fc.assert(
    fc.property(lines, places, (asked, where) => {
      const parts = divideLines(asked, goesTo(where))
      const isSplit = asked.some(line => goesTo(where)(line.componentType).kind === 'linked')
      assert.equal(parts.length > 0, isSplit)
      if (!isSplit) return
      assert.equal(
        sumPaise(parts.map(part => part.amountPaise)),
        sumPaise(asked.map(line => line.amountPaise)),
      )
      assert.deepEqual(
        parts.map(part => part.partNo),
        parts.map((_, index) => index),
      )
      assert.deepEqual(
        parts.flatMap(part => part.lineNos).toSorted((one, other) => one - other),
        asked.map((_, index) => index + 1),
      )
      for (const { linkedId, lineNos, amountPaise } of parts) {
        const own = lineNos.flatMap(no => asked[no - 1] ?? [])
        assert.equal(amountPaise, sumPaise(own.map(line => line.amountPaise)))
        for (const { componentType } of own) {
          const destination = goesTo(where)(componentType)
          assert.equal(destination.kind === 'linked' ? destination.linkedId : null, linkedId)
        }
      }
      const told = toLinkedParts(parts)
      const [own] = parts
      assert.equal(
        sumPaise([own?.amountPaise ?? ZERO, ...told.map(part => part.amountPaise)]),
        sumPaise(asked.map(line => line.amountPaise)),
      )
    }),
  )
})

test('however a payment is refunded bit by bit, no account gives back more than it got, and each refund adds up', () => {
  const shares = fc.array(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 12, maxLength: 12 }), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(lines, places, shares, (asked, where, refunds) => {
      const parts = divideLines(asked, goesTo(where))
      const left: Paise[] = asked.map(line => line.amountPaise)
      const given = new Map<number, Paise>()
      for (const share of refunds) {
        const back = left.map((paise, index) => ({
          lineNo: index + 1,
          amountPaise: paiseOf(Math.floor((paise * (share[index] ?? 0)) / 100)),
        }))
        const amountPaise = sumPaise(back.map(line => line.amountPaise))
        if (amountPaise === 0) continue
        const of = divideRefund(parts, { amountPaise, lines: back }, given)
        if (of.length > 0) assert.equal(sumPaise(of.map(part => part.amountPaise)), amountPaise)
        for (const part of of) {
          const line = parts.find(one => one.partNo === part.partNo)
          const own = back.filter(one => line?.lineNos.includes(one.lineNo) === true)
          assert.equal(part.amountPaise, sumPaise(own.map(one => one.amountPaise)))
          given.set(part.partNo, sumPaise([given.get(part.partNo) ?? ZERO, part.amountPaise]))
        }
        for (const { lineNo, amountPaise: paise } of back)
          left[lineNo - 1] = subtractPaise(left[lineNo - 1] ?? ZERO, paise)
      }
      for (const { partNo, amountPaise } of parts) assert.ok((given.get(partNo) ?? ZERO) <= amountPaise)
    }),
  )
})

test('what an account has given back already, and what is of no line, comes from the account that took the payment', () => {
  const parts: Part[] = [
    { partNo: 0, bankAccountId: null, linkedId: null, lineNos: [1], amountPaise: paiseOf(100) },
    { partNo: 1, bankAccountId: 'acct_1', linkedId: 'acc_1', lineNos: [2], amountPaise: paiseOf(50) },
  ]
  const all = [{ lineNo: 2, amountPaise: paiseOf(50) }]
  assert.deepEqual(
    divideRefund(parts, { amountPaise: paiseOf(60), lines: all }, new Map([[1, paiseOf(20)]])),
    [
      { partNo: 0, linkedId: null, amountPaise: 30 },
      { partNo: 1, linkedId: 'acc_1', amountPaise: minPaise(paiseOf(50), paiseOf(30)) },
    ],
  )
  assert.deepEqual(divideRefund(parts, { amountPaise: paiseOf(60), lines: [] }, new Map()), [])
})

test('a component is charged online only where the account that takes it can settle it in its verified account', () => {
  const destinations: Destinations = {
    namedBy: type => (type === 'TUITION_FEE' ? null : { id: 'acct_1', name: 'Hostel' }),
    linked: [
      { bankAccountId: 'acct_1', name: 'Hostel', accountId: 'pa_1', linkedId: 'acc_1', isVerified: true },
      { bankAccountId: 'acct_1', name: 'Hostel', accountId: 'pa_2', linkedId: 'acc_2', isVerified: false },
    ],
  }
  const kindAt = (id: string, type: string, canSplit = true) =>
    destinationOf(destinations, { id, canSplit }, type).kind
  assert.equal(kindAt('pa_1', 'HOSTEL_FEE'), 'linked')
  assert.equal(kindAt('pa_2', 'HOSTEL_FEE'), 'closed')
  assert.equal(kindAt('pa_3', 'HOSTEL_FEE'), 'closed')
  assert.equal(kindAt('pa_1', 'HOSTEL_FEE', false), 'closed')
  assert.equal(kindAt('pa_3', 'TUITION_FEE', false), 'own')
})
