import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { afterCall, afterStart, CLOSED, isOpen, letsThrough } from '../../src/erp/erp.rules.ts'

const step = fc.record({ waitMs: fc.integer({ min: 0, max: 20_000 }), isWell: fc.boolean() })

test('the fifth failure in a row opens it, and any success closes it', () => {
  let circuit = CLOSED
  for (let n = 1; n <= 5; n++) {
    assert.ok(!isOpen(circuit))
    circuit = afterCall(circuit, false, 0)
  }
  assert.ok(isOpen(circuit) && !letsThrough(circuit, 29_999) && letsThrough(circuit, 30_000))
  assert.deepEqual(afterCall(circuit, true, 0), CLOSED)
})

test('while it is open at most one call goes out in 30 seconds, whatever comes of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      let circuit = CLOSED
      let now = 0
      let lastProbe = -Infinity
      for (const { waitMs, isWell } of steps) {
        now += waitMs
        if (!letsThrough(circuit, now)) continue
        if (isOpen(circuit)) {
          assert.ok(now - lastProbe >= 30_000, `${now - lastProbe} ms after the last`)
          lastProbe = now
        }
        circuit = afterCall(afterStart(circuit, now), isWell, now)
        if (!isOpen(circuit)) lastProbe = -Infinity
      }
    }),
  )
})

test('an ERP that comes back is asked within 30 seconds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      let circuit = CLOSED
      let now = 0
      for (const { waitMs, isWell } of steps) {
        now += waitMs
        if (letsThrough(circuit, now)) circuit = afterCall(afterStart(circuit, now), isWell, now)
        assert.ok(letsThrough(circuit, now + 30_000))
      }
    }),
  )
})
