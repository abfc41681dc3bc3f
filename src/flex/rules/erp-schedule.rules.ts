import type { ScheduleRow as ErpRow } from '../../erp/erp.rules.ts'
import { minPaise, paiseOf, ZERO, type Paise } from '../../platform/money.ts'
import { linesFrom, totalsOf, type Line } from './lines.rules.ts'
import type { Instalment } from './plan.rules.ts'
import type { ScheduleRow } from './schedule.rules.ts'

export function scheduleRowOf({ dueDate, details, ...row }: ErpRow): ScheduleRow {
  const { isDownpayment, referenceId, identifier } = row
  const lines = details
    .filter(({ amountPaise }) => amountPaise > 0)
    .map(({ componentType, amountPaise }) => ({ componentType, amountPaise }))
  return { dueOn: dueDate, isDownpayment, referenceId, identifier, lines }
}

type Named = Pick<Instalment, 'id' | 'dueOn' | 'referenceId' | 'identifier'>

const BY = [
  (known: Named, row: ScheduleRow) => row.referenceId !== null && known.referenceId === row.referenceId,
  (known: Named, row: ScheduleRow) => row.identifier !== null && known.identifier === row.identifier,
  (known: Named, row: ScheduleRow) => known.dueOn === row.dueOn,
]

/**
 * Which instalment a row of the ERP's schedule speaks of: the one with its reference, else with its identifier, else of its
 * due date. Each is spoken of once, and a better match is not lost to a row that came earlier. Two that have different
 * names are different, whatever day they fall on.
 */
export function matchRows<Known extends Named>(
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

function isNamedOtherwise(known: Named, row: ScheduleRow): boolean {
  if (known.referenceId !== null && row.referenceId !== null) return known.referenceId !== row.referenceId
  return known.identifier !== null && row.identifier !== null && known.identifier !== row.identifier
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
