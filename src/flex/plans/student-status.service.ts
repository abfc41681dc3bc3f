import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { changeStatusWithin } from '../../students/profile/profile.service.ts'
import type { Student } from '../../students/students.rules.ts'
import type { StudentRecord } from '../../students/students.service.ts'
import type { FlexContext } from '../context.ts'
import { cancelAtProvider, cancelWithMandate } from '../mandates/end-mandate.ts'
import { DROPPED } from '../rules/after-fetch.rules.ts'
import { isPlanOver, type Mandate } from '../rules/plan.rules.ts'
import { closeDownPayment } from './plans.service.ts'
import * as store from './plans.store.ts'
import { withPlans, type PlanContext } from './with-plans.service.ts'

type LeavingStudent = { instituteId: number; studentId: string }

/** Marks a student dropped, and ends its plan in the same transaction; or makes it active again. */
export async function changeStatus(
  ctx: FlexContext,
  command: Command<StudentRecord>,
  { institute, id }: { institute: Institute; id: string },
  status: Student['status'],
): Promise<StudentRecord> {
  let mandates: Mandate[] = []
  const record = await transact(ctx.db, command, async tx => {
    const leaving = { instituteId: institute.id, studentId: id }
    mandates = status === 'dropped' ? await endPlanOf(tx, ctx, leaving) : []
    return changeStatusWithin(tx, ctx, { institute, id }, status)
  })
  for (const mandate of mandates) await cancelAtProvider(ctx, mandate)
  return record
}

/**
 * Cancels the plan of a student who leaves. A debit that is at the bank has its result first, and its mandate stays until
 * then. Answers the mandates that the provider is to be told of after the commit. It locks the plan, so it comes before
 * anything that locks the student.
 */
export async function endPlanOf(
  tx: Transaction,
  ctx: PlanContext,
  { instituteId, studentId }: LeavingStudent,
): Promise<Mandate[]> {
  await store.lockPlanning(tx, instituteId, studentId)
  const keys = await store.findPlansOf(tx, instituteId, [studentId])
  return withPlans(
    ctx,
    keys,
    async plans => {
      const live = [...plans.values()].filter(({ plan }) => !isPlanOver(plan))
      for (const plan of live) {
        const { code, message } = DROPPED
        cancelWithMandate(plan, `${code}: ${message}`, { ...DROPPED, category: 'erp' })
        await closeDownPayment(tx, plan)
      }
      return live.flatMap(({ mandate }) => mandate ?? [])
    },
    { tx },
  )
}
