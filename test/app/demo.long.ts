import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBursar, type Bursar } from '../../src/app/bursar.ts'
import { readConfig } from '../../src/app/config.ts'
import { findInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { readSetting } from '../../src/platform/db/instance-settings.ts'
import { createLog } from '../../src/platform/log.ts'
import { addDays } from '../../src/flex/rules/rails.rules.ts'
import { dayOf } from '../../src/platform/calendar.ts'
import { expectEveryOrder, LISTS } from '../console/lists-support.ts'
import { API, demoVisitor } from '../console/support.ts'
import { Client, DEMO, GROUP } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'

const ERP = '/api/v1/integrations/erp'
const SUNRISE = { key: 'key_test_sunrise', secret: 'secret_test_sunrise' }

async function startOn(database: string, env: Record<string, string> = {}): Promise<Bursar> {
  const log = createLog({ level: 'warn', format: 'json' })
  const own = { PORT: '0', MASTER_KEY: '11'.repeat(32), DRAIN_SECONDS: '0' }
  return createBursar(readConfig({ ...own, DATABASE_URL: database, ...env }), log)
}

const clientOf = ({ config }: Bursar, who: typeof SUNRISE): Client =>
  new Client(`http://${config.host}:${config.port}`, who)

test('a new sandbox has a school with history whose books agree, beside two that are empty', async t => {
  // Before the database goes, which a hook of its own removes.
  const running: Bursar[] = []
  t.after(() => Promise.all(running.map(one => one.stop())).then(() => undefined))
  const database = await emptyDatabase(t)
  const first = await startOn(database)
  running.push(first)
  await waitFor(async () => (await readSetting(first.ctx.db, 'demo')) === 'filled', 'the demo', {
    limitMs: 200_000,
  })
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

  // Its deliveries begin when the past is over.
  await waitFor(async () => (await look('home')).webhooks.failing === 1, 'a webhook that fails')
  const home = await look('home')
  assert.deepEqual(
    {
      isSomebodyLate: home.outstanding.overdue_amount > 0,
      isMostNotLate: home.outstanding.overdue_amount < home.outstanding.amount / 2,
      hasBounces: home.returns.bounced > 0,
    },
    { isSomebodyLate: true, isMostNotLate: true, hasBounces: true },
  )
  const { total } = await look('money/ageing?by=component')
  assert.ok(total.days_0_30 > 0 && total.days_61_90 > 0 && total.not_due > 0, JSON.stringify(total))
  assert.equal(total.no_due_day, 0)

  const school = await findInstitute(first.ctx, 'sunrise-school')
  assert.ok(school !== null)
  const { differences, expected } = await reconcile(first.ctx, school)
  assert.deepEqual([differences, expected], [[], []])
  for (const who of [DEMO, GROUP])
    assert.deepEqual((await clientOf(first, who).get(`${ERP}/students`)).body.data, [])

  const second = await startOn(database)
  running.push(second)
  const [row] = await second.ctx.db.query<{ count: number }>('select count(*) from students')
  assert.equal(row?.count, 312)
})
