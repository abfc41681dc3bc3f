import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { moveLog, type MoveLog } from '../../../src/cells/move/moves.store.ts'
import type { MoveOptions } from '../../../src/cells/move/move.service.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { startTestCluster, stopTestCluster } from '../../harness/postgres/cluster.ts'
import { openStandalone, type Standalone } from '../../harness/processes/standalone.ts'

/** Two cells on one PostgreSQL server, each a whole Bursar on a database of its own, and a proxy before them. */
export type TwoCells = {
  north: TestCell
  south: TestCell
  proxy: Proxy
  /** As the superuser of the server that both databases are on. */
  asAdmin: TestCell['sql']
  log: MoveLog
  /** What a move between them needs; both may be changed. */
  moving(code: string, from: TestCell, to: TestCell): MoveOptions
}

export type TestCell = {
  name: string
  /** As another server reaches it. */
  address: string
  sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  bursar: Standalone
}

type Owner = { after(done: () => Promise<void> | void): void }
type Options = { env?: Record<string, string>; settings?: readonly string[] }

const ROLE = 'cell'
const PASSWORD = 'secret'

const SETTINGS = [
  'wal_level=logical',
  'max_wal_senders=20',
  'max_replication_slots=20',
  'max_logical_replication_workers=16',
  'max_worker_processes=24',
  'max_sync_workers_per_subscription=6',
]

export async function startTwoCells(
  owner: Owner,
  { env = {}, settings = [] }: Options = {},
): Promise<TwoCells> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bursar-cells-'))
  const ends: (() => Promise<unknown>)[] = []
  owner.after(async () => {
    for (const end of ends.toReversed()) await end()
    await stopTestCluster(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  const host = await startTestCluster(folder, { settings: [...SETTINGS, ...settings] })
  const addressOf = (database: string, role = `${ROLE}:${PASSWORD}`): string =>
    `postgres://${role}@localhost/${database}?host=${encodeURIComponent(host)}`
  const later = { after: (done: () => Promise<void> | void) => ends.push(async () => done()) }
  // No superuser, as the guide sets it up; a subscription of such a role asks for a password that the server wants.
  writeFileSync(join(folder, 'pg', 'pg_hba.conf'), `local all bursar trust\nlocal all all scram-sha-256\n`)
  const admin = await open(addressOf('postgres', 'bursar'))
  await admin.query(`create role ${ROLE} login replication password '${PASSWORD}'; grant pg_create_subscription to ${ROLE};
    grant set on parameter session_replication_role to ${ROLE}; select pg_reload_conf()`)
  await admin.query(`create database north owner ${ROLE}`)
  await admin.query(`create database south owner ${ROLE}`)
  ends.push(() => admin.end())
  const asAdmin: TestCell['sql'] = async (text, values) => (await admin.query(text, values)).rows
  const cell = async (name: string, isEmpty: boolean): Promise<TestCell> => {
    if (isEmpty) await makeEmpty(addressOf(name))
    const pool = new pg.Pool({ connectionString: addressOf(name), max: 4 })
    pool.on('error', () => {})
    ends.push(() => pool.end())
    return {
      name,
      address: addressOf(name),
      sql: async (text, values) => (await pool.query(text, values)).rows,
      bursar: await openStandalone(later, { DATABASE_URL: addressOf(name), CELL: name, ...env }),
    }
  }
  const [north, south] = await Promise.all([cell('north', false), cell('south', true)])
  const proxy = await startProxy(later, north.bursar.url)
  const log = moveLog({ query: (text, values) => north.sql(text, values as unknown[]) })
  const moving = (code: string, from: TestCell, to: TestCell): MoveOptions => ({
    code,
    source: { name: from.name, config: { connectionString: from.address }, address: from.address },
    target: {
      name: to.name,
      config: { connectionString: to.address },
      addresses: [new URL(to.bursar.url).host],
    },
    log,
    onSwitch: async ({ keyIds }) => {
      for (const key of keyIds) proxy.routes.set(key, to.bursar.url)
    },
    report() {},
    longestPauseMs: 30_000,
    leaseWaitMs: 500,
    settleMs: 0,
  })
  return { north, south, proxy, asAdmin, log, moving }
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The first start makes tables and schools; a new cell has none of those. */
async function makeEmpty(url: string): Promise<void> {
  const { ctx } = await openDatabase(
    readConfig({ DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY, DEMO: 'off' }),
  )
  await ctx.db.close()
  const client = await open(url)
  try {
    await client.query('set session_replication_role = replica')
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'institute_id'
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
    )
    for (const { name } of rows) await client.query(`delete from ${name}`)
    await client.query('delete from institutes; alter table institutes alter id restart with 1000001')
    await client.query('delete from console_users')
  } finally {
    await client.end()
  }
}

/** Sends a request to the cell of its API key, as HAProxy does by its map. */
export type Proxy = { url: string; routes: Map<string, string> }

async function startProxy(owner: Owner, elsewhere: string): Promise<Proxy> {
  const routes = new Map<string, string>()
  const server = createServer((incoming, answer) => {
    const [, encoded = ''] = (incoming.headers.authorization ?? '').split(' ')
    const [key = ''] = Buffer.from(encoded, 'base64').toString().split(':')
    forward(incoming, answer, routes.get(key) ?? elsewhere)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  owner.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, routes }
}

function forward(incoming: IncomingMessage, answer: ServerResponse, to: string): void {
  const { method, url = '/', headers } = incoming
  // A connection for each: one that was kept may be closed by the other side at the moment of its use.
  const outgoing = request(new URL(url, to), { method, headers, agent: false }, response => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(answer)
  })
  outgoing.on('error', () => answer.destroy())
  incoming.pipe(outgoing)
}
