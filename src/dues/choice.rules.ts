import { badField } from '../platform/errors.ts'
import { paiseOf, sumPaise, type Paise } from '../platform/money.ts'
import type { LateFee, Owed } from './dues.rules.ts'

/** A component that is owed, with the late fee that is due while it is. */
type Choosable = Owed & { lateRuleId: string | null }

type Due = {
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
export function chosenOf<Dues extends Due>(dues: Dues, componentTypes: readonly string[]): Dues {
  const lines = dues.lines.filter(line => line.owedPaise > 0 && componentTypes.includes(line.componentType))
  const rules = new Set(lines.map(line => line.lateRuleId))
  const lateFees = dues.lateFees.filter(fee => rules.has(fee.ruleId))
  const owedPaise = sumPaise(lines.map(line => line.owedPaise))
  const lateFeePaise = sumPaise(lateFees.map(fee => fee.amountPaise))
  if (owedPaise + lateFeePaise === 0) throw badField('fees', 'name nothing that is due')
  return { ...dues, lines, lateFees, owedPaise, lateFeePaise, totalPaise: paiseOf(owedPaise + lateFeePaise) }
}

/**
 * What is proposed before a payer has picked anything: all that is due by a day; else what is overdue; where nothing is,
 * what is due next; where nothing has a day, everything. What instalments take in their own time is never proposed.
 */
export function proposedOf(
  lines: readonly (Owed & { plannedPaise: Paise })[],
  today: string,
  until?: string,
): string[] {
  const open = lines.filter(line => line.owedPaise > line.plannedPaise)
  const dueBy = (day: string): string[] =>
    open.flatMap(line => ((dueOf(line) ?? '9999') <= day ? [line.componentType] : []))
  if (until !== undefined) return dueBy(until)
  const days = open.flatMap(line => dueOf(line) ?? []).toSorted()
  const [first] = days
  if (first === undefined) return open.map(line => line.componentType)
  return first < today ? dueBy(days.findLast(day => day < today) ?? first) : dueBy(first)
}

/** What an earlier year left was due before anything of this one. */
function dueOf({ dueOn, isCarried = false }: Owed): string | null {
  return isCarried ? '' : dueOn
}
