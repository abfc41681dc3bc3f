import type { Queryable } from '../../platform/db/database.ts'
import { institutesOf } from '../../platform/db/named-rows.ts'

type Family = { instituteId: number; family: string }

/** A batch of families is asked about at most for so long; if the worker crashes, they are free again after it. */
const LEASE = `interval '10 minutes'`

/**
 * Takes the families that nobody else is asking the ERP about, in real time. An ERP may take long to answer, and a second
 * worker, or a clock that is moved meanwhile, would ask it the same again.
 */
export async function claimFamilies(db: Queryable, families: readonly Family[]): Promise<Set<string>> {
  const rows = await db.query<{ family: string }>(
    `insert into flex_notice_leases as l (institute_id, family, held_until)
     select institute_id, family, clock_timestamp() + ${LEASE}
     from (select distinct * from unnest($1::int[], $2::text[]) as f (institute_id, family)) as f
     order by institute_id, family
     on conflict (institute_id, family) do update set held_until = excluded.held_until
     where excluded.held_until - l.held_until > ${LEASE}
     returning family`,
    columnsOf(families),
  )
  return new Set(rows.map(row => row.family))
}

export async function releaseFamilies(db: Queryable, families: readonly Family[]): Promise<void> {
  await db.query(
    `delete from flex_notice_leases l using unnest($1::int[], $2::text[]) as f (institute_id, family)
     where l.institute_id = f.institute_id and l.institute_id = any ($3::int[]) and l.family = f.family`,
    [...columnsOf(families), institutesOf(families)],
  )
}

function columnsOf(families: readonly Family[]): [number[], string[]] {
  return [families.map(({ instituteId }) => instituteId), families.map(({ family }) => family)]
}
