import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isEmail } from '../../src/platform/names.ts'

test('an e-mail address has one @, no blanks, and a dot inside its domain', () => {
  const parts = fc.array(fc.constantFrom('a', '@', '.', ' ', 'é', '-', '..'), { maxLength: 8 })
  fc.assert(
    fc.property(parts, letters => {
      const text = letters.join('')
      assert.equal(isEmail(text), /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), text)
    }),
    { numRuns: 2_000 },
  )
  assert.equal(isEmail('asha.rao@school.example.in'), true)
  assert.equal(isEmail('asha\n@school.example.in'), false)
})
