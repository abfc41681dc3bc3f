import type { Client } from 'pg'
import type { Queryable } from '../db/database.ts'
import type { Kind, Table } from './placement.rules.ts'

/** Foreign keys and triggers that are taken off stand here meanwhile; Bursar does not start on a database that has it. */
export const SAVED = 'distribution_under_way'

/** Partitions go with their table. */
const OWN_TABLES = `c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
  and c.relname <> '${SAVED}' and not exists (select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/** With the foreign keys that were taken off by a run before. */
export async function readTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name,
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'institute_id' and a.attnotnull)
         as "hasInstitute",
       array(select i.indexrelid::regclass::text from pg_index i where i.indrelid = c.oid and i.indisunique
         and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'institute_id'
           and a.attnum = any (i.indkey)) order by 1) as "wideKeys",
       array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid order by 1) as references
     from pg_class c where ${OWN_TABLES} order by c.relname`,
  )
  const saved = await readSaved(client)
  return rows.map(table => ({
    ...table,
    references: [
      ...new Set([
        ...table.references,
        ...saved.filter(one => one.table === table.name).flatMap(({ target }) => target ?? []),
      ]),
    ],
  }))
}

/** `target` is the table that a foreign key refers to. */
export type Saved = {
  kind: 'key' | 'trigger'
  table: string
  name: string
  target: string | null
  definition: string
}

/** A run of `bursar distribute` was not finished: without the keys and triggers that it took off nothing may be written. */
export async function isHalfDistributed(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isThere: boolean }>(
    `select to_regclass('public.${SAVED}') is not null as "isThere"`,
  )
  return row?.isThere === true
}

/** A connection of the command, for what a running Bursar asks too. */
export function queryableOf(client: Client): Queryable {
  return { query: async (text, values = []) => (await client.query(text, [...values])).rows }
}

/** Keys come first: they are the longer work. */
export async function readSaved(client: Client): Promise<Saved[]> {
  if (!(await isHalfDistributed(queryableOf(client)))) return []
  const { rows } = await client.query<Saved>(
    `select kind, "table", name, target, definition from ${SAVED} order by kind, "table", name`,
  )
  return rows
}

/** As it is while Bursar runs: nobody is connected when it changes. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  const [citus] = await db.query<{ isThere: boolean }>(
    `select to_regclass('pg_catalog.pg_dist_partition') is not null as "isThere"`,
  )
  if (citus?.isThere !== true) return false
  return (await db.query(`select 1 from pg_dist_partition where partmethod = 'h' limit 1`)).length > 0
}

/** Of the tables that Citus knows; the others are ordinary ones. */
export async function readKinds(client: Client): Promise<Map<string, Kind>> {
  const { rows } = await client.query<{ name: string; kind: Kind }>(
    `select c.relname as name, case when p.partmethod = 'h' then 'distributed'
         when p.partmethod = 'n' and p.repmodel = 't' then 'reference' else 'local' end as kind
     from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid`,
  )
  return new Map(rows.map(({ name, kind }) => [name, kind]))
}
