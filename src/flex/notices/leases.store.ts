import type { Queryable } from '../../platform/db/database.ts'

/** A batch of families is asked about at most for so long; if the worker crashes, they are free again after it. */
const LEASE = `interval '10 minutes'`

/**
 * Takes the families that nobody else is asking the ERP about, in real time. An ERP may take long to answer, and a second
 * worker, or a clock that is moved meanwhile, would ask it the same again.
 */
export async function claimFamilies(db: Queryable, families: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ family: string }>(
    `insert into flex_notice_leases as l (family, held_until)
     select family, clock_timestamp() + ${LEASE} from unnest($1::text[]) as family order by family
     on conflict (family) do update set held_until = excluded.held_until where l.held_until < clock_timestamp()
     returning family`,
    [families],
  )
  return new Set(rows.map(row => row.family))
}

export async function releaseFamilies(db: Queryable, families: readonly string[]): Promise<void> {
  await db.query('delete from flex_notice_leases where family = any($1)', [families])
}
