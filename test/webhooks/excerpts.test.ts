import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excerptOf } from '../../src/webhooks/delivery-log/deliveries.rules.ts'
import { makeKeys } from '../../src/webhooks/engine/send.ts'

test('each answer is shown as it came, however often another came before, and without the secrets', () => {
  const { excerptOf } = makeKeys(['the-secret-of-the-school'], null)
  const shown = ['ok', 'ok', 'no', 'you sent the-secret-of-the-school', 'no', 'ok'].map(text =>
    excerptOf(Buffer.from(text)),
  )
  assert.deepEqual(shown, ['ok', 'ok', 'no', 'you sent •••', 'no', 'ok'])
})

test('a long answer between short ones is shown, and so are they', () => {
  const { excerptOf } = makeKeys([], null)
  const long = 'a'.repeat(5_000)
  const shown = ['ok', long, 'ok', long, 'no'].map(text => excerptOf(Buffer.from(text)))
  assert.deepEqual(shown, ['ok', 'a'.repeat(1_000), 'ok', 'a'.repeat(1_000), 'no'])
})

test('an answer that is remembered does not change with the memory that it came in', () => {
  const { excerptOf } = makeKeys([], null)
  const memory = Buffer.from('first')
  assert.equal(excerptOf(memory), 'first')
  memory.write('other')
  assert.equal(excerptOf(memory), 'other')
  assert.equal(excerptOf(Buffer.from('first')), 'first')
})

test('an answer made to be slow to mask is masked as quickly as any', () => {
  // Each takes minutes or hours when a part of the mask has no bound.
  const blanks = ' '.repeat(60_000)
  for (const text of [`${'token   '.repeat(7_000)}${blanks}`, `token${blanks}`, `"secret"${blanks}:`]) {
    assert.equal(excerptOf(Buffer.from(text), null).length, 1_000)
  }
})

test('what calls itself a credential is masked behind the word that names its kind', () => {
  const shown = excerptOf(
    Buffer.from('{"authorization": "Basic YTpi", "x": 1} Authorization: Bearer abc.def'),
    null,
  )
  assert.equal(shown, '{"authorization": "Basic •••", "x": 1} Authorization: Bearer •••')
})
