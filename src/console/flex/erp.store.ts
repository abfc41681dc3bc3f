import type { Queryable } from '../../platform/db/database.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import type { FieldProblem } from '../../platform/errors.ts'

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

export type FetchRow = {
  id: string
  fetchedAt: Date
  durationMs: number
  reason: string
  outcome: FetchOutcome
  httpStatus: number | null
  code: string | null
  message: string | null
  problems: FieldProblem[]
  changes: { field: string }[]
  identifier: string
  studentId: string | null
  fullname: string | null
  collectorCode: string | null
}

export type FetchFilter = {
  outcome?: FetchOutcome | undefined
  collectorCode?: string | undefined
}

/** Newest first. Failures are read by an index of their own. */
export async function listFetches(
  db: Queryable,
  instituteId: number,
  filter: FetchFilter,
  page: PageRange,
): Promise<Page<FetchRow>> {
  return list<FetchRow>(
    db,
    {
      select: `f.id, f.fetched_at as "fetchedAt", f.duration_ms as "durationMs", f.reason, f.outcome,
        f.http_status as "httpStatus", f.code, f.message, f.problems, f.changes, f.identifier, f.student_id as "studentId",
        s.fullname, s.collector_code as "collectorCode"`,
      from: 'erp_fetches f',
      join: 'left join students s on s.institute_id = f.institute_id and s.id = f.student_id',
      scope: [['f.institute_id = $1', instituteId]],
      filters: [
        ['f.outcome = $1', filter.outcome],
        filter.outcome !== undefined && filter.outcome !== 'found' && [`f.outcome <> 'found'`],
        ['s.collector_code = $1', filter.collectorCode],
      ],
      order: ['id'],
      direction: 'desc',
      isPurged: true,
      isLog: true,
    },
    page,
  )
}
