import type { Queryable } from './database.ts'
import { addAll } from '../lists.ts'

/** A table and what can be written to it: a generated column is computed by the database. */
export type TableColumns = { name: string; columns: string[] }

/** Referenced tables come first, so that foreign keys hold at every step of a copy and need not be switched off. */
export async function readTablesInOrder(db: Queryable): Promise<TableColumns[]> {
  const tables = await db.query<TableColumns & { needs: string[] }>(
    `select c.relname as name,
       array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
         and not a.attisdropped and a.attgenerated = '' order by a.attname) as columns,
       array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
     from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
     order by c.relname`,
  )
  const ordered: TableColumns[] = []
  const placed = new Set<string>()
  while (ordered.length < tables.length) {
    const ready = tables.filter(
      ({ name, needs }) => !placed.has(name) && needs.every(need => placed.has(need)),
    )
    if (ready.length === 0) throw new Error('foreign keys form a cycle')
    for (const { name } of ready) placed.add(name)
    addAll(
      ordered,
      ready.map(({ name, columns }) => ({ name, columns })),
    )
  }
  return ordered
}
