import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../src/platform/ids.ts'
import { parseMasterKey, Vault } from '../../src/platform/secrets.ts'
import { anyText } from '../harness/texts.ts'

const key = (byte: number): Buffer => Buffer.alloc(32, byte)

test('a sealed secret opens with its key and purpose, and with nothing else', () => {
  // Two of one key: what one sealed, another process opens.
  const [sealer, opener, other] = [new Vault(key(1)), new Vault(key(1)), new Vault(key(2))]
  fc.assert(
    fc.property(anyText(), fc.string(), (secret, handler) => {
      const plain = secret.toWellFormed()
      const sealed = sealer.seal(plain, handler)
      assert.equal(opener.open(sealed, handler), plain)
      assert.throws(() => other.open(sealed, handler))
      assert.throws(() => opener.open(sealed, `${handler} of another row`))
    }),
  )
})

test('a sealed secret that was tampered with does not open', () => {
  const vault = new Vault(key(1))
  const sealed = vault.seal('whsec_abc', 'here')
  for (let at = 0; at < sealed.length; at++) {
    const damaged = Buffer.from(sealed)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    assert.throws(() => vault.open(damaged, 'here'), `byte ${at}`)
  }
})

test('a master key is 32 bytes in hex or base64 and nothing else', () => {
  assert.deepEqual(parseMasterKey('ab'.repeat(32)), Buffer.alloc(32, 0xab))
  assert.deepEqual(parseMasterKey(key(7).toString('base64')), key(7))
  for (const text of ['', 'short', 'ab'.repeat(31), 'ab'.repeat(33)]) assert.equal(parseMasterKey(text), null)
})

test('ids sort by creation and do not repeat', () => {
  const ids = Array.from({ length: 2_000 }, () => newId('order'))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
  for (const id of ids) assert.match(id, /^order_[0-9a-hjkmnp-tv-z]{26}$/)
})
