import type { Queryable } from '../platform/db/database.ts'
import type { StudentKey } from './students.rules.ts'
import { recordColumns, toRecord, type RecordRow, type StudentRecord } from './students.store.ts'

type ContextRow = RecordRow & { gradeName: string }

const columns = (whose: '$1' | 's.institute_id'): string =>
  `${recordColumns(whose)}, coalesce((select c.name from catalogue_entries c
     where c.institute_id = ${whose} and c.kind = 'grade' and c.code = s.grade), s.grade) as "gradeName"`

/** Nearly all are of one institute. */
const OF_ONE = `select ${columns('$1')} from students s where s.institute_id = $1 and s.id = any($2)`
const OF_SEVERAL = `select ${columns('s.institute_id')} from unnest($1::int[], $2::text[]) as asked (institute_id, id)
  join students s on s.institute_id = asked.institute_id and s.id = asked.id`

/** Students with their fees and payments and the name of their grade, in one statement however many. */
export async function readContexts(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(StudentRecord & { gradeName: string })[]> {
  const institutes = keys.map(({ instituteId }) => instituteId)
  const ids = keys.map(({ studentId }) => studentId)
  const rows =
    new Set(institutes).size === 1
      ? await db.query<ContextRow>(OF_ONE, [institutes[0], ids])
      : await db.query<ContextRow>(OF_SEVERAL, [institutes, ids])
  return rows.map(({ gradeName, ...row }) => ({ ...toRecord(row), gradeName }))
}
