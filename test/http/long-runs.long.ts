import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { Feeder, SPECIALS } from './long-runs-support.ts'

const bursar = await startBursar({ after })
const feeder = await Feeder.open(bursar)

for (const special of SPECIALS)
  test(`no input of any route makes others wait for ${JSON.stringify(special)}, as often as it can be sent`, async () => {
    await feeder.feed(feeder.operations(() => special, 1_000_000))
    await feeder.feed(feeder.pages(() => special, 250_000))
  })
