import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { Client, DEMO, GROUP, type Answer } from '../../harness/client.ts'
import { startTestCluster, stopTestCluster } from '../../harness/postgres/cluster.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import {
  scratch,
  serverGone,
  serverPid,
  serverPids,
  undoLater,
} from '../embedded-postgres/fixtures/support.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'

/** The database goes away under load and comes back: stopped, killed, or silent. Long run: OUTAGE_SECONDS=30. */
const OUTAGE_MS = Number(process.env['OUTAGE_SECONDS'] ?? 5) * 1_000
const [ANSWERED_WITHIN_MS, BACK_WITHIN_MS] = [5_000, 5_000]
/** The longest statement and the longest wait for a connection together, and a margin. */
const SILENCE_LIMIT_MS = 16_000
const LINES = ['TUITION_FEE', 'BUS_FEE'].map(component_type => ({ component_type, amount: 1200.5 }))

type TestInstallation = { folder: string; socket: string; url: string; demo: Client; isAlive: () => boolean }
type TimedAnswer = { what: string; from: number; to: number; status: number; fault: string | null }
type Create = { key: string; body: string; orderId: string | null }

/** A cluster that keeps its promises, and a Bursar process on it. */
async function startPlace(t: TestContext): Promise<TestInstallation> {
  const folder = realpathSync(scratch(t))
  undoLater(t, async () => {
    if (serverPids(folder).length > 0) await signalServer(folder, 'SIGKILL')
    await serverGone(folder)
  })
  const socket = await startTestCluster(folder, { durable: true })
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env: {
      ...bareEnv(),
      PORT: '0',
      DATABASE_URL: `postgres://bursar@localhost/postgres?host=${encodeURIComponent(socket)}`,
      MASTER_KEY: TEST_MASTER_KEY,
      LOG_FORMAT: 'json',
    },
  })
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (output += String(part)))
  undoLater(t, async () => {
    if (!isAlive()) t.diagnostic(`Bursar ended by itself: ${output.slice(-3_000)}`)
    if (isAlive() && child.kill('SIGKILL')) await once(child, 'exit')
  })
  await waitFor(async () => output.includes('Ctrl-C stops it.') || !isAlive(), 'Bursar to start')
  const url = /Listening +(\S+)/.exec(output)?.[1]
  assert.ok(url, output)
  return { folder, socket, url, demo: new Client(url, DEMO), isAlive }
}

async function signalServer(folder: string, signal: NodeJS.Signals): Promise<void> {
  // The postmaster first, so that a stopped one makes no new children.
  for (const pid of new Set([await serverPid(folder), ...serverPids(folder)])) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

/** The postmaster alone: its children notice and end, as after an out-of-memory kill. */
async function killPostmaster(folder: string): Promise<void> {
  process.kill(await serverPid(folder), 'SIGKILL')
  await serverGone(folder)
}

/** Sends, measures and judges: a success, or our 503 in time; anything else is a fault. */
async function see(seen: TimedAnswer[], what: string, send: () => Promise<Answer>): Promise<Answer | null> {
  const from = Date.now()
  const answer = await send().catch(() => null)
  const fault = answer === null ? 'no answer' : faultOf(answer)
  seen.push({ what, from, to: Date.now(), status: answer?.status ?? 0, fault })
  return answer
}

function faultOf({ status, headers, body, text }: Answer): string | null {
  if (status === 200 || status === 201) return null
  const { status: outcome, code, message, request_id: id } = body ?? {}
  const isOurs = status === 503 && outcome === 'error' && code === 'SYE00001' && message && id
  const retryAfter = headers.get('retry-after')
  return isOurs && Number(retryAfter) >= 1 ? null : ` retry-after=${retryAfter} ${text.slice(0, 300)}`
}

/** Four callers that create and read orders and make and cancel links, until told to stop. */
function startLoad({ demo }: TestInstallation) {
  const seen: TimedAnswer[] = []
  const creates: Create[] = []
  const over = new AbortController()
  const caller = async (number: number): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const create = newCreate(`away-${number}-${turn}`)
      creates.push(create)
      const made = await see(seen, 'create', () => sendCreate(demo, create))
      create.orderId = made?.status === 201 ? made.body.data.order_id : null
      const known = creates[Math.floor(turn / 2)]?.orderId ?? create.orderId
      if (known !== null) await see(seen, 'read', () => demo.get(`${PAY}/orders/${known}`))
      const link = await see(seen, 'link', () => demo.post(`${PAY}/payment_links`, sampleOrder()))
      const open: string | undefined = link?.body?.data?.order_id
      if (open !== undefined) await see(seen, 'cancel', () => demo.delete(`${PAY}/payment_links/${open}`))
      // A caller that was refused takes a breath, as a real one would.
      if (made?.status !== 201) await pause(100)
    }
  }
  const done = Promise.all([0, 1, 2, 3].map(caller))
  const stop = () => Promise.resolve(over.abort()).then(() => done)
  const acknowledged = (): number => creates.filter(create => create.orderId !== null).length
  return { seen, creates, acknowledged, stop }
}

