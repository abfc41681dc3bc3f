import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import { Client, DEMO } from '../../harness/client.ts'
import { startFakeErp } from '../../harness/fakes/erp.ts'
import { waitFor } from '../../harness/wait.ts'
import { Random } from '../../sim/random.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'
import { DueDate, purgeHolds } from '../engine/due-date.ts'

/** `src/app/main.ts` runs the due date of many instalments while it is killed and started again. */
const INSTALMENTS = Number(process.env['KILL_INSTALMENTS'] ?? 30)
const KILLS = Math.max(2, Math.round(INSTALMENTS / 15))
const SANDBOX = '/api/v1/sandbox'

class Prey {
  readonly #env: Record<string, string>
  #child: ChildProcess | null = null

  constructor(env: Record<string, string>) {
    this.#env = env
  }

  async start(): Promise<Client> {
    const child = spawn(process.execPath, ['src/app/main.ts'], {
      cwd: join(import.meta.dirname, '..', '..', '..'),
      env: { ...bareEnv(), PORT: '0', LOG_LEVEL: 'warn', ...this.#env },
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

  async kill(): Promise<void> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'close')
    child.kill('SIGKILL')
    await exit
  }
}

test(`of ${INSTALMENTS} instalments due on a day on which Bursar is killed ${KILLS} times each is debited, none twice`, async (t: TestContext) => {
  const seed = Number(process.env['STORM_SEED'] ?? Math.floor(Math.random() * 1_000_000))
  t.diagnostic(`seed ${seed}; STORM_SEED=${seed} aims at the same moments again`)
  const random = new Random(seed)
  const database = await cloneDatabase(t)
  // Looks on and does no work by itself.
  const bursar = await startBursar(t, { DATABASE_URL: database })
  const erp = await startFakeErp(t)
  const prey = new Prey({ DATABASE_URL: database, MASTER_KEY: TEST_MASTER_KEY, DRAIN_SECONDS: '0' })
  t.after(() => prey.kill())
  const dueDate = new DueDate({ app: bursar.app, demo: bursar.demo, erp }, INSTALMENTS)
  const ask = <Row extends Record<string, unknown>>(text: string): Promise<Row[]> => bursar.sql<Row>(text)
  await dueDate.prepare()

  // Once while the ERP is asked, once when everything is written and nothing sent, and wherever else.
  const last = 5 * INSTALMENTS
  const aims = [random.between(1, INSTALMENTS), 3 * INSTALMENTS]
  while (aims.length < KILLS) aims.push(random.between(3 * INSTALMENTS + 1, last))
  let client = await prey.start()
  const moments: string[] = []
  for (const aim of aims.toSorted((one, other) => one - other)) {
    const moved = client.post(`${SANDBOX}/clock`, { to: dueDate.end }).catch(() => null)
    let isOver = false
    const watched = moved.then(() => (isOver = true))
    let done = 0
    await waitFor(async () => isOver || (done = await dueDate.progress(ask)) >= aim, `moment ${aim}`, {
      everyMs: 1,
      limitMs: 120_000,
    })
    moments.push(isOver ? 'the end' : String(done))
    await prey.kill()
    await watched
    await purgeHolds(ask)
    client = await prey.start()
  }
  // A pay-out whose reader was killed is read with the next hour's.
  for (const advance of ['PT1M', 'PT2H', 'P1D']) {
    const moved = await client.post(`${SANDBOX}/clock`, { advance })
    assert.equal(moved.status, 200, moved.text)
  }
  await prey.kill()

  await dueDate.assertDebitedOnce(ask)
  const [again] = await ask<{ count: number }>(
    `select count(*)::int from flex_presentations where return_code = 'abandoned'`,
  )
  t.diagnostic(
    `killed at ${moments.join(', ')} of ${6 * INSTALMENTS}; ${again?.count} never reached the bank and were presented again`,
  )
})
