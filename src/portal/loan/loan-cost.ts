import type { Lender, Offer } from '../../loans/lender-port.ts'
import { emiOf } from '../../loans/loan-amounts.rules.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import { formatRupees, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { fill, plural, type Language } from '../../platform/languages.ts'
import type { LoanTexts } from '../texts/texts.ts'

type Shown = { form: string | undefined; amountPaise: Paise; values: Record<string, string> }

/** The lender's typical cost before one applies, then the offer itself. */
export function describeCost(
  { lender, file, language }: { lender: Lender; file: LoanFile | null; language: Language },
  { form, amountPaise, values }: Shown,
  l: LoanTexts,
) {
  const offer = file?.application.offer ?? null
  if (form === 'accept' && offer !== null) {
    const caption = fill(l.offerCostHead, values)
    const cost = { ...costOf(amountPaise, offer, l, language), caption }
    return { cost, costSay: fill(l.offerCostSay, values), termsUrl: offer.termsUrl }
  }
  if (form !== 'apply' && form !== 'consent') return { cost: null }
  const typical = { ...lender.terms, emiPaise: emiOf(amountPaise, lender.terms), feesPaise: ZERO }
  const caption = fill(l.costHead, { amount: formatRupees(amountPaise) })
  return { cost: { ...costOf(amountPaise, typical, l, language), caption }, costSay: fill(l.costSay, values) }
}

type Cost = Pick<Offer, 'yearlyRatePercent' | 'months' | 'emiPaise' | 'feesPaise'>

function costOf(amountPaise: Paise, cost: Cost, l: LoanTexts, language: Language) {
  const { yearlyRatePercent, months, emiPaise, feesPaise } = cost
  const repaidPaise = paiseOf(emiPaise * months)
  const interestPaise = repaidPaise > amountPaise ? subtractPaise(repaidPaise, amountPaise) : ZERO
  return {
    rows: [
      { label: l.cost.rate, value: `${yearlyRatePercent} %` },
      {
        label: l.cost.months,
        value: fill(plural(l.cost.monthsValue, months, language), { count: String(months) }),
      },
      { label: l.cost.emi, value: formatRupees(emiPaise) },
      { label: l.cost.interest, value: formatRupees(interestPaise) },
      { label: l.cost.other, value: feesPaise === 0 ? l.cost.none : formatRupees(feesPaise) },
    ],
    total: { label: l.cost.total, value: formatRupees(sumPaise([repaidPaise, feesPaise])) },
  }
}
