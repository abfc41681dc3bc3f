import { readDues } from '../../dues/dues.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { readPlansOf } from '../../flex/plans/plan-reads.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { listOnTheWay } from '../../payments/student-payments.service.ts'
import { listCarriedDues } from '../../students/users/parents.service.ts'
import type { Child } from './home-page.ts'

export type ParentContext = FlexContext & LoanContext

/** In the order of the ids; the number of queries does not depend on the number of children. */
export async function readChildren(
  ctx: ParentContext,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Child[]> {
  const keys = studentIds.map(studentId => ({ instituteId, studentId }))
  const [dues, plans, onTheWay, carried] = await Promise.all([
    readDues(ctx, keys),
    readPlansOf(ctx, instituteId, studentIds),
    listOnTheWay(ctx.db, instituteId, studentIds),
    listCarriedDues(ctx, instituteId, studentIds),
  ])
  return studentIds.flatMap(id => {
    const own = dues.get(id)
    if (own === undefined) return []
    return [
      {
        dues: own,
        plan: plans.get(id) ?? null,
        onTheWay: onTheWay.filter(one => one.studentId === id),
        carried: carried.filter(one => one.studentId === id),
      },
    ]
  })
}
