import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { isQuicklyParsed } from '../../../src/platform/json.rules.ts'
import { JSON_BODY } from '../../../src/platform/limits.rules.ts'
import { startBursar } from '../../harness/bursar.ts'
import { PAY } from '../../harness/samples.ts'
import { assertNoStall } from '../../harness/processes/stalls.ts'
import { WORST_BODIES } from '../../harness/worst-files.ts'

const bursar = await startBursar({ after })

for (const [name, make] of Object.entries(WORST_BODIES))
  test(`a body of ${name} is refused without a stall`, async () => {
    const body = make()
    assert.ok(Buffer.byteLength(body) <= JSON_BODY.bytes)
    await assertNoStall(async () => {
      const { status, text } = await bursar.demo.send('POST', `${PAY}/orders`, body)
      assert.equal(status, 400, text)
    })
  })

test('a callback of very many values is refused before anything reads it', async () => {
  const body = WORST_BODIES['very many shapes']?.()
  const { status, text } = await bursar.demo.send('POST', '/callbacks/sandbox', body)
  assert.equal(status, 400, text)
  assert.match(text, /more than 20000 values/)
})

test('whatever is in its texts, JSON of few values is parsed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.string(), (value, text) => {
      const long = JSON.stringify({ value, text, rest: `${text}{[,"\\`.repeat(20_000 / (text.length + 5)) })
      assert.ok(isQuicklyParsed(Buffer.from(long)))
    }),
    { numRuns: 50 },
  )
  assert.ok(!isQuicklyParsed(Buffer.from(`[${'1,'.repeat(JSON_BODY.values)}1]`)))
  assert.ok(isQuicklyParsed(Buffer.from(`[${'1,'.repeat(JSON_BODY.values - 2)}1]`)))
})
