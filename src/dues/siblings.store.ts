import type { Queryable } from '../platform/db/database.ts'
import type { StudentKey } from '../students/students.rules.ts'

/** Whether another child of the same people owes something. */
export async function doSiblingsOwe(db: Queryable, { instituteId, studentId }: StudentKey): Promise<boolean> {
  const [row] = await db.query<{ owes: boolean }>(
    `select exists (select from student_users own
       join student_users other on other.institute_id = own.institute_id and other.registration_id = own.registration_id
       join student_balances b on b.institute_id = other.institute_id and b.student_id = other.student_id
       where own.institute_id = $1 and own.student_id = $2 and other.student_id <> $2 and b.outstanding_paise > 0) as owes`,
    [instituteId, studentId],
  )
  return row?.owes ?? false
}
