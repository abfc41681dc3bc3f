import type { Queryable } from '../platform/db/database.ts'
import { list, type Page, type PageRange } from '../platform/db/list.ts'
import { Table } from '../platform/db/table.ts'

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

const requests = new Table<LoggedRequest>('api_requests', {
  id: 'text',
  at: 'timestamptz',
  method: 'text',
  route: 'text',
  status: 'int',
  errorCode: 'text',
  ms: 'real',
  keyId: 'text',
})
const newRequests = requests.with<{ instituteId: number }>({ instituteId: 'int' })

export async function insertRequests(db: Queryable, rows: readonly NewRequest[]): Promise<void> {
  await newRequests.insert(db, rows)
}

const COLUMNS = requests.columns('r')

export type RequestFilter = {
  outcome?: 'answered' | 'refused' | 'failed' | undefined
  method?: string | undefined
  route?: string | undefined
  keyId?: string | undefined
  /** Ids from here on. */
  from?: string | undefined
  /** Ids below. */
  below?: string | undefined
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
  page: PageRange,
): Promise<Page<LoggedRequest>> {
  return list<LoggedRequest>(
    db,
    {
      select: COLUMNS,
      from: 'api_requests r',
      scope: [['r.institute_id = $1', instituteId]],
      filters: [
        filter.outcome && [OUTCOMES[filter.outcome]],
        ['r.method = $1', filter.method],
        ['r.route = $1', filter.route],
        ['r.key_id = $1', filter.keyId],
        ['r.id >= $1', filter.from],
        ['r.id < $1', filter.below],
      ],
      order: ['id'],
      direction: 'desc',
      isPurged: true,
      isLog: true,
    },
    page,
  )
}

export async function findRequest(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<LoggedRequest | null> {
  const [row] = await db.query<LoggedRequest>(
    `select ${COLUMNS} from api_requests r where r.institute_id = $1 and r.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}
