import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf, sumPaise, type Paise } from '../../../src/platform/money.ts'
import {
  advanceOf,
  amountProblems,
  correctPayment,
  decideRecord,
  decideRegistered,
  isSamePayment,
  namesOf,
  withoutLines,
  type Correction,
  type RecordedPayment,
} from '../../../src/students/direct-payments/direct-payments.rules.ts'
import { summariseFees, type FeeComponent } from '../../../src/fees/fees.rules.ts'
import { decideProfile, type SentProfile } from '../../../src/students/profile/profile.rules.ts'
import type { Student } from '../../../src/students/students.rules.ts'

const TYPES = ['TUITION', 'TRANSPORT', 'HOSTEL'] as const
const paise = fc.integer({ min: 0, max: 1_000 }).map(paiseOf)
const lines = fc.array(
  fc.record({ componentType: fc.constantFrom(...TYPES, 'CANTEEN'), amountPaise: paise }),
  { minLength: 1, maxLength: 5 },
)
const fees: fc.Arbitrary<FeeComponent[]> = fc.tuple(paise, paise, paise).map(amounts =>
  amounts.map((feePaise, index) => ({
    componentType: TYPES[index] ?? '',
    position: index,
    feePaise,
    discounts: [{ discountType: 'MERIT', valuePaise: paiseOf(Math.floor(feePaise / 3)) }],
  })),
)
const paidBefore = fc
  .dictionary(fc.constantFrom(...TYPES), paise)
  .map(paid => new Map<string, Paise>(Object.entries(paid)))

const payment: fc.Arbitrary<RecordedPayment> = fc
  .record({
    mode: fc.constantFrom('cash', 'cheque'),
    settlementUtr: fc.constantFrom(null, 'U1', 'U2'),
    notes: fc.constantFrom(null, 'one', 'two'),
    paidAt: fc.constantFrom(1, 2).map(ms => new Date(ms)),
    cancelledAt: fc.constantFrom(null, new Date(3)),
    lines,
  })
  .map(rest => ({
    ...rest,
    id: 'pay_1',
    transactionId: 'T',
    recordedBy: null,
    instrument: null,
    receipt: null,
    refundedPaise: paiseOf(0),
    recordedAt: new Date(0),
    amountPaise: sumPaise(rest.lines.map(line => line.amountPaise)),
  }))

function add(paid: ReadonlyMap<string, Paise>, own: RecordedPayment['lines']): Map<string, Paise> {
  const all = new Map(paid)
  for (const { componentType, amountPaise } of own)
    all.set(componentType, paiseOf((all.get(componentType) ?? 0) + amountPaise))
  return all
}

test('the advance of a payment is exactly what it adds to the advance of its student', () => {
  fc.assert(
    fc.property(fees, paidBefore, lines, (owed, paid, own) => {
      const before = summariseFees(owed, paid)
      const after = summariseFees(owed, add(paid, own))
      const advance = advanceOf(own, owed, paid)
      assert.equal(advance, after.advancePaise - before.advancePaise)
      const amount = sumPaise(own.map(line => line.amountPaise))
      assert.equal(amount - advance, before.outstandingPaise - after.outstandingPaise)
    }),
  )
})

test('a payment asked about again has the advance it had when it was recorded', () => {
  fc.assert(
    fc.property(fees, paidBefore, lines, (owed, paid, own) => {
      const later = withoutLines(add(paid, own), own)
      assert.equal(advanceOf(own, owed, later), advanceOf(own, owed, paid))
    }),
  )
})

test('the same payment is known whatever the order of its lines, and every difference is a conflict', () => {
  fc.assert(
    fc.property(payment, payment, (known, sent) => {
      const decision = decideRecord(known, sent)
      if (known.cancelledAt !== null) assert.equal(decision.kind, 'conflict')
      else assert.equal(decision.kind, isSamePayment(known, sent) ? 'known' : 'conflict')
      assert.ok(isSamePayment(known, { ...known, lines: known.lines.toReversed() }))
      const other = { ...sent, lines: known.lines, amountPaise: known.amountPaise }
      const isAlike = (['mode', 'settlementUtr', 'notes'] as const).every(name => known[name] === other[name])
      assert.equal(isSamePayment(known, other), isAlike && known.paidAt.getTime() === other.paidAt.getTime())
    }),
  )
  assert.deepEqual(decideRecord(null, fc.sample(payment, 1)[0] as RecordedPayment), { kind: 'add' })
})

