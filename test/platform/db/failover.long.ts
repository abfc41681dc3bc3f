import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createBursar, type Bursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { Client, DEMO, type Answer } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { startPair, type PairedServer } from '../../harness/standby.ts'
import { waitFor } from '../../harness/wait.ts'

/** A primary that dies while families pay, and the standby that is promoted in its place. */
const PAYERS = 6

type Opened = { app: Bursar; url: string; logText: () => string }

async function openBursar(t: TestContext, hosts: readonly PairedServer[]): Promise<Opened> {
  const lines: string[] = []
  const app = await createBursar(
    readConfig({
      PORT: '0',
      DATABASE_URL: `postgres://bursar@${hosts.map(({ host }) => host).join(',')}/bursar?target_session_attrs=read-write`,
      MASTER_KEY: TEST_MASTER_KEY,
      DEMO: 'off',
      DRAIN_SECONDS: '0',
      PUBLIC_RATE: '100000',
      PUBLIC_BURST: '100000',
    }),
    createLog({ level: 'info', format: 'json', destination: { write: line => void lines.push(line) } }),
  )
  t.after(() => app.stop())
  return { app, url: `http://${app.config.host}:${app.config.port}`, logText: () => lines.join('') }
}

/** What a careful client does: the same request under its key until it is answered. */
async function insist(send: () => Promise<Answer>, failures: number[]): Promise<Answer> {
  for (let left = 600; left > 0; left--) {
    const answer = await send()
    // A first try with this key may still be running.
    const isRunning = answer.body.code === 'IDE00001'
    if (answer.status < 500 && !isRunning) return answer
    failures.push(Date.now())
    assert.ok(answer.status === 503 || isRunning, `${answer.status} ${answer.text}`)
    await pause(100)
  }
  throw new Error('no answer within a minute')
}

class Payers {
  readonly paid = new Set<string>()
  readonly failures: number[] = []
  readonly #url: string
  #isOver = false
  #work: Promise<unknown> | null = null

  constructor(url: string) {
    this.#url = url
  }

  start(): void {
    this.#work = Promise.all(Array.from({ length: PAYERS }, (_, no) => this.#pay(no)))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  async #pay(payer: number): Promise<void> {
    const demo = new Client(this.#url, DEMO)
    for (let no = 0; !this.#isOver; no++) {
      const key = { 'idempotency-key': `order-${payer}-${no}` }
      const order = await insist(() => demo.send('POST', `${PAY}/orders`, sampleOrder(), key), this.failures)
      assert.equal(order.status, 201, order.text)
      const id = order.body.data.order_id
      const paid = await insist(
        () => demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' }),
        this.failures,
      )
      // 409: the first try has begun, and its payer never came to the bank: it is given up after ten minutes.
      assert.ok(paid.status < 300 || paid.status === 409, paid.text)
      if (paid.status === 409) continue
      this.paid.add(id)
    }
  }
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
