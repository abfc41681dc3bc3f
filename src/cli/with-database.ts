import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { type Config, ConfigError, readConfig } from '../app/config.ts'
import { connectTo, openDatabase } from '../app/open-database.ts'
import { refuseUnused, UnreadableDatabase } from '../app/status/status.service.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import type { Context } from '../platform/context.ts'
import type { Database } from '../platform/db/database.ts'
import { writeRefusal } from '../platform/db/errors.ts'
import type { MigrationResult } from '../platform/db/migrate.ts'
import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import { connectTo as openSession } from '../platform/embedded-postgres/paths.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { isUnavailable } from '../platform/errors.ts'
import { createLog } from '../platform/log.ts'
import { reasonOf, writeError } from './terminal.ts'

/** A command tells its outcome by itself; what services log is nobody's to read there. */
export const SILENT = createLog({ level: 'silent', format: 'json', destination: { write() {} } })

/** Opens the configured database for one command and leaves the embedded server as it was found. */
export async function withContext(
  work: (ctx: Context, migration: MigrationResult) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env)
  const isNew = config.databaseUrl === null && !existsSync(join(config.dataDir, CLUSTER))
  const holds: (() => Promise<void>)[] = []
  try {
    const { ctx, migration } = await openDatabase(config, {
      // Held from here on, because the rest of the opening may fail and would leave a server behind.
      onEmbedded: async embedded => void holds.push(await lockServer(embedded)),
    })
    // Otherwise a forgotten DATA_DIR answers with the keys and institutes of another installation.
    if (isNew)
      writeError(
        `${config.dataDir} had no database, so a new one was made there. If you meant another, set DATA_DIR or DATABASE_URL.`,
      )
    try {
      await work(ctx, migration)
    } finally {
      await ctx.db.close()
    }
  } finally {
    for (const letGo of holds) await letGo()
  }
}

/**
 * Commands share the embedded server with a Bursar and with each other, and the one that started it stops it.
 * So that it is never stopped under another command, each holds a shared lock for as long as it works, and
 * only who gets the lock for itself alone may stop. The server frees the locks of a command that dies.
 */
const COMMANDS = [0x62757273, 2]

/** Each try follows a server that went down between our finding it and our getting hold of it. */
const MAX_TRIES = 5

/** Answers how to let go, which leaves the server as it was found. */
export async function lockServer(embedded: EmbeddedPostgres): Promise<() => Promise<void>> {
  let isStartedHere = embedded.how !== 'attached'
  for (let tries = 1; ; tries++) {
    try {
      if (tries > 1) await embedded.ensureRunning()
      const session = await openSession(embedded.connection)
      await session.query('select pg_advisory_lock_shared($1::int, $2::int)', COMMANDS)
      return () => letGo(embedded, session, isStartedHere)
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      isStartedHere = true
    }
  }
}

async function letGo(embedded: EmbeddedPostgres, session: Client, isStartedHere: boolean): Promise<void> {
  try {
    if (!isStartedHere || !(await isLast(session))) return
    const lock = await lockDataDir(embedded.connection)
    // A Bursar began meanwhile: the server is its own now.
    if (lock === null) return
    await lock.release()
    await embedded.stop()
  } finally {
    await session.end().catch(() => {})
  }
}

/** Keeps the lock when it is got, so that a command that comes now waits, and starts the server anew. */
async function isLast(session: Client): Promise<boolean> {
  try {
    await session.query('select pg_advisory_unlock_shared($1::int, $2::int)', COMMANDS)
    const { rows } = await session.query<{ got: boolean }>(
      'select pg_try_advisory_lock($1::int, $2::int) as got',
      COMMANDS,
    )
    return rows[0]?.got === true
  } catch {
    // Another command may have been the last and stopped the server between the two looks.
    return false
  }
}

export function describeFailure(error: unknown): string {
  if (error instanceof ConfigError)
    return ['The settings are not right.', ...error.lines.map(line => `  ${line}`)].join('\n')
  // The public text of an absent database is for an ERP; an operator needs the reason.
  const refusal = isUnavailable(error) ? writeRefusal(error.cause) : null
  if (refusal !== null) return `${refusal} If it is a standby, point DATABASE_URL at the primary.`
  if (isUnavailable(error) && error.cause !== undefined) {
    return `The database did not answer: ${reasonOf(error.cause)}. Check DATABASE_URL and the server.`
  }
  return reasonOf(error)
}

/** Who only looks must not make a database, nor settle that it is a sandbox. */
export function refuseToMake(config: Config): void {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, CLUSTER)))
    throw new UnreadableDatabase(
      `${config.dataDir} has no database yet: start Bursar. If you meant another, set DATA_DIR or DATABASE_URL.`,
    )
}

/** The database as it stands, not migrated; an embedded server that is down is started for as long. */
export async function withDatabase<Result>(
  config: Config,
  work: (connected: { db: Database; server: string }) => Promise<Result>,
): Promise<Result> {
  refuseToMake(config)
  const letGo =
    config.databaseUrl === null
      ? await lockServer(await openEmbeddedPostgres({ dataDir: config.dataDir }))
      : null
  try {
    const connected = await connectTo(config)
    if (connected === null) throw new UnreadableDatabase(`The server in ${config.dataDir} stopped meanwhile.`)
    try {
      await refuseUnused(connected.db)
      return await work(connected)
    } finally {
      await connected.db.close()
    }
  } finally {
    await letGo?.()
  }
}
