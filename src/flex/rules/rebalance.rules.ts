import {
  minPaise,
  paiseOf,
  splitInProportion,
  subtractPaise,
  sumPaise,
  ZERO,
  type Paise,
} from '../../platform/money.ts'
import { isSameMoney, linesFrom, totalsOf, type Line } from './lines.rules.ts'
import {
  isDone,
  isOpen,
  isPlanLive,
  isToCome,
  type FittedLine,
  type Instalment,
  type LoadedPlan,
} from './plan.rules.ts'
import { splitEqually } from './schedule.rules.ts'

/** What a student's components cost, and what is left to pay of each. */
export type Fees = { prices: Line[]; owed: Line[] }

/** An instalment that is not out at the bank; in the order in which they are due. */
export type OpenRow = {
  id: string
  lines: readonly Line[]
  /** False for one that was presented and came back: it stays due as it is, and a higher fee goes to the others. */
  isToCome?: boolean
}

/** What a component still has to bring, and whether its fee fell since the schedule was last rebalanced. */
export type Target = { componentType: string; amountPaise: Paise; hasFeeFallen: boolean }

export type RebalancedRow = { id: string; lines: Line[]; becomes: 'open' | 'covered' | 'waived' }

/** The instalments whose amounts have to change for the plan to take what is owed now. */
export function rebalancePlan(loaded: LoadedPlan, fees: Fees): RebalancedRow[] {
  return rebalanceRows(
    openRows(loaded),
    loaded.plan.isCustom ? customTargets(loaded, fees) : targetsOf(loaded, fees),
  )
}

/** Whether rebalancing would change nothing. */
export function isBalanced(loaded: LoadedPlan, fees: Fees): boolean {
  return rebalancePlan(loaded, fees).length === 0 && !isFinished(loaded)
}

/** Nothing more is expected of it, so it can be closed. */
export function isFinished({ plan, instalments }: LoadedPlan): boolean {
  return isPlanLive(plan) && instalments.every(isDone)
}

/** Earliest first means by their days: one that was moved has kept its number. */
function openRows({ instalments }: LoadedPlan): OpenRow[] {
  return instalments
    .filter(instalment => isOpen(instalment) && !instalment.isDownpayment)
    .toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))
    .map(one => ({ id: one.id, lines: one.lines, isToCome: isToCome(one) }))
}

/** What is out at the bank counts as paid until it comes back. */
function targetsOf(loaded: LoadedPlan, { owed, prices }: Fees): Target[] {
  const out = outstandingElsewhere(loaded)
  const owedNow = totalsOf(owed)
  const before = totalsOf(loaded.plan.fittedTo)
  return prices.map(({ componentType, amountPaise }) => ({
    componentType,
    amountPaise: atLeastZero((owedNow.get(componentType) ?? ZERO) - (out.get(componentType) ?? ZERO)),
    hasFeeFallen: amountPaise < (before.get(componentType) ?? ZERO),
  }))
}

/**
 * The ERP's amounts are taken as they are, whether or not they add up to what is owed. From then on the room between the
 * two stays the same, whatever the bank does; when it shrinks, money came or a fee fell, and the rows take that less.
 */
function customTargets(loaded: LoadedPlan, fees: Fees): Target[] {
  const prices = totalsOf(fees.prices)
  const before = new Map(loaded.plan.fittedTo.map(line => [line.componentType, line]))
  return [...plannedOf(loaded)].map(([componentType, amountPaise]) => {
    const then = before.get(componentType)
    const now = roomOf(loaded, fees, componentType)
    const shrunkBy = then?.roomPaise === undefined ? 0 : Math.max(then.roomPaise - now, 0)
    return {
      componentType,
      amountPaise: atLeastZero(amountPaise - shrunkBy),
      hasFeeFallen: (prices.get(componentType) ?? ZERO) < (then?.amountPaise ?? ZERO),
    }
  })
}

/** What the plan is balanced against from now on. Room that grew is kept as it was: a payment that was cancelled and
 * recorded anew must not count twice. */
