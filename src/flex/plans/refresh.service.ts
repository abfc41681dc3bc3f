import type { Transaction } from '../../platform/db/database.ts'
import { pullStudents, type Pulled, type PullReason } from '../../erp/pull/pull.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { Desk } from './plan-changes.ts'
import type { FlexContext } from '../context.ts'
import { followErp } from './follow-erp.ts'
import { insertDecisions, lockPlans, readFiles, type Decision, type PlanKey } from './plans.store.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'
import type { PlanScene } from '../notices/withdraw-notice.ts'

/** A plan after its ERP was asked. */
export type Refreshed = PlanScene & { word: Pulled }

/** Writes down what was decided about plans outside of them, so that whoever reads one finds it there. */
export async function noteOnPlans(tx: Transaction, notes: readonly Decision[]): Promise<void> {
  if (notes.length > 0) await insertDecisions(tx, notes)
}

/** Nobody else changes these plans, or what is known of them, before the transaction is over. */
export async function holdPlans(tx: Transaction, plans: readonly PlanKey[]): Promise<void> {
  await lockPlans(tx, plans)
}

/** Asks the ERPs about the students of these plans and fits the plans to what they say; in the order asked for. */
export async function refreshPlans(
  flex: FlexContext,
  asked: readonly (PlanKey & { studentId: string })[],
  reason: PullReason,
): Promise<(Refreshed | undefined)[]> {
  const words = await pullStudents(
    flex,
    asked.map(({ instituteId, studentId }) => ({ instituteId, studentId, reason })),
  )
  return flex.db.transaction(async tx => {
    await lockPlans(tx, asked)
    const files = await readFiles(tx, asked)
    const students = await readStudentContexts(tx, asked)
    const debitRules = await readDebitRules(flex, tx)
    const desk = new Desk(debitRules.now)
    const refreshed = asked.map(({ planId, studentId }, index): Refreshed | undefined => {
      const file = files.get(planId)
      const student = students.get(studentId)
      const word = words[index]
      if (file === undefined || student === undefined || word === undefined) return undefined
      followErp(desk, { file, student }, { word, debitRules })
      return { file, student, word }
    })
    await desk.write(tx)
    return refreshed
  })
}
