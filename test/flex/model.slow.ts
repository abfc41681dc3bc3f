import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runYear } from './sim/year.ts'

const seed = Number(process.env['STORM_SEED'] ?? 3)

/** Weeks in which much happens; `npm run storm -- 1 4 flex` and the long tests run years. */
test('no student is ever debited more than is owed for that year, nothing owed is invisible, and every change is told once', async t => {
  t.diagnostic(`seed ${seed}; STORM_SEED=${seed} runs it again`)
  const { acts, counts } = await runYear({
    seed,
    plans: 4,
    days: 30,
    actsPerPlanAndDay: 0.3,
    lastMoment: 0.5,
    owner: { after },
    checkEveryDays: 3,
    booksEveryDays: 15,
  })
  t.diagnostic(JSON.stringify({ acts, counts }))
  assert.ok((counts['sums compared'] ?? 0) > 0, 'nothing was shown')
})
