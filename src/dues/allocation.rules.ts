import { minPaise, splitInProportion, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import type { Allocation, LateFee, Owed, Share } from './dues.rules.ts'

/** Spreads a payment of at most all that is due: late fees first, then the components by the institute's rule. */
export function allocate(
  amount: Paise,
  due: { lateFees: readonly LateFee[]; lines: readonly Owed[] },
  allocation: Allocation,
): Share {
  const lateFees = fillInTurn(
    amount,
    due.lateFees.map(fee => ({ key: fee.ruleId, wantedPaise: fee.amountPaise })),
  )
  const rest = subtractPaise(amount, sumPaise(lateFees.map(share => share.amountPaise)))
  const owed = due.lines.filter(line => line.owedPaise > 0)
  return {
    lateFees: lateFees.map(({ key, amountPaise }) => ({ ruleId: key, amountPaise })),
    lines: sharesOf(rest, owed, allocation).map(({ key, amountPaise }) => ({
      componentType: key,
      amountPaise,
    })),
  }
}

type Filled = { key: string; amountPaise: Paise }

function sharesOf(amount: Paise, owed: readonly Owed[], allocation: Allocation): Filled[] {
  if (amount === 0) return []
  if (allocation === 'in_proportion') {
    const parts = splitInProportion(
      amount,
      owed.map(line => line.owedPaise),
    )
    return owed
      .map((line, index) => ({ key: line.componentType, amountPaise: parts[index] ?? ZERO }))
      .filter(part => part.amountPaise > 0)
  }
  const inTurn = allocation === 'as_registered' ? owed : owed.toSorted(byDueDay)
  return fillInTurn(
    amount,
    inTurn.map(line => ({ key: line.componentType, wantedPaise: line.owedPaise })),
  )
}

/** What an earlier year left comes first, what has no due day after all that has one, and then what a plan takes by itself. */
function byDueDay(one: Owed, other: Owed): number {
  return dueOf(one).localeCompare(dueOf(other))
}

function dueOf({ isCarried = false, dueOn, owedPaise, plannedPaise = ZERO }: Owed): string {
  if (plannedPaise >= owedPaise) return '9999-planned'
  return isCarried ? '' : (dueOn ?? '9999')
}

function fillInTurn(amount: Paise, wanted: readonly { key: string; wantedPaise: Paise }[]): Filled[] {
  let left = amount
  return wanted.flatMap(({ key, wantedPaise }) => {
    const amountPaise = minPaise(left, wantedPaise)
    left = subtractPaise(left, amountPaise)
    return amountPaise > 0 ? [{ key, amountPaise }] : []
  })
}
