import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { Feeder, SPECIALS } from './long-runs-support.ts'

/** Each input with another character each round: all of them in each input take ten minutes (LONG_RUN_ROUNDS=60). */
const ROUNDS = Number(process.env['LONG_RUN_ROUNDS'] ?? 4)
const bursar = await startBursar({ after })
const feeder = await Feeder.open(bursar)

const choose =
  (round: number) =>
  (place: number): string =>
    SPECIALS[(place * 7 + round) % SPECIALS.length] ?? ' '

for (let round = 0; round < ROUNDS; round++)
  test(`no input of any route makes others wait for a character as often as it can be sent, round ${round + 1}`, async () => {
    await feeder.feed(feeder.operations(choose(round), 1_000_000))
    await feeder.feed(feeder.pages(choose(round), 250_000))
  })
