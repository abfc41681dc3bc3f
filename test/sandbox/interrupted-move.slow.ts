import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { Client, DEMO, type Answer } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { kill, startServer } from '../harness/processes/worker-process.ts'

/** A move of the sandbox's clock whose process is killed on the way, and those who come next. */
const CLOCK = '/api/v1/sandbox/clock'
const DAY_MS = 86_400_000
const KEY = { 'idempotency-key': 'three-months' }
const MOVE = { advance: 'P90D' }

type Interrupted = { bursar: TestBursar; targetMs: number; links: string[] }

const nowOf = (answer: Answer): number => Date.parse(answer.body.data.now)

async function makeLinks({ demo }: TestBursar, startMs: number): Promise<string[]> {
  const links: string[] = []
  for (const days of [1, 30, 60]) {
    const expires_at = new Date(startMs + days * DAY_MS).toISOString()
    const made = await demo.post(`${PAY}/payment_links`, sampleOrder({ expires_at }))
    assert.equal(made.status, 201, made.text)
    links.push(made.body.data.order_id)
  }
  return links
}

/** Kills the process that moves the clock by three months on their first day, and leaves another on the same database. */
async function interrupt(t: TestContext, headers: Record<string, string>): Promise<Interrupted> {
  const bursar = await startBursar(t)
  const startMs = nowOf(await bursar.demo.get(CLOCK))
  const links = await makeLinks(bursar, startMs)
  const { child, url } = await startServer(bursar.app.config.databaseUrl ?? '')
  t.after(() => child.kill('SIGKILL'))
  const release = await bursar.holdWrites('orders')
  const moving = new Client(url, DEMO).post(CLOCK, MOVE, headers).catch(() => null)
  await waitFor(async () => (await bursar.countWaiting()) > 0, 'the move to reach the first link')
  if (headers === KEY) {
    const meanwhile = await bursar.demo.post(CLOCK, MOVE, headers)
    assert.equal(`${meanwhile.status} ${meanwhile.body.code}`, '409 IDE00001', 'a repeat beside the first')
  }
  await kill(child)
  assert.equal(await moving, null)
  await release()
  const stands = nowOf(await bursar.demo.get(CLOCK))
  assert.ok(stands < startMs + 2 * DAY_MS, 'the clock stands where the crash left it')
  return { bursar, targetMs: startMs + 90 * DAY_MS, links }
}

async function assertFinished({ bursar, targetMs, links }: Interrupted): Promise<number> {
  const stands = nowOf(await bursar.demo.get(CLOCK))
  assert.ok(stands >= targetMs, `the clock stands at ${new Date(stands).toISOString()}`)
  const states = await bursar.sql('select state from orders where id = any($1)', [links])
  assert.deepEqual(states, [{ state: 'expired' }, { state: 'expired' }, { state: 'expired' }])
  return stands
}

test('a move that a crash interrupted is finished by its repeat before that answers, and moves once', async t => {
  const interrupted = await interrupt(t, KEY)
  const { demo } = interrupted.bursar
  const again = await demo.post(CLOCK, MOVE, KEY)
  assert.equal(again.status, 200, again.text)
  const stands = await assertFinished(interrupted)
  assert.ok(nowOf(again) >= interrupted.targetMs && stands < interrupted.targetMs + DAY_MS)
  assert.equal(again.body.data.summary.orders_expired, 3)
  const third = await demo.post(CLOCK, MOVE, KEY)
  assert.deepEqual([third.text, third.headers.get('idempotent-replayed')], [again.text, 'true'])
})

test('a move without a key that a crash interrupted is finished by the next move, which adds to it', async t => {
  const interrupted = await interrupt(t, {})
  const next = await interrupted.bursar.demo.post(CLOCK, { advance: 'P1D' })
  assert.equal(next.status, 200, next.text)
  assert.ok((await assertFinished(interrupted)) >= interrupted.targetMs + DAY_MS)
})

test('a later move finishes an interrupted one, whose repeat then finds it done', async t => {
  const interrupted = await interrupt(t, KEY)
  const { bursar, targetMs } = interrupted
  const to = new Date(targetMs + 10 * DAY_MS).toISOString()
  assert.equal((await bursar.demo.post(CLOCK, { to })).status, 200)
  await assertFinished(interrupted)
  const again = await bursar.demo.post(CLOCK, MOVE, KEY)
  assert.equal(again.status, 200, again.text)
  assert.ok(nowOf(again) >= Date.parse(to) && nowOf(again) < Date.parse(to) + DAY_MS)
})

test('an interrupted move is finished first also where what comes next lies before its end', async t => {
  const interrupted = await interrupt(t, {})
  const to = new Date(interrupted.targetMs - 10 * DAY_MS).toISOString()
  const next = await interrupted.bursar.demo.post(CLOCK, { to })
  assert.equal(`${next.status} ${next.body.code}`, '400 HUE00000', next.text)
  await assertFinished(interrupted)
})