export function balancedAgainst(loaded: LoadedPlan, fees: Fees): FittedLine[] {
  if (!loaded.plan.isCustom) return fees.prices
  const before = new Map(loaded.plan.fittedTo.map(line => [line.componentType, line.roomPaise]))
  return roomsOf(loaded, fees).map(line => ({
    ...line,
    roomPaise: Math.min(line.roomPaise ?? 0, before.get(line.componentType) ?? Infinity),
  }))
}

/** The same for a schedule of the ERP's that was just taken over. */
export function roomsOf(loaded: LoadedPlan, fees: Fees): FittedLine[] {
  const prices = totalsOf(fees.prices)
  const types = new Set([...prices.keys(), ...plannedOf(loaded).keys()])
  return [...types].map(componentType => ({
    componentType,
    amountPaise: prices.get(componentType) ?? ZERO,
    roomPaise: roomOf(loaded, fees, componentType),
  }))
}

function roomOf(loaded: LoadedPlan, { owed }: Fees, componentType: string): number {
  const of = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
  return of(totalsOf(owed)) - of(outstandingElsewhere(loaded)) - of(plannedOf(loaded))
}

function plannedOf(loaded: LoadedPlan): Map<string, Paise> {
  return totalsOf(openRows(loaded).flatMap(({ lines }) => lines))
}

/** Out at the bank, or to be paid by the parent at set-up. */
function isElsewhere({ state, isDownpayment }: Instalment): boolean {
  return state === 'presented' || (isDownpayment && state === 'scheduled')
}

function outstandingElsewhere({ instalments }: LoadedPlan): Map<string, Paise> {
  return totalsOf(instalments.filter(isElsewhere).flatMap(({ lines }) => lines))
}

function atLeastZero(value: number): Paise {
  return paiseOf(Math.max(value, 0))
}

/**
 * Less is taken off the earliest instalments first; more is spread over all of them in proportion, or equally over those
 * that have none of it. One that comes to nothing is covered when money came otherwise and waived when the fee fell.
 * Only rows that change come back.
 */
export function rebalanceRows(rows: readonly OpenRow[], targets: readonly Target[]): RebalancedRow[] {
  const lines = new Map(rows.map(row => [row.id, totalsOf(row.lines)]))
  const fallen = new Set<string>()
  const toCome = rows.filter(({ isToCome = true }) => isToCome)
  const components = new Map(targets.map(target => [target.componentType, target]))
  for (const row of rows)
    for (const { componentType } of row.lines)
      if (!components.has(componentType))
        components.set(componentType, { componentType, amountPaise: ZERO, hasFeeFallen: true })
  for (const { componentType, amountPaise, hasFeeFallen } of components.values()) {
    const amountOf = (row: OpenRow): Paise => lines.get(row.id)?.get(componentType) ?? ZERO
    const planned = sumPaise(rows.map(amountOf))
    const isLess = amountPaise < planned
    if (hasFeeFallen && isLess) fallen.add(componentType)
    const taking = isLess || toCome.length === 0 ? rows : toCome
    const amounts = taking.map(amountOf)
    const rebalanced = isLess
      ? takeOff(amounts, paiseOf(planned - amountPaise))
      : spread(amounts, paiseOf(amountPaise - planned))
    for (const [index, row] of taking.entries())
      lines.get(row.id)?.set(componentType, rebalanced[index] ?? ZERO)
  }
  return rows.flatMap(row => {
    const after = linesFrom(lines.get(row.id) ?? new Map())
    if (isSameMoney(row.lines, after)) return []
    const isWaived = row.lines.every(line => line.amountPaise === 0 || fallen.has(line.componentType))
    const becomes = after.length > 0 ? 'open' : isWaived ? 'waived' : 'covered'
    return [{ id: row.id, lines: after, becomes }]
  })
}

function takeOff(amounts: readonly Paise[], excess: Paise): Paise[] {
  let left = excess
  return amounts.map(amount => {
    const taken = minPaise(amount, left)
    left = subtractPaise(left, taken)
    return subtractPaise(amount, taken)
  })
}

function spread(amounts: readonly Paise[], more: Paise): Paise[] {
  if (more === 0 || amounts.length === 0) return [...amounts]
  const shares = amounts.some(amount => amount > 0)
    ? splitInProportion(more, amounts)
    : splitEqually(more, amounts.length)
  return amounts.map((amount, index) => paiseOf(amount + (shares[index] ?? ZERO)))
}
