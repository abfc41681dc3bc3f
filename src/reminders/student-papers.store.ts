import type { Queryable } from '../platform/db/database.ts'

export type StudentOnPaper = {
  id: string
  collectorCode: string
  gradeName: string
  section: string | null
  fullname: string
  identifier: string
  contactNumber: string
}

/** The students of a pile of papers, in no order. */
export async function listStudents(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<StudentOnPaper[]> {
  return db.query<StudentOnPaper>(
    `select s.id, s.collector_code as "collectorCode", coalesce(nullif(c.name, ''), s.grade) as "gradeName", s.section,
       s.fullname, s.identifier, s.primary_contact_number as "contactNumber"
     from students s
     left join catalogue_entries c on c.institute_id = s.institute_id and c.kind = 'grade' and c.code = s.grade
     where s.institute_id = $1 and s.id = any($2)`,
    [instituteId, ids],
  )
}
