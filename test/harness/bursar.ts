import type { TestContext } from 'node:test'
import type pg from 'pg'
import { readConfig } from '../../src/app/config.ts'
import { createBursar, type Bursar } from '../../src/app/bursar.ts'
import { createLog } from '../../src/platform/log.ts'
import { watchStatements } from '../../tools/tenancy/watch.ts'
import { Client, DEMO, GROUP } from './client.ts'
import { createDatabase } from './postgres/databases.ts'
import { countWaiting, holdWrites } from './postgres/locks.ts'

/** A Bursar on a database of its own, on a real socket. */
export type TestBursar = {
  app: Bursar
  url: string
  /** Speaks as Demo School, which has one branch. */
  demo: Client
  /** Speaks as Demo Group, which has NORTH (the default) and SOUTH. */
  group: Client
  /** Looks into the database directly. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** How many transactions wait for a lock of another. */
  countWaiting(): Promise<number>
  /** Lets nobody write a row of the table until what is answered is called. */
  holdWrites(table: string): Promise<() => Promise<void>>
  /** Every log line written so far. */
  logText(): string
}

type Owner = { after(done: () => Promise<void> | void): void }

// Where a test measures what Bursar itself computes, it says so: to look at statements costs more than to send them.
if (process.env['STATEMENTS'] !== 'unwatched') await watchStatements()

export const TEST_MASTER_KEY = '11'.repeat(32)

/**
 * Starts one that ends with the test or suite that asked for it. A test that watches memory or collections does not keep
 * the log: over minutes its lines become more than what Bursar itself holds.
 */
export async function startBursar(
  owner: TestContext | Owner,
  env: Record<string, string> = {},
  { keepsLog = true } = {},
): Promise<TestBursar> {
  const { url: database, drop } = await createDatabase()
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: line => void (keepsLog && lines.push(line)) },
  })
  const app = await createBursar(
    readConfig({
      PORT: '0',
      DATABASE_URL: database,
      MASTER_KEY: TEST_MASTER_KEY,
      BURSAR_ROLE: 'api',
      DEMO: 'off',
      DRAIN_SECONDS: '0',
      // All visitors of a test have one address.
      PUBLIC_RATE: '100000',
      PUBLIC_BURST: '100000',
      ...env,
    }),
    log,
  ).catch(async (error: unknown) => {
    await drop()
    throw error
  })
  // One hook, since hooks run in the order in which they were added: the database must outlive the Bursar.
  owner.after(async () => {
    await app.stop()
    await drop()
  })
  const url = `http${app.config.tls === null ? '' : 's'}://${app.config.host}:${app.config.port}`
  return {
    app,
    url,
    demo: new Client(url, DEMO),
    group: new Client(url, GROUP),
    sql: (text, values) => app.ctx.db.query(text, values),
    countWaiting: () => countWaiting(app.ctx.db),
    holdWrites: table => holdWrites(app.ctx.db, database, table),
    logText: () => lines.join(''),
  }
}
