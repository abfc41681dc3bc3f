import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { writeSetting } from '../../../src/platform/db/instance-settings.ts'
import { chooseOffset } from '../sandbox-now.ts'

/**
 * The databases of the tests, on the server of the run or on one's own (TEST_DATABASE_URL). A template is migrated and
 * seeded once and copied in milliseconds.
 */
type TestServer = { url: string; template: string }

type Owner = { after(done: () => Promise<void> | void): void }

const SERVER = 'BURSAR_TEST_SERVER'

export async function makeTemplate(url: string): Promise<void> {
  const template = `bursar_template_${randomBytes(4).toString('hex')}`
  process.env[SERVER] = JSON.stringify({ url, template } satisfies TestServer)
  await run(url, `create database ${template}`)
  const { ctx } = await openDatabase(
    readConfig({ DATABASE_URL: databaseUrl(url, template), MASTER_KEY: '11'.repeat(32), DEMO: 'off' }),
  )
  await writeSetting(ctx.db, 'clock_offset_ms', String(chooseOffset()))
  // What is cloned from it may become a sandbox or live.
  await ctx.db.query(`delete from instance_settings where key = 'mode'`)
  await ctx.db.close()
  await run(url, `alter database ${template} with allow_connections false`)
}

/** The embedded server goes with its folder; one's own is left as it was found. */
export async function dropTemplate(): Promise<void> {
  await drop(testServer().template)
}

/** A fresh copy of the migrated and seeded template; answers its DATABASE_URL. */
export async function cloneDatabase(owner: Owner): Promise<string> {
  const database = await createDatabase()
  owner.after(database.drop)
  return database.url
}

export async function createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { url, template } = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  await run(url, `create database ${name} template ${template} strategy file_copy`)
  return { url: databaseUrl(url, name), drop: () => drop(name) }
}

/** With nothing in it; answers its DATABASE_URL. */
export async function emptyDatabase(owner: Owner): Promise<string> {
  const { url } = testServer()
  const name = `empty_${randomBytes(6).toString('hex')}`
  await run(url, `create database ${name}`)
  owner.after(() => drop(name))
  return databaseUrl(url, name)
}

/** Beside the databases of the tests, for what is done to them from outside. */
export function runAsAdmin(statement: string): Promise<void> {
  return run(testServer().url, statement)
}

function drop(name: string): Promise<void> {
  return runAsAdmin(`drop database if exists ${name} with (force)`)
}

function testServer(): TestServer {
  const text = process.env[SERVER]
  if (text === undefined) throw new Error('run the tests by `npm test`, which starts their PostgreSQL')
  return JSON.parse(text) as TestServer
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
