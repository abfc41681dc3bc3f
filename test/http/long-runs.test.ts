import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { Feeder, SPECIALS } from './long-runs-support.ts'

/** Each input with one of the characters; long-runs.long.ts has longer runs of more of them. */
const bursar = await startBursar({ after })
const feeder = await Feeder.open(bursar)
const choose = (place: number): string => SPECIALS[(place * 7) % SPECIALS.length] ?? ' '

test('no input of any operation makes others wait, whatever stands in it, as long as it can be', async () => {
  const sent = await feeder.feed(feeder.operations(choose, 60_000))
  assert.ok(sent > 250, String(sent))
})

test('no field of any form makes others wait for very many blanks', async () => {
  const sent = await feeder.feed(feeder.pages(() => ' ', 60_000))
  assert.ok(sent > 200, String(sent))
})
