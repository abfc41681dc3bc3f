import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import { Turns } from '../../src/platform/concurrency.ts'

test('what comes together runs one in a turn of the event loop, in the order in which it came', async () => {
  const turns = new Turns()
  const done: number[] = []
  for (const no of [1, 2, 3]) turns.take(() => void done.push(no))
  assert.deepEqual(done, [])
  for (const no of [1, 2, 3]) {
    await turn()
    assert.equal(done.at(-1), no)
    assert.equal(done.length, no)
  }
})
