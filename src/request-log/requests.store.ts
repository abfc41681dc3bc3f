import type { Queryable } from '../platform/db/database.ts'
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
export const REQUESTS = { select: COLUMNS, from: 'api_requests r' }

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
