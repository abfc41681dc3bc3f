import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from './config.ts'
import { prepareDataDir, readOrMakeMasterKey, readVersion } from './installation.ts'
import { OffsetClock, realClock } from '../platform/clock.ts'
import { splitDatabaseUrl } from '../platform/db/pool.ts'
import { Database, type DatabaseOptions } from '../platform/db/database.ts'
import { findRunning } from '../platform/embedded-postgres/server-process.ts'
import { openEmbeddedPostgres, type EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import type { Context } from '../platform/context.ts'
import { isUnavailable } from '../platform/errors.ts'
import { addressPolicy } from '../platform/http-client/addresses.ts'
import { migrate, type MigrationResult } from '../platform/db/migrate.ts'
import { Vault } from '../platform/secrets.ts'
import { claimSetting, readSetting, writeSetting } from '../platform/db/instance-settings.ts'
import { loadOffset } from '../sandbox/clock/clock.service.ts'
import { seedSandbox } from '../sandbox/seed/seed.service.ts'

/** Database, keys and clock, brought to this version's state. */
export type OpenedDatabase = {
  /** The public address gets its port when the server listens. */
  ctx: Omit<Context, 'publicUrl'> & { publicUrl: string }
  /** Null in live mode. */
  sandboxClock: OffsetClock | null
  embedded: EmbeddedPostgres | null
  migration: MigrationResult
}

type Hooks = 'name' | 'onIdleError' | 'onWritesRefused' | 'onPrimary'

type OpenOptions = Pick<DatabaseOptions, Hooks> & {
  /** Called with the embedded server before anything is written to it; may throw to refuse. */
  onEmbedded?: (embedded: EmbeddedPostgres) => Promise<void>
  /** How long a database that is down or still recovers is waited for; a command does not wait. */
  waitMs?: number
  /** Told once that it is being waited for, and why. */
  onWait?: ((reason: string) => void) | undefined
}

export async function openDatabase(
  config: Config,
  { onEmbedded, waitMs = 0, onWait, ...hooks }: OpenOptions = {},
): Promise<OpenedDatabase> {
  if (config.databaseUrl === null) await prepareDataDir(config.dataDir)
  const embedded =
    config.databaseUrl === null ? await openEmbeddedPostgres({ dataDir: config.dataDir }) : null
  if (embedded !== null) await onEmbedded?.(embedded)
  const db = new Database({
    connections: connectionsOf(config, embedded),
    pooler: config.poolerUrl === null ? null : { connectionString: config.poolerUrl },
    poolSize: config.poolSize,
    ...hooks,
  })
  try {
    await waitUntilWritable(db, { waitMs, onWait })
    await refuseOtherMode(db, config.mode)
    const migration = await migrate(db)
    if (migration.applied.length > 0) await writeSetting(db, 'migrated_by', readVersion())
    await claimSetting(db, 'mode', config.mode)
    await refuseOtherMode(db, config.mode)
    const vault = new Vault(config.masterKey ?? (await readOrMakeMasterKey(config.dataDir)))
    await checkMasterKey(db, vault)
    const sandboxClock = config.mode === 'sandbox' ? new OffsetClock() : null
    const ctx = {
      db,
      clock: sandboxClock ?? realClock,
      vault,
      mode: config.mode,
      publicUrl: config.publicUrl,
      // Links of a command that is run without CELL lead to this cell all the same.
      cell: config.cell ?? (await readSetting(db, 'cell')),
      addressPolicy: addressPolicy({ mode: config.mode, allowed: config.outbound.allowed }),
    }
    if (sandboxClock !== null) {
      await seedSandbox(ctx, config.hasDemo)
      await loadOffset({ db, clock: sandboxClock })
    }
    return { ctx, sandboxClock, embedded, migration }
  } catch (error) {
    await db.close()
    throw error
  }
}

const WAIT_AGAIN_MS = 500

/** A machine that boots starts its services in any order, and a server that crashed recovers before it answers. */
async function waitUntilWritable(
  db: Database,
  { waitMs, onWait }: Pick<OpenOptions, 'onWait'> & { waitMs: number },
): Promise<void> {
  const deadline = Date.now() + waitMs
  for (let isTold = false; ; isTold = true) {
    const away = await findWhyAway(db, waitMs === 0 ? undefined : WAIT_AGAIN_MS)
    if (away === null) return
    if (Date.now() >= deadline) throw away.error
    if (!isTold) onWait?.(away.reason)
    await wait(WAIT_AGAIN_MS)
  }
}

/** Null: it answers. What waiting does not mend, such as a wrong password, is thrown. */
async function findWhyAway(
  db: Database,
  searchMs: number | undefined,
): Promise<{ reason: string; error: Error } | null> {
  await db.findPrimary(searchMs)
  const lack = await db.describeLackOfPrimary()
  if (lack !== null) return { reason: lack, error: new NoPrimary(lack) }
  try {
    await db.query('select 1')
    return null
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return { reason: error.cause instanceof Error ? error.cause.message : error.message, error }
  }
}

/** A database as it stands, neither migrated nor started; null: it is the embedded one and does not run. */
export async function connectTo(config: Config): Promise<{ db: Database; server: string } | null> {
  const running = config.databaseUrl === null ? await findRunning(config.dataDir) : null
  if (config.databaseUrl === null && running === null) return null
  let server = running === null ? hostOf(config.databaseUrl ?? '') : `embedded in ${config.dataDir}`
  const connections = connectionsOf(config, running === null ? null : { connection: running })
  const db = new Database({ connections, poolSize: STATUS_POOL, onPrimary: name => (server = name) })
  await db.findPrimary(STATUS_SEARCH_MS)
  const lack = await db.describeLackOfPrimary()
  if (lack !== null) {
    await db.close()
    throw new NoPrimary(lack)
  }
  return {
    db,
    get server() {
      return server
    },
  }
}

const STATUS_POOL = 4
/** Who asks wants an answer, and not to wait for a promotion. */
const STATUS_SEARCH_MS = 2_000

/** None of several servers takes writes; the message says how each stands. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary'
}

function hostOf(databaseUrl: string): string {
  const url = URL.parse(splitDatabaseUrl(databaseUrl)[0] ?? '')
  return url?.host || url?.searchParams.get('host') || 'localhost'
}

function connectionsOf(
  config: Config,
  embedded: Pick<EmbeddedPostgres, 'connection'> | null,
): DatabaseOptions['connections'] {
  // Port and ssl are said aloud, or the driver takes them from PGPORT and PGSSLMODE.
  if (embedded !== null) return [{ ...embedded.connection, port: 5432, ssl: false }]
  return splitDatabaseUrl(config.databaseUrl ?? '').map(connectionString => ({ connectionString }))
}

/** A sandbox's schools, payments and clock are made up; a live database must never be worked on by made-up banks. */
async function refuseOtherMode(db: Database, mode: Config['mode']): Promise<void> {
  const [known] = await db.query<{ name: string | null }>(
    `select to_regclass('instance_settings')::text as name`,
  )
  const isNew = known === undefined || known.name === null
  const belongsTo = isNew ? null : await readSetting(db, 'mode')
  if (belongsTo === null || belongsTo === mode) return
  throw new Error(
    belongsTo === 'sandbox'
      ? 'This database is a sandbox: its schools, payments and clock are made up. Live mode needs an empty one: set DATA_DIR or DATABASE_URL.'
      : 'This database is live. Set BURSAR_MODE=live, or use another one for a sandbox: set DATA_DIR or DATABASE_URL.',
  )
}

/** A wrong key must be noticed at start, not at the first webhook that cannot be signed. */
async function checkMasterKey(db: Database, vault: Vault): Promise<void> {
  const expected = await claimSetting(db, 'master_key_fingerprint', vault.fingerprint())
  if (expected === vault.fingerprint()) return
  throw new Error(
    'The master key is not the one this database was sealed with. Set MASTER_KEY to the right one.',
  )
}
