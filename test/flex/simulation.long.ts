import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runYear } from './sim/year.ts'

const PLANS = Number(process.env['YEAR_PLANS'] ?? 24)
const DAYS = Number(process.env['YEAR_DAYS'] ?? 45)
const seed = Number(process.env['STORM_SEED'] ?? Math.floor(Math.random() * 1_000_000))

test(`in ${DAYS} days of ${PLANS} plans with moody ERPs, banks and people no debit is unannounced, doubled, forgotten or of a wrong amount`, async t => {
  t.diagnostic(`seed ${seed}; STORM_SEED=${seed} runs it again`)
  const { acts, counts } = await runYear({
    seed,
    plans: PLANS,
    days: DAYS,
    owner: { after },
    booksEveryDays: 10,
  })
  t.diagnostic(JSON.stringify({ acts, counts }))
  for (const what of [
    'presented by enach',
    'presented by upi_autopay',
    'instalment settled',
    'sums compared',
  ])
    assert.ok((counts[what] ?? 0) > 0, `${what}: none, so nothing was shown`)
})
