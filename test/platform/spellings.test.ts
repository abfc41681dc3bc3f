import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excerptOf, maskOf, spellingsOf } from '../../src/webhooks/delivery-log/deliveries.rules.ts'

test('a secret is masked also where the answer quotes it as JSON or in an address', () => {
  const secret = 'a "key" \\ & more/ü'
  const said = [
    secret,
    JSON.stringify({ got: secret }),
    `https://erp.example/?key=${encodeURIComponent(secret)}`,
  ]
  for (const text of said) {
    const shown = excerptOf(Buffer.from(text), maskOf(spellingsOf(secret)))
    assert.ok(shown.includes('•••') && !/more/.test(shown), shown)
  }
})
