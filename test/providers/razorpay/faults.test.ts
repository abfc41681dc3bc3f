import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { ProviderRefused } from '../../../src/providers/port.ts'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import { neverAnswer } from '../../../emulators/faults.ts'
import type { Fault } from '../../../emulators/server.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { assertUnavailable, failureOf } from '../failures.ts'
import { answerWith, fake, flood, order, outcomeOf, razorpay, status } from './support.ts'

const half: Fault = response => {
  response.writeHead(200, { 'content-length': '500' }).write('{"id":"plink_')
  setImmediate(() => response.destroy())
}
const drip: Fault = response => {
  response.writeHead(200).write('{"id":"')
  const timer = setInterval(() => response.write('x'), 20)
  response.on('close', () => clearInterval(timer))
}
const secret = /very-secret/
const FAULTS: readonly (readonly [string, Fault, RegExp])[] = [
  ['a 500', status(500, 'oops'), /status 500/],
  ['too many requests', status(429, '{"error":{"description":"Too many requests"}}'), /status 429/],
  [
    'a redirect',
    response => void response.writeHead(302, { location: `http://${NOBODY}/` }).end(),
    /status 302/,
  ],
  ['a page of a proxy', status(403, '<html>no</html>'), /answer must be JSON/],
  ['a 4xx without a reason', status(404, '{}'), /status 404/],
  ['silence', neverAnswer, /did not answer within 1000 ms/],
  ['a drip', drip, /did not answer within 1000 ms/],
  ['half an answer', half, /cannot be reached/],
  ['a flood', flood, /at most 1048576 bytes/],
  ['no JSON', status(200, `{"id": ${KEYS.keySecret}`), /answer must be JSON/],
  ['a list', answerWith([]), /payment_link must be an object/],
  ['a wrong type', answerWith({ id: 7, currency: 'INR' }), /payment_link\.id must be a text/],
]

for (const [name, fault, text] of FAULTS) {
  test(`${name} for an answer ends in a clear error in time`, { timeout: 5_000 }, async () => {
    const { providerRef } = await razorpay.start(order)
    fake.spoil('GET /v1/payment_links', fault)
    await assertUnavailable(outcomeOf(providerRef), text)
    fake.spoil('GET /v1/payment_links', fault)
    assert.doesNotMatch(inspect(await failureOf(outcomeOf(providerRef)), { depth: 9 }), secret)
    assert.deepEqual(await outcomeOf(providerRef), { kind: 'open' }, 'and the next call works')
  })
}

test('no error tells a secret, not even one that Razorpay repeats', async () => {
  fake.spoil(
    'POST /v1/payment_links',
    status(400, JSON.stringify({ error: { description: `key ${KEYS.keySecret} is odd` } })),
  )
  const echoed = await failureOf(razorpay.start(order))
  assert.ok(echoed instanceof ProviderRefused)
  assert.equal(echoed.message, 'key … is odd')
  const wrong = createRazorpay({ ...KEYS, keySecret: 'another-very-secret', baseUrl: fake.url })
  await assertUnavailable(wrong.start(order), /does not accept the configured key/)
  const away = createRazorpay({ ...KEYS, baseUrl: `http://${NOBODY}` })
  for (const error of [echoed, await failureOf(wrong.start(order)), await failureOf(away.start(order))]) {
    assert.doesNotMatch(inspect(error, { depth: 9 }), secret)
  }
})
