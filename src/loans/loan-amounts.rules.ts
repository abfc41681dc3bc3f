import { badField, conflict } from '../platform/errors.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, type Paise } from '../platform/money.ts'
import type { LoanLimits, LoanTerms } from './lender-port.ts'

type Line = { componentType: string; amountPaise: Paise }

/** The component for money that arrives when a student has no fees at all. */
const NO_FEES = 'FEES'

/** Allocates to what is owed, oldest component first; the remainder is an advance on the first component. */
export function allocate(
  amountPaise: Paise,
  { owed, components }: { owed: readonly Line[]; components: readonly string[] },
): Line[] {
  let left = amountPaise
  const lines = owed.flatMap(({ componentType, amountPaise: due }): Line[] => {
    const part = minPaise(due, left)
    left = subtractPaise(left, part)
    return part > 0 ? [{ componentType, amountPaise: part }] : []
  })
  if (left === 0) return lines
  const first = components[0] ?? NO_FEES
  const known = lines.find(line => line.componentType === first)
  if (known === undefined) return [{ componentType: first, amountPaise: left }, ...lines]
  const more = sumPaise([known.amountPaise, left])
  return lines.map(line => (line === known ? { ...line, amountPaise: more } : line))
}

/** The amount to apply for: by default all that is owed, within the lender's limits. */
export function amountToAsk(asked: Paise | undefined, owedPaise: Paise, limits: LoanLimits): Paise {
  const { leastPaise, mostPaise } = limits
  if (owedPaise === 0) throw conflict('Nothing is outstanding for this student, so there is nothing to lend.')
  if (owedPaise < leastPaise)
    throw conflict(
      `Only ${owedPaise / 100} rupees are outstanding; the lender lends ${leastPaise / 100} rupees or more.`,
    )
  const most = minPaise(owedPaise, mostPaise)
  const amount = asked ?? most
  if (amount > most) throw badField('amount', `must be at most ${most / 100} rupees`)
  if (amount < leastPaise) throw badField('amount', `must be at least ${leastPaise / 100} rupees`)
  return amount
}

/** The monthly EMI to the paisa: the annuity of the amount at the yearly rate. */
export function emiOf(amountPaise: Paise, { yearlyRatePercent, months }: LoanTerms): Paise {
  const rate = yearlyRatePercent / 1_200
  if (rate === 0) return paiseOf(Math.ceil(amountPaise / months))
  return paiseOf(Math.round((amountPaise * rate) / (1 - (1 + rate) ** -months)))
}
