import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { DueDate, purgeHolds } from '../../flex/engine/due-date.ts'
import { Client, DEMO } from '../../harness/client.ts'
import { startFakeErp } from '../../harness/fakes/erp.ts'
import { insist, Payers } from '../../harness/payers.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { openStandalone, type Standalone } from '../../harness/processes/standalone.ts'
import { startPair, type PairedServer } from '../../harness/postgres/standby.ts'
import { waitFor } from '../../harness/wait.ts'

/** A primary that dies while families pay, and the standby that is promoted in its place. */
const INSTALMENTS = 24

/** On all of them, in this order. */
function openBursar(t: TestContext, hosts: readonly PairedServer[]): Promise<Standalone> {
  const names = hosts.map(({ host }) => host).join(',')
  return openStandalone(t, {
    DATABASE_URL: `postgres://bursar@${names}/bursar?target_session_attrs=read-write`,
  })
}

test('a standby that is promoted while families pay is found, and nothing that was answered is lost', async t => {
  const { primary, standby } = await startPair(t)
  const { app, url, logText } = await openBursar(t, [primary, standby])
  const demo = new Client(url, DEMO)
  const payers = new Payers(url)
  payers.start()
  await waitFor(() => Promise.resolve(payers.paid.size > 20), 'some payments')

  await primary.kill()
  const killedAt = Date.now()
  await standby.ask('select pg_promote()', 'postgres')
  const promotedAt = Date.now()
  const before = payers.paid.size
  await waitFor(() => Promise.resolve(payers.paid.size > before + 20), 'payments after the promotion', {
    limitMs: 60_000,
  })
  const [firstFailure = killedAt, lastFailure = killedAt] = [payers.failures[0], payers.failures.at(-1)]
  console.log(
    `failover: promoted ${promotedAt - killedAt} ms after the kill; 503 for ${lastFailure - firstFailure} ms, ` +
      `${payers.failures.length} refused tries, ${payers.paid.size} paid`,
  )

  // The old primary comes back as it was: writable, and behind.
  const [{ count: known } = { count: '' }] = await standby.ask<{ count: string }>(
    'select count(*) from orders',
  )
  assert.ok(Number(known) > 0)
  const kept = await countOrders(primary, { start: true })
  const student = await insist(
    () =>
      demo.send(
        'POST',
        `${ERP}/users/parent-1/students`,
        { student: sampleStudent() },
        { 'idempotency-key': 'student-1' },
      ),
    [],
  )
  assert.equal(student.status, 201, student.text)
  const next = payers.paid.size
  await waitFor(() => Promise.resolve(payers.paid.size > next + 20), 'payments beside the old primary')
  await payers.stop()
  assert.equal(await countOrders(primary), kept, 'the old primary was written to')
  assert.match(logText(), new RegExp(`writing to this database server`))

  const rows = await standby.ask<{ id: string; state: string }>(`select id, state from orders`)
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  assert.deepEqual(
    [...payers.paid].filter(id => states.get(id) !== 'paid'),
    [],
    'answered as paid, and not so on the new primary',
  )
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
  assert.deepEqual(await findBroken(text => standby.ask(text)), [])
  await app.ctx.db.assertWritable()
})

test('a due date during which the primary dies and the standby is promoted debits each instalment once', async t => {
  const { primary, standby } = await startPair(t)
  const { app, url } = await openBursar(t, [primary, standby])
  const demo = new Client(url, DEMO)
  const dueDate = new DueDate({ app, demo, erp: await startFakeErp(t) }, INSTALMENTS)
  await dueDate.prepare()
  const refused: number[] = []
  const moved = insist(() => demo.post('/api/v1/sandbox/clock', { to: dueDate.end }), refused)
  // Notices are out, and the first debits are at the bank.
  const half = 3 * INSTALMENTS
  await waitFor(
    async () => (await dueDate.progress(text => primary.ask(text))) >= half,
    'the debits to begin',
    {
      everyMs: 5,
      limitMs: 120_000,
    },
  )
  const payers = new Payers(url)
  payers.start()
  const killedAt = Date.now()
  await primary.kill()
  await standby.ask('select pg_promote()', 'postgres')
  const promotedAt = Date.now()
  await waitFor(() => Promise.resolve(payers.paid.size > 5), 'payments after the promotion', {
    limitMs: 60_000,
  })
  // The clock waits for what is due, and each payment makes more of it.
  await payers.stop()
  assert.equal((await moved).status, 200)
  const failures = [...refused, ...payers.failures].toSorted((one, other) => one - other)
  assert.ok(failures.length > 0, 'nobody noticed that the primary was gone')
  console.log(
    `due date: promoted ${promotedAt - killedAt} ms after the kill; 503 for ${(failures.at(-1) ?? 0) - (failures[0] ?? 0)} ms, ` +
      `${failures.length} refused tries, ${payers.paid.size} orders paid beside ${INSTALMENTS} instalments`,
  )
  const ask = <Row extends Record<string, unknown>>(text: string): Promise<Row[]> => standby.ask<Row>(text)
  await purgeHolds(ask)
  for (const advance of ['PT1M', 'PT2H', 'P1D']) {
    const after = await demo.post('/api/v1/sandbox/clock', { advance })
    assert.equal(after.status, 200, after.text)
  }
  await dueDate.assertDebitedOnce(ask)
  assert.deepEqual(await findBroken(ask), [])
})

test('a process that starts beside an old primary takes the promoted server, in whatever order they are named', async t => {
  const { primary, standby } = await startPair(t)
  const first = await openBursar(t, [standby, primary])
  await new Client(first.url, DEMO).post(`${PAY}/orders`, sampleOrder())
  assert.match(first.logText(), new RegExp(`${primary.host}.*writing to this database server`))
  await primary.kill()
  await standby.ask('select pg_promote()', 'postgres')
  const kept = await countOrders(primary, { start: true })
  const second = await openBursar(t, [primary, standby])
  const answer = await new Client(second.url, DEMO).post(`${PAY}/orders`, sampleOrder())
  assert.equal(answer.status, 201, answer.text)
  assert.match(second.logText(), new RegExp(`${standby.host}.*writing to this database server`))
  assert.equal(await countOrders(primary), kept)
})

async function countOrders(server: PairedServer, { start = false } = {}): Promise<number> {
  if (start) await server.start()
  const [row] = await server.ask<{ count: string }>('select count(*) from orders')
  return Number(row?.count)
}
