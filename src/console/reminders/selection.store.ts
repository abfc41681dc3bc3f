import type { Queryable } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/query.ts'

export async function listIds(db: Queryable, { text, values }: Query, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select coalesce(row_to_json(q) ->> 'studentId', row_to_json(q) ->> 'id') as id from (${text}) q limit $${values.length + 1}`,
    [...values, limit],
  )
  return rows.map(({ id }) => id)
}
