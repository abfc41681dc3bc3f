import { restAfter } from '../../payments/on-the-way.rules.ts'
import { minPaise, paiseOf, sumPaise, ZERO, type Paise, splitInProportion } from '../../platform/money.ts'
import {
  isSameMoney,
  linesFrom,
  sumLines,
  totalsOf,
  withoutLines,
  type Line,
  isDone,
  isEndedByData,
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
  const rest = restAfter(expected)
  const owed = [...totalsOf(loaded.student.owed)].map(([type, left]) => [type, rest(type, left)] as const)
  const fees = { prices: loaded.student.prices, owed: linesFrom(owed) }
  const row = rebalancePlan(loaded, fees, today).rows.find(one => one.id === id)
  return row !== undefined && sumLines(row.lines) < sumLines(lines)
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

/** The amount due online comes before a debit of the same day, because a payment made online is meant for it. */
function byDay(one: Instalment, other: Instalment): number {
  if (one.dueOn !== other.dueOn) return one.dueOn < other.dueOn ? -1 : 1
  return Number(other.state === 'due') - Number(one.state === 'due')
}

function rowOf(one: Instalment, today: string): BalanceRow[] {
  const { id, planned, lines } = one
  // A charge is of an amount that was asked for: no other fee is spread over it, and what comes back of it fills it again.
  if (one.isCharge && isOpen(one)) return [{ id, planned, lines, kind: 'fixed' }]
  if (one.isCharge && isEndedByData(one)) return [{ id, planned, lines: [], kind: 'ended' }]
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

/** A debit at the bank counts as paid until it comes back; amounts that the plan left out before stay left out. */
function targetsOf(loaded: LoadedPlan, { owed, prices }: Fees): ComponentTarget[] {
  const owedNow = totalsOf(owed)
  const out = outstandingElsewhere(loaded)
  const before = new Map(loaded.plan.fittedTo.map(line => [line.componentType, line]))
  return prices.map(({ componentType, amountPaise }) => {
    const amountIn = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
    const then = before.get(componentType)
    return {
      componentType,
      amountPaise: atLeastZero(amountIn(owedNow) - amountIn(out) - (then?.roomPaise ?? 0)),
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
    const amountIn = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
    const roomPaise = atLeastZero(amountIn(owed) - amountIn(out) - amountIn(taken))
    return { componentType, amountPaise, roomPaise }
  })
}

/** What the student owes that no instalment takes. */
export function outsideOf(loaded: LoadedPlan, fees: Fees): Paise {
  return sumPaise(balancedAgainst(loaded, fees).map(({ roomPaise = 0 }) => paiseOf(roomPaise)))
}

/** The part of these lines that has become owed since the plan was last balanced. */
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

/** The amounts that new rows may take of each component: what is owed less what these instalments take. */
export function availableBeside(loaded: LoadedPlan, kept: readonly Instalment[], { owed }: Fees): Line[] {
  const taken = totalsOf(kept.filter(isOpenDebit).flatMap(({ lines }) => lines))
  const out = outstandingElsewhere(loaded)
  return owed.map(({ componentType, amountPaise }) => {
    const amountIn = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
    return { componentType, amountPaise: atLeastZero(amountPaise - amountIn(out) - amountIn(taken)) }
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

/** An instalment that is not out at the bank; in the order in which they are due. */
export type BalanceRow = {
  id: string
  /** None of one that was covered or waived. */
  lines: readonly Line[]
  planned: readonly Line[]
  /**
   * `to_come` takes more when a fee rises, `fixed` came back from the bank or is paid online and stays as it is; `ended`
   * was covered or waived and its day is still to come. Of what was covered or waived before its day was over nothing can
   * be filled up any more.
   */
  kind: 'to_come' | 'fixed' | 'ended' | 'past_covered' | 'past_waived'
}

/** The amount that the plan has to collect of a component, and by how much its fee has changed since the last balance. */
export type ComponentTarget = { componentType: string; amountPaise: Paise; feeChangePaise: number }

export type RebalancedRow = {
  id: string
  lines: Line[]
  planned: Line[]
  becomes: 'open' | 'covered' | 'waived'
}

/** `comesBack` has no instalment any more whose day is still to come. */
export type Rebalanced = { rows: RebalancedRow[]; comesBack: Line[] }

type Amounts = { lines: Map<string, Paise>; planned: Map<string, Paise> }

/**
 * Less is taken off the earliest instalments first. More fills up again what was lowered, those that were covered or
 * waived among it, the latest first; a fee that rose beyond that is spread over all that are to come, in proportion, or
 * equally when none has any of it; what came back for a day that is over has no instalment any more. With `isLimited`
 * nothing beyond what was planned is taken. One that comes to nothing is covered when money came otherwise and waived when
 * the fee fell. Only rows that change come back.
 */
export function rebalanceRows(
  rows: readonly BalanceRow[],
  targets: readonly ComponentTarget[],
  isLimited = false,
): Rebalanced {
  const amounts = new Map<string, Amounts>(
    rows.map(row => [row.id, { lines: totalsOf(row.lines), planned: totalsOf(row.planned) }]),
  )
  const fallen = new Set<string>()
  const components = new Map(targets.map(target => [target.componentType, target]))
  for (const { componentType } of rows.flatMap(({ lines }) => lines))
    if (!components.has(componentType))
      components.set(componentType, { componentType, amountPaise: ZERO, feeChangePaise: -1 })
  const comesBack = [...components.values()].map((target): [string, Paise] => {
    const columns = rows.map(row => new Column(row, amounts.get(row.id), target.componentType))
    const planned = sumPaise(columns.map(({ amount }) => amount))
    if (target.amountPaise >= planned)
      return [
        target.componentType,
        takeMore(columns, paiseOf(target.amountPaise - planned), { ...target, isLimited }),
      ]
    if (target.feeChangePaise < 0) fallen.add(target.componentType)
    takeLess(columns, paiseOf(planned - target.amountPaise))
    return [target.componentType, ZERO]
  })
  return {
    rows: rows.flatMap(row => changeOf(row, amounts.get(row.id), fallen)),
    comesBack: linesFrom(comesBack),
  }
}

/** What one instalment takes of one component. */
class Column {
  readonly kind: BalanceRow['kind']
  readonly #amounts: Amounts | undefined
  readonly #componentType: string

  constructor({ kind }: BalanceRow, amounts: Amounts | undefined, componentType: string) {
    this.kind = kind
    this.#amounts = amounts
    this.#componentType = componentType
  }

  get amount(): Paise {
    return this.#amounts?.lines.get(this.#componentType) ?? ZERO
  }

  get planned(): Paise {
    return this.#amounts?.planned.get(this.#componentType) ?? ZERO
  }

  /** Below what the schedule wants of it. */
  get lowered(): Paise {
    return atLeastZero(this.planned - this.amount)
  }

  add(more: number): void {
    this.#amounts?.lines.set(this.#componentType, paiseOf(this.amount + more))
  }

  plan(more: number): void {
    this.#amounts?.planned.set(this.#componentType, paiseOf(this.planned + more))
  }
}

function takeLess(columns: readonly Column[], excess: Paise): void {
  let left = excess
  for (const column of columns) {
    const taken = minPaise(column.amount, left)
    column.add(0 - taken)
    left = paiseOf(left - taken)
  }
}

/** Answers what has no instalment any more. */
function takeMore(
  columns: readonly Column[],
  more: Paise,
  { feeChangePaise, isLimited }: { feeChangePaise: number; isLimited: boolean },
): Paise {
  const columnsOf = (...kinds: BalanceRow['kind'][]): Column[] =>
    columns.filter(({ kind }) => kinds.includes(kind))
  const left = fillUp(columnsOf('to_come', 'fixed', 'ended').toReversed(), more)
  const rise = minPaise(left, atLeastZero(feeChangePaise))
  const waived = forget(columnsOf('past_waived'), rise)
  const money = paiseOf(left - rise)
  const covered = forget(columnsOf('past_covered'), money)
  if (isLimited) return paiseOf(waived + covered)
  // Money that went back was for days that are over; a fee that rose is for those to come.
  const toCome = columnsOf('to_come')
  if (toCome.length === 0) return left
  spread(toCome, paiseOf(rise - waived))
  return paiseOf(waived + money)
}

/** Answers what is left. */
function fillUp(columns: readonly Column[], more: Paise): Paise {
  let left = more
  for (const column of columns) {
    const filled = minPaise(column.lowered, left)
    column.add(filled)
    left = paiseOf(left - filled)
  }
  return left
}

function spread(columns: readonly Column[], more: Paise): void {
  if (more === 0) return
  const amounts = columns.map(({ amount }) => amount)
  const shares = amounts.some(amount => amount > 0)
    ? splitInProportion(more, amounts)
    : splitEqually(more, amounts.length)
  for (const [index, column] of columns.entries()) {
    column.add(shares[index] ?? ZERO)
    column.plan(shares[index] ?? ZERO)
  }
}

/** Takes an amount that is owed again off what was planned for past days, so that it comes back once; answers how much. */
function forget(columns: readonly Column[], amount: Paise): Paise {
  let left = amount
  for (const column of columns) {
    const forgotten = minPaise(column.planned, left)
    column.plan(0 - forgotten)
    left = paiseOf(left - forgotten)
  }
  return paiseOf(amount - left)
}

function changeOf(
  row: BalanceRow,
  amounts: Amounts | undefined,
  fallen: ReadonlySet<string>,
): RebalancedRow[] {
  const lines = linesFrom(amounts?.lines ?? new Map())
  const planned = linesFrom(amounts?.planned ?? new Map())
  if (isSameMoney(row.lines, lines) && isSameMoney(row.planned, planned)) return []
  const isWaived = row.lines.every(line => line.amountPaise === 0 || fallen.has(line.componentType))
  return [
    { id: row.id, lines, planned, becomes: lines.length > 0 ? 'open' : isWaived ? 'waived' : 'covered' },
  ]
}
