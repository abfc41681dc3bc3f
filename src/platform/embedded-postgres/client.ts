import { Client, escapeIdentifier } from 'pg'

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
