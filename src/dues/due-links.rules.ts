import { dayAfter, formatDay } from '../platform/calendar.ts'
import { minPaise, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { allocate } from './allocation.rules.ts'
import {
  dueBefore,
  LATE_FEE,
  type Allocation,
  type LateFee,
  type OwedLine,
  type PartPayment,
  type Share,
} from './dues.rules.ts'

/** What links in bulk are for: what is past its due day, what is due by a day, or all of the year. */
export const LINK_SCOPES = ['overdue', 'due_by', 'year'] as const
export type LinkScope = { scope: 'overdue' | 'year' } | { scope: 'due_by'; until: string }

type Line = OwedLine & { plannedPaise: Paise; lateRuleId: string | null }
type LinkableDues = {
  today: string
  lines: readonly Line[]
  lateFees: readonly LateFee[]
  totalPaise: Paise
  partPayment: PartPayment
  allocation: Allocation
}
type ShareDecision = { share: Share; why: null } | { share: null; why: string }

/**
 * Decides what a link for a student asks for, or why there is none. Fees that instalments take in their own time are left
 * out. Where the institute takes no parts, or none as small as this, the link asks for what its rules allow.
 */
export function shareFor(dues: LinkableDues, asked: LinkScope): ShareDecision {
  const wanted = dues.lines.filter(line => duePaise({ ...line, plannedPaise: ZERO }, dues.today, asked) > 0)
  if (wanted.length === 0) return leftOut(nothingWords(asked))
  const lines = wanted.flatMap(line => {
    const amountPaise = duePaise(line, dues.today, asked)
    return amountPaise === 0 ? [] : [{ componentType: line.componentType, amountPaise }]
  })
  if (lines.length === 0) return leftOut('It is on a plan, whose instalments take this.')
  const byHand = new Set(lines.map(line => line.componentType))
  const rules = new Set(
    wanted.flatMap(line => (byHand.has(line.componentType) ? (line.lateRuleId ?? []) : [])),
  )
  const lateFees = dues.lateFees.filter(fee => fee.amountPaise > 0 && rules.has(fee.ruleId))
  const sum = sumPaise([...lines, ...lateFees].map(one => one.amountPaise))
  const { partPayment, totalPaise, allocation } = dues
  if (sum === totalPaise || (partPayment.isAllowed && sum >= minPaise(partPayment.leastPaise, totalPaise)))
    return {
      share: { lines, lateFees: lateFees.map(({ ruleId, amountPaise }) => ({ ruleId, amountPaise })) },
      why: null,
    }
  if (dues.lines.some(line => minPaise(line.owedPaise, line.plannedPaise) > 0))
    return leftOut('A plan takes a part of what it owes, and your rules do not allow to pay only the rest.')
  const least = partPayment.isAllowed ? minPaise(partPayment.leastPaise, totalPaise) : totalPaise
  return { share: allocate(least, dues, allocation), why: null }
}

/** What of a line is asked for; instalments take theirs in their own time. */
function duePaise(line: Line, today: string, asked: LinkScope): Paise {
  if (asked.scope === 'year')
    return subtractPaise(line.owedPaise, minPaise(line.owedPaise, line.plannedPaise))
  return dueBefore(line, asked.scope === 'due_by' ? dayAfter(asked.until) : today)
}

function nothingWords(asked: LinkScope): string {
  if (asked.scope === 'due_by') return `Nothing is due by ${formatDay(asked.until)}.`
  return asked.scope === 'year' ? 'Nothing is due.' : 'Nothing is overdue.'
}

function leftOut(why: string): ShareDecision {
  return { share: null, why }
}

/** The lines of an order for it: late fees are one of them. */
export function linesOf({ lines, lateFees }: Share): Share['lines'] {
  const lateFeePaise = sumPaise(lateFees.map(fee => fee.amountPaise))
  return lateFeePaise > 0 ? [...lines, { componentType: LATE_FEE, amountPaise: lateFeePaise }] : lines
}

/** Whether two orders ask for the same of each component. */
export function asksTheSame(one: Share['lines'], other: Share['lines']): boolean {
  const types = new Set([...one, ...other].map(line => line.componentType))
  return [...types].every(type => sumOf(one, type) === sumOf(other, type))
}

function sumOf(lines: Share['lines'], type: string): Paise {
  return lines
    .filter(line => line.componentType === type)
    .reduce((sum, line) => sumPaise([sum, line.amountPaise]), ZERO)
}