test('a correction sets what it names and nothing else, and a second time it changes nothing', () => {
  const names = ['amountPaise', 'paidAt', 'mode', 'settlementUtr', 'notes', 'lines'] as const
  fc.assert(
    fc.property(payment, payment, fc.subarray([...names]), (stored, other, named) => {
      const sent: Correction = Object.fromEntries(
        names.map(name => [name, named.includes(name) ? other[name] : undefined]),
      )
      const corrected = correctPayment(stored, sent)
      for (const name of names)
        assert.deepEqual(corrected[name], named.includes(name) ? other[name] : stored[name])
      assert.deepEqual([corrected.id, corrected.transactionId], [stored.id, stored.transactionId])
      assert.ok(isSamePayment(correctPayment(corrected, sent), corrected))
      const isWhole = named.includes('lines') === named.includes('amountPaise')
      if (isWhole) assert.deepEqual(amountProblems(corrected), [])
    }),
  )
})

const year = fc.integer({ min: 2025, max: 2028 })
const text = fc.constantFrom('a', 'b')
const student: fc.Arbitrary<Student> = fc
  .record({
    identifier: text,
    grade: text,
    collectorCode: text,
    academicYearStart: year,
    academicYearEnd: year,
    customIdentifier: fc.option(text),
    section: fc.option(text),
    category: fc.option(text),
    house: fc.option(text),
    fullname: text,
    newAdmission: fc.boolean(),
    dateOfBirth: fc.option(fc.constantFrom('2015-01-01', '2016-01-01')),
    contactName: text,
    contactNumber: text,
    contactEmail: text,
  })
  .filter(one => one.academicYearStart <= one.academicYearEnd)
  .map(one => ({
    ...one,
    id: 'student_1',
    status: 'active',
    origin: 'erp',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }))

test('a profile is changed in what is named, its years stay in order, and the identity is told apart', () => {
  const identity = ['identifier', 'grade', 'academicYearStart', 'academicYearEnd', 'collectorCode'] as const
  const names = [
    ...identity,
    'customIdentifier',
    'fullname',
    'newAdmission',
    'dateOfBirth',
    'contactName',
  ] as const
  fc.assert(
    fc.property(student, student, fc.subarray([...names]), (stored, other, named) => {
      const sent: SentProfile = Object.fromEntries(named.map(name => [name, other[name]]))
      const expected = { ...stored, ...sent } as Student
      const decision = decideProfile(stored, sent)
      if (expected.academicYearEnd < expected.academicYearStart) return assert.equal(decision.kind, 'invalid')
      const changed = named.filter(name => other[name] !== stored[name])
      if (changed.length === 0) return assert.deepEqual(decision, { kind: 'unchanged' })
      // A new academic year is a new record.
      if (changed.some(name => name.startsWith('academicYear')))
        return assert.deepEqual(decision, { kind: 'other_year' })
      const isIdentityChanged = changed.some(name => (identity as readonly string[]).includes(name))
      assert.deepEqual(decision, { kind: 'changed', student: expected, isIdentityChanged })
    }),
  )
})

test('a registration conflicts with a known payment exactly when the money differs', () => {
  fc.assert(
    fc.property(payment, payment, (known, sent) => {
      const settlementUtr = sent.settlementUtr ?? known.settlementUtr
      const alike = { ...sent, settlementUtr, paidAt: known.paidAt, notes: known.notes }
      const decision = decideRegistered(known, sent)
      assert.equal(decision.kind, isSamePayment(known, alike) ? 'known' : 'conflict')
      assert.equal(decideRegistered(null, sent).kind, 'add')
    }),
  )
})

test('a payment is known by its transaction id and by our id of it, each once', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('T', 'U'),
      fc.constantFrom(undefined, null, 'T', 'U'),
      (transactionId, id) => {
        const names = namesOf({ transactionId, id })
        assert.equal(names[0], transactionId)
        assert.deepEqual(new Set(names), new Set([transactionId, id ?? transactionId]))
        assert.equal(new Set(names).size, names.length)
      },
    ),
  )
})
