import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gatewayBank } from './sim/gateway-bank.ts'
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

for (const vendor of ['razorpay', 'cashfree'] as const)
  test(`in ${DAYS} days of plans at ${vendor}'s emulator, with lost answers, lost callbacks and crashes, no debit is doubled or stuck`, async t => {
    t.diagnostic(`seed ${seed}; STORM_SEED=${seed} runs it again`)
    const { counts } = await runYear({
      seed,
      plans: Math.ceil(PLANS / 4),
      days: DAYS,
      owner: { after },
      booksEveryDays: 10,
      crashes: 0.1,
      openBank: gatewayBank(vendor),
    })
    t.diagnostic(JSON.stringify(counts))
    assert.ok((counts['instalment settled'] ?? 0) > 0, 'nothing was shown')
  })
