import { applyFees, planFees, type FeePlan } from '../../../fees/fees.service.ts'
import type { ImportKindDefinition, Outcome } from '../kind.ts'
import { problemsOf, type PlacedRow } from '../merge.rules.ts'
import { findOwners } from './owners.service.ts'
import { keysByStudent, ofStudents } from '../student-identity.schemas.ts'
import { feeRows, type FeeRow } from './erp-rows.schemas.ts'
import { mergeFeeRows } from './merge-rows.rules.ts'
import { addAll } from '../../../platform/lists.ts'

/** A student whose fees change, or stay as they are, with the rows that say so. */
type PlannedFees = FeePlan & { rows: PlacedRow<FeeRow>[] }

/** A file of fees: the rows of a student do what Update Fee does. */
export const feeImport: ImportKindDefinition<FeeRow> = {
  ...ofStudents,
  rows: feeRows,
  keysOf: keysByStudent('component_type'),
  codesOf: ({ componentType, discounts = [] }) => [
    { kind: 'component', code: componentType, column: 'component_type' },
    ...discounts.map(discount => {
      return { kind: 'discount' as const, code: discount.discountType, column: 'discount_type' }
    }),
  ],
  async judge(db, { institute, now }, groups, options) {
    const { owned, problems } = await findOwners(db, institute, groups, options)
    const merged = owned.map(({ student, group }) => ({ studentId: student.id, ...mergeFeeRows(group) }))
    addAll(
      problems,
      merged.flatMap(one => one.problems),
    )
    const sent = merged.map(({ studentId, units }) => ({ studentId, fees: units.map(unit => unit.said) }))
    const plans = await planFees(db, institute.id, sent, 'fee_amount')
    const planned: PlannedFees[] = []
    for (const [index, plan] of plans.entries()) {
      const rows = merged[index]?.units.flatMap(unit => unit.rows) ?? []
      const [tooMuch] = plan.problems
      if (tooMuch === undefined) planned.push({ ...plan, rows })
      else addAll(problems, problemsOf(rows, { column: tooMuch.key, message: tooMuch.message }))
    }
    return {
      problems,
      async apply(tx) {
        await applyFees(tx, institute.id, planned, { changedAt: now, source: 'import' })
        return countRows(planned)
      },
    }
  },
}

function countRows(planned: readonly PlannedFees[]): Outcome {
  const outcome: Outcome = { appliedRows: 0, unchangedRows: 0 }
  for (const { changes, rows } of planned) {
    const changed = new Set(changes.map(change => change.componentType))
    const applied = rows.filter(({ row }) => changed.has(row.componentType)).length
    outcome.appliedRows += applied
    outcome.unchangedRows += rows.length - applied
  }
  return outcome
}
