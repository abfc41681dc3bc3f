import type { CodeInUse } from '../institutes/catalogue.service.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { badFields, type FieldProblem } from '../platform/errors.ts'
import { mergeFees, totalProblems, type FeeChange, type SentFee } from './fees.rules.ts'
import * as store from './fees.store.ts'

export { readFeeHistory, readFees, readFeesOf, type RecordedChange } from './fees.store.ts'
export { readOptionalCharges, readOwnCharges } from './fees.store.ts'

/** What is said of one student's fees: by a request of the API, or by all its rows in a file. */
export type SentFees = { studentId: string; fees: readonly SentFee[] }

export type FeePlan = { studentId: string; changes: FeeChange[]; problems: FieldProblem[] }

/** What would change, and what is wrong with it; one plan for each student, in their order. */
export async function planFees(
  db: Queryable,
  instituteId: number,
  sent: readonly SentFees[],
  path: string,
): Promise<FeePlan[]> {
  const ids = sent.map(({ studentId }) => studentId)
  const stored = await store.readFeesOf(db, instituteId, ids)
  return sent.map(({ studentId, fees }) => {
    const current = stored.get(studentId) ?? []
    const changes = mergeFees(current, fees)
    return { studentId, changes, problems: totalProblems(current, changes, path) }
  })
}

/** Writes what was planned for students that the caller has locked. */
export async function applyFees(
  tx: Transaction,
  instituteId: number,
  plans: readonly Pick<FeePlan, 'studentId' | 'changes'>[],
  context: store.FeeChangeContext,
): Promise<void> {
  const changes = plans.flatMap(({ studentId, changes: own }) => own.map(one => ({ ...one, studentId })))
  await store.applyFeeChanges(tx, instituteId, changes, context)
}

/** Merges fees into those of a student that the caller has locked. */
export async function changeFees(
  tx: Transaction,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  fees: readonly SentFee[],
  context: store.FeeChangeContext,
): Promise<void> {
  const plans = await planFees(tx, instituteId, [{ studentId, fees }], 'fee_components')
  const problems = plans.flatMap(plan => plan.problems)
  if (problems.length > 0) throw badFields(problems)
  await applyFees(tx, instituteId, plans, context)
}

export function codesOfFees(sent: readonly SentFee[]): CodeInUse[] {
  return sent.flatMap((fee, index) => [
    { kind: 'component' as const, code: fee.componentType, key: `fee_components.${index}.component_type` },
    ...(fee.discounts ?? []).map((discount, no) => ({
      kind: 'discount' as const,
      code: discount.discountType,
      key: `fee_components.${index}.discounts.${no}.discount_type`,
    })),
  ])
}
