import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBuckets } from '../../../src/http/limits/rate-limits.ts'

const RATE = { perSecond: 10, burst: 20 }

test('a burst is admitted, then the steady rate, and each key by itself', () => {
  const buckets = new TokenBuckets()
  const admitted = (key: string, times: number, now: number): number =>
    Array.from({ length: times }, () => buckets.take(key, RATE, now)).filter(one => one.isAdmitted).length
  assert.equal(admitted('a', 30, 0), 20)
  assert.equal(admitted('a', 30, 1_000), 10)
  assert.equal(admitted('b', 30, 1_000), 20)
})

test('a bucket that is full again is dropped, one that is not stays', () => {
  const buckets = new TokenBuckets()
  for (let n = 0; n < 1_000; n++) buckets.take(`once-${n}`, RATE, n)
  for (let n = 0; n < 20; n++) buckets.take('empty', RATE, 1_000)
  for (let n = 0; n < 1_000; n++) buckets.take('busy', RATE, 1_500 + n / 10)
  assert.equal(buckets.size, 2)
  assert.equal(buckets.take('empty', RATE, 1_600).tokens, 5)
})

test('however many come at once, so many are remembered and no more, those used longest ago going first', () => {
  const buckets = new TokenBuckets()
  for (let n = 0; n < 30_000; n++) buckets.take(`key-${n}`, { perSecond: 0.001, burst: 2 }, n)
  assert.equal(buckets.size, 10_000)
  assert.ok(buckets.take('key-29999', { perSecond: 0.001, burst: 2 }, 30_000).tokens < 1)
})
