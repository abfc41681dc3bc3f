import type { Queryable } from '../../../platform/db/database.ts'

/** A child with the option that it has on a day. */
export type Rider = {
  option: string
  stop: string | null
  fullname: string
  identifier: string
  gradeName: string
  section: string | null
  contactName: string
  contactNumber: string
}

/** Active children who have the fee on a day, route by route and stop by stop in the order of the fee; `on` null: ever. */
export async function listRiders(
  db: Queryable,
  instituteId: number,
  { feeId, on, option, limit }: { feeId: string; on: string | null; option: string | null; limit: number },
): Promise<Rider[]> {
  return db.query<Rider>(
    `select o.name as option, o.stop, s.fullname, s.identifier, s.section,
       coalesce(nullif(g.name, ''), s.grade) as "gradeName",
       s.primary_contact_name as "contactName", s.primary_contact_number as "contactNumber"
     from (
       select distinct e.student_id, e.option_id from enrolments e
       where e.institute_id = $1 and e.fee_id = $2 and e.first_day <= e.last_day
         and ($3::date is null or (e.first_day <= $3 and e.last_day >= $3))
     ) has
     join optional_fee_options o on o.institute_id = $1 and o.id = has.option_id
     join students s on s.institute_id = $1 and s.id = has.student_id and s.status = 'active'
     left join catalogue_entries g on g.institute_id = $1 and g.kind = 'grade' and g.code = s.grade
     where $4::text is null or lower(o.name) = lower(btrim($4))
     order by min(o.position) over (partition by lower(btrim(o.name))), o.position, s.fullname, s.id limit $5`,
    [instituteId, feeId, on, option, limit],
  )
}
