import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { Random } from '../../sim/random.ts'
import { SumsModel } from './sums-model.ts'

const ACTS = 50
const seed = Number(process.env['STORM_SEED'] ?? Math.floor(Math.random() * 1_000_000))

test('Home, dues by age and defaulters are what every student owes, whatever happened and however much of it is counted', async t => {
  t.diagnostic(`seed ${seed}; STORM_SEED=${seed} runs it again`)
  const bursar = await startBursar({ after })
  const model = await SumsModel.open(bursar, new Random(seed))
  for (let act = 0; act < ACTS; act++) {
    const name = await model.act()
    if (act % 5 === 0) await model.check(`${act} ${name}`)
    if (model.random.chance(0.4)) await model.count()
  }
  await model.check('all acts')
  await model.count()
  await model.check('all acts, counted')
  t.diagnostic(JSON.stringify(model.acts))
})
