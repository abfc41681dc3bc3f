import type { Queryable } from '../../platform/db/database.ts'
import type { PlanKey } from './plans.store.ts'

/** The live plan of each student, else its newest. */
export async function findPlansOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<PlanKey[]> {
  return db.query<PlanKey>(
    `select distinct on (student_id) institute_id as "instituteId", id as "planId" from flex_plans
     where institute_id = $1 and student_id = any($2)
     order by student_id, state in ('draft', 'setup', 'active', 'locked') desc, created_at desc, id desc`,
    [instituteId, studentIds],
  )
}

/** All plans that a student ever had, newest first. */
export async function listPlanKeys(
  db: Queryable,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<PlanKey[]> {
  return db.query<PlanKey>(
    `select institute_id as "instituteId", id as "planId" from flex_plans
     where institute_id = $1 and student_id = $2 order by created_at desc, id desc limit $3`,
    [instituteId, studentId, limit],
  )
}
