import { InvalidArgumentError } from 'commander'
import { countCharacters } from '../http/wire/formats.ts'
import { isInstituteCode, SCOPE_NAMES, type ScopeName } from '../institutes/institutes.rules.ts'
import { isIdShaped } from '../platform/ids.ts'
import { InputError, reasonOf, writeError } from './terminal/output.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { ConfigError, readConfig } from '../app/config.ts'
import { openDatabase } from '../app/open-database.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import type { Context } from '../platform/context.ts'
import { writeRefusal } from '../platform/db/errors.ts'
import type { MigrationResult } from '../platform/db/migrate.ts'
import { connectTo } from '../platform/embedded-postgres/client.ts'
import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { isUnavailable } from '../platform/errors.ts'
import { createLog } from '../platform/log.ts'

/** What an operator may type, checked before anything is opened. */

const CODE_LIMIT = 64
const NAME_LIMIT = 500
const RATE_LIMIT = 1_000_000

export function readInstituteCode(text: string): string {
  if (isInstituteCode(text)) return text
  throw new InputError(
    `"${text}" cannot be an institute code: use 1 to 63 lower-case letters, digits and hyphens, not a hyphen first.`,
  )
}

export function readBranchCode(text: string): string {
  return readText(text, 'A branch code', CODE_LIMIT)
}

export function readCatalogueCode(text: string): string {
  return readText(text, 'A catalogue code', CODE_LIMIT)
}

export function readLabel(text: string): string {
  return readText(text, 'A label', CODE_LIMIT)
}

export function readName(text: string): string {
  return readText(text, 'A name', NAME_LIMIT)
}

export function readKeyId(text: string): string {
  if (isIdShaped(text)) return text
  throw new InputError(`"${text}" cannot be a key id: \`bursar keys list INSTITUTE\` shows them.`)
}

type NewBranch = { collectorCode: string; name: string }

/** May be given several times. */
export function collectBranch(text: string, before: readonly NewBranch[] = []): NewBranch[] {
  const equals = text.indexOf('=')
  if (equals < 0)
    throw new InputError(`"${text}" is not a branch: write CODE=NAME, such as NORTH="North campus".`)
  const branch = {
    collectorCode: readBranchCode(text.slice(0, equals)),
    name: readName(text.slice(equals + 1)),
  }
  return [...before, branch]
}

/** May be given several times. */
export function collectScope(text: string, before: readonly ScopeName[] = []): ScopeName[] {
  const scope = SCOPE_NAMES.find(name => name === text)
  if (scope === undefined) throw new InvalidArgumentError(`Allowed are ${SCOPE_NAMES.join(', ')}.`)
  return [...before, scope]
}

export function readRate(text: string): number {
  const rate = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (rate >= 1 && rate <= RATE_LIMIT) return rate
  throw new InputError(`"${text}" is not a rate: write a whole number from 1 to ${RATE_LIMIT}.`)
}

/** Reads text like the API, and refuses characters that a terminal would act on. */
function readText(text: string, what: string, limit: number): string {
  const length = text.trim() === '' ? 0 : countCharacters(text)
  if (length < 1 || length > limit) {
    throw new InputError(`${what} must have 1 to ${limit} characters; this one has ${length}.`)
  }
  if (text !== text.trim()) throw new InputError(`${what} must not begin or end with a space: "${text}".`)
  if (/\p{Cc}/u.test(text)) throw new InputError(`${what} must not hold control characters.`)
  return text
}

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
      const session = await connectTo(embedded.connection)
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
