/**
 * Copies everything from one PostgreSQL to an empty one: one repeatable-read snapshot at the source, one transaction at the
 * target. If anything fails, or this process dies, the target is as empty as before.
 */
import { pipeline } from 'node:stream/promises'
import { Client, escapeIdentifier, type ClientConfig } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { POSTGRES_MAJOR } from '../embedded-postgres/paths.ts'
import type { Queryable } from '../db/database.ts'
import { applyMigrations, readSchemaChecksums, readTablesInOrder, type TableColumns } from '../db/migrate.ts'

type MoveOptions = {
  source: ClientConfig
  target: ClientConfig
  onTable: (progress: { name: string; rows: number; number: number; of: number }) => void
}

/** Written by the migrations at the target. */
const NOT_COPIED = 'schema_migrations'

export async function moveDatabase(options: MoveOptions): Promise<{ tables: number; rows: number }> {
  const source = await connect(options.source)
  try {
    const target = await connect(options.target).catch((cause: Error) => {
      throw new Error(`the target cannot be reached: ${cause.message}`, { cause })
    })
    try {
      await refuseTarget(target)
      await source.query('begin isolation level repeatable read read only')
      await target.query('begin')
      const result = await copyEverything(source, target, options.onTable)
      await target.query('commit')
      await target.query('analyze')
      return result
    } finally {
      await target.end()
    }
  } finally {
    await source.end()
  }
}

async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client({ ...config, application_name: 'bursar move', connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  // The same spelling of every value on both sides, as rows are compared by their text.
  await client.query(
    `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1;
     set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`,
  )
  return client
}

function asQueryable(client: Client): Queryable {
  return { query: async (text, values) => (await client.query(text, values as unknown[])).rows }
}

async function refuseTarget(target: Client): Promise<void> {
  const { rows } = await target.query<{ major: number; version: string; encoding: string; tables: string[] }>(
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding,
       array(select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname not like 'pg\\_%'
           and n.nspname <> 'information_schema' order by 1 limit 3) as tables`,
  )
  const { major, version, encoding, tables } = rows[0]!
  if (major < Number(POSTGRES_MAJOR))
    throw new Error(`the target is PostgreSQL ${version}: Bursar needs ${POSTGRES_MAJOR} or later`)
  if (encoding !== 'UTF8')
    throw new Error(`the target is encoded in ${encoding}: create it with encoding UTF8`)
  if (tables.length > 0)
    throw new Error(`the target is not empty (it has ${tables.join(', ')}): create a new database for Bursar`)
}

async function copyEverything(
  source: Client,
  target: Client,
  onTable: MoveOptions['onTable'],
): Promise<{ tables: number; rows: number }> {
  await refuseOtherSchema(source)
  await refuseRetired(source)
  await applyMigrations(asQueryable(target))
  // Triggers that note changes would note every row.
  await target.query(`set local bursar.is_copied = 'yes'`)
  await copyPartitions(source, target)
  const tables = (await readTablesInOrder(asQueryable(target))).filter(({ name }) => name !== NOT_COPIED)
  let rows = 0
  for (const [index, table] of tables.entries()) {
    await copyTable(source, target, table)
    const copied = await compareTable(source, target, table)
    rows += copied
    onTable({ name: table.name, rows: copied, number: index + 1, of: tables.length })
  }
  await copySequences(source, target)
  // Foreign keys and the balance of every ledger transaction that are checked at the end of a transaction, now.
  await target.query('set constraints all immediate')
  return { tables: tables.length, rows }
}

async function refuseOtherSchema(source: Client): Promise<void> {
  const ask = `select coalesce(string_agg(checksum, ',' order by version), '') as applied from schema_migrations`
  const { rows } = await source.query<{ applied: string }>(ask).catch((cause: Error) => {
    throw new Error(`the source has no tables of Bursar: ${cause.message}`, { cause })
  })
  if (rows[0]?.applied !== (await readSchemaChecksums()).join(','))
    throw new Error(
      'the source is not at the schema of this release: start this Bursar on it once, then move',
    )
}

async function refuseRetired(source: Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'retired'::regnamespace and relkind = 'r' limit 1`,
  )
  if (rows[0] !== undefined)
    throw new Error(
      `${rows[0].name} waits to be archived and would stay behind: run \`bursar archive run\` with ARCHIVE_DIR, then move`,
    )
}

/** The months of the logs as the source has them, instead of those that migrations make from today on. */
async function copyPartitions(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{
    log: string
    part: string
    lower: string | null
    upper: string | null
  }>(
    `select p.relname as log, substr(c.relname, length(p.relname) + 2) as part,
       substring(b.bounds from 'FROM \\(''([^'']*)''\\)') as lower, substring(b.bounds from 'TO \\(''([^'']*)''\\)') as upper
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bounds) b
     where c.relkind = 'r' and p.relkind = 'p' and p.relnamespace = 'public'::regnamespace order by 1, 2`,
  )
  const { rows: made } = await target.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relispartition and relkind = 'r'`,
  )
  for (const { name } of made) await target.query(`drop table ${name}`)
  for (const { log, part, lower, upper } of rows)
    await target.query('select add_partition($1, $2, $3, $4)', [log, part, lower, upper])
}

async function copyTable(source: Client, target: Client, { name, columns }: TableColumns): Promise<void> {
  const list = columns.map(escapeIdentifier).join(', ')
  const table = escapeIdentifier(name)
  const reader = source.query(copyTo(`copy (select ${list} from ${table}) to stdout`))
  const writer = target.query(copyFrom(`copy ${table} (${list}) from stdin`))
  await pipeline(reader, writer).catch((cause: Error) => {
    throw new Error(`table ${name} could not be copied: ${cause.message}`, { cause })
  })
}

/** Compares the count of rows and a sum over hashes of all their values. */
async function compareTable(
  source: Client,
  target: Client,
  { name, columns }: TableColumns,
): Promise<number> {
  const ask = `select count(*)::text as rows,
      coalesce(sum(hashtextextended(row(${columns.map(escapeIdentifier).join(', ')})::text, 0)), 0)::text as hash
    from ${escapeIdentifier(name)}`
  const [was, is] = await Promise.all(
    [source, target].map(async side => (await side.query<{ rows: string; hash: string }>(ask)).rows[0]!),
  )
  if (was!.rows !== is!.rows || was!.hash !== is!.hash)
    throw new Error(`table ${name} differs after the copy: ${was!.rows} rows became ${is!.rows}`)
  return Number(is!.rows)
}

async function copySequences(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of rows) {
    const { rows: state } = await source.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${escapeIdentifier(name)}`,
    )
    const { last_value: last, is_called: isCalled } = state[0]!
    await target.query('select setval($1::regclass, $2, $3)', [escapeIdentifier(name), last, isCalled])
  }
}
