import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { Payers } from '../../harness/payers.ts'
import { findBroken } from '../../harness/payments.ts'
import { nodes, withoutCitus } from '../../harness/postgres/databases.ts'
import { stringLine } from '../../harness/postgres/worker-line.ts'
import { waitFor } from '../../harness/wait.ts'

/** Runs only where TEST_DATABASE_URL names the coordinator of a Citus on this machine. */
const skip = withoutCitus()

const CUTS = 5

test('payments wait while the line to a worker is cut, and none is lost or made twice', { skip }, async t => {
  const bursar = await startBursar(t, { BURSAR_ROLE: 'all' })
  const { hostname } = new URL(nodes(bursar.app.config.databaseUrl ?? '')[0] ?? '')
  assert.match(hostname, /^(127\.0\.0\.1|localhost)$/, 'the coordinator must be on this machine')
  const line = await stringLine(t, bursar, 'demo-school')
  const payers = new Payers(bursar.url, { seesLate: true })
  payers.start()
  t.after(() => payers.stop().catch(() => {}))
  // What a cut leaves prepared holds its locks until Citus has asked the worker. A server that is not set to do so every few
  // seconds is told to.
  const [interval] = await bursar.sql<{ ms: number }>(
    `select setting::int as ms from pg_settings where name = 'citus.recover_2pc_interval'`,
  )
  const asksByItself = interval !== undefined && interval.ms > 0 && interval.ms <= 5_000
  const recover = async (): Promise<void> => {
    if (!asksByItself) await bursar.sql('select recover_prepared_transactions()')
  }
  const paidMore = (than: number): Promise<void> =>
    waitFor(async () => {
      await recover()
      return payers.paid.size > than
    }, 'payments')
  for (let time = 1; time <= CUTS; time++) {
    const failures = payers.failures.length
    await paidMore(payers.paid.size + 5)
    line.cut()
    await waitFor(() => Promise.resolve(payers.failures.length > failures), 'a refusal')
    line.mend()
  }
  await paidMore(payers.paid.size + 10)
  await payers.stop()
  let orders = 0
  await waitFor(async () => {
    await recover()
    const rows = await bursar.sql<{ id: string; state: string }>('select id, state from orders')
    orders = rows.length
    const states = new Map(rows.map(({ id, state }) => [id, state]))
    return [...payers.paid].every(id => states.get(id) === 'paid')
  }, 'all that was answered as paid to be so in the database')
  console.log(
    `worker away: ${CUTS} cuts, ${payers.failures.length} refused tries, ${payers.paid.size} paid of ${orders} orders, ` +
      `recovered by ${asksByItself ? 'Citus itself' : 'the test'}`,
  )
  // A payment that was under way is given up, or asked about, when its time has come.
  for (const advance of ['PT15M', 'PT2H', 'P1D'])
    assert.equal((await bursar.demo.post('/api/v1/sandbox/clock', { advance })).status, 200)
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
})
