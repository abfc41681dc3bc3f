import {
  minPaise,
  splitInProportion,
  subtractPaise,
  sumPaise,
  ZERO,
  paiseOf,
  type Paise,
} from '../platform/money.ts'
import type { Allocation, LateFee, OwedLine, Share } from './dues.rules.ts'
import { badField } from '../platform/errors.ts'

/** Spreads a payment of at most all that is due: late fees first, then the components by the institute's rule. */
export function allocate(
  amount: Paise,
  due: { lateFees: readonly LateFee[]; lines: readonly OwedLine[] },
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

type AllocatedShare = { key: string; amountPaise: Paise }

function sharesOf(amount: Paise, owed: readonly OwedLine[], allocation: Allocation): AllocatedShare[] {
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

/** Sorts dues of an earlier year first, then by due day, then those without one, and last those that a plan takes by itself. */
function byDueDay(one: OwedLine, other: OwedLine): number {
  return orderOf(one).localeCompare(orderOf(other))
}

function orderOf({ isCarried = false, dueOn, owedPaise, plannedPaise = ZERO }: OwedLine): string {
  if (plannedPaise >= owedPaise) return '9999-planned'
  return isCarried ? '' : (dueOn ?? '9999')
}

function fillInTurn(amount: Paise, wanted: readonly { key: string; wantedPaise: Paise }[]): AllocatedShare[] {
  let left = amount
  return wanted.flatMap(({ key, wantedPaise }) => {
    const amountPaise = minPaise(left, wantedPaise)
    left = subtractPaise(left, amountPaise)
    return amountPaise > 0 ? [{ key, amountPaise }] : []
  })
}

/** A component that is owed, with the late fee that is due while it is. */
type Choosable = OwedLine & { lateRuleId: string | null }

type ChoosableDues = {
  lines: readonly Choosable[]
  lateFees: readonly LateFee[]
  owedPaise: Paise
  lateFeePaise: Paise
  totalPaise: Paise
}

/**
 * The dues of the fees that a payer picked, whole. The late fee of one of them comes with it: paid alone, the fee behind it
 * would end it without a trace.
 */
export function chosenOf<Dues extends ChoosableDues>(dues: Dues, componentTypes: readonly string[]): Dues {
  const lines = dues.lines.filter(line => line.owedPaise > 0 && componentTypes.includes(line.componentType))
  const rules = new Set(lines.map(line => line.lateRuleId))
  const lateFees = dues.lateFees.filter(fee => rules.has(fee.ruleId))
  const owedPaise = sumPaise(lines.map(line => line.owedPaise))
  const lateFeePaise = sumPaise(lateFees.map(fee => fee.amountPaise))
  if (owedPaise + lateFeePaise === 0) throw badField('fees', 'name nothing that is due')
  return { ...dues, lines, lateFees, owedPaise, lateFeePaise, totalPaise: paiseOf(owedPaise + lateFeePaise) }
}

/**
 * Names the fees that are ticked before a payer picks any: all due by `until`; without it those overdue, else those due next,
 * else, where none has a due day, all. Fees that instalments take in their own time are never proposed.
 */
export function proposedOf(
  lines: readonly (OwedLine & { plannedPaise: Paise })[],
  today: string,
  until?: string,
): string[] {
  const open = lines.filter(line => line.owedPaise > line.plannedPaise)
  const dueBy = (day: string): string[] =>
    open.flatMap(line => ((firstDueDay(line) ?? '9999') <= day ? [line.componentType] : []))
  if (until !== undefined) return dueBy(until)
  const days = open.flatMap(line => firstDueDay(line) ?? []).toSorted()
  const [first] = days
  if (first === undefined) return open.map(line => line.componentType)
  return first < today ? dueBy(days.findLast(day => day < today) ?? first) : dueBy(first)
}

/** What an earlier year left was due before anything of this one. */
function firstDueDay({ dueOn, isCarried = false }: OwedLine): string | null {
  return isCarried ? '' : dueOn
}
