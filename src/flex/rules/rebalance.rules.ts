import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import {
  rebalanceRows,
  type BalanceRow,
  type Rebalanced,
  type ComponentTarget,
} from './balance-rows.rules.ts'
import { isSameMoney, linesFrom, sumLines, totalsOf, withoutLines, type Line } from './lines.rules.ts'
import {
  isDone,
  isEndedByData,
  isOpen,
  isPlanLive,
  isToCome,
  type FittedLine,
  type Instalment,
  type LoadedPlan,
} from './plan.rules.ts'

/** What a student's components cost, and what is left to pay of each. */
export type Fees = { prices: Line[]; owed: Line[] }

/** The instalments whose amounts have to change for the plan to take what is owed now. */
export function rebalancePlan(loaded: LoadedPlan, fees: Fees, today: string): Rebalanced {
  const { isCustom, state } = loaded.plan
  // The ERP's own amounts do not rise by themselves, and a plan that is closed takes nothing that was never in it.
  const isLimited = isCustom || state === 'closed'
  return rebalanceRows(rowsOf(loaded, today), targetsOf(loaded, fees), isLimited)
}

/** Money for a student's fees that is on the way; without lines it pays whatever is owed, the first component first. */
type Expected = { amountPaise: Paise; lines: readonly Line[] }

/** Whether a part of the instalment will be paid by money that is on the way. */
export function isPaidBy(
  loaded: LoadedPlan & { student: Fees },
  { id, lines }: Pick<Instalment, 'id' | 'lines'>,
  { expected, today }: { expected: readonly Expected[]; today: string },
): boolean {
  if (expected.length === 0) return false
  const fees = { prices: loaded.student.prices, owed: withoutExpected(loaded.student.owed, expected) }
  const row = rebalancePlan(loaded, fees, today).rows.find(one => one.id === id)
  return row !== undefined && sumLines(row.lines) < sumLines(lines)
}

function withoutExpected(owed: readonly Line[], expected: readonly Expected[]): Line[] {
  let anything = sumPaise(expected.filter(({ lines }) => lines.length === 0).map(one => one.amountPaise))
  return withoutLines(
    owed,
    expected.flatMap(one => one.lines),
  ).map(({ componentType, amountPaise }) => {
    const part = minPaise(amountPaise, anything)
    anything = subtractPaise(anything, part)
    return { componentType, amountPaise: subtractPaise(amountPaise, part) }
  })
}

/** Whether rebalancing would change nothing. */
export function isBalanced(loaded: LoadedPlan, fees: Fees, today: string): boolean {
  const { rows, comesBack } = rebalancePlan(loaded, fees, today)
  if (rows.length > 0 || comesBack.length > 0) return false
  if (loaded.plan.state === 'closed') return true
  const isFitted = isSameMoney(loaded.plan.fittedTo, fees.prices)
  return isFitted && !isFinished(loaded) && outsideOf(loaded, fees) === loaded.plan.outsidePaise
}

/** Nothing more is expected of it, so it can be closed. */
export function isFinished({ plan, instalments }: LoadedPlan): boolean {
  return isPlanLive(plan) && instalments.every(isDone)
}

/** Earliest first means by their days: one that was moved has kept its number. */
function rowsOf({ instalments }: LoadedPlan, today: string): BalanceRow[] {
  return instalments
    .filter(one => !one.isDownpayment)
    .toSorted(byDay)
    .flatMap(one => rowOf(one, today))
}

/** What a parent pays online was for what is to be paid online, and not for the debit of the same day. */
function byDay(one: Instalment, other: Instalment): number {
  if (one.dueOn !== other.dueOn) return one.dueOn < other.dueOn ? -1 : 1
  return Number(other.state === 'due') - Number(one.state === 'due')
}

function rowOf(one: Instalment, today: string): BalanceRow[] {
  const { id, planned, lines } = one
  if (isOpen(one)) return [{ id, planned, lines, kind: isToCome(one) ? 'to_come' : 'fixed' }]
  if (isEndedByData(one)) {
    const past = one.state === 'waived' ? 'past_waived' : 'past_covered'
    return [{ id, planned, lines: [], kind: one.dueOn < today ? past : 'ended' }]
  }
  // It was debited with less than was planned, because money had come otherwise.
  const isPaid = one.state === 'debited' || one.state === 'settled'
  const rest = isPaid ? withoutLines(planned, lines) : []
  return rest.length === 0 ? [] : [{ id, planned: rest, lines: [], kind: 'past_covered' }]
}

/** What is out at the bank counts as paid until it comes back; what was outside of the plan stays outside. */
function targetsOf(loaded: LoadedPlan, { owed, prices }: Fees): ComponentTarget[] {
  const owedNow = totalsOf(owed)
  const out = outstandingElsewhere(loaded)
  const before = new Map(loaded.plan.fittedTo.map(line => [line.componentType, line]))
  return prices.map(({ componentType, amountPaise }) => {
    const of = (totals: ReadonlyMap<string, Paise>): Paise => totals.get(componentType) ?? ZERO
    const then = before.get(componentType)
    return {
      componentType,
      amountPaise: atLeastZero(of(owedNow) - of(out) - (then?.roomPaise ?? 0)),
      feeChangePaise: amountPaise - (then?.amountPaise ?? ZERO),
    }
  })
}

/** What the plan is balanced against from now on, with what it leaves open of each component. */
export function balancedAgainst(loaded: LoadedPlan, fees: Fees): FittedLine[] {
  const owed = totalsOf(fees.owed)
  const out = outstandingElsewhere(loaded)
  const taken = totalsOf(loaded.instalments.filter(isOpenDebit).flatMap(({ lines }) => lines))
  return fees.prices.map(({ componentType, amountPaise }) => {
    const of = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
    const roomPaise = atLeastZero(of(owed) - of(out) - of(taken))
    return { componentType, amountPaise, roomPaise }
  })
}

/** What the student owes that no instalment takes. */
export function outsideOf(loaded: LoadedPlan, fees: Fees): Paise {
  return sumPaise(balancedAgainst(loaded, fees).map(({ roomPaise = 0 }) => paiseOf(roomPaise)))
}

/** What of these lines has become owed since the plan was last balanced. */
export function owedSince(loaded: LoadedPlan, fees: Fees, lines: readonly Line[]): Line[] {
  const before = new Map(loaded.plan.fittedTo.map(line => [line.componentType, line.roomPaise ?? 0]))
  const more = balancedAgainst(loaded, fees).map(({ componentType, roomPaise = 0 }): [string, Paise] => [
    componentType,
    atLeastZero(roomPaise - (before.get(componentType) ?? 0)),
  ])
  const room = new Map(more)
  return linesFrom(
    [...totalsOf(lines)].map(([type, amount]): [string, Paise] => [
      type,
      minPaise(amount, room.get(type) ?? ZERO),
    ]),
  )
}

/** What rows of a schedule may take of each component: the rest of what is owed, beside these instalments. */
export function availableBeside(loaded: LoadedPlan, kept: readonly Instalment[], { owed }: Fees): Line[] {
  const taken = totalsOf(kept.filter(isOpenDebit).flatMap(({ lines }) => lines))
  const out = outstandingElsewhere(loaded)
  return owed.map(({ componentType, amountPaise }) => {
    const of = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
    return { componentType, amountPaise: atLeastZero(amountPaise - of(out) - of(taken)) }
  })
}

function isOpenDebit(one: Instalment): boolean {
  return isOpen(one) && !one.isDownpayment
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
