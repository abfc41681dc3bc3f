import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXPORTS } from '../../src/platform/limits.rules.ts'
import { Places } from '../../src/platform/concurrency.ts'

test('a school that exports as much as it may is refused alone, until one of its exports ends', () => {
  const places = new Places(EXPORTS, 'exports')
  const own = Array.from({ length: EXPORTS.perSchool }, () => places.take(1))
  assert.throws(() => places.take(1), { code: 'RLE00000' })
  places.take(2)()
  own[0]?.()
  places.take(1)
  assert.throws(() => places.take(1), { code: 'RLE00000' })
})

test('all schools together have as many places as the database can spare connections', () => {
  const places = new Places(EXPORTS, 'exports')
  for (let school = 0; school < EXPORTS.inAll; school++) places.take(school)
  assert.throws(() => places.take(EXPORTS.inAll), { code: 'SYE00001' })
})
