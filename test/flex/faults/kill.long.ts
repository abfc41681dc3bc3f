import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createPlan } from '../../../src/flex/plans/plans.service.ts'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import type { Institute } from '../../../src/institutes/institutes.rules.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { dayOf, startOfDay } from '../../../src/platform/calendar.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { cloneDatabase, startBursar, TEST_MASTER_KEY, type TestBursar } from '../../harness/bursar.ts'
import { Client, DEMO } from '../../harness/client.ts'
import { sampleRecord, startFakeErp, type FakeErp } from '../../harness/fakes/erp.ts'
import { findUnfinished } from '../../harness/payments.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { Random } from '../../sim/random.ts'
import { bareEnv } from '../../harness/child-env.ts'

/** `src/app/main.ts` runs the due date of many instalments while it is killed and started again. */
const INSTALMENTS = Number(process.env['KILL_INSTALMENTS'] ?? 30)
const KILLS = Math.max(2, Math.round(INSTALMENTS / 15))
const SANDBOX = '/api/v1/sandbox'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

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

/** Plans of one instalment each, on both rails and all due on one day, with their mandates given. */
async function setUp(bursar: TestBursar, erp: FakeErp, dueOn: string): Promise<void> {
  const { demo } = bursar
  const { ctx: flex } = bursar.app
  const institute: Institute = await getInstitute(flex, 'demo-school')
  const put = await demo.send('PUT', `${SANDBOX}/erp`, { url: erp.url, max_calls: 8 })
  assert.equal(put.status, 200, put.text)
  for (let n = 0; n < INSTALMENTS; n++) {
    const fees = [{ component_type: 'TUITION_FEE', fee_amount: 1_000 + n }]
    const identifier = `KILL-${n}`
    erp.put(sampleRecord({ identifier }, { fee_components: fees }))
    const body = { student: sampleStudent({ identifier }), fee_components: fees }
    const registered = await demo.post(`${ERP}/users/parent-${n}/students`, body)
    assert.equal(registered.status, 201, registered.text)
    const row = {
      dueOn,
      isDownpayment: false,
      referenceId: null,
      identifier: null,
      lines: [{ componentType: 'TUITION_FEE', amountPaise: paiseOf((1_000 + n) * 100) }],
    }
    const wanted = { studentId: registered.body.data.service_student_id, rows: [row] }
    const { plan } = await createPlan(flex, { instituteId: institute.id }, institute, wanted)
    const rail = n % 2 === 0 ? 'enach' : 'upi_autopay'
    const asked = { rail, language: 'en', returnUrl: 'http://127.0.0.1/' } as const
    await startMandate(flex, { instituteId: institute.id, planId: plan.id }, asked)
    const authorised = await demo.post(`${SANDBOX}/flex/plans/${plan.id}/authorise`)
    assert.equal(authorised.status, 200, authorised.text)
  }
}

/** How far the day has come: asked, announced, opened, at the bank, paid, settled. */
async function progress(bursar: TestBursar, erp: FakeErp): Promise<number> {
  const [row] = await bursar.sql<{ done: number }>(
    `select ((select count(*) from flex_instalments where state not in ('scheduled', 'skipped'))
       + (select count(distinct instalment_id) from flex_presentations)
       + (select count(distinct p.order_id) from bank_payments b join payments p on p.id = b.payment_id)
       + (select count(*) from payments where state = 'captured')
       + (select count(*) from flex_instalments where state = 'settled'))::int as done`,
  )
  return Math.min(erp.requests.length, INSTALMENTS) + (row?.done ?? 0)
}

