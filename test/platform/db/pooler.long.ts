import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Client, DEMO } from '../../harness/client.ts'
import { startTestCluster, stopTestCluster } from '../../harness/postgres/cluster.ts'
import { DueDate } from '../../flex/engine/due-date.ts'
import { startFakeErp } from '../../harness/fakes/erp.ts'
import { Payers } from '../../harness/payers.ts'
import { findBroken } from '../../harness/payments.ts'
import { NO_PGBOUNCER, startPgBouncer } from '../../harness/postgres/pgbouncer.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { ERP, sampleWebhook } from '../../harness/samples.ts'
import { openStandalone, type Standalone } from '../../harness/processes/standalone.ts'
import { freePort, PairedServer } from '../../harness/postgres/standby.ts'
import { waitFor } from '../../harness/wait.ts'

/** PgBouncer in transaction mode between Bursar and its server, with fewer connections than Bursar asks for. */
const SERVER_CONNECTIONS = 4
const INSTALMENTS = 10

type Pooled = Standalone & { server: PairedServer; pooler: string; folder: string }

async function openPooled(t: TestContext): Promise<Pooled> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-pooled-'))
  const port = await freePort()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const server = new PairedServer(folder, port, [])
  t.after(() => stopTestCluster(folder))
  await server.start()
  await server.ask('create database bursar', 'postgres')
  const pooler = await startPgBouncer(t, { port, serverConnections: SERVER_CONNECTIONS })
  const opened = await openStandalone(t, {
    DATABASE_URL: `postgres://bursar@127.0.0.1:${port}/bursar`,
    DATABASE_POOLER_URL: pooler,
    DB_POOL_SIZE: '32',
  })
  return { ...opened, server, pooler, folder }
}

async function countOf(server: PairedServer, applicationName: string): Promise<number> {
  const [row] = await server.ask<{ count: number }>(
    `select count(*)::int from pg_stat_activity where application_name = '${applicationName}'`,
  )
  return row?.count ?? 0
}

test(
  'through PgBouncer in transaction mode families pay, an ERP is told and a due date is debited, over few connections',
  { skip: NO_PGBOUNCER },
  async t => {
    const { app, url, server } = await openPooled(t)
    const demo = new Client(url, DEMO)
    const receiver = await startReceiver(t)
    const hook = sampleWebhook({ url: receiver.url, event_code: 'order.payment.debited' })
    const added = await demo.post(`${ERP}/webhooks`, hook)
    assert.equal(added.status, 201, added.text)
    const payers = new Payers(url)
    payers.start()
    await waitFor(() => Promise.resolve(payers.paid.size > 30), 'payments', { limitMs: 60_000 })
    assert.ok((await countOf(server, 'bursar')) <= SERVER_CONNECTIONS + 1, 'not through the pooler')
    await payers.stop()
    await receiver.waitForRequests(payers.paid.size, 30_000)
    const dueDate = new DueDate({ app, demo, erp: await startFakeErp(t) }, INSTALMENTS)
    await dueDate.prepare()
    const moved = await demo.post('/api/v1/sandbox/clock', { to: dueDate.end })
    assert.equal(moved.status, 200, moved.text)
    const ask = <Row extends Record<string, unknown>>(text: string): Promise<Row[]> => server.ask<Row>(text)
    await dueDate.assertDebitedOnce(ask)
    assert.deepEqual(await findBroken(ask), [])
  },
)

test(
  'a server that dies behind PgBouncer is a 503 for as long as it is away, and nothing answered is lost',
  { skip: NO_PGBOUNCER },
  async t => {
    const { url, server, folder } = await openPooled(t)
    const payers = new Payers(url)
    payers.start()
    await waitFor(() => Promise.resolve(payers.paid.size > 10), 'payments', { limitMs: 60_000 })
    await stopTestCluster(folder, 'SIGQUIT')
    await waitFor(() => Promise.resolve(payers.failures.length > 0), 'somebody to be refused')
    const before = payers.paid.size
    await startTestCluster(folder, {
      durable: true,
      port: server.port,
      settings: ['listen_addresses=127.0.0.1'],
    })
    await waitFor(() => Promise.resolve(payers.paid.size > before + 10), 'payments after it came back', {
      limitMs: 60_000,
    })
    await payers.stop()
    const rows = await server.ask<{ id: string }>(`select id from orders where state = 'paid'`)
    const paid = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      [...payers.paid].filter(id => !paid.has(id)),
      [],
    )
  },
)

test(
  'a transaction through PgBouncer has the limits that a connection of its own would have',
  { skip: NO_PGBOUNCER },
  async t => {
    const { app } = await openPooled(t)
    const [limits] = await app.ctx.db.transaction(tx =>
      tx.query(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
       current_setting('idle_in_transaction_session_timeout') as idle`,
      ),
    )
    assert.deepEqual(limits, { statement: '10s', lock: '8s', idle: '30s' })
    assert.equal(
      (await new Client(`http://127.0.0.1:${app.config.port}`, DEMO).get(`${ERP}/branches`)).status,
      200,
    )
  },
)
