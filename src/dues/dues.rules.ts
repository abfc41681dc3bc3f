import { restAfter } from '../payments/on-the-way.rules.ts'
import { daysBetween } from '../platform/calendar.ts'
import { badField, type FieldProblem } from '../platform/errors.ts'
import { addAll } from '../platform/lists.ts'
import {
  formatRupees,
  minPaise,
  type Paise,
  paiseOf,
  subtractPaise,
  sumPaise,
  ZERO,
} from '../platform/money.ts'
import { sumByComponent } from '../students/direct-payments/direct-payments.rules.ts'

/** The component that late fees are paid under. */
export const LATE_FEE = 'LATE_FEE'

/** How a part payment is spread: by due day and then as registered, as registered alone, or by what is owed of each. */
export const ALLOCATIONS = ['oldest_due', 'as_registered', 'in_proportion'] as const
export type Allocation = (typeof ALLOCATIONS)[number]

/** What becomes of money beyond what was owed when it came in. */
export const SURPLUSES = ['refund', 'advance'] as const
export type Surplus = (typeof SURPLUSES)[number]

/**
 * What a transfer pays for which nobody was asked: what was due first, only what is overdue, or nothing until the family or the
 * office says what.
 */
export const TRANSFERS = ['oldest_due', 'overdue', 'ask'] as const
export type TransferRule = (typeof TRANSFERS)[number]

export type PartPayment = { isAllowed: boolean; leastPaise: Paise }

type Slab = { fromDay: number; amountPaise: Paise }

/** When components are due and what being late costs. */
export type LateFeeRule = {
  id: string
  /** Null: every component that no other rule names. */
  componentType: string | null
  dueOn: string
  graceDays: number
  charge:
    | { kind: 'none' }
    | { kind: 'per_day'; amountPaise: Paise }
    | { kind: 'slab'; slabs: readonly Slab[] }
  capPaise: Paise | null
}

/** The parts of a rule's late fee that were paid or waived already. */
export type Redeemed = { chargedPaise: Paise; waivedPaise: Paise }

export type LateFee = {
  ruleId: string
  componentType: string | null
  dueOn: string
  daysLate: number
  /** Still to pay. */
  amountPaise: Paise
  waivedPaise: Paise
}

export function ruleFor(rules: readonly LateFeeRule[], componentType: string): LateFeeRule | null {
  const own = rules.find(rule => rule.componentType === componentType)
  return own ?? rules.find(rule => rule.componentType === null) ?? null
}

/** The rule of a component whose own due day comes before the rule's; what is redeemed of it is its own too. */
export function datedRule(
  rules: readonly LateFeeRule[],
  { componentType, dueOn }: { componentType: string; dueOn?: string | null },
): LateFeeRule | null {
  const rule = ruleFor(rules, componentType)
  if (rule === null || dueOn === undefined || dueOn === null || dueOn === rule.dueOn) return rule
  return { ...rule, id: `${rule.id}-${dueOn.replaceAll('-', '')}`, dueOn }
}

/** What a rule asks for on a day: nothing within its grace, and from then on counted from the due day. */
export function accruedOn(rule: LateFeeRule, today: string): Paise {
  const daysLate = daysBetween(rule.dueOn, today)
  if (daysLate <= rule.graceDays) return ZERO
  const amount = chargeFor(rule.charge, daysLate)
  return rule.capPaise === null ? amount : minPaise(amount, rule.capPaise)
}

function chargeFor(charge: LateFeeRule['charge'], daysLate: number): Paise {
  if (charge.kind === 'none') return ZERO
  if (charge.kind === 'per_day') return paiseOf(charge.amountPaise * daysLate)
  return charge.slabs.findLast(slab => slab.fromDay <= daysLate)?.amountPaise ?? ZERO
}

/** A late fee is due only while something of what it is for is. */
export function lateFeesOn(
  today: string,
  owed: readonly { componentType: string; amountPaise: Paise; dueOn?: string | null }[],
  rules: readonly LateFeeRule[],
  redeemed: ReadonlyMap<string, Redeemed>,
): LateFee[] {
  const live = owed.flatMap(line => (line.amountPaise > 0 && datedRule(rules, line)) || [])
  const types = rules.map(rule => rule.componentType)
  const place = (rule: LateFeeRule): number => types.indexOf(rule.componentType)
  const inOrder = [...new Map(live.map(rule => [rule.id, rule])).values()].toSorted(
    (one, other) => place(one) - place(other) || one.dueOn.localeCompare(other.dueOn),
  )
  return inOrder.flatMap(rule => {
    const accrued = accruedOn(rule, today)
    const { chargedPaise, waivedPaise } = redeemed.get(rule.id) ?? { chargedPaise: ZERO, waivedPaise: ZERO }
    const left = accrued - chargedPaise - waivedPaise
    if (accrued === 0 || (left <= 0 && waivedPaise === 0)) return []
    return [
      {
        ruleId: rule.id,
        componentType: rule.componentType,
        dueOn: rule.dueOn,
        daysLate: daysBetween(rule.dueOn, today),
        amountPaise: paiseOf(Math.max(left, 0)),
        waivedPaise,
      },
    ]
  })
}

