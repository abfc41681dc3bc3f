import type { Queryable } from '../platform/db/database.ts'
import { institutesOf } from '../platform/db/named-rows.ts'
import type { DuePart } from './dues.rules.ts'

/** What a rollover brought from an earlier year, by student and component: by the days on which it fell due, the oldest first. */
export async function readCarried(
  db: Queryable,
  keys: readonly { instituteId: number; studentId: string }[],
): Promise<Map<string, Map<string, DuePart[]>>> {
  const rows = await db.query<DuePart & { studentId: string; componentType: string }>(
    `select c.student_id as "studentId", c.component_type as "componentType", c.due_on as "dueOn",
       sum(c.amount_paise)::bigint as "amountPaise"
     from unnest($1::int[], $2::text[]) as asked (institute_id, id)
     join carried_dues c on c.institute_id = asked.institute_id and c.student_id = asked.id
     where c.institute_id = any ($3::int[])
     group by c.institute_id, c.student_id, c.component_type, c.due_on order by c.due_on nulls last`,
    [keys.map(key => key.instituteId), keys.map(key => key.studentId), institutesOf(keys)],
  )
  const byStudent = Map.groupBy(rows, row => row.studentId)
  return new Map([...byStudent].map(([id, own]) => [id, Map.groupBy(own, row => row.componentType)]))
}
