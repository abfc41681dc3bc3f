import type { Queryable } from '../platform/db/database.ts'
import { institutesOf } from '../platform/db/named-rows.ts'
import type { Paise } from '../platform/money.ts'
import type { OwnCharges } from './fees.rules.ts'

type OwnCharge = { studentId: string; componentType: string; amountPaise: Paise }

/** By student: what was charged here and not by the institute's own system, such as late fees. */
export async function readOwnCharges(
  db: Queryable,
  keys: readonly { instituteId: number; studentId: string }[],
): Promise<Map<string, OwnCharges>> {
  const rows = await db.query<OwnCharge>(
    `select c.student_id as "studentId", c.component_type as "componentType",
       sum(c.fee_after_paise - coalesce(c.fee_before_paise, 0))::bigint as "amountPaise"
     from unnest($1::int[], $2::text[]) as asked (institute_id, id)
     join fee_changes c on c.institute_id = asked.institute_id and c.student_id = asked.id
       and c.source in ('late_fee', 'rollover', 'charge')
     where c.institute_id = any ($3::int[])
     group by c.institute_id, c.student_id, c.component_type`,
    [keys.map(key => key.instituteId), keys.map(key => key.studentId), institutesOf(keys)],
  )
  const byStudent = Map.groupBy(rows, row => row.studentId)
  return new Map(
    [...byStudent].map(([id, own]) => [id, new Map(own.map(one => [one.componentType, one.amountPaise]))]),
  )
}