/** What fell due on a day; null where no calendar named one. */
export type DuePart = { dueOn: string | null; amountPaise: Paise }

/**
 * Divides what is left of dues that were carried from an earlier year by due day: the oldest are paid first. An amount above
 * what was carried, because somebody raised the fee, counts to the oldest. `owed_parts` of the schema says the same.
 */
export function leftByDay(carried: readonly DuePart[], owedPaise: Paise): DuePart[] {
  let left = owedPaise
  const parts = carried.toReversed().map(({ dueOn, amountPaise }, index) => {
    const isOldest = index === carried.length - 1
    const part = isOldest ? left : minPaise(left, amountPaise)
    left = subtractPaise(left, part)
    return { dueOn, amountPaise: part }
  })
  return parts.filter(part => part.amountPaise > 0).toReversed()
}

export type OwedLine = {
  componentType: string
  owedPaise: Paise
  dueOn: string | null
  /** The line comes from an earlier academic year, so it was due before anything of this one. */
  isCarried?: boolean
  /** How much of it an instalment plan will take. */
  plannedPaise?: Paise
  /** What is left of earlier years in it, by the day on which it fell due. */
  carriedParts?: readonly DuePart[] | null
  /** The day of a carried part that had none. */
  lateFrom?: string | null
}

export type Share = {
  lateFees: readonly { ruleId: string; amountPaise: Paise }[]
  lines: readonly { componentType: string; amountPaise: Paise }[]
}

/** What is paid now: all of it, or a part that the institute's rules allow. */
export function payable(wanted: Paise | null, total: Paise, part: PartPayment): Paise {
  if (total === 0) throw badField('amount', 'cannot be paid: nothing is due')
  const amount = wanted ?? total
  if (amount === total) return amount
  if (amount > total) throw badField('amount', `is more than the ${formatRupees(total)} that is due`)
  if (!part.isAllowed) throw badField('amount', `must be the whole ${formatRupees(total)}`)
  const least = minPaise(part.leastPaise, total)
  if (amount < least) throw badField('amount', `must be at least ${formatRupees(least)}`)
  return amount
}

/** How much of what a payment brought for each component was more than its price; components without any are left out. */
export function excessOf(
  lines: Share['lines'],
  prices: ReadonlyMap<string, Paise>,
  paid: ReadonlyMap<string, Paise>,
): Share['lines'] {
  return [...sumByComponent(lines)].flatMap(([componentType, amount]) => {
    const beyond = Math.max((paid.get(componentType) ?? 0) - (prices.get(componentType) ?? 0), 0)
    return beyond === 0 ? [] : [{ componentType, amountPaise: paiseOf(Math.min(beyond, amount)) }]
  })
}

/** Whether two payments would pay something of the same component. */
export function overlap(one: Share['lines'], other: Share['lines']): boolean {
  return one.some(line => other.some(({ componentType }) => componentType === line.componentType))
}

/** Enough for a parent to recognise the other one, and no more: A… R…. */
export function maskName(name: string): string {
  return name
    .split(/\s+/)
    .filter(word => word !== '')
    .map(word => `${/^\p{L}\p{M}*/u.exec(word)?.[0] ?? ''}…`)
    .join(' ')
}

/** Reduces the late fees of an order to the part that is still asked for at the moment of payment. */
export function stillAsked(agreed: Share['lateFees'], asked: readonly LateFee[]): Share['lateFees'] {
  return agreed.flatMap(({ ruleId, amountPaise }) => {
    const left = asked.find(fee => fee.ruleId === ruleId)?.amountPaise ?? ZERO
    const part = minPaise(amountPaise, left)
    return part > 0 ? [{ ruleId, amountPaise: part }] : []
  })
}

type DuesWithLateFees = {
  lines: readonly OwedLine[]
  lateFees: readonly LateFee[]
  owedPaise: Paise
  lateFeePaise: Paise
  totalPaise: Paise
}

