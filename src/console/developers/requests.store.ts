import type { Queryable } from '../../platform/db/database.ts'

/** A request that came with an API key, without anything that it said. */
export type LoggedRequest = {
  id: string
  at: Date
  method: string
  /** The pattern, such as /orders/:order_id. */
  route: string
  status: number
  errorCode: string | null
  ms: number
  keyId: string
}

export type NewRequest = LoggedRequest & { instituteId: number }

export async function insertRequests(db: Queryable, rows: readonly NewRequest[]): Promise<void> {
  await db.query(
    `insert into api_requests (institute_id, id, at, method, route, status, error_code, ms, key_id)
     select * from unnest($1::int[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::smallint[], $7::text[],
       $8::real[], $9::text[])`,
    [
      rows.map(row => row.instituteId),
      rows.map(row => row.id),
      rows.map(row => row.at),
      rows.map(row => row.method),
      rows.map(row => row.route),
      rows.map(row => row.status),
      rows.map(row => row.errorCode),
      rows.map(row => row.ms),
      rows.map(row => row.keyId),
    ],
  )
}

const COLUMNS = `id, at, method, route, status, error_code as "errorCode", ms, key_id as "keyId"`

export type RequestFilter = {
  outcome?: 'answered' | 'refused' | 'failed' | undefined
  method?: string | undefined
  route?: string | undefined
  keyId?: string | undefined
  /** Ids from here on. */
  from?: string | undefined
  /** Ids below. */
  below?: string | undefined
  cursor?: string | undefined
}

const OUTCOMES = {
  answered: 'status < 400',
  refused: 'status >= 400 and status < 500',
  failed: 'status >= 400 and status >= 500',
}

/** Newest first: ids sort by time. What went wrong has an index of its own. */
export async function listRequests(
  db: Queryable,
  instituteId: number,
  filter: RequestFilter,
  limit: number,
): Promise<LoggedRequest[]> {
  const values: unknown[] = [instituteId]
  const where = ['institute_id = $1']
  const add = (value: unknown, condition: (placeholder: string) => string): void => {
    if (value !== undefined) where.push(condition(`$${values.push(value)}`))
  }
  if (filter.outcome !== undefined) where.push(OUTCOMES[filter.outcome])
  add(filter.method, value => `method = ${value}`)
  add(filter.route, value => `route = ${value}`)
  add(filter.keyId, value => `key_id = ${value}`)
  add(filter.from, value => `id >= ${value}`)
  add(filter.below, value => `id < ${value}`)
  add(filter.cursor, value => `id < ${value}`)
  return db.query<LoggedRequest>(
    `select ${COLUMNS} from api_requests where ${where.join(' and ')} order by id desc limit $${values.push(limit)}`,
    values,
  )
}

export async function findRequest(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<LoggedRequest | null> {
  const [row] = await db.query<LoggedRequest>(
    `select ${COLUMNS} from api_requests where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Takes out a batch of requests whose ids are below one, institute by institute: their keys begin with it. */
export async function purgeBelow(db: Queryable, id: string, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from api_requests where (institute_id, id) in (
       select r.institute_id, r.id from institutes i cross join lateral (
         select institute_id, id from api_requests where institute_id = i.id and id < $1 order by id limit $2) r
       limit $2
     ) returning 1`,
    [id, limit],
  )
  return rows.length
}
