import { minPaise, subtractPaise, type Paise } from '../../platform/money.ts'
import { allocate } from '../allocation.rules.ts'
import type { LateFee, OwedLine, Share } from '../dues.rules.ts'

type OpenDues = { lines: readonly OwedLine[]; lateFees: readonly LateFee[]; totalPaise: Paise }

/**
 * What money pays that came without being asked for: late fees, then what fell due first, then components in the order registered. The
 * school's own rule for parts does not count here: the family chose no fee, so what costs it most to owe is paid first. The
 * rest is an advance.
 */
export function spreadCredit(amountPaise: Paise, left: OpenDues): Share & { advancePaise: Paise } {
  const duePaise = minPaise(amountPaise, left.totalPaise)
  return { ...allocate(duePaise, left, 'oldest_due'), advancePaise: subtractPaise(amountPaise, duePaise) }
}
