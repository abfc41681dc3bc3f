import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo } from '../../../src/platform/embedded-postgres/paths.ts'
import { Client, DEMO, type Answer } from '../../harness/client.ts'
import { findUnfinished } from '../../harness/payments.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { cluster, serverPid, undoLater } from '../../platform/embedded-postgres/fixtures/support.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'

/** `src/app/main.ts` with its own PostgreSQL takes payments from several callers while it is killed and started again. */
const PAYMENTS = Number(process.env['KILL_PAYMENTS'] ?? 80)
const KILLS = Math.max(4, Math.round(PAYMENTS / 50))
const CALLERS = 4
const LONGEST_AIM_MS = 12
const SANDBOX = '/api/v1/sandbox'

/** The one process there is now; callers wait here while there is none. */
class Prey {
  readonly #dataDir: string
  #child: ChildProcess | null = null
  #running: Promise<Client>
  #sent = 0

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#running = this.#start()
  }

  /** Until it is answered by whichever process is there. An answer of 503, or that the first try still runs, is none. */
  async send(method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    for (;;) {
      const client = await this.#running
      this.#sent++
      const answer = await client.send(method, path, body, headers).catch(() => null)
      const isRunning = answer?.status === 409 && answer.body.code === 'IDE00001'
      if (answer !== null && answer.status < 500 && !isRunning) return answer
      assert.ok(answer === null || isRunning || answer.status === 503, `${method} ${path}: ${answer?.text}`)
    }
  }

  get sent(): number {
    return this.#sent
  }

  /** Both at once when the power fails; else PostgreSQL finishes what it was sent. */
  async kill(withServer: boolean): Promise<void> {
    await this.#running
    if (withServer) process.kill(await serverPid(this.#dataDir), 'SIGKILL')
    this.#running = this.end().then(() => this.#start())
    await this.#running
  }

  async end(): Promise<void> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'close')
    child.kill('SIGKILL')
    await exit
  }

  async #start(): Promise<Client> {
    const child = spawn(process.execPath, ['src/app/main.ts'], {
      cwd: join(import.meta.dirname, '..', '..', '..'),
      env: { ...bareEnv(), PORT: '0', DATA_DIR: this.#dataDir, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += String(part)))
    const isSettled = (): boolean => text.includes('Ctrl-C stops it.') || child.exitCode !== null
    await waitFor(async () => isSettled(), 'Bursar to start', { everyMs: 5 })
    const url = /Listening +(\S+)/.exec(text)?.[1]
    assert.ok(url, text)
    return new Client(url, DEMO)
  }
}

type Paid = { orderId: string; paymentId: string | null; refundId: string | null; wantsRefund: boolean }

/** One payment from end to end. What is answered is noted; what is not is asked again with the same key. */
async function payOne(prey: Prey, number: number): Promise<Paid> {
  const body = sampleOrder({
    identifier: `kill-${number}`,
    // Some the bank confirms twice, some not at all.
    details: [
      { component_type: 'TUITION_FEE', amount: 1_000 + number },
      { component_type: 'BUS_FEE', amount: [0.01, 0.93, 0.94, 0.5][number % 4] },
    ],
  })
  const created = await prey.send('POST', `${PAY}/orders`, body, `create-${number}`)
  assert.equal(created.status, 201, created.text)
  const orderId: string = created.body.data.order_id
  const pay = { outcome: 'success', mode: ['upi', 'card', 'netbanking'][number % 3] }
  const paid = await prey.send('POST', `${SANDBOX}/pay/orders/${orderId}/pay`, pay, `pay-${number}`)
  // Refused: a try before this one reached the bank, which has it, and only its answer was lost.
  assert.ok(paid.status === 200 || paid.status === 409, paid.text)
  const isCaptured = paid.status === 200 && paid.body.data.status === 'captured'
  const note: Paid = { orderId, paymentId: null, refundId: null, wantsRefund: number % 4 === 1 }
  if (isCaptured) note.paymentId = paid.body.data.payment_id
  if (isCaptured && note.wantsRefund) await refundOne(prey, note, `refund-${number}`)
  if (number % 10 === 9) {
    const settled = await prey.send('POST', `${SANDBOX}/settlements/run`)
    assert.equal(settled.status, 200, settled.text)
  }
  return note
}

async function refundOne(prey: Prey, note: Paid, key: string): Promise<void> {
  const path = `${PAY}/orders/${note.orderId}/refunds`
  const { status, text, body } = await prey.send('POST', path, { amount: 500.55 }, key)
  assert.equal(status, 201, text)
  note.refundId = body.data.id
  note.wantsRefund = false
}

async function look(t: TestContext, dataDir: string): Promise<pg.Client> {
  const client = await connectTo({ host: dataDir, user: 'bursar', database: 'bursar' })
  undoLater(t, () => client.end())
  return client
}

test(`of ${PAYMENTS} payments taken while Bursar is killed ${KILLS} times none is lost, none is doubled and every answer holds`, async t => {
  const dataDir = await cluster(t)
  undoLater(t, async () => process.kill(await serverPid(dataDir), 'SIGQUIT'))
  const prey = new Prey(dataDir)
  undoLater(t, () => prey.end())
  const notes: Paid[] = []
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < PAYMENTS) notes.push(await payOne(prey, next++))
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, caller))
  const hunt = async (): Promise<void> => {
    for (let kill = 1; kill <= KILLS; kill++) {
      const aim = Math.floor((kill * PAYMENTS) / (KILLS + 1))
      await waitFor(async () => notes.length >= aim, `payment ${aim}`, { everyMs: 1 })
      // Somewhere in the requests that are under way, not always at their start.
      await pause(Math.random() * LONGEST_AIM_MS)
      await prey.kill(kill % 2 === 0)
    }
  }
  await Promise.all([callers, hunt()])

  const move = (advance: string): Promise<Answer> => prey.send('POST', `${SANDBOX}/clock`, { advance })
  for (const advance of ['PT5M', 'PT1H']) await move(advance)
  for (const [index, note] of notes.entries())
    if (note.wantsRefund) await refundOne(prey, note, `late-${index}`)
  for (const advance of ['PT2H', 'P1D', 'P1D', 'P1D', 'P1D', 'PT2H'])
    assert.equal((await move(advance)).status, 200)

  const client = await look(t, dataDir)
  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(text, values)).rows
  assert.deepEqual(await findUnfinished(ask), [])
  const [counts] = await ask(
    `select (select count(*)::int from orders) as orders, (select count(*)::int from orders where state = 'paid') as paid,
       (select count(*)::int from payments where state = 'captured') as captured, (select count(*)::int from refunds) as refunds`,
  )
  const refunds = Array.from({ length: PAYMENTS }, (_, number) => number).filter(
    number => number % 4 === 1,
  ).length
  assert.deepEqual(counts, { orders: PAYMENTS, paid: PAYMENTS, captured: PAYMENTS, refunds })
  const lost = await ask(
    `select k.id from unnest($1::text[]) as k (id)
       where not exists (select from payments p where p.id = k.id and p.state = 'captured')
     union all select k.id from unnest($2::text[]) as k (id)
       where not exists (select from refunds r where r.id = k.id and r.state = 'processed')`,
    [notes.flatMap(note => note.paymentId ?? []), notes.flatMap(note => note.refundId ?? [])],
  )
  assert.deepEqual(lost, [])
  const acknowledged = notes.filter(note => note.paymentId !== null).length
  t.diagnostic(`${acknowledged} of ${PAYMENTS} acknowledged as captured, over ${prey.sent} requests`)
})
