import type { Queryable } from '../platform/db/database.ts'
import type { Student } from './students.rules.ts'

export type NamedStudent = Pick<
  Student,
  'id' | 'identifier' | 'grade' | 'academicYearStart' | 'academicYearEnd'
>

/** All that have one of these ids or identifiers, of every class, year and branch. */
export async function findNamed(
  db: Queryable,
  instituteId: number,
  { ids, identifiers }: { ids: readonly string[]; identifiers: readonly string[] },
): Promise<NamedStudent[]> {
  return db.query<NamedStudent>(
    `select s.id, s.identifier, s.grade, s.academic_year_start as "academicYearStart",
       s.academic_year_end as "academicYearEnd"
     from students s where s.institute_id = $1 and (s.id = any($2) or s.identifier = any($3))
     order by s.academic_year_start, s.id`,
    [instituteId, ids, identifiers],
  )
}
