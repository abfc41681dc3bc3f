import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { signatureHeaders, signingKey } from '../../../src/webhooks/engine/send.ts'

const bytes = (limits: { minLength?: number; maxLength: number }): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ ...limits, size: 'max' }).map(array => Buffer.from(array))

test('a delivery is signed by HMAC-SHA256 under the bytes of its key, shorter or longer than a block, and under the key before it', () => {
  const secrets = fc.array(bytes({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 2 })
  fc.assert(
    fc.property(secrets, bytes({ maxLength: 40_000 }), (keys, body) => {
      const at = new Date('2026-11-18T06:00:00.500Z')
      const headers = signatureHeaders({
        eventId: 'evt_1',
        body,
        at,
        keys: keys.map(key => signingKey(`whsec_${key.toString('base64')}`)),
      })
      const macOf = (key: Buffer, before: string, encoding: 'base64' | 'hex'): string =>
        createHmac('sha256', key)
          .update(Buffer.concat([Buffer.from(before), body]))
          .digest(encoding)
      const before = `evt_1.${Math.floor(at.getTime() / 1_000)}.`
      assert.equal(
        headers['webhook-signature'],
        keys.map(key => `v1,${macOf(key, before, 'base64')}`).join(' '),
      )
      const [current, previous] = keys.map(key => macOf(key, '', 'hex'))
      assert.deepEqual([headers['x-signature'], headers['x-signature-previous']], [current, previous])
    }),
    { numRuns: 100 },
  )
})

test('a key that is plain text signs by its UTF-8 bytes', () => {
  const body = Buffer.from('{}')
  const headers = signatureHeaders({ eventId: 'evt_1', body, at: new Date(), keys: [signingKey('ключ')] })
  assert.equal(headers['x-signature'], createHmac('sha256', 'ключ').update(body).digest('hex'))
})
