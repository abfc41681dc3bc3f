import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startBursar, TEST_MASTER_KEY, type TestBursar } from '../../harness/bursar.ts'
import type { Behaviour, Received } from '../../harness/receiver.ts'
import { waitFor } from '../../harness/wait.ts'
import { Random } from '../../sim/random.ts'
import { recordMany, startReceiver, subscribe } from '../support.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'

/** Two worker processes deliver to a receiver that fails a third of the time, and are killed while they do. */
const EVENTS = Number(process.env['KILL_DELIVERIES'] ?? 400)
const ROUNDS = EVENTS < 1_000 ? 4 : 10
const SEED = Number(process.env['KILL_SEED'] ?? Math.floor(Math.random() * 1_000_000))
const LONGEST_ANSWER_MS = 8

class Worker {
  readonly #env: Record<string, string>
  #child: ChildProcess | null = null
  #text = ''

  constructor(env: Record<string, string>) {
    this.#env = env
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, ['src/app/main.ts'], {
      cwd: join(import.meta.dirname, '..', '..', '..'),
      env: { ...bareEnv(), BURSAR_ROLE: 'worker', WORKER_PORT: '0', LOG_LEVEL: 'warn', ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (this.#text += String(part)))
    const isSettled = (): boolean => this.#text.includes('Ctrl-C stops it.') || child.exitCode !== null
    await waitFor(async () => isSettled(), 'a worker to start', { everyMs: 5 })
    assert.equal(child.exitCode, null, this.#text)
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === null || child.signalCode !== null) return
    assert.equal(child.exitCode, null, this.#text)
    const exit = once(child, 'close')
    child.kill('SIGKILL')
    await exit
  }
}

/** How each attempt ended, as letters: received, refused, busy, dropped. */
const ANSWERS = { R: { status: 200 }, F: { status: 500 }, B: { status: 503 }, D: 'destroy' } as const
type Letter = keyof typeof ANSWERS

type Attempt = { http_status?: number; problem?: string }
type Row = { eventId: string; state: string; attempts: Attempt[] }

/** An interrupted attempt may or may not have reached the receiver, and nobody knows what it was answered. */
function patternOf(attempts: readonly Attempt[]): RegExp {
  const letters = attempts.map(({ http_status, problem = '' }) => {
    if (http_status === undefined) return problem.startsWith('The attempt was interrupted') ? '.?' : 'D'
    return Object.entries(ANSWERS).find(
      ([, answer]) => typeof answer === 'object' && answer.status === http_status,
    )?.[0]
  })
  return new RegExp(`^${letters.join('')}$`)
}

/** With no worker there, whatever is claimed belongs to a dead one; this is its claim running out, without the wait. */
async function expireClaims(bursar: TestBursar): Promise<void> {
  await bursar.sql('update webhook_queue set claimed_until = now() where claim is not null')
}

async function startAll(t: TestContext) {
  const random = new Random(SEED)
  const receiver = await startReceiver(t)
  const answered = new Map<string, string>()
  receiver.answer(async ({ headers }: Received): Promise<Behaviour> => {
    const letter: Letter = random.chance(1 / 3) ? (random.pick(['F', 'B', 'D'] as const) ?? 'F') : 'R'
    const eventId = String(headers['webhook-id'])
    answered.set(eventId, (answered.get(eventId) ?? '') + letter)
    await pause(random.next() * LONGEST_ANSWER_MS)
    return ANSWERS[letter]
  })
  const bursar = await startBursar(t)
  const env = {
    DATABASE_URL: bursar.app.config.databaseUrl ?? '',
    MASTER_KEY: TEST_MASTER_KEY,
    WEBHOOK_CONCURRENCY: '10',
    WEBHOOK_RETRY_SECONDS: Array.from({ length: 50 }, () => '0.02').join(','),
  }
  const workers = [new Worker(env), new Worker(env)]
  for (const worker of workers) t.after(() => worker.kill())
  await Promise.all(workers.map(worker => worker.start()))
  return { random, receiver, answered, bursar, workers }
}

test(`of ${EVENTS} events none is lost though workers are killed ${ROUNDS} times, and the log tells what the receiver saw`, async t => {
  t.diagnostic(`KILL_SEED=${SEED}`)
  const { random, receiver, answered, bursar, workers } = await startAll(t)
  await subscribe(bursar.demo, receiver.url)
  const events: string[] = []
  let killed = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const count = Math.ceil((EVENTS * round) / ROUNDS) - events.length
    const aim = receiver.requests.length + random.between(1, count)
    events.push(...(await recordMany(bursar, { count })))
    await receiver.waitForRequests(aim, 60_000)
    // The last round takes both: the claims of those killed alone would run out in 40 s only.
    const isBoth = round === ROUNDS || random.chance(0.5)
    const prey = workers.filter((_, index) => isBoth || index === round % workers.length)
    await Promise.all(prey.map(worker => worker.kill()))
    killed += prey.length
    if (isBoth) await expireClaims(bursar)
    await Promise.all(prey.map(worker => worker.start()))
  }
  const isOver = async (): Promise<boolean> => {
    const [row] = await bursar.sql<{ left: number }>(
      `select count(*) as left from webhook_deliveries where state in ('pending', 'retrying')`,
    )
    return row?.left === 0
  }
  await waitFor(isOver, 'every delivery to end', { limitMs: 120_000, everyMs: 50 })

  const rows = await bursar.sql<Row>('select event_id as "eventId", state, attempts from webhook_deliveries')
  assert.deepEqual(rows.map(row => row.eventId).sort(), [...events].sort())
  const seen = (row: Row): string => answered.get(row.eventId) ?? ''
  assert.deepEqual(
    rows.filter(row => row.state !== 'delivered' || !seen(row).includes('R')),
    [],
    'every one arrived, and none is called delivered that the receiver did not take',
  )
  const untrue = rows.filter(row => !patternOf(row.attempts).test(seen(row)))
  assert.deepEqual(
    untrue.map(row => ({ ...row, seen: seen(row) })),
    [],
    'the log matches what the receiver saw',
  )
  const attempts = rows.reduce((sum, row) => sum + row.attempts.length, 0)
  const interrupted = rows.flatMap(row => row.attempts).filter(each => each.problem?.includes('interrupted'))
  const twice = rows.filter(row => seen(row).replaceAll(/[^R]/g, '').length > 1).length
  assert.ok(interrupted.length > 0, 'the kills have hit something')
  t.diagnostic(
    `${killed} processes killed, ${receiver.requests.length} requests, ${attempts} attempts on record, ` +
      `${interrupted.length} interrupted, ${twice} events received more than once`,
  )
})
