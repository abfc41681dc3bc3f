import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { join } from 'node:path'
import pg from 'pg'
import { createBursar, type Bursar } from '../../src/app/bursar.ts'
import { readConfig } from '../../src/app/config.ts'
import { findInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { isRecordingStale, recordDemo } from '../../tools/demo/record.ts'
import { createLog } from '../../src/platform/log.ts'
import { addDays, dayOf } from '../../src/platform/calendar.ts'
import { expectEveryOrder, LISTS } from '../console/lists-support.ts'
import { API, demoVisitor } from '../console/support.ts'
import { bareEnv } from '../harness/processes/child-env.ts'
import { Client, DEMO, GROUP } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'

const ERP = '/api/v1/integrations/erp'
const MASTER_KEY = '11'.repeat(32)
/** Of the recording, of this year, and of those who were here last year. */
const RECORDS = 12 + 300 + 275
const SUNRISE = { key: 'key_test_sunrise', secret: 'secret_test_sunrise' }

async function startOn(database: string, env: Record<string, string> = {}): Promise<Bursar> {
  const log = createLog({ level: 'warn', format: 'json' })
  const own = { PORT: '0', MASTER_KEY, DRAIN_SECONDS: '0' }
  return createBursar(readConfig({ ...own, DATABASE_URL: database, ...env }), log)
}

before(async () => {
  if (isRecordingStale()) await recordDemo()
})

const clientOf = ({ config }: Bursar, who: typeof SUNRISE): Client =>
  new Client(`http://${config.host}:${config.port}`, who)

test('a new sandbox has a school with history whose books agree, beside two that are empty', async t => {
  // Before the database goes, which a hook of its own removes.
  const running: Bursar[] = []
  t.after(() => Promise.all(running.map(one => one.stop())).then(() => undefined))
  const database = await emptyDatabase(t)
  const first = await startOn(database)
  running.push(first)
  const sunrise = clientOf(first, SUNRISE)

  const events: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { body } = await sunrise.get(`${ERP}/events?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    events.push(...body.data.map((event: { event: string }) => event.event))
    cursor = body.next_cursor ?? undefined
  }
  for (const code of [
    'direct.payment.added',
    'pay.payment.settled',
    'payment_link.payment.debited',
    'refund.processed',
    'flex.instalment.settled',
    'flex.instalment.bounced',
    'flex.instalment.skipped',
    'cred.loan.disbursed',
  ])
    assert.ok(events.includes(code), code)

  const bursar = await demoVisitor(sunrise.url, 'bursar@sunrise-school.example')
  const look = async (path: string) =>
    (await bursar.get(`${API}/institutes/sunrise-school/${path}`)).body.data
  for (const list of ['loans', 'flex/plans', 'flex/debits']) {
    const path = `${API}/institutes/sunrise-school/${list}`
    const query = list === 'flex/debits' ? `from=${addDays(dayOf(new Date()), -300)}` : ''
    const rows = await expectEveryOrder(bursar, { path, query, small: [17, 23] }, LISTS[list] ?? [])
    assert.ok(rows.length > 0, `the demo has ${list}`)
  }

  await waitFor(async () => (await look('home')).webhooks.failing === 1, 'a webhook that fails')
  const home = await look('home')
  assert.deepEqual(
    {
      isSomebodyLate: home.outstanding.overdue_amount > 0,
      isLastYearThere: home.year.last_whole > 0,
      hasBounces: home.returns.bounced > 0,
    },
    { isSomebodyLate: true, isLastYearThere: true, hasBounces: true },
  )
  const cash = home.ways_today.find(({ way }: { way: string }) => way === 'cash')
  assert.ok(cash.amount > 0)
  assert.equal(home.cash_book_today, cash.amount, 'the drawer has what Home says came in cash')
  for (const list of [
    'counter/cheques?state=bounced',
    'counter/cheques?state=cleared',
    'counter/cheques?state=in_hand',
    'counter/post-dated-cheques',
    'counter/deposits',
    'enrolments',
    'leavers',
  ])
    assert.ok((await look(list)).length > 0, `the demo has ${list}`)
  const { total } = await look('money/ageing?by=component')
  assert.ok(total.total > 0, JSON.stringify(total))
  assert.equal(total.no_due_day, 350, 'the charge for a cheque that came back')

  const school = await findInstitute(first.ctx, 'sunrise-school')
  assert.ok(school !== null)
  const receipts = await first.ctx.db.query<{ year: string; number: number; orderId: string | null }>(
    `select r.financial_year as year, r.number, p.order_id as "orderId" from receipts r
     left join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
     where r.institute_id = $1 order by r.financial_year, r.issued_at, r.number`,
    [school.id],
  )
  const ofYear = Map.groupBy(receipts, ({ year }) => year)
  for (const [year, own] of ofYear)
    assert.deepEqual(
      own.map(({ number }) => number),
      own.map((_, index) => index + 1),
      `receipts of ${year} rise with the days`,
    )
  const mails = await first.ctx.db.query<{ subject: string; body: string; number: string }>(
    `select m.subject, m.body, r.financial_year || '/' || lpad(r.number::text, 6, '0') as number
     from messages m join payments p on p.institute_id = m.institute_id and position(p.order_id in m.body) > 0
     join receipts r on r.institute_id = p.institute_id and r.payment_id = p.id
     where m.institute_id = $1 and m.subject like '%, receipt %'`,
    [school.id],
  )
  assert.ok(mails.length > 0)
  for (const { subject, body, number } of mails)
    assert.ok(subject.includes(number) && body.includes(number), `${number} is not in ${subject}`)
  const midnights = await first.ctx.db.query(
    `select from direct_payments where institute_id = $1 and recorded_by is null
       and (paid_at at time zone 'Asia/Kolkata')::time between '00:00:00.001' and '08:00'`,
    [school.id],
  )
  assert.equal(midnights.length, 0, 'what the ERP reported has a day or a time of the day')
  const { differences, expected } = await reconcile(first.ctx, school)
  assert.deepEqual([differences, expected], [[], []])
  for (const who of [DEMO, GROUP])
    assert.deepEqual((await clientOf(first, who).get(`${ERP}/students`)).body.data, [])

  const second = await startOn(database)
  running.push(second)
  const [row] = await second.ctx.db.query<{ count: number }>('select count(*) from students')
  assert.equal(
    row?.count,
    12 + 300 + 275,
    'this year, and those of last year who were not in the first class then',
  )
})

/** The product as a process of its own, which can be killed. */
function run(database: string) {
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: {
      ...bareEnv(),
      DEMO: 'on',
      PORT: '0',
      DATABASE_URL: database,
      MASTER_KEY,
      DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (said += String(part)))
  const exit = once(child, 'close')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exit
  }
  return { kill, isStarted: async () => said.includes('Ctrl-C stops it.') }
}

test('killed in the middle of filling the demo school, the next start has all of it', async t => {
  const ends: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const end of ends) await end()
  })
  const database = await emptyDatabase(t)
  const look = new pg.Client({ connectionString: database })
  await look.connect()
  ends.push(() => look.end())
  const countStudents = async (): Promise<number> =>
    Number((await look.query('select count(*) from students')).rows[0]?.count)

  // The schema must be there before a table of it can be held.
  const seeded = await startOn(database, { DEMO: 'off' })
  await seeded.stop()
  await look.query(`delete from instance_settings where key like 'sandbox%'`)
  for (const table of ['api_keys', 'students', 'receipts', 'refund_lines']) {
    await look.query('begin')
    await look.query(`lock table ${table} in access exclusive mode`)
    const { kill } = run(database)
    ends.push(kill)
    const isHeld = async (): Promise<boolean> =>
      (await look.query(`select from pg_locks where not granted and relation = '${table}'::regclass`))
        .rowCount !== 0
    await waitFor(isHeld, `the start to reach ${table}`)
    await kill()
    await look.query('rollback')
    assert.equal(await countStudents(), 0, `after a kill at ${table}`)
  }
  const next = run(database)
  ends.push(next.kill)
  await waitFor(next.isStarted, 'the start after the kills')
  assert.equal(await countStudents(), RECORDS)
  await next.kill()
  const last = await startOn(database)
  ends.push(() => last.stop())
  const school = await findInstitute(last.ctx, 'sunrise-school')
  assert.ok(school !== null)
  const { differences } = await reconcile(last.ctx, school)
  assert.deepEqual(differences, [])
})
