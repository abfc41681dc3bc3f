import type { ScheduleRow as ErpRow } from '../../erp/erp.rules.ts'
import { minPaise, paiseOf, ZERO, type Paise } from '../../platform/money.ts'
import { linesFrom, sumLines, totalsOf, type Line } from './lines.rules.ts'
import { isEndedByData, isOpen, type Instalment, type LoadedPlan } from './plan.rules.ts'
import type { ScheduleRow } from './schedule.rules.ts'

export function scheduleRowOf({ dueDate, details, ...row }: ErpRow): ScheduleRow {
  const { isDownpayment, referenceId, identifier } = row
  const lines = details
    .filter(({ amountPaise }) => amountPaise > 0)
    .map(({ componentType, amountPaise }) => ({ componentType, amountPaise }))
  return { dueOn: dueDate, isDownpayment, referenceId, identifier, lines }
}

type InstalmentReference = Pick<Instalment, 'id' | 'dueOn' | 'referenceId' | 'identifier'>

const BY = [
  (known: InstalmentReference, row: ScheduleRow) =>
    row.referenceId !== null && known.referenceId === row.referenceId,
  (known: InstalmentReference, row: ScheduleRow) =>
    row.identifier !== null && known.identifier === row.identifier,
  (known: InstalmentReference, row: ScheduleRow) => known.dueOn === row.dueOn,
]

/**
 * Which instalment a row of the ERP's schedule speaks of: the one with its reference, else with its identifier, else of its
 * due date. Each is spoken of once, and a better match is not lost to a row that came earlier. Two that have different
 * names are different, whatever day they fall on.
 */
export function matchRows<Known extends InstalmentReference>(
  known: readonly Known[],
  rows: readonly ScheduleRow[],
): Map<ScheduleRow, Known> {
  const matches = new Map<ScheduleRow, Known>()
  const taken = new Set<string>()
  for (const isMatch of BY) {
    for (const row of rows) {
      if (matches.has(row)) continue
      const found = known.find(one => !taken.has(one.id) && isMatch(one, row) && !isNamedOtherwise(one, row))
      if (found === undefined) continue
      matches.set(row, found)
      taken.add(found.id)
    }
  }
  return matches
}

function isNamedOtherwise(known: InstalmentReference, row: ScheduleRow): boolean {
  if (known.referenceId !== null && row.referenceId !== null) return known.referenceId !== row.referenceId
  return known.identifier !== null && row.identifier !== null && known.identifier !== row.identifier
}

/** Why a row changes nothing; null when it counts. */
export function reasonToIgnore(
  row: ScheduleRow,
  known: Instalment | undefined,
  today: string,
): string | null {
  if (row.isDownpayment) return 'a down payment is only taken at set-up'
  const isChangeable = known === undefined || isOpen(known) || isEndedByData(known)
  if (!isChangeable) return `the instalment is ${known.state}`
  const isNothing = known === undefined || isEndedByData(known)
  if (isNothing && sumLines(row.lines) === 0) return 'it asks for nothing'
  return row.dueOn < today ? 'it lies in the past' : null
}

type Difference = { key: string; message: string }

/** Where a plan that is set up would depart from the rows of its ERP because of what has happened to it. */
export function planDifferences(
  { instalments }: Pick<LoadedPlan, 'instalments'>,
  rows: readonly ScheduleRow[],
  today: string,
): Difference[] {
  const path = 'data.payment_schedule'
  const matches = matchRows(
    instalments.filter(({ state }) => state !== 'due' && state !== 'cancelled'),
    rows,
  )
  const ignored = rows.flatMap((row, index): Difference[] => {
    const why = reasonToIgnore(row, matches.get(row), today)
    return why === null ? [] : [{ key: `${path}.${index}`, message: `is ignored by the plan: ${why}` }]
  })
  const named = new Set(matches.values())
  const missing = instalments.filter(
    one => isOpen(one) && one.state !== 'due' && !one.isDownpayment && one.dueOn >= today && !named.has(one),
  )
  return [
    ...ignored,
    ...missing.map(({ dueOn }) => ({
      key: path,
      message: `has no row for the instalment of ${dueOn}, which would leave the plan`,
    })),
  ]
}

/** Never more of a component than is available: the rows at the end give way. */
export function limitLines<Row extends { lines: readonly Line[] }>(
  rows: readonly Row[],
  available: readonly Line[],
): Map<Row, Line[]> {
  const left = totalsOf(available)
  return new Map(
    rows.map(row => {
      const lines = linesFrom(
        [...totalsOf(row.lines)].map(([componentType, asked]): [string, Paise] => {
          const taken = minPaise(asked, left.get(componentType) ?? ZERO)
          left.set(componentType, paiseOf((left.get(componentType) ?? ZERO) - taken))
          return [componentType, taken]
        }),
      )
      return [row, lines]
    }),
  )
}
