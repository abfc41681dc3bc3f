import { closeVirtualAccount } from '../dues/virtual-accounts/account-requests.service.ts'
import { cancelAtProvider } from '../flex/mandates/end-mandate.ts'
import type { FlexContext } from '../flex/context.ts'
import { endPlanOf } from '../flex/plans/end-plan.service.ts'
import type { Mandate } from '../flex/rules/plan.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { changeStatusWithin } from '../students/profile/profile.service.ts'
import type { Student } from '../students/students.rules.ts'
import type { StudentRecord } from '../students/students.service.ts'
import { endLeaving } from './leaving.store.ts'

/**
 * Marks a student dropped, and ends its plan in the same transaction; or makes it active again, and then the settlement of
 * its leaving stands no more.
 */
export async function changeStatus(
  ctx: FlexContext,
  command: Command<StudentRecord>,
  { institute, id }: { institute: Institute; id: string },
  status: Student['status'],
): Promise<StudentRecord> {
  const key = { instituteId: institute.id, studentId: id }
  let mandates: Mandate[] = []
  const record = await transact(ctx.db, command, async tx => {
    if (status === 'dropped') ({ mandates } = await endPlanOf(tx, ctx, key))
    const changed = await changeStatusWithin(tx, ctx, { institute, id }, status)
    if (status === 'active') await endLeaving(tx, key, ctx.clock.now())
    else await closeVirtualAccount(tx, key, ctx.clock.now())
    return changed
  })
  for (const mandate of mandates) await cancelAtProvider(ctx, mandate)
  return record
}
