import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { allocate } from '../allocation.rules.ts'
import { dueBefore, type LateFee, type OwedLine, type Share, type TransferRule } from '../dues.rules.ts'

type OpenDues = { lines: readonly OwedLine[]; lateFees: readonly LateFee[]; totalPaise: Paise }

/**
 * What money pays that came without being asked for: late fees, then what fell due first, then components in the order registered, as
 * far as the school's rule for transfers goes. Its rule for parts does not count here: the family chose no fee, so what costs it most
 * to owe is paid first. The rest is an advance.
 */
export function spreadCredit(
  amountPaise: Paise,
  left: OpenDues,
  { rule, today }: { rule: TransferRule; today: string },
): Share & { advancePaise: Paise } {
  const open = openTo(rule, left, today)
  const duePaise = minPaise(amountPaise, open.totalPaise)
  return { ...allocate(duePaise, open, 'oldest_due'), advancePaise: subtractPaise(amountPaise, duePaise) }
}

function openTo(rule: TransferRule, left: OpenDues, today: string): OpenDues {
  if (rule === 'oldest_due') return left
  if (rule === 'ask') return { lines: [], lateFees: [], totalPaise: ZERO }
  const lines = left.lines.map(line => ({ ...line, owedPaise: dueBefore(line, today), plannedPaise: ZERO }))
  const late = sumPaise(left.lateFees.map(fee => fee.amountPaise))
  return { ...left, lines, totalPaise: paiseOf(sumPaise(lines.map(line => line.owedPaise)) + late) }
}
