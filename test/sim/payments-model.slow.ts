import { after, test } from 'node:test'
import { runStorm } from './payments-model.ts'

const ACTS = 60
const seed = Number(process.env['STORM_SEED'] ?? Math.floor(Math.random() * 1_000_000))

test('payments, refunds, settlements, receipts and ledger agree after every act of a random storm with crashes in it', async t => {
  t.diagnostic(`seed ${seed}; STORM_SEED=${seed} runs it again`)
  const result = await runStorm({ seed, acts: ACTS, owner: { after } })
  t.diagnostic(JSON.stringify(result))
})