const newCreate = (key: string): Create => {
  return { key, body: JSON.stringify(sampleOrder({ identifier: key, details: LINES })), orderId: null }
}

const sendCreate = (demo: Client, { key, body }: Create): Promise<Answer> =>
  demo.post(`${PAY}/orders`, body, { 'idempotency-key': key })

/** Everything acknowledged is there whole, everything else ends in one order by a retry, nothing is half. */
async function checkOrders(place: TestInstallation, creates: readonly Create[]): Promise<void> {
  const { demo } = place
  const check = async (create: Create) => {
    const again = await sendCreate(demo, create)
    assert.equal(again.status, 201, `${create.key}: ${again.text}`)
    const id: string = again.body.data.order_id
    if (create.orderId !== null) {
      assert.equal(again.headers.get('idempotent-replayed'), 'true', create.key)
      assert.equal(id, create.orderId)
    }
    const read = await demo.get(`${PAY}/orders/${id}`)
    assert.equal(read.status, 200, `${create.key} was acknowledged and must exist: ${read.text}`)
    assert.deepEqual(read.body.data.details, LINES)
  }
  for (let at = 0; at < creates.length; at += 8) await Promise.all(creates.slice(at, at + 8).map(check))
  const client = await lookInto(place)
  const { rows } = await client.query<{ orders: number; keys: number; bare: number }>(
    `select count(*) filter (where identifier is not null)::int as orders,
       count(distinct identifier)::int as keys,
       count(*) filter (where not exists (select from order_lines l where l.order_id = o.id))::int as bare
     from orders o`,
  )
  await client.end()
  assert.deepEqual(rows, [{ orders: creates.length, keys: creates.length, bare: 0 }])
}