/** What a dead process holds is free after two minutes of real time, which nobody has to sit through. */
async function purgeHolds(bursar: TestBursar): Promise<void> {
  for (const table of ['flex_instalments', 'flex_mandates', 'messages'])
    await bursar.sql(`update ${table} set held_until = null where held_until is not null`)
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
  const monday = new Date(`${new Date().getUTCFullYear() + 1}-04-05T00:00:00+05:30`)
  while (monday.getUTCDay() !== 0) monday.setTime(monday.getTime() + DAY_MS)
  const dueOn = dayOf(new Date(monday.getTime() + 15 * DAY_MS))
  const move = (to: Date) => bursar.demo.post(`${SANDBOX}/clock`, { to: to.toISOString() })
  await move(monday)
  await setUp(bursar, erp, dueOn)
  const before = await move(new Date(startOfDay(dueOn).getTime() - 24 * HOUR_MS))
  assert.equal(before.status, 200, before.text)
  erp.requests.length = 0

  const target = new Date(startOfDay(dueOn).getTime() + 30 * DAY_MS).toISOString()
  // Once while the ERP is asked, once when everything is written and nothing sent, and wherever else.
  const last = 5 * INSTALMENTS
  const aims = [random.between(1, INSTALMENTS), 3 * INSTALMENTS]
  while (aims.length < KILLS) aims.push(random.between(3 * INSTALMENTS + 1, last))
  let client = await prey.start()
  const moments: string[] = []
  for (const aim of aims.toSorted((one, other) => one - other)) {
    const moved = client.post(`${SANDBOX}/clock`, { to: target }).catch(() => null)
    let isOver = false
    const watched = moved.then(() => (isOver = true))
    let done = 0
    await waitFor(async () => isOver || (done = await progress(bursar, erp)) >= aim, `moment ${aim}`, {
      everyMs: 1,
      limitMs: 120_000,
    })
    moments.push(isOver ? 'the end' : String(done))
    await prey.kill()
    await watched
    await purgeHolds(bursar)
    client = await prey.start()
  }
  // A pay-out whose reader was killed is read with the next hour's.
  for (const advance of ['PT1M', 'PT2H', 'P1D']) {
    const moved = await client.post(`${SANDBOX}/clock`, { advance })
    assert.equal(moved.status, 200, moved.text)
  }
  await prey.kill()

  const ask = <Row extends Record<string, unknown>>(text: string): Promise<Row[]> => bursar.sql<Row>(text)
  assert.deepEqual(await findUnfinished(ask), [])
  const [counts] = await ask(
    `select (select count(*)::int from flex_instalments) as instalments,
       (select count(*)::int from flex_instalments where state = 'settled') as settled,
       (select count(*)::int from flex_plans where state = 'closed') as closed,
       (select count(*)::int from payments where state = 'captured') as captured,
       (select count(*)::int from bank_payments where state = 'captured') as "captured at the bank",
       (select count(*)::int from bank_payments where state <> 'captured') as "other at the bank",
       (select count(*)::int from refunds) as refunds,
       (select count(*)::int from events where event_code = 'flex.instalment.debited') as told,
       (select count(*)::int from flex_presentations f where f.state <> 'debited' and f.return_code <> 'abandoned') as bounced,
       (select (sum(amount_paise) / 100)::int from bank_payments where state = 'captured') as rupees`,
  )
  assert.deepEqual(counts, {
    instalments: INSTALMENTS,
    settled: INSTALMENTS,
    closed: INSTALMENTS,
    captured: INSTALMENTS,
    'captured at the bank': INSTALMENTS,
    'other at the bank': 0,
    refunds: 0,
    told: INSTALMENTS,
    bounced: 0,
    rupees: INSTALMENTS * 1_000 + (INSTALMENTS * (INSTALMENTS - 1)) / 2,
  })
  const twice = await ask(
    `select f.order_id, count(b.ref) from flex_presentations f
     join payments p on p.institute_id = f.institute_id and p.order_id = f.order_id
     left join bank_payments b on b.institute_id = p.institute_id and b.payment_id = p.id
     group by f.institute_id, f.order_id having count(*) > 1`,
  )
  assert.deepEqual(twice, [])
  const [again] = await ask<{ count: number }>(
    `select count(*)::int from flex_presentations where return_code = 'abandoned'`,
  )
  t.diagnostic(
    `killed at ${moments.join(', ')} of ${6 * INSTALMENTS}; ${again?.count} never reached the bank and were presented again`,
  )
})
