import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pickNamed } from '../../../src/students/students.rules.ts'

const year = fc.integer({ min: 2024, max: 2026 })
const student = fc
  .record({ id: fc.uuid(), grade: fc.constantFrom('4', '5', '6'), academicYearStart: year })
  .map(one => ({ ...one, academicYearEnd: one.academicYearStart + 1 }))
const naming = fc.record({
  settleDues: fc.boolean(),
  identifier: fc.constantFrom('A', null),
  grade: fc.constantFrom('4', '5', null),
  academicYearStart: fc.option(year),
  academicYearEnd: fc.constant(null),
})

test('dues are set off only against the one student that fits all that was sent, and never by an identifier alone', () => {
  fc.assert(
    fc.property(fc.uniqueArray(student, { selector: one => one.id, maxLength: 5 }), naming, (all, asked) => {
      const { studentId, problem } = pickNamed(asked, new Map(), new Map([['A', all]]))
      const fitting = all.filter(
        one =>
          (asked.grade ?? one.grade) === one.grade &&
          (asked.academicYearStart ?? one.academicYearStart) === one.academicYearStart,
      )
      if (!asked.settleDues) return assert.deepEqual([studentId, problem], [null, null])
      const only = asked.identifier !== null && fitting.length === 1 ? fitting[0] : undefined
      assert.equal(studentId, only?.id ?? null)
      assert.equal(problem === null, only !== undefined)
      return undefined
    }),
  )
})
