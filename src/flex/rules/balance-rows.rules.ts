import { minPaise, paiseOf, splitInProportion, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { isSameMoney, linesFrom, totalsOf, type Line } from './lines.rules.ts'
import { splitEqually } from './schedule.rules.ts'

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

/** What a component has to bring by this schedule, and what its fee has changed by since it was last balanced. */
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
  const of = (...kinds: BalanceRow['kind'][]): Column[] => columns.filter(({ kind }) => kinds.includes(kind))
  const left = fillUp(of('to_come', 'fixed', 'ended').toReversed(), more)
  const rise = minPaise(left, atLeastZero(feeChangePaise))
  const waived = forget(of('past_waived'), rise)
  const money = paiseOf(left - rise)
  const covered = forget(of('past_covered'), money)
  if (isLimited) return paiseOf(waived + covered)
  // Money that went back was for days that are over; a fee that rose is for those to come.
  const toCome = of('to_come')
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

/** What was planned for days that are over comes back once. Answers how much of the amount that is. */
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

function atLeastZero(value: number): Paise {
  return paiseOf(Math.max(value, 0))
}