/**
 * The dues less what payments on their way will take of them, be it a fee or a late fee that is not one yet. What a debit takes
 * is no longer planned either: the rest can be paid by hand.
 */
export function withoutTaken<Dues extends DuesWithLateFees>(
  dues: Dues,
  onTheWay: readonly { amountPaise: Paise; lines: Share['lines']; orderKind?: string }[],
): Dues {
  const debited = sumByComponent(
    onTheWay.filter(one => one.orderKind === 'instalment').flatMap(one => one.lines),
  )
  const planned = ({ componentType, plannedPaise }: OwedLine): Pick<OwedLine, 'plannedPaise'> =>
    plannedPaise === undefined
      ? {}
      : { plannedPaise: paiseOf(Math.max(plannedPaise - (debited.get(componentType) ?? 0), 0)) }
  const rest = restAfter(onTheWay)
  const lines = dues.lines.map(line => ({
    ...line,
    ...planned(line),
    owedPaise: rest(line.componentType, line.owedPaise),
  }))
  const lateFees = dues.lateFees.map(fee => ({ ...fee, amountPaise: rest(LATE_FEE, fee.amountPaise) }))
  return addUp({ ...dues, lines, lateFees })
}

/** The dues less what instalments will take in their own time: what a family is asked to pay by hand. */
export function withoutPlanned<Dues extends DuesWithLateFees>(dues: Dues): Dues {
  const lines = dues.lines.map(line => {
    const byPlan = minPaise(line.owedPaise, line.plannedPaise ?? ZERO)
    return { ...line, plannedPaise: ZERO, owedPaise: subtractPaise(line.owedPaise, byPlan) }
  })
  return addUp({ ...dues, lines })
}

/** The dues less what cannot be paid online, because the bank account that it belongs to cannot be reached. */
export function withoutClosed<Dues extends DuesWithLateFees>(
  dues: Dues,
  isClosed: (componentType: string) => boolean,
): Dues {
  const lines = dues.lines.map(line =>
    isClosed(line.componentType) ? { ...line, plannedPaise: ZERO, owedPaise: ZERO } : line,
  )
  const lateFees = isClosed(LATE_FEE)
    ? dues.lateFees.map(fee => ({ ...fee, amountPaise: ZERO }))
    : dues.lateFees
  return addUp({ ...dues, lines, lateFees })
}

function addUp<Dues extends DuesWithLateFees>(dues: Dues): Dues {
  const owedPaise = sumPaise(dues.lines.map(line => line.owedPaise))
  const lateFeePaise = sumPaise(dues.lateFees.map(fee => fee.amountPaise))
  return { ...dues, owedPaise, lateFeePaise, totalPaise: paiseOf(owedPaise + lateFeePaise) }
}

/** Whether lines ask for fees that are being paid already: `left` is what is owed less that money. */
export function isAskedTwice(lines: Share['lines'], owed: DuesWithLateFees, left: DuesWithLateFees): boolean {
  return [...sumByComponent(lines)].some(([componentType, amount]) => {
    const rest = owedOfComponent(componentType, left)
    return amount > rest && rest < owedOfComponent(componentType, owed)
  })
}

function owedOfComponent(componentType: string, { lines, lateFeePaise }: DuesWithLateFees): number {
  const owed = lines.find(line => line.componentType === componentType)?.owedPaise ?? ZERO
  return componentType === LATE_FEE ? owed + lateFeePaise : owed
}

/** Whether all that an order was made for is still due; a component may stand in several of its lines. */
export function isCovered(order: Share, dues: DuesWithLateFees): boolean {
  const isLineCovered = ([componentType, amount]: [string, Paise]): boolean =>
    amount <= owedOfComponent(componentType, dues)
  const asked = sumPaise(stillAsked(order.lateFees, dues.lateFees).map(fee => fee.amountPaise))
  return (
    [...sumByComponent(order.lines)].every(isLineCovered) &&
    asked === sumPaise(order.lateFees.map(fee => fee.amountPaise))
  )
}

/** Divides what a plan will not take of a line by the day on which it falls due; of what was carried a plan takes the oldest. */
function partsByHand(line: OwedLine): readonly DuePart[] {
  const { owedPaise, plannedPaise = ZERO, dueOn, carriedParts = null, lateFrom = null } = line
  const amountPaise = subtractPaise(owedPaise, minPaise(owedPaise, plannedPaise))
  if (carriedParts === null) return [{ dueOn, amountPaise }]
  return leftByDay(carriedParts, amountPaise).map(part => ({ ...part, dueOn: part.dueOn ?? lateFrom }))
}

