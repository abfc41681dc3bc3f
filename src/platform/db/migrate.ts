import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queryable } from './database.ts'
import { isLockTimeout } from './errors.ts'
import { readSetting } from './instance-settings.ts'
import { addAll } from '../lists.ts'

/**
 * Forward-only SQL migrations, named by their number. Applied at start under one lock, so many processes
 * may start at once. Each says in its first line from which version on code works with the schema that it leaves, so
 * that two releases run side by side during an upgrade. A database on which this code does not work any more is
 * refused: an old process must not write to a schema it does not fit. So is a migration that was edited after it ran.
 */
const DIRECTORY = new URL('../../../migrations/', import.meta.url)
const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/
const WORKS_FROM = /^-- Works with code from (\d{4}) on\.\n/

type Migration = { version: number; name: string; sql: string; checksum: string; worksFrom: number }
type AppliedMigration = { version: number; name: string; checksum: string; worksFrom: number | null }

const LONGEST_MS = 600_000

export type MigrationResult = { applied: string[]; version: number }

/**
 * Whoever waits for a table that somebody reads makes all others wait behind it. So a migration waits this long, lets go of
 * everything, and tries again later.
 */
const TABLE_WAIT_MS = 300
const TRY_AGAIN_MS = 1_000
const GIVE_UP_MS = 120_000

export async function migrate(db: Database, folder = DIRECTORY): Promise<MigrationResult> {
  const work = async (tx: Queryable): Promise<MigrationResult> => {
    // Waiting for a sibling that migrates may take longer than an ordinary lock or statement may.
    await tx.query(`set local lock_timeout = '${GIVE_UP_MS}ms'`)
    await tx.query(`set local statement_timeout = '${LONGEST_MS}ms'`)
    return applyMigrations(tx, folder)
  }
  const giveUpAt = Date.now() + GIVE_UP_MS
  for (;;) {
    try {
      return await db.transaction(work, { query_timeout: LONGEST_MS })
    } catch (error) {
      if (!isLockTimeout(error) || Date.now() >= giveUpAt) throw error
    }
    await wait(TRY_AGAIN_MS)
  }
}

/** Runs inside the caller's transaction. */
export async function applyMigrations(tx: Queryable, folder = DIRECTORY): Promise<MigrationResult> {
  const migrations = await readMigrations(folder)
  await tx.query(`select pg_advisory_xact_lock(hashtext('bursar migrations'))`)
  await tx.query(`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    works_from integer
  )`)
  const applied = await readApplied(tx)
  await refuseMismatch(tx, migrations, applied)
  const pending = migrations.slice(applied.length)
  if (applied.length > 0) await tx.query(`set local lock_timeout = '${TABLE_WAIT_MS}ms'`)
  for (const migration of pending) {
    await tx.query(migration.sql)
    await tx.query(
      `insert into schema_migrations (version, name, checksum, works_from) values ($1, $2, $3, $4)`,
      [migration.version, migration.name, migration.checksum, migration.worksFrom],
    )
  }
  return {
    applied: pending.map(migration => migration.name),
    version: Math.max(migrations.length, applied.length),
  }
}

/** What a start of this code would apply, and what the database has; refuses what a start would refuse. */
export async function readPending(
  db: Queryable,
): Promise<{ version: number; pending: Pick<Migration, 'name' | 'sql' | 'worksFrom'>[] }> {
  const [migrations, applied] = await Promise.all([readMigrations(), readApplied(db)])
  await refuseMismatch(db, migrations, applied)
  return { version: applied.length, pending: migrations.slice(applied.length) }
}

/** Checksums of this code's migrations, in order. */
export async function readSchemaChecksums(): Promise<string[]> {
  return (await readMigrations()).map(({ checksum }) => checksum)
}

/**
 * Whether the database has the migrations that this code knows, or fewer; with more of a newer Bursar it is `newer` only
 * if this code does not work with them any more.
 */
export async function compareSchema(db: Database): Promise<'fits' | 'older' | 'newer'> {
  expectedVersion ??= (await readMigrations()).length
  const [row] = await db.query<{ version: number | null; isTooNew: boolean }>(
    `select max(version) as version, coalesce(bool_or(${TOO_NEW}), false) as "isTooNew" from schema_migrations`,
    [expectedVersion],
  )
  if (row?.isTooNew === true) return 'newer'
  return (row?.version ?? 0) < expectedVersion ? 'older' : 'fits'
}

/** $1 is the last version that this code knows. */
const TOO_NEW = 'version > $1 and (works_from is null or works_from > $1)'

/** The files of a running process do not change. */
let expectedVersion: number | undefined

export type MigrationState = { version: number; expected: number; name: string; appliedAt: Date }

/** How far the database is, and how far this code wants it. */
export async function readMigrationState(db: Database): Promise<MigrationState> {
  const expected = (await readMigrations()).length
  const [row] = await db.query<Omit<MigrationState, 'expected'>>(
    `select version, name, applied_at as "appliedAt" from schema_migrations order by version desc limit 1`,
  )
  if (row === undefined) throw new Error('a database that was opened is migrated')
  return { ...row, expected }
}

async function readMigrations(folder = DIRECTORY): Promise<Migration[]> {
  const files = (await readdir(folder)).filter(file => FILE.test(file)).sort()
  return Promise.all(
    files.map(async (name, index) => {
      const version = Number(name.slice(0, 4))
      if (version !== index + 1) throw new Error(`migrations are not numbered without gaps at ${name}`)
      const sql = await readFile(new URL(name, folder), 'utf8')
      const worksFrom = readWorksFrom(name, sql)
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), worksFrom }
    }),
  )
}

/** The oldest version of the code that may run while the schema is this one. */
export function readWorksFrom(name: string, sql: string): number {
  const version = Number(name.slice(0, 4))
  const worksFrom = Number(WORKS_FROM.exec(sql)?.[1])
  if (!(worksFrom >= 1 && worksFrom <= version)) {
    throw new Error(
      `${name} must begin with a line such as "-- Works with code from ${name.slice(0, 4)} on."`,
    )
  }
  return worksFrom
}

async function readApplied(tx: Queryable): Promise<AppliedMigration[]> {
  return tx.query<AppliedMigration>(
    'select version, name, checksum, works_from as "worksFrom" from schema_migrations order by version',
  )
}

async function refuseMismatch(tx: Queryable, known: Migration[], applied: AppliedMigration[]): Promise<void> {
  for (const [index, row] of applied.entries()) {
    const migration = known[index]
    if (migration === undefined) {
      if (row.worksFrom !== null && row.worksFrom <= known.length) continue
      const version = await readSetting(tx, 'migrated_by')
      throw new Error(
        `The database was migrated by a newer Bursar${version === null ? '' : `, ${version}`} ` +
          `(it has ${row.name}, this version does not). Start that version or a later one.`,
      )
    }
    if (migration.checksum !== row.checksum) {
      throw new Error(
        `Migration ${migration.name} was changed after it ran on this database. ` +
          'Start the Bursar that made the database, or give this one another DATA_DIR or DATABASE_URL.',
      )
    }
  }
}

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
