import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { allocate } from './allocation.rules.ts'
import { LATE_FEE, type Allocation, type LateFee, type OwedLine } from './dues.rules.ts'

export type AtCounter = { lines: readonly { componentType: string; amountPaise: Paise }[] }

type RuleAmount = { ruleId: string; amountPaise: Paise }
export type CounterLateFees = {
  /** Paid now. */
  charged: RuleAmount[]
  /** Due and not paid, and gone once this payment has paid what they are for. */
  lapsing: RuleAmount[]
}

/** Divides a payment among the late fees, the first asked first, and names those that would lapse by it unpaid. */
export function takeLateFees(
  dues: {
    lines: readonly (OwedLine & { plannedPaise: Paise; lateRuleId: string | null })[]
    lateFees: readonly LateFee[]
  },
  { lines }: AtCounter,
): CounterLateFees {
  const paid = (componentType: string): Paise =>
    sumPaise(lines.filter(line => line.componentType === componentType).map(line => line.amountPaise))
  const feeOwed = dues.lines.find(line => line.componentType === LATE_FEE)?.owedPaise ?? ZERO
  // Late fees that were charged earlier and are still open are fees already, and are paid first.
  let left = paiseOf(Math.max(paid(LATE_FEE) - feeOwed, 0))
  const charged: RuleAmount[] = []
  const lapsing: RuleAmount[] = []
  const stillOwed = (ruleId: string): boolean =>
    dues.lines.some(
      line => line.lateRuleId === ruleId && line.owedPaise - line.plannedPaise > paid(line.componentType),
    )
  for (const { ruleId, amountPaise } of dues.lateFees) {
    const part = minPaise(left, amountPaise)
    left = subtractPaise(left, part)
    if (part > 0) charged.push({ ruleId, amountPaise: part })
    const rest = subtractPaise(amountPaise, part)
    if (rest > 0 && !stillOwed(ruleId)) lapsing.push({ ruleId, amountPaise: rest })
  }
  return { charged, lapsing }
}

type OpenDues = {
  lines: readonly OwedLine[]
  lateFees: readonly LateFee[]
  totalPaise: Paise
  allocation: Allocation
}

/** How an amount is spread by the institute's rule, late fees first; what is more than is due is the excess. */
export function spreadOver(
  amountPaise: Paise,
  dues: OpenDues,
): { lines: AtCounter['lines'][number][]; excessPaise: Paise } {
  const due = minPaise(amountPaise, dues.totalPaise)
  const { lines, lateFees } = allocate(due, dues, dues.allocation)
  const late = sumPaise(lateFees.map(fee => fee.amountPaise))
  const all = late > 0 ? [{ componentType: LATE_FEE, amountPaise: late }, ...lines] : [...lines]
  const byType = Map.groupBy(all, line => line.componentType)
  return {
    lines: [...byType].map(([componentType, own]) => ({
      componentType,
      amountPaise: sumPaise(own.map(line => line.amountPaise)),
    })),
    excessPaise: subtractPaise(amountPaise, due),
  }
}
