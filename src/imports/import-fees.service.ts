import type { Transaction } from '../platform/db/database.ts'
import { mergeFees, totalProblems, type FeeChange } from '../fees/fees.rules.ts'
import type { FeeRow } from './import-rows.schemas.ts'
import { applyFeeChanges, readFeesOf } from '../fees/fees.store.ts'
import { findOwners } from './import-owners.service.ts'
import type { ImportHandler, ImportScene, Outcome } from './import-scene.ts'
import { mergeFeeRows, type RowProblem } from './import-units.rules.ts'

/** A student whose fees change, or stay as they are, with the rows that say so. */
type Plan = { studentId: string; changes: FeeChange[]; rows: { componentType: string }[] }

/** A file of fees: the rows of a student do what Update Fee does. */
export const feeImport: ImportHandler<'fees'> = {
  codesOf: ({ componentType, discounts = [] }) => [
    { kind: 'component', code: componentType, column: 'component_type' },
    ...discounts.map(discount => {
      return { kind: 'discount' as const, code: discount.discountType, column: 'discount_type' }
    }),
  ],
  async judge(db, scene, groups, options) {
    const { owned, problems } = await findOwners<FeeRow>(db, scene, groups, options)
    const ids = owned.map(({ student }) => student.id)
    const fees = await readFeesOf(db, scene.institute.id, ids)
    const plans: Plan[] = []
    for (const { student, group } of owned) {
      const merged = mergeFeeRows(group)
      problems.push(...merged.problems)
      const current = fees.get(student.id) ?? []
      const changes = mergeFees(
        current,
        merged.units.map(unit => unit.said),
      )
      const rows = merged.units.flatMap(unit => unit.rows)
      const [tooMuch] = totalProblems(current, changes, 'fee_amount')
      if (tooMuch === undefined)
        plans.push({ studentId: student.id, changes, rows: rows.map(({ row }) => row) })
      else problems.push(...rows.map(({ rowNo }) => toProblem(rowNo, tooMuch)))
    }
    return { problems, apply: tx => apply(tx, scene, plans) }
  },
}

function toProblem(rowNo: number, { key, message }: { key: string; message: string }): RowProblem {
  return { rowNo, column: key, message }
}

async function apply(tx: Transaction, scene: ImportScene, plans: readonly Plan[]): Promise<Outcome> {
  const changes = plans.flatMap(plan =>
    plan.changes.map(change => ({ ...change, studentId: plan.studentId })),
  )
  await applyFeeChanges(tx, scene.institute.id, changes, { changedAt: scene.now, source: 'import' })
  const outcome: Outcome = { appliedRows: 0, unchangedRows: 0 }
  for (const plan of plans) {
    const changed = new Set(plan.changes.map(change => change.componentType))
    const applied = plan.rows.filter(row => changed.has(row.componentType)).length
    outcome.appliedRows += applied
    outcome.unchangedRows += plan.rows.length - applied
  }
  return outcome
}
