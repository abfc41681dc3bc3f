import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf, toRupees } from '../../src/platform/money.ts'
import { fetchUrl, LOOKUP_PARAMETERS, type ErpRecord } from '../../src/erp/erp.rules.ts'
import { summariseFees, type FeeComponent } from '../../src/fees/fees.rules.ts'
import {
  decideUpdate,
  dropsEveryFee,
  replaceFees,
  type StoredStudent,
  type StudentUpdate,
} from '../../src/students/profile/profile.rules.ts'
import type { Student } from '../../src/students/students.rules.ts'

const paise = fc.integer({ min: 0, max: 10_000_000 }).map(paiseOf)
const componentType = fc.constantFrom('TUITION', 'TRANSPORT', 'HOSTEL', 'LAB')
const pulledFees = fc.uniqueArray(fc.record({ componentType, feePaise: paise }), {
  selector: fee => fee.componentType,
})
const storedFees: fc.Arbitrary<FeeComponent[]> = pulledFees.chain(fees =>
  fc.tuple(...fees.map(() => fc.integer({ min: 0, max: 100 }))).map(shares =>
    fees.map((fee, index) => {
      const valuePaise = paiseOf(Math.floor((fee.feePaise * (shares[index] ?? 0)) / 100))
      const discounts = valuePaise === 0 ? [] : [{ discountType: 'MERIT', valuePaise }]
      return { ...fee, position: index + 1, discounts }
    }),
  ),
)

const word = fc.constantFrom('a', 'b', 'c')
const profile = {
  fullname: word,
  newAdmission: fc.boolean(),
  dateOfBirth: fc.option(fc.constantFrom('2015-06-20', '2016-01-01')),
  contactName: word,
  contactNumber: word,
  contactEmail: word,
}
const identity = {
  identifier: fc.constant('ADM-1'),
  grade: fc.constantFrom('5', '6'),
  academicYearStart: fc.constantFrom(2026, 2027),
  academicYearEnd: fc.constantFrom(2027, 2028),
}
const branch = fc.constantFrom('NORTH', 'SOUTH')
const student: fc.Arbitrary<Student> = fc.record({
  ...profile,
  ...identity,
  id: fc.constant('student_1'),
  collectorCode: branch,
  customIdentifier: fc.option(word),
  section: fc.option(word),
  category: fc.option(word),
  house: fc.option(word),
  origin: fc.constantFrom('erp', 'office', 'file'),
  status: fc.constantFrom('active', 'dropped'),
  createdAt: fc.constant(new Date(0)),
  updatedAt: fc.constant(new Date(0)),
})
const stored: fc.Arbitrary<StoredStudent> = fc.record({
  student,
  fees: storedFees,
  ownCharges: fc.constant(new Map()),
})
const record: fc.Arbitrary<ErpRecord> = fc.record({
  identity: fc.record(identity),
  collectorCode: fc.constant(null),
  profile: fc.record({
    ...profile,
    customIdentifier: fc.constant(null),
    section: fc.constant(null),
    category: fc.constant(null),
    house: fc.option(word),
  }),
  fees: pulledFees,
  paymentSchedule: fc.constant(null),
  user: fc.constant(null),
})

function apply({ fees, ownCharges }: StoredStudent, update: StudentUpdate): StoredStudent {
  const after = new Map(fees.map(fee => [fee.componentType, fee]))
  for (const { componentType: type, position, after: price } of update.fees) {
    after.set(type, { componentType: type, position, ...price })
  }
  return { student: update.student, fees: [...after.values()], ownCharges }
}

test('a record applied twice changes nothing the second time', () => {
  fc.assert(
    fc.property(stored, record, branch, (before, sent, to) => {
      const after = apply(before, decideUpdate(before, sent, to))
      const again = decideUpdate(after, sent, to)
      assert.deepEqual([again.changes, again.fees, again.isStudentChanged], [[], [], false])
    }),
  )
})

test('after a record the total fee is the sum of what it sent, without discounts', () => {
  fc.assert(
    fc.property(stored, record, branch, (before, sent, to) => {
      const { fees } = apply(before, decideUpdate(before, sent, to))
      const summary = summariseFees(fees, new Map())
      const total = sent.fees.reduce((sum, fee) => sum + fee.feePaise, 0)
      assert.deepEqual([summary.totalFeePaise, summary.discountPaise], [total, 0])
    }),
  )
})

