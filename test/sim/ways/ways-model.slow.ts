import { after, test } from 'node:test'
import { runWays } from './ways-model.ts'

const ACTS = 60
const seed = Number(process.env['STORM_SEED'] ?? Math.floor(Math.random() * 1_000_000))

test('one fee is collected once, whichever ways to pay it are used at once and whenever the process dies', async t => {
  t.diagnostic(`seed ${seed}; STORM_SEED=${seed} runs it again`)
  const result = await runWays({ seed, acts: ACTS, owner: { after } })
  t.diagnostic(JSON.stringify(result))
})
