import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { HmacKey } from '../../../src/webhooks/engine/hmac.ts'

const bytes = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength, size: 'max' }).map(array => Buffer.from(array))
const plain = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map(code => String.fromCodePoint(code)),
})

test('a signature is the HMAC-SHA256 of node:crypto, for keys shorter and longer than a block and for texts of any size', () => {
  const texts = fc.array(fc.tuple(plain, bytes(40_000)), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(bytes(200), texts, (secret, signed) => {
      const key = new HmacKey(secret)
      // One after the other: none must leave anything behind for the next.
      for (const [before, body] of signed) {
        for (const encoding of ['hex', 'base64'] as const) {
          const expected = createHmac('sha256', secret).update(before).update(body).digest(encoding)
          assert.equal(key.sign(before, body, encoding), expected)
        }
      }
    }),
    { numRuns: 200 },
  )
})
