import type { Queryable } from '../../platform/db/database.ts'

export const FETCH_OUTCOMES = ['found', 'refused', 'unavailable'] as const
export type FetchOutcome = (typeof FETCH_OUTCOMES)[number]

/** Answers of one branch's ERP that were alike, with the last of them. */
export type FetchSum = {
  collectorCode: string
  outcome: FetchOutcome
  code: string | null
  count: number
  averageMs: number
  lastAt: Date
  message: string | null
}

const MOST_KINDS = 500

export async function sumFetches(
  db: Queryable,
  instituteId: number,
  fetchedAfter: string,
): Promise<FetchSum[]> {
  return db.query<FetchSum>(
    `with sums as (
       select s.collector_code, f.outcome, f.code, count(*) as count, max(f.id) as last_id,
         round(avg(f.duration_ms))::int as average_ms
       from erp_fetches f join students s on s.institute_id = f.institute_id and s.id = f.student_id
       where f.institute_id = $1 and f.id >= $2
       group by s.collector_code, f.outcome, f.code order by count(*) desc limit ${MOST_KINDS}
     )
     select sums.collector_code as "collectorCode", sums.outcome, sums.code, sums.count, sums.average_ms as "averageMs",
       f.fetched_at as "lastAt", f.message
     from sums join erp_fetches f on f.institute_id = $1 and f.id = sums.last_id
     order by sums.count desc`,
    [instituteId, fetchedAfter],
  )
}
