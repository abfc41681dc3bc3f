import type { Queryable } from '../platform/db/database.ts'
import type { StudentKey } from './students.rules.ts'
import { RECORD_COLUMNS, toRecord, type RecordRow, type StudentRecord } from './students.store.ts'

/** Students with their fees and payments and the name of their grade, in one statement however many. */
export async function readContexts(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(StudentRecord & { gradeName: string })[]> {
  const rows = await db.query<RecordRow & { gradeName: string }>(
    `select ${RECORD_COLUMNS}, coalesce((select c.name from catalogue_entries c
         where c.institute_id = s.institute_id and c.kind = 'grade' and c.code = s.grade), s.grade) as "gradeName"
     from unnest($1::int[], $2::text[]) as asked (institute_id, id)
     join students s on s.institute_id = asked.institute_id and s.id = asked.id`,
    [keys.map(key => key.instituteId), keys.map(key => key.studentId)],
  )
  return rows.map(({ gradeName, ...row }) => ({ ...toRecord(row), gradeName }))
}