/** What of a line is to be paid by hand and falls due before a day. A late fee that was charged has been due since then. */
export function dueBefore(line: OwedLine, day: string): Paise {
  const isCharged = line.componentType === LATE_FEE
  const due = partsByHand(line).filter(({ dueOn }) => isCharged || (dueOn !== null && dueOn < day))
  return sumPaise(due.map(part => part.amountPaise))
}

/** What of a line is to be paid by hand and is still to fall due, with its days. */
export function dueFrom(line: OwedLine, day: string): { dueOn: string; amountPaise: Paise }[] {
  if (line.componentType === LATE_FEE) return []
  return partsByHand(line).flatMap(({ dueOn, amountPaise }) =>
    dueOn !== null && dueOn >= day && amountPaise > 0 ? [{ dueOn, amountPaise }] : [],
  )
}

type TimedDues = {
  today: string
  lines: readonly (OwedLine & { plannedPaise: Paise })[]
  lateFees: readonly Pick<LateFee, 'amountPaise'>[]
}

/**
 * What somebody owes, as every page, list, sheet, message and answer says it that shows what a child owes: late fees are
 * in it, and so is money on the way, which is named beside it until it has come.
 */
export type Owed = {
  totalPaise: Paise
  /** What of that is past its due day. A plan takes its part in its own time: that is never overdue. */
  overduePaise: Paise
  /** The late fees in what is overdue; they grow until their fees are paid. */
  lateFeePaise: Paise
}

export function owedOf(dues: TimedDues & Pick<Owed, 'totalPaise' | 'lateFeePaise'>): Owed {
  const { totalPaise, lateFeePaise } = dues
  return { totalPaise, lateFeePaise, overduePaise: timingOf(dues).overduePaise }
}

/** What the years of a child, or the children of a family, owe together. */
export function addOwed(all: readonly Owed[]): Owed {
  return {
    totalPaise: sumPaise(all.map(one => one.totalPaise)),
    overduePaise: sumPaise(all.map(one => one.overduePaise)),
    lateFeePaise: sumPaise(all.map(one => one.lateFeePaise)),
  }
}

/** What is to be paid by hand, and when; a plan takes the rest in its own time. */
type Timing = {
  /** Past its due day, late fees included. */
  overduePaise: Paise
  /** The next due day, today included, and what is due on it. */
  nextDue: { on: string; amountPaise: Paise } | null
  /** What instalments will take. */
  plannedPaise: Paise
}

export function timingOf({ today, lines, lateFees }: TimedDues): Timing {
  const ahead = lines.flatMap(line => dueFrom(line, today))
  const [nextOn] = ahead.map(part => part.dueOn).toSorted()
  return {
    overduePaise: sumPaise([
      ...lines.map(line => dueBefore(line, today)),
      ...lateFees.map(fee => fee.amountPaise),
    ]),
    nextDue:
      nextOn === undefined
        ? null
        : {
            on: nextOn,
            amountPaise: sumPaise(ahead.filter(one => one.dueOn === nextOn).map(one => one.amountPaise)),
          },
    plannedPaise: sumPaise(lines.map(line => minPaise(line.owedPaise, line.plannedPaise))),
  }
}

const MOST_RULES = 50

/** What is wrong with a set of rules as sent, by field. */
export function ruleProblems(rules: readonly Omit<LateFeeRule, 'id'>[], path: string): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (rules.length > MOST_RULES) problems.push({ key: path, message: `can be at most ${MOST_RULES}` })
  const seen = new Set<string | null>()
  for (const [index, rule] of rules.entries()) {
    if (seen.has(rule.componentType)) {
      const what = rule.componentType === null ? 'a rule for all other components' : 'this component'
      problems.push({ key: `${path}.${index}.component_type`, message: `${what} stands twice` })
    }
    seen.add(rule.componentType)
    if (rule.charge.kind === 'slab')
      addAll(problems, slabProblems(rule.charge.slabs, `${path}.${index}.slabs`))
  }
  return problems
}

function slabProblems(slabs: readonly Slab[], path: string): FieldProblem[] {
  if (slabs.length === 0) return [{ key: path, message: 'must name at least one slab' }]
  return slabs.flatMap((slab, index) => {
    const before = slabs[index - 1]
    if (before === undefined || (slab.fromDay > before.fromDay && slab.amountPaise >= before.amountPaise))
      return []
    return [
      { key: `${path}.${index}`, message: 'must begin on a later day than the one before and not cost less' },
    ]
  })
}
