import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Offer } from '../../../src/loans/lender-port.ts'
import { judge, type Verdict } from '../../../src/loans/loans.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { application, AT } from './support.ts'

function offer(ref: string): Offer {
  const cost = { emiPaise: paiseOf(9), feesPaise: paiseOf(0) }
  return { ref, yearlyRatePercent: 12, months: 12, ...cost, termsUrl: null }
}

/** What becomes of a report about an offer while B, which replaced A, is the offer. */
function judgeOffer(ref: string, acceptedAt: Date | null): Verdict {
  const offers = { offer: offer('B'), replacedOffers: [offer('A')], acceptedAt }
  const loan = { application: application('final_approved', offers), tranches: [], payOuts: [], emis: [] }
  return judge(loan, { kind: 'approved', at: AT, amountPaise: paiseOf(100), offer: offer(ref) })
}

test('an offer replaces one that nobody accepted, and a replaced one never comes back', () => {
  const refs = ['A', 'B', 'C']
  assert.deepEqual(
    refs.map(ref => judgeOffer(ref, null)),
    ['nothing', 'nothing', 'apply'],
  )
  assert.deepEqual(
    refs.map(ref => judgeOffer(ref, AT)),
    ['nothing', 'nothing', 'nothing'],
  )
})
