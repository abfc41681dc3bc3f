import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { distribute } from '../../../src/platform/citus/distribute.ts'
import { placeTables } from '../../../src/platform/citus/placement.rules.ts'
import { readTables } from '../../../src/platform/citus/tables.ts'
import { writeSetting } from '../../../src/platform/db/instance-settings.ts'
import { chooseOffset } from '../sandbox-now.ts'

/**
 * The databases of the tests, on the server of the run or on one's own (TEST_DATABASE_URL). A template is migrated and
 * seeded once and copied in milliseconds. Where the server is the coordinator of a Citus, the template is distributed and
 * copied on every node: what Citus knows of its nodes and shards stands in the database itself and is copied with it.
 */
export type TestServer = { nodes: string[]; workers: Worker[] | null; template: string }

/** Null where the server has no Citus; none where the coordinator holds the shards itself. */
type Worker = { host: string; port: number }

type Owner = { after(done: () => Promise<void> | void): void }

const SERVER = 'BURSAR_TEST_SERVER'
/** Each shard of a table is a few files of every copy. */
const SHARDS = 4
const IN_USE = '55006'

export async function makeTemplate(url: string): Promise<void> {
  const workers = await readWorkers(url)
  const server: TestServer = {
    nodes: [url, ...(workers ?? []).map(({ host, port }) => addressOf(url, host, port))],
    workers,
    template: `bursar_template_${randomBytes(4).toString('hex')}`,
  }
  process.env[SERVER] = JSON.stringify(server)
  const { template } = server
  await onEveryNode(server, `create database ${template}`)
  const database = databaseUrl(url, template)
  if (workers !== null) await joinNodes(server, template)
  const { ctx } = await openDatabase(
    readConfig({ DATABASE_URL: database, MASTER_KEY: '11'.repeat(32), DEMO: 'off' }),
  )
  await writeSetting(ctx.db, 'clock_offset_ms', String(chooseOffset()))
  // What is cloned from it may become a sandbox or live.
  await ctx.db.query(`delete from instance_settings where key = 'mode'`)
  await ctx.db.close()
  if (workers !== null) await spread(database)
  await onEveryNode(server, `alter database ${template} with allow_connections false`)
  // Citus looks after every database by a connection of its own.
  await onEveryNode(
    server,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${template}'`,
  )
}

/** The embedded server goes with its folder; one's own is left as it was found. */
export async function dropTemplate(): Promise<void> {
  const server = testServer()
  await dropEverywhere(server, server.template)
}

/** A fresh copy of the migrated and seeded template; answers its DATABASE_URL. */
export async function cloneDatabase(owner: Owner): Promise<string> {
  const { url, drop } = await createDatabase()
  owner.after(drop)
  return url
}

export async function createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  await onEveryNode(server, `create database ${name} template ${server.template} strategy file_copy`)
  // A test makes triggers as on one PostgreSQL; the setting is not copied with the template.
  if (server.workers !== null)
    await run(server.nodes[0]!, `alter database ${name} set citus.enable_unsafe_triggers = on`)
  const drop = (): Promise<void> => dropEverywhere(server, name)
  return { url: databaseUrl(server.nodes[0]!, name), drop }
}

/** With nothing in it; answers its DATABASE_URL. */
export async function emptyDatabase(owner: Owner): Promise<string> {
  const [url = ''] = testServer().nodes
  const name = `empty_${randomBytes(6).toString('hex')}`
  await run(url, `create database ${name}`)
  owner.after(() => run(url, `drop database if exists ${name} with (force)`))
  return databaseUrl(url, name)
}

/** Of a Citus, with its nodes and nothing in it; answers its DATABASE_URL at the coordinator. */
export function emptyCitus(owner: Owner): Promise<string> {
  return makeCitus(owner, testServer())
}

export async function makeCitus(owner: Owner, server: Omit<TestServer, 'template'>): Promise<string> {
  const name = `citus_${randomBytes(6).toString('hex')}`
  await onEveryNode(server, `create database ${name}`)
  owner.after(() => dropEverywhere(server, name))
  await joinNodes(server, name)
  return databaseUrl(server.nodes[0]!, name)
}

/** Beside the databases of the tests, for what is done to them from outside. */
export function runAsAdmin(statement: string): Promise<void> {
  return run(testServer().nodes[0]!, statement)
}

/** What keeps a test of Citus from running here; false if nothing. */
export function withoutCitus(): string | false {
  return testServer().workers === null && 'TEST_DATABASE_URL does not name the coordinator of a Citus'
}

/** What keeps a test of one PostgreSQL from running on a Citus; false if it is none. */
export function onCitus(reason: string): string | false {
  return withoutCitus() === false && reason
}

export const PLANS = 'the plans and partitions that it looks at are those of the shards, on the workers'

/** Of a database of the tests, at every node: one on one PostgreSQL. */
export function nodes(database: string): string[] {
  const name = new URL(database).pathname.slice(1)
  return testServer().nodes.map(node => databaseUrl(node, name))
}

function testServer(): TestServer {
  const text = process.env[SERVER]
  if (text === undefined) throw new Error('run the tests by `npm test`, which starts their PostgreSQL')
  return JSON.parse(text) as TestServer
}

async function readWorkers(url: string): Promise<Worker[] | null> {
  const client = await connect(url)
  try {
    const { rows } = await client.query(`select from pg_extension where extname = 'citus'`)
    if (rows.length === 0) return null
    return (
      await client.query<Worker>(
        `select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary'`,
      )
    ).rows
  } finally {
    await client.end()
  }
}

async function joinNodes({ nodes, workers }: Omit<TestServer, 'template'>, name: string): Promise<void> {
  for (const node of nodes) await run(databaseUrl(node, name), 'create extension citus')
  const { hostname, port } = new URL(nodes[0]!)
  const client = await connect(databaseUrl(nodes[0]!, name))
  try {
    await client.query('select citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)])
    if (workers?.length === 0)
      await client.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', true)`, [
        hostname,
        Number(port || 5432),
      ])
    for (const worker of workers ?? [])
      await client.query('select citus_add_node($1, $2)', [worker.host, worker.port])
  } finally {
    await client.end()
  }
}

export async function spread(url: string): Promise<void> {
  const client = await connect(url)
  try {
    const placements = placeTables(await readTables(client))
    await distribute(client, { placements, shards: SHARDS, onStep() {} })
  } finally {
    await client.end()
  }
}

/** Workers first: a coordinator that has a database asks them for it. */
async function onEveryNode({ nodes }: Pick<TestServer, 'nodes'>, statement: string): Promise<void> {
  for (const node of nodes.toReversed()) await run(node, statement)
}

/** Citus on the other nodes connects again when everybody was sent away, and is not let in. */
async function dropEverywhere(server: Pick<TestServer, 'nodes'>, name: string): Promise<void> {
  if (server.nodes.length > 1)
    await onEveryNode(server, `update pg_database set datallowconn = false where datname = '${name}'`)
  for (let tries = 1; ; tries++)
    try {
      return await onEveryNode(server, `drop database if exists ${name} with (force)`)
    } catch (error) {
      if (tries === 5 || !(error instanceof pg.DatabaseError) || error.code !== IN_USE) throw error
    }
}

async function run(url: string, statement: string): Promise<void> {
  const client = await connect(url)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** The same user and settings at another node. */
export function addressOf(server: string, host: string, port: number): string {
  const url = new URL(server)
  url.hostname = host
  url.port = String(port)
  return url.href
}
