import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import { connectTo } from '../../src/platform/embedded-postgres/paths.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { Client, DEMO } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import {
  cluster,
  scratch,
  serverGone,
  serverPid,
  serverPids,
  undoLater,
} from '../platform/embedded-postgres/fixtures/support.ts'
import { bareEnv } from '../harness/processes/child-env.ts'

/** `src/app/main.ts` as a person runs it: real processes and signals, an embedded server in the test's folder. */
const [FIRST_START_MS, LATER_START_MS] = [7_000, 5_000]
const [BACK_WITHIN_MS, ENDED_WITHIN_MS, FORCED_EXIT_MS] = [8_000, 5_000, 5_000]

type Run = { child: ChildProcess; output: () => string; isOver: () => boolean; exit: Promise<number | null> }
type Bursar = Run & { url: string; demo: Client; ms: number }

const folders = new Set<string>()

/** The server of a folder ends after every Bursar that would bring it back. */
function endServerLater(t: TestContext, dataDir: string): void {
  if (folders.has(dataDir)) return
  folders.add(dataDir)
  undoLater(t, async () => {
    if (serverPids(dataDir).length > 0) process.kill(await serverPid(dataDir), 'SIGQUIT')
    await serverGone(dataDir)
  })
}

function run(t: TestContext, env: Record<string, string>): Run {
  if (env['DATA_DIR'] !== undefined) endServerLater(t, env['DATA_DIR'])
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...bareEnv(), PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += String(part)))
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  const exit = once(child, 'close').then(([code]) => code as number | null)
  undoLater(t, async () => {
    child.kill('SIGKILL')
    await exit
  })
  return { child, output: () => text, isOver, exit }
}

const isSettled = ({ output, isOver }: Run): boolean => output().includes('Ctrl-C stops it.') || isOver()

async function start(t: TestContext, env: Record<string, string>): Promise<Bursar> {
  const from = Date.now()
  const started = run(t, env)
  await waitFor(async () => isSettled(started), 'Bursar to start', { everyMs: 5 })
  const ms = Date.now() - from
  const url = /Listening +(\S+)/.exec(started.output())?.[1]
  assert.ok(url, started.output())
  return { ...started, url, demo: new Client(url, DEMO), ms }
}

/** Everything it said and its exit code, of a start that is refused. */
async function refusal(t: TestContext, env: Record<string, string>) {
  const { exit, output, child } = run(t, env)
  const limit = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const code = await exit
  clearTimeout(limit)
  return { code, said: output().trimEnd().split('\n') }
}

async function look(t: TestContext, host: string): Promise<pg.Client> {
  const client = await connectTo({ host, user: 'bursar', database: 'bursar' })
  undoLater(t, () => client.end())
  return client
}

/** Reads go on, writes of orders wait; answers how to let them go. */
async function holdWrites(t: TestContext, dataDir: string) {
  const client = await look(t, dataDir)
  await client.query('begin')
  await client.query('lock table orders in share mode')
  return {
    isWaiting: async () => (await client.query('select from pg_locks where not granted')).rowCount === 1,
    release: () => client.query('rollback'),
  }
}

/** Answers after how many milliseconds orders are taken again, by a new server. */
async function killServer(dataDir: string, demo: Client): Promise<number> {
  const [old, from] = [await serverPid(dataDir), Date.now()]
  process.kill(old, 'SIGKILL')
  const isTaken = async () => (await demo.post(`${PAY}/orders`, sampleOrder())).status === 201
  const isBack = async () => (await serverPid(dataDir)) !== old && isTaken()
  await waitFor(isBack, 'orders to be taken again', { limitMs: BACK_WITHIN_MS })
  return Date.now() - from
}

test('a first start takes under 7 s on a busy machine, a later one under 5 s, and each says where it is, how to get in and what next', async t => {
  const dataDir = join(scratch(t), 'data')
  const first = await start(t, { DATA_DIR: dataDir })
  const text = first.output()
  assert.match(text, /^ *Listening +http:\/\/127\.0\.0\.1:[1-9]\d*$/m)
  assert.match(text, /key_test_demo : secret_test_demo[^]*key_test_group : secret_test_group/)
  const next = `\n  curl -u ${DEMO.key}:${DEMO.secret} ${first.url}${PAY}/orders `
  assert.ok(text.includes(`Next: create a pay order${next}`))
  assert.ok(text.includes(dataDir), 'it names the data folder')
  const sample = /-d '(\{.*\})'/.exec(text)?.[1] ?? ''
  assert.equal((await first.demo.post(`${PAY}/orders`, sample)).status, 201, 'the next step works as printed')
  first.child.kill('SIGINT')
  assert.equal(await first.exit, 0)
  const later = await start(t, { DATA_DIR: dataDir })
  t.diagnostic(`first start ${first.ms} ms, later start ${later.ms} ms`)
  assert.ok(first.ms < FIRST_START_MS && later.ms < LATER_START_MS, `${first.ms} and ${later.ms} ms`)
})

