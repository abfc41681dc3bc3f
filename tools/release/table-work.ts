import { escapeIdentifier } from 'pg'
import type { Queryable } from '../../src/platform/db/database.ts'

/**
 * What a migration does to tables that were there before, as far as it takes longer the more rows they have, with a lock on
 * them all the while. It is read from the catalogue: a small table tells what would become of a large one.
 */
type Check = { name: string; columns: string[] }
type Table = { file: string; columns: string[]; indexes: string[]; checks: Check[] }

/** More rows of a table than a migration may write at once. */
const MOST_ROWS = 100

/** Runs `migrate` in the transaction of `tx`. */
export async function findTableWork(tx: Queryable, migrate: () => Promise<unknown>): Promise<string[]> {
  const before = await readTables(tx)
  await migrate()
  const after = await readTables(tx)
  const flaws: string[] = []
  for (const [name, was] of before) {
    const now = after.get(name)
    if (now === undefined) continue
    const indexes = now.indexes.filter(index => !was.indexes.includes(index))
    const checks = now.checks.filter(check => !was.checks.some(one => one.name === check.name))
    // A table that is rewritten has all its rows written.
    const written = now.file === was.file ? await countWritten(tx, name) : 0
    flaws.push(
      ...(now.file === was.file ? [] : [`${name} is rewritten`]),
      ...indexes.map(index => `${name} is indexed as ${index}`),
      ...checks.filter(check => readsRows(check, was)).map(check => `${name} is read for ${check.name}`),
      ...(written > MOST_ROWS ? [`${name} has ${written} rows written`] : []),
    )
  }
  return flaws
}

/** A constraint on columns that come with it finds nothing in them. */
function readsRows(check: Check, was: Table): boolean {
  return check.columns.some(column => was.columns.includes(column))
}

/** Constraints that are not valid yet were not looked for in the rows. */
async function readTables(tx: Queryable): Promise<Map<string, Table>> {
  const rows = await tx.query<Table & { name: string }>(
    `select c.relname as name, c.relfilenode::text as file,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0) as columns,
       array(select indexrelid::regclass::text from pg_index where indrelid = c.oid) as indexes,
       coalesce((select jsonb_agg(jsonb_build_object('name', conname, 'columns',
           array(select attname from pg_attribute where attrelid = c.oid and attnum = any(conkey))))
         from pg_constraint where conrelid = c.oid and convalidated and contype in ('c', 'f', 'n')), '[]') as checks
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ name, ...table }) => [name, table]))
}

async function countWritten(tx: Queryable, table: string): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(
    `select count(*)::int as rows from only ${escapeIdentifier(table)} where xmin = pg_current_xact_id()::xid`,
  )
  return row?.rows ?? 0
}
