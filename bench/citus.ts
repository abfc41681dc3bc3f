import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { createBursar } from '../src/app/bursar.ts'
import { readConfig } from '../src/app/config.ts'
import { openDeliveries } from '../src/app/open-deliveries.ts'
import { createLog } from '../src/platform/log.ts'
import { Client, DEMO, GROUP } from '../test/harness/client.ts'
import { addressOf, makeCitus, spread } from '../test/harness/postgres/databases.ts'
import { startReceiver } from '../test/harness/receiver.ts'
import { PAY, sampleOrder } from '../test/harness/samples.ts'
import { Instalments } from './citus-instalments.ts'

/**
 * `node bench/citus.ts COORDINATOR [TIMES] [PORT …]`: what a request costs the database in CPU time, on one PostgreSQL
 * and on 1, 2 and 4 workers, whose servers are on this machine at the ports named. Seconds would tell nothing here,
 * because all nodes share its cores. COORDINATOR is the address of a database on the coordinator's server.
 */
const [coordinator = '', count = '1000', ...ports] = process.argv.slice(2)
const times = Number(count)
if (!URL.canParse(coordinator) || !(times > 0))
  throw new Error('node bench/citus.ts COORDINATOR [TIMES] [PORT …]')
const PAYERS = 4
const TICK_MS = 10
/** Of Demo School and Demo Group. */
const BRANCHES = ['MAIN', 'NORTH']

type Cost = { coordinator: number; workers: number }
type Undo = () => Promise<void> | void

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function postmasterOf(url: string): Promise<number> {
  const [row] = await query<{ file: string }>(url, `select pg_read_file('postmaster.pid') as file`)
  return Number(row?.file.split('\n')[0])
}

/** Of a server and all processes that it ever started, in milliseconds. */
function cpuOf(postmaster: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = statOf(name)
    if (fields === null) continue
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number)
    if (Number(name) === postmaster) ticks += user + system + endedUser + endedSystem
    else if (Number(fields[1]) === postmaster) ticks += user + system
  }
  return ticks * TICK_MS
}

/** From the state on; null if it has ended meanwhile. */
function statOf(pid: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

async function measure(servers: number[], work: () => Promise<void>): Promise<Cost> {
  const before = servers.map(cpuOf)
  await work()
  const spent = servers.map((server, index) => cpuOf(server) - before[index]!)
  const [first = 0, ...rest] = spent
  return { coordinator: first / times, workers: rest.reduce((sum, ms) => sum + ms, 0) / times }
}

/** Both schools, so that more than one shard is asked. */
async function inParallel(work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const payer = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: PAYERS }, payer))
}

async function measureOn(label: string, url: string, servers: string[]): Promise<void> {
  const log = createLog({ level: 'silent', format: 'json', destination: { write() {} } })
  const app = await createBursar(
    readConfig({
      PORT: '0',
      DATABASE_URL: url,
      MASTER_KEY: '11'.repeat(32),
      BURSAR_ROLE: 'api',
      DEMO: 'off',
      DRAIN_SECONDS: '0',
    }),
    log,
  )
  const receiver = await startReceiver(owner)
  try {
    await query(url, 'update api_keys set rate_per_second = 1000000, burst = 1000000')
    const origin = `http://${app.config.host}:${app.config.port}`
    const clients = [new Client(origin, DEMO), new Client(origin, GROUP)] as const
    const clientOf = (index: number): Client => clients[index % 2]!
    const ids: string[] = []
    const postmasters = await Promise.all(servers.map(postmasterOf))
    const costs = {
      create: await measure(postmasters, () =>
        inParallel(async index => {
          const answer = await clientOf(index).post(
            `${PAY}/orders`,
            sampleOrder({ collector_code: index % 2 ? 'NORTH' : undefined }),
          )
          if (answer.status !== 201) throw new Error(answer.text)
          ids[index] = answer.body.data.order_id
        }),
      ),
      read: await measure(postmasters, () =>
        inParallel(async index => {
          const answer = await clientOf(index).get(`${PAY}/orders/${ids[index]}`)
          if (answer.status !== 200) throw new Error(answer.text)
        }),
      ),
      pay: await measure(postmasters, () =>
        inParallel(async index => {
          const path = `/api/v1/sandbox/pay/orders/${ids[index]}/pay`
          const answer = await clientOf(index).post(path, { outcome: 'success' })
          if (answer.status >= 300) throw new Error(answer.text)
        }),
      ),
    }
    for (const [index, client] of clients.entries()) await subscribe(client, BRANCHES[index]!, receiver.url)
    await inParallel(index => trigger(clientOf(index), BRANCHES[index % 2]!))
    const { deliveries, closeDeliveries } = openDeliveries(app.config, app.ctx, log)
    const deliver = await measure(postmasters, async () => {
      deliveries.start()
      await receiver.waitForRequests(times, 120_000)
      await closeDeliveries()
    })
    const instalments = new Instalments(
      app,
      clients.map((client, index) => ({ client, collectorCode: BRANCHES[index]! })),
    )
    await instalments.prepare(inParallel)
    const debit = await measure(postmasters, () => instalments.debit())
    const [row] = await query<{ count: number }>(
      url,
      `select count(*)::int as count from flex_instalments where state = 'settled'`,
    )
    if (row?.count !== times) throw new Error(`${row?.count} of ${times} instalments were debited`)
    Object.assign(costs, { deliver, debit })
    for (const [what, cost] of Object.entries(costs))
      console.log(
        `${label.padEnd(16)} ${what.padEnd(8)} ${cost.coordinator.toFixed(2)} ms ${servers.length > 1 ? 'coordinator' : ''} + ${cost.workers.toFixed(2)} ms workers`,
      )
  } finally {
    await app.stop()
  }
}

async function subscribe(client: Client, collector_code: string, url: string): Promise<void> {
  const answer = await client.post('/api/v1/integrations/erp/webhooks', {
    event_code: 'refund.processed',
    collector_code,
    url,
    failure_notification_email: 'it@school.example.in',
  })
  if (answer.status !== 201) throw new Error(answer.text)
}

async function trigger(client: Client, collector_code: string): Promise<void> {
  const answer = await client.post('/api/v1/sandbox/events/trigger', {
    event_code: 'refund.processed',
    collector_code,
  })
  if (answer.status !== 201) throw new Error(answer.text)
}

const undo: Undo[] = []
const owner = { after: (done: Undo): void => void undo.unshift(done) }
try {
  const plain = new URL(coordinator)
  const name = `bench_${process.pid}`
  await query(coordinator, `create database ${name}`)
  owner.after(async () => void (await query(coordinator, `drop database ${name} with (force)`)))
  plain.pathname = `/${name}`
  await measureOn('one PostgreSQL', plain.href, [coordinator])
  for (const size of [1, 2, 4].filter(number => number <= ports.length)) {
    const { hostname } = new URL(coordinator)
    const workers = ports.slice(0, size).map(port => ({ host: hostname, port: Number(port) }))
    const nodes = [coordinator, ...workers.map(({ host, port }) => addressOf(coordinator, host, port))]
    const url = await makeCitus(owner, { nodes, workers })
    const app = await createBursar(
      readConfig({
        PORT: '0',
        DATABASE_URL: url,
        MASTER_KEY: '11'.repeat(32),
        DEMO: 'off',
        DRAIN_SECONDS: '0',
      }),
      createLog({ level: 'silent', format: 'json', destination: { write() {} } }),
    )
    await app.stop()
    await spread(url)
    await measureOn(`${size} worker${size === 1 ? '' : 's'}`, url, nodes)
  }
} finally {
  for (const done of undo) await done()
}
