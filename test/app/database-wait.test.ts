import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createBursar, type Bursar } from '../../src/app/bursar.ts'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { startPostgresProxy, type PostgresProxy } from '../harness/postgres/postgres-proxy.ts'
import { waitFor } from '../harness/wait.ts'

const STARTING_UP = 'the database system is starting up'

/** Answers every client as PostgreSQL does while it recovers. */
async function startRecoveringServer(folder: string) {
  const fields = `SFATAL\0VFATAL\0C57P03\0M${STARTING_UP}\0\0`
  const message = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(fields)])
  message.writeInt32BE(message.length - 1, 1)
  const server = createServer(client => client.on('error', () => {}).once('data', () => client.end(message)))
  await new Promise<void>(resolve => server.listen(join(folder, '.s.PGSQL.5432'), resolve))
  return { close: () => new Promise<void>(resolve => server.close(() => resolve())) }
}

function start(databaseUrl: string, env: Record<string, string> = {}) {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: line => void lines.push(line) },
  })
  const own = { PORT: '0', MASTER_KEY: TEST_MASTER_KEY, BURSAR_ROLE: 'api', DEMO: 'off', DRAIN_SECONDS: '0' }
  const starting = createBursar(readConfig({ ...own, DATABASE_URL: databaseUrl, ...env }), log)
  starting.catch(() => {})
  return { starting, log: () => lines.join('') }
}

test('a start waits for a database that recovers and then is down, says so once, and goes on when it answers', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-wait-'))
  let proxy: PostgresProxy | null = null
  let starting: Promise<Bursar> | null = null
  // One hook, since the database must outlive whoever uses it.
  t.after(async () => {
    await (await starting)?.stop()
    proxy?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const real = new URL(await cloneDatabase(t))
  const url = new URL(real)
  url.searchParams.set('host', folder)
  const recovering = await startRecoveringServer(folder)
  const started = start(url.href)
  const { log } = started
  starting = started.starting
  await waitFor(async () => log().includes(STARTING_UP), 'the line that names it')
  await recovering.close()
  proxy = await startPostgresProxy(real, folder)
  await starting
  assert.equal(log().split('Waiting up to 60 s for the database').length, 2)
})

test('a database that never answers is given up after the time that was set, with its reason', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-wait-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const url = `postgres://nobody@localhost/nothing?host=${folder}`
  const { starting, log } = start(url, { DATABASE_WAIT_SECONDS: '1' })
  await assert.rejects(starting, /The database cannot be reached: .*ENOENT.*Check DATABASE_URL/)
  assert.match(log(), /Waiting up to 1 s/)
  const impatient = start(url, { DATABASE_WAIT_SECONDS: '0' })
  await assert.rejects(impatient.starting, /cannot be reached/)
  assert.doesNotMatch(impatient.log(), /Waiting/)
})
