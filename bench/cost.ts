import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { HEADERS, ORDER_BODY } from './figures.ts'
import type { PayPlan, PayResult } from './payments/load.ts'
import { load, openReceiver, openRig, runChild, type Rig } from './rig.ts'
import { waitFor } from '../test/harness/wait.ts'

/**
 * `node bench/cost.ts [SECONDS]`: what one read, order, payment and delivery costs in CPU time of Bursar and of
 * PostgreSQL, and in bytes. CPU time hardly depends on what else the machine does, so it says what a core carries.
 */
const seconds = Number(process.argv[2] ?? '10')
const TICKS_PER_SECOND = 100
const ORDERS = '/api/v1/integrations/pay/orders'

type Spent = { bursarMs: number; postgresMs: number; walBytes: number; bytes: number }

function ticksOf(pid: number | string, withEnded = false): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  // utime, stime and, of children that have ended, cutime, cstime.
  return fields.slice(11, withEnded ? 15 : 13).reduce((sum, field) => sum + Number(field), 0)
}

function ticksOfServer(folder: string): number {
  const postmaster = readFileSync(join(folder, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
  const children = readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === postmaster
    } catch {
      return false
    }
  })
  return children.reduce((sum, pid) => sum + ticksOf(pid), ticksOf(postmaster, true))
}

async function read(rig: Rig, client: pg.Client): Promise<Spent> {
  const { rows } = await client.query<{ wal: number; bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as bytes`,
  )
  return {
    bursarMs: (ticksOf(rig.pid) / TICKS_PER_SECOND) * 1_000,
    postgresMs: (ticksOfServer(rig.folder) / TICKS_PER_SECOND) * 1_000,
    walBytes: rows[0]?.wal ?? 0,
    bytes: rows[0]?.bytes ?? 0,
  }
}

async function measure(rig: Rig, client: pg.Client, what: string, act: () => Promise<number>): Promise<void> {
  const before = await read(rig, client)
  const done = await act()
  const after = await read(rig, client)
  const each = (key: keyof Spent): number => (after[key] - before[key]) / done
  const [bursar, postgres] = [each('bursarMs'), each('postgresMs')]
  process.stdout.write(
    `${what.padEnd(28)} ${String(done).padStart(7)}  Bursar ${bursar.toFixed(2)} ms  PostgreSQL ${postgres.toFixed(2)} ms  ` +
      `log ${(each('walBytes') / 1_000).toFixed(1)} kB  disk ${(each('bytes') / 1_000).toFixed(1)} kB\n`,
  )
}

async function count(client: pg.Client, from: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${from}`)
  return rows[0]?.count ?? 0
}

// A demo that is being filled would be measured with the rest.
process.env['DEMO'] = 'off'
const rig = await openRig()
const client = new pg.Client({ connectionString: rig.databaseUrl })
await client.connect()
const receiver = await openReceiver('plain')
try {
  process.stdout.write(`${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores\n`)
  const url = `${rig.full}${ORDERS}`
  const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: ORDER_BODY })
  const { data } = (await answer.json()) as { data: { order_id: string } }
  const loading = async (plan: { url: string; method: 'GET' | 'POST'; body?: string }): Promise<number> => {
    const { perSecond } = await load({ ...plan, headers: HEADERS, seconds, connections: 32 })
    return Math.round(perSecond * seconds)
  }
  const pay = async (): Promise<number> => {
    const before = await count(client, 'payments')
    const plan: PayPlan = {
      origin: rig.full,
      kind: 'full',
      headers: HEADERS,
      body: ORDER_BODY,
      seconds,
      payers: 32,
    }
    const result = (await runChild('payments/load.ts', plan)) as PayResult
    if (result.failures.length > 0) throw new Error(result.failures[0])
    return (await count(client, 'payments')) - before
  }
  await pay()
  await measure(rig, client, 'reading an order', () =>
    loading({ url: `${url}/${data.order_id}`, method: 'GET' }),
  )
  await measure(rig, client, 'creating an order', () => loading({ url, method: 'POST', body: ORDER_BODY }))
  await measure(rig, client, 'a payment, order and receipt', pay)
  const subscribed = await fetch(`${rig.full}/api/v1/integrations/erp/webhooks`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({
      event_code: 'order.payment.debited',
      url: `http://127.0.0.1:${receiver.ports[0]}/`,
      failure_notification_email: 'dev@example.in',
    }),
  })
  if (!subscribed.ok) throw new Error(await subscribed.text())
  await measure(rig, client, 'the same and its webhook', async () => {
    const paid = await pay()
    await waitFor(async () => (await count(client, 'webhook_queue')) === 0, 'the deliveries', {
      limitMs: 120_000,
    })
    process.stdout.write(`${await count(client, 'webhook_deliveries')} deliveries\n`)
    return paid
  })
} finally {
  await receiver.close()
  await client.end()
  await rig.close()
}
