import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'

export type View = { id: string; list: string; name: string; filters: string }
export type Owner = { instituteId: number; userId: string }

const views = new Table<View>('console_views', { id: 'text', list: 'text', name: 'text', filters: 'text' })

export async function listViews(
  db: Queryable,
  { instituteId, userId }: Owner,
  list: string,
  limit: number,
): Promise<View[]> {
  return db.query<View>(
    `select ${views.columns('v')} from console_views v
     where v.institute_id = $1 and v.user_id = $2 and v.list = $3 order by lower(v.name) limit $4`,
    [instituteId, userId, list, limit],
  )
}

export async function countViews(tx: Transaction, { instituteId, userId }: Owner): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*) as count from console_views where institute_id = $1 and user_id = $2',
    [instituteId, userId],
  )
  return row?.count ?? 0
}

/** One of the same name is replaced and keeps its id. */
export async function saveView(
  tx: Transaction,
  { instituteId, userId }: Owner,
  view: View,
): Promise<View | null> {
  const [row] = await tx.query<View>(
    `insert into console_views as v (institute_id, id, user_id, list, name, filters) values ($1, $2, $3, $4, $5, $6)
     on conflict (institute_id, user_id, list, lower(name)) do update set name = excluded.name, filters = excluded.filters
     returning ${views.columns('v')}`,
    [instituteId, view.id, userId, view.list, view.name, view.filters],
  )
  return row ?? null
}

export async function deleteView(
  tx: Transaction,
  { instituteId, userId }: Owner,
  id: string,
): Promise<View | null> {
  const [row] = await tx.query<View>(
    `delete from console_views v where v.institute_id = $1 and v.user_id = $2 and v.id = $3
     returning ${views.columns('v')}`,
    [instituteId, userId, id],
  )
  return row ?? null
}
