import pg from 'pg'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { readTablesInOrder } from '../../platform/db/migrate.ts'
import type { RecordedTable } from './recording.rules.ts'

const INSTITUTE = 'institute_id'

/** The rows of a school in every table but those named. */
export async function readTables(
  db: Queryable,
  instituteId: number,
  without: ReadonlySet<string>,
): Promise<RecordedTable[]> {
  const recorded: RecordedTable[] = []
  for (const { name, columns: all } of await readTablesInOrder(db)) {
    if (!all.includes(INSTITUTE) || without.has(name)) continue
    const columns = all.filter(column => column !== INSTITUTE)
    const rows = await db.query<{ row: string }>(
      `select row_to_json(r)::text as row from (
         select ${columns.map(column => pg.escapeIdentifier(column)).join(', ')} from ${pg.escapeIdentifier(name)} where institute_id = $1) r`,
      [instituteId],
    )
    if (rows.length > 0) recorded.push({ name, columns, rows: rows.map(({ row }) => row) })
  }
  return recorded
}

export async function insertTable(
  tx: Transaction,
  instituteId: number,
  { name, columns, rows }: RecordedTable,
): Promise<void> {
  const table = pg.escapeIdentifier(name)
  const list = columns.map(column => pg.escapeIdentifier(column)).join(', ')
  await tx.query(
    `insert into ${table} (institute_id, ${list}) overriding system value
     select $1::int, ${list} from json_populate_recordset(null::${table}, $2::json)`,
    [instituteId, `[${rows.join(',')}]`],
  )
}

/**
 * Numbers that the database gives go on behind those of the school. They are drawn and thrown away rather than set: others
 * draw from the same sequence meanwhile, and it must never go back.
 */
export async function skipNumbers(tx: Transaction, instituteId: number): Promise<void> {
  const numbered = await tx.query<{ table: string; column: string; sequence: string }>(
    `select quote_ident(c.relname) as table, quote_ident(a.attname) as column,
       pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attidentity <> '' and c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace
       and exists (select from pg_attribute i where i.attrelid = c.oid and i.attname = '${INSTITUTE}')`,
  )
  for (const { table, column, sequence } of numbered)
    await tx.query(
      `select max(nextval($2::text::regclass)) from generate_series(1,
         (select max(${column}) from ${table} where institute_id = $1))`,
      [instituteId, sequence],
    )
}

/** Numbers receipts as they were issued; answers the new number for each that has another now, such as 2026-27/000042. */
export async function numberReceipts(
  tx: Transaction,
  instituteId: number,
): Promise<ReadonlyMap<string, string>> {
  // Below zero first: each number is somebody's until all have theirs.
  const changed = await tx.query<{ was: string; number: string }>(
    `update receipts r set number = -n.place
     from (select financial_year, number, row_number() over (partition by financial_year order by issued_at, number)::int as place
       from receipts where institute_id = $1) n
     where r.institute_id = $1 and r.financial_year = n.financial_year and r.number = n.number and n.number <> n.place
     returning r.financial_year || '/' || lpad(n.number::text, 6, '0') as was,
       r.financial_year || '/' || lpad(n.place::text, 6, '0') as number`,
    [instituteId],
  )
  await tx.query('update receipts set number = -number where institute_id = $1 and number < 0', [instituteId])
  return new Map(changed.map(({ was, number }) => [was, number]))
}

/** The planner knows at once how much there is. */
export async function analyse(db: Queryable, tables: readonly RecordedTable[]): Promise<void> {
  for (const { name } of tables) await db.query(`analyze ${pg.escapeIdentifier(name)}`)
}