test('what was charged here stays, whatever the record says of its component', () => {
  const charges = fc.array(fc.nat(2_000), { maxLength: 6 })
  fc.assert(
    fc.property(stored, record, branch, charges, (before, sent, to, amounts) => {
      const ownCharges = new Map(
        before.fees.map((fee, index) => [fee.componentType, paiseOf(amounts[index] ?? 0)]),
      )
      const { fees } = apply({ ...before, ownCharges }, decideUpdate({ ...before, ownCharges }, sent, to))
      for (const { componentType, feePaise } of fees) {
        const was = before.fees.find(fee => fee.componentType === componentType)?.feePaise ?? 0
        const said = sent.fees.find(fee => fee.componentType === componentType)?.feePaise ?? 0
        const own = Math.min(was, ownCharges.get(componentType) ?? 0)
        assert.equal(feePaise, Math.max(said, own))
      }
    }),
  )
})

test('a record without any fee is a mistake exactly when the student has fees of the ERP', () => {
  fc.assert(
    fc.property(stored, fc.boolean(), (before, isCharged) => {
      const ownCharges = new Map(isCharged ? before.fees.map(fee => [fee.componentType, fee.feePaise]) : [])
      const hasFees = before.fees.some(fee => fee.feePaise > 0)
      assert.equal(dropsEveryFee({ ...before, ownCharges }, []), hasFees && !isCharged)
      assert.equal(dropsEveryFee(before, [{ componentType: 'TUITION', feePaise: paiseOf(0) }]), false)
    }),
  )
})

test('no component is lost or moved, and no two share a place', () => {
  fc.assert(
    fc.property(storedFees, pulledFees, (fees, sent) => {
      const update = replaceFees(fees, sent, new Map())
      const places = new Map(fees.map(fee => [fee.componentType, fee.position]))
      for (const change of update) {
        assert.equal(change.position, places.get(change.componentType) ?? change.position)
        places.set(change.componentType, change.position)
      }
      assert.equal(new Set(places.values()).size, places.size)
      for (const fee of sent) assert.ok(places.has(fee.componentType) || fee.feePaise === 0)
    }),
  )
})

test('the changes tell all that differs and nothing else, and say what was and what is', () => {
  fc.assert(
    fc.property(stored, record, branch, (before, sent, to) => {
      const update = decideUpdate(before, sent, to)
      assert.equal(update.changes.length > 0, update.isStudentChanged || update.fees.length > 0)
      for (const { before: was, after: is } of update.changes) assert.notEqual(was, is)
      for (const fee of update.fees) {
        const told = update.changes.filter(one =>
          one.field.startsWith(`fee_components.${fee.componentType}.`),
        )
        assert.ok(told.length > 0)
        const amount = told.find(one => one.field.endsWith('.fee_amount'))
        assert.equal(amount?.after ?? toRupees(fee.after.feePaise), toRupees(fee.after.feePaise))
      }
    }),
  )
})

test('what a record does not have is left alone', () => {
  fc.assert(
    fc.property(stored, record, branch, (before, sent, to) => {
      const { student: after } = decideUpdate(before, sent, to)
      assert.equal(after.customIdentifier, before.student.customIdentifier)
      assert.deepEqual([after.id, after.status], [before.student.id, before.student.status])
      assert.equal(after.dateOfBirth, sent.profile.dateOfBirth ?? before.student.dateOfBirth)
      assert.equal(after.house, sent.profile.house ?? before.student.house)
    }),
  )
})

test('whatever a student is called, the ERP reads it back from the query as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), identifier => {
      if (!identifier.isWellFormed()) return
      const url = new URL(fetchUrl('https://erp.example.in/f?a=1#x', LOOKUP_PARAMETERS, { identifier }))
      assert.equal(url.searchParams.get('identifier'), identifier)
      assert.deepEqual([url.searchParams.get('a'), url.hash, [...url.searchParams].length], ['1', '', 2])
    }),
  )
})