suite('a Bursar process', { concurrency: 3 }, () => {
  test('orders acknowledged before a kill -9 in the middle of creating them are all there after the next start', async t => {
    const dataDir = await cluster(t)
    const { demo, child, exit, isOver } = await start(t, { DATA_DIR: dataDir })
    const creates: { key: string; body: string; orderId: string | null }[] = []
    const caller = async (number: number): Promise<void> => {
      for (let turn = 0; !isOver(); turn++) {
        const key = `killed-${number}-${turn}`
        const body = JSON.stringify(sampleOrder({ identifier: key }))
        const create: (typeof creates)[number] = { key, body, orderId: null }
        creates.push(create)
        const answer = await demo.post(`${PAY}/orders`, body, { 'idempotency-key': key }).catch(() => null)
        create.orderId = answer?.status === 201 ? answer.body.data.order_id : null
      }
    }
    const load = Promise.all([0, 1, 2, 3].map(caller))
    await waitFor(async () => creates.length >= 80, 'orders')
    child.kill('SIGKILL')
    await Promise.all([load, exit])
    const next = await start(t, { DATA_DIR: dataDir })
    assert.match(next.output(), /\((attached|started)\)/)
    for (const { key, body, orderId } of creates) {
      const again = await next.demo.post(`${PAY}/orders`, body, { 'idempotency-key': key })
      assert.equal(again.status, 201, again.text)
      if (orderId !== null) assert.equal(again.body.data.order_id, orderId)
      const read = await next.demo.get(`${PAY}/orders/${again.body.data.order_id}`)
      assert.deepEqual(read.body.data.details, [{ component_type: 'TUITION_FEE', amount: 45000 }])
    }
    const { rows } = await (await look(t, dataDir)).query('select count(*)::int as orders from orders')
    assert.deepEqual(rows, [{ orders: creates.length }], 'one order for each key')
    const acknowledged = creates.filter(({ orderId }) => orderId !== null)
    t.diagnostic(`${acknowledged.length} of ${creates.length} acknowledged`)
  })

  test('a second Bursar on the same data folder ends with one line naming it, and the first works on', async t => {
    const dataDir = await cluster(t)
    const first = await start(t, { DATA_DIR: dataDir })
    const pid = await serverPid(dataDir)
    const { code, said } = await refusal(t, { DATA_DIR: dataDir })
    assert.deepEqual([code, said.length], [1, 2], said.join('\n'))
    assert.match(said[1] ?? '', /another bursar/i)
    assert.ok(said[1]?.includes(dataDir))
    const { status } = await first.demo.post(`${PAY}/orders`, sampleOrder())
    assert.deepEqual([status, await serverPid(dataDir)], [201, pid])
  })

  test('a SIGINT stops Bursar and its PostgreSQL in order, idle connections or not', async t => {
    const dataDir = await cluster(t)
    const { demo, child, exit } = await start(t, { DATA_DIR: dataDir })
    assert.equal((await demo.post(`${PAY}/orders`, sampleOrder())).status, 201)
    child.kill('SIGINT')
    child.kill('SIGINT')
    assert.deepEqual([await exit, serverPids(dataDir)], [0, []])
    assert.ok(!existsSync(join(dataDir, 'pg', 'postmaster.pid')), 'the server closed its books')
  })

  test('a second SIGINT while a request hangs ends everything at once', async t => {
    const dataDir = await cluster(t)
    const { demo, child, exit, output, isOver } = await start(t, { DATA_DIR: dataDir })
    const writes = await holdWrites(t, dataDir)
    const hanging = demo.post(`${PAY}/orders`, sampleOrder()).catch(() => null)
    await waitFor(() => writes.isWaiting(), 'the request to hang')
    child.kill('SIGINT')
    await waitFor(async () => output().includes('SIGINT: finishing'), 'the first SIGINT to be heard')
    const from = Date.now()
    // One that follows at once is the same key press, which npm hands on.
    const isEnded = async (): Promise<boolean> => {
      child.kill('SIGINT')
      return isOver()
    }
    await waitFor(isEnded, 'the second SIGINT to be heard')
    assert.notEqual(await exit, 0)
    await serverGone(dataDir)
    assert.ok(Date.now() - from < FORCED_EXIT_MS)
    assert.equal(await hanging, null)
  })

  test('a SIGINT during the start leaves no PostgreSQL behind', async t => {
    const dataDir = await cluster(t)
    const { child, exit } = run(t, { DATA_DIR: dataDir })
    await waitFor(async () => serverPids(dataDir).length > 0, 'PostgreSQL to be started', { everyMs: 2 })
    child.kill('SIGINT')
    await exit
    await serverGone(dataDir)
  })

  test('a SIGTERM first says not ready while it still answers, then lets requests in flight finish', async t => {
    const dataDir = await cluster(t)
    const { demo, child, exit, isOver, url } = await start(t, { DATA_DIR: dataDir, DRAIN_SECONDS: '1' })
    const writes = await holdWrites(t, dataDir)
    const inFlight = demo.post(`${PAY}/orders`, sampleOrder())
    await waitFor(() => writes.isWaiting(), 'the request to be in flight')
    child.kill('SIGTERM')
    await waitFor(async () => (await demo.get('/readyz')).status === 503, '/readyz to say no')
    assert.equal((await demo.get(`${PAY}/orders`)).status, 200, 'requests are answered while it drains')
    const isClosed = (): Promise<boolean> =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      )
    await waitFor(isClosed, 'the door to close')
    await writes.release()
    const { status, body } = await inFlight
    assert.equal(status, 201)
    // A client that keeps its connection open must not keep the process.
    await waitFor(async () => isOver(), 'the process to end', { limitMs: ENDED_WITHIN_MS })
    assert.deepEqual([await exit, serverPids(dataDir)], [0, []])
    const next = await start(t, { DATA_DIR: dataDir })
    assert.equal((await next.demo.get(`${PAY}/orders/${body.data.order_id}`)).status, 200)
  })

  test('a port in use is named, and no PostgreSQL is left running', async t => {
    const dataDir = await cluster(t)
    const taken = createServer().listen(0, '127.0.0.1')
    undoLater(t, () => taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, said } = await refusal(t, { DATA_DIR: dataDir, PORT: String(port) })
    assert.deepEqual([code, said.length], [1, 2], said.join('\n'))
    assert.match(said[1] ?? '', new RegExp(`Port ${port} .*in use`))
    assert.deepEqual(serverPids(dataDir), [])
  })

  test('an embedded PostgreSQL killed under a running Bursar is back within 5 s with all it had', async t => {
    const dataDir = await cluster(t)
    const { demo, isOver } = await start(t, { DATA_DIR: dataDir })
    const before = await demo.post(`${PAY}/orders`, sampleOrder())
    t.diagnostic(`back after ${await killServer(dataDir, demo)} ms`)
    const { status } = await demo.get(`${PAY}/orders/${before.body.data.order_id}`)
    assert.deepEqual([status, isOver()], [200, false])
  })

  test('a data folder stays held after its PostgreSQL was killed and brought back', async t => {
    const dataDir = await cluster(t)
    const { demo } = await start(t, { DATA_DIR: dataDir })
    await killServer(dataDir, demo)
    const second = run(t, { DATA_DIR: dataDir })
    await waitFor(async () => isSettled(second), 'the second Bursar to be refused')
    assert.match(second.output(), /another bursar/i)
  })

  test('a database that is newer, or whose migration was edited, or sealed by another key is refused in one line', async t => {
    const env = { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
    const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 1, idleTimeoutMillis: 1 })
    pool.on('error', () => {})
    undoLater(t, () => pool.end())
    const expect = async (line: RegExp, changes: Record<string, string> = {}): Promise<void> => {
      const { code, said } = await refusal(t, { ...env, ...changes })
      assert.deepEqual([code, said.length], [1, 2], said.join('\n'))
      assert.match(said[1] ?? '', line)
    }
    await expect(/master key/i, { MASTER_KEY: '22'.repeat(32) })
    await pool.query(
      `insert into schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')`,
    )
    await expect(/newer Bursar.*9999_later\.sql/)
    await pool.query(`delete from schema_migrations where version = 9999`)
    await pool.query(`update schema_migrations set checksum = 'edited' where version = 1`)
    await expect(/0001_\w+\.sql was changed/)
  })

  test('a start refused by its database leaves no PostgreSQL running', async t => {
    const dataDir = await cluster(t)
    const first = await start(t, { DATA_DIR: dataDir, MASTER_KEY: TEST_MASTER_KEY })
    first.child.kill('SIGINT')
    assert.equal(await first.exit, 0)
    const { said } = await refusal(t, { DATA_DIR: dataDir, MASTER_KEY: '22'.repeat(32) })
    assert.match(said.join('\n'), /master key/i)
    assert.deepEqual(serverPids(dataDir), [])
  })
})