async function lookInto({ socket }: TestInstallation): Promise<pg.Client> {
  const client = new pg.Client({ host: socket, user: 'bursar', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A request in the middle of its transaction, held there by somebody else's lock. */
async function holdCancel(place: TestInstallation, seen: TimedAnswer[]): Promise<() => Promise<unknown>> {
  const link = (await place.demo.post(`${PAY}/payment_links`, sampleOrder())).body.data.order_id
  const other = await lookInto(place)
  await other.query('begin')
  await other.query('select from orders where id = $1 for update', [link])
  const answer = see(seen, 'cancel', () => place.demo.delete(`${PAY}/payment_links/${link}`))
  const isWaiting = async () => (await other.query('select from pg_locks where not granted')).rowCount === 1
  await waitFor(isWaiting, 'the request to wait for the lock')
  return () => answer
}

async function backAgain({ url, demo }: TestInstallation): Promise<number> {
  const [from, group] = [Date.now(), new Client(url, GROUP)]
  const isWhole = async (): Promise<boolean> => {
    const answers = [await demo.post(`${PAY}/orders`, sampleOrder()), await group.get(`${PAY}/orders`)]
    return [...answers, await group.get('/readyz')].every(({ status }) => status < 300)
  }
  await waitFor(isWhole, 'Bursar to work again by itself', { limitMs: BACK_WITHIN_MS })
  return Date.now() - from
}

const slowestOf = (seen: readonly TimedAnswer[]): number => Math.max(...seen.map(({ from, to }) => to - from))

async function loseDatabase(t: TestContext, takeAway: (folder: string) => Promise<void>): Promise<void> {
  const place = await startPlace(t)
  const load = startLoad(place)
  undoLater(t, () => load.stop())
  await waitFor(async () => load.acknowledged() >= 40 || !place.isAlive(), 'orders before the outage')

  const probes: TimedAnswer[] = []
  const held = await holdCancel(place, probes)
  await takeAway(place.folder)
  const away = Date.now()
  await waitFor(
    async () => {
      const { url } = place
      if (!place.isAlive()) return true
      assert.equal((await fetch(`${url}/healthz`)).status, 200, 'the process itself is well')
      await see(probes, '/readyz', () => place.demo.get('/readyz'))
      await see(probes, 'key not seen before', () => new Client(url, GROUP).get(`${PAY}/orders`))
      const stranger = new Client(url, { ...DEMO, secret: `unknown-${probes.length}` })
      await see(probes, 'key nobody can judge now', () => stranger.get(`${PAY}/orders`))
      return Date.now() - away >= OUTAGE_MS
    },
    'the outage to pass',
    { limitMs: OUTAGE_MS + 2_000, everyMs: 100 },
  )
  const over = Date.now()
  assert.ok(place.isAlive(), 'the process lives on without its database')
  await startTestCluster(place.folder, { durable: true })
  const backMs = await backAgain(place)
  const before = load.acknowledged()
  await waitFor(async () => load.acknowledged() >= before + 20, 'the load to go on')
  await Promise.all([load.stop(), held()])

  const all = [...load.seen, ...probes]
  const faults = all.filter(({ fault, from, to }) => fault !== null || to - from >= ANSWERED_WITHIN_MS)
  assert.deepEqual(faults, [], 'every answer is a success or our 503, and quick')
  const during = all.filter(({ from, to }) => from > away && to < over)
  for (const what of ['create', 'link', '/readyz', 'key not seen before', 'key nobody can judge now']) {
    const statuses = new Set(during.filter(one => one.what === what).map(({ status }) => status))
    assert.deepEqual([...statuses], [503], `${what} without a database`)
  }
  await checkOrders(place, load.creates)
  t.diagnostic(
    `${during.length} refusals in ${over - away} ms, the slowest took ${slowestOf(during)} ms; ` +
      `back after ${backMs} ms; ${load.acknowledged()} of ${load.creates.length} creates acknowledged`,
  )
}

suite('the database goes away under load', { concurrency: true }, () => {
  test('a database stopped and started costs 503s and no order, and Bursar needs no restart', t =>
    loseDatabase(t, folder => stopTestCluster(folder, 'SIGINT')))

  test('a database killed and started costs 503s and no order, and Bursar needs no restart', t =>
    loseDatabase(t, killPostmaster))

  test('a database that accepts connections and says nothing is answered by 503 in time', async t => {
    const place = await startPlace(t)
    const { demo, url, folder } = place
    const load = startLoad(place)
    undoLater(t, () => load.stop())
    await waitFor(async () => load.acknowledged() >= 40, 'orders before the silence')
    await load.stop()
    const id = load.creates.find(create => create.orderId !== null)?.orderId ?? ''
    const link = (await demo.post(`${PAY}/payment_links`, sampleOrder())).body.data.order_id
    const late = newCreate('late')

    await signalServer(folder, 'SIGSTOP')
    const seen: TimedAnswer[] = []
    const sent = Promise.all([
      see(seen, 'read', () => demo.get(`${PAY}/orders/${id}`)),
      see(seen, 'create', () => sendCreate(demo, late)),
      see(seen, 'cancel', () => demo.delete(`${PAY}/payment_links/${link}`)),
      see(seen, 'key not seen before', () => new Client(url, GROUP).get(`${PAY}/orders`)),
      see(seen, '/readyz', () => demo.get('/readyz')),
    ])
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    await Promise.race([sent, pause(SILENCE_LIMIT_MS)])
    const inTime = seen.map(({ what, status, fault }) => `${what} ${status}${fault ?? ''}`).sort()
    await signalServer(folder, 'SIGCONT')
    const backMs = await backAgain(place)
    await sent
    assert.ok(place.isAlive())
    const expected = ['/readyz', 'cancel', 'create', 'key not seen before', 'read'].map(what => `${what} 503`)
    assert.deepEqual(inTime, expected, `answers within ${SILENCE_LIMIT_MS} ms of a silent database`)
    await checkOrders(place, [...load.creates, late])
    t.diagnostic(`the slowest refusal took ${slowestOf(seen)} ms; back after ${backMs} ms`)
  })

  test('one connection that falls silent for good is given up, and the next requests do without it', async t => {
    const place = await startPlace(t)
    const { demo } = place
    const id = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data.order_id
    const read = async (): Promise<number> => (await demo.get(`${PAY}/orders/${id}`)).status
    assert.equal(await read(), 200)
    const client = await lookInto(place)
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'bursar/%' and query like 'select o.%'`,
    )
    await client.end()
    assert.ok(rows[0], 'the connection that read the order')
    process.kill(rows[0].pid, 'SIGSTOP')
    assert.ok([200, 503].includes(await read()), 'the read that met the silence is answered')
    await waitFor(async () => (await read()) === 200, 'the order to be read without it', { limitMs: 1_000 })
  })
})
