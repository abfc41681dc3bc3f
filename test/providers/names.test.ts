import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROVIDERS, providerTitle } from '../../src/providers/catalogue.ts'
import { providerName } from '../../web/src/ui/provider-name.ts'

test('the console names every provider as people know it', () => {
  for (const [name, { title }] of Object.entries(PROVIDERS)) assert.equal(providerName(name), title)
})

test('a settlement of a provider that is no longer offered keeps its name', () => {
  assert.deepEqual(['razorpay', 'sandbox', 'formerpay', 'toString'].map(providerTitle), [
    'Razorpay',
    'Sandbox bank',
    'formerpay',
    'toString',
  ])
})
