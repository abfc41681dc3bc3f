import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'
import { made } from '../http/fixtures/tenants.ts'
import { ask, askDeveloper, run, runDeveloper } from '../cli/command-line.ts'

test('the default plan that is set on the command line is the one a running Bursar offers', async t => {
  const env = { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
  const { demo } = await startBursar(t, env)
  const before = await run(env, 'flex', 'show', 'demo-school')
  assert.equal(
    before.out,
    'Default plan of demo-school: "Fee instalments", no down payment, 10 monthly instalments, due on day 5 of the month.\n',
  )
  await ask(env, 'flex', 'set', 'demo-school', '--instalments', '4', '--product-name', 'Pay monthly')
  const settings = await ask(env, 'flex', 'set', 'demo-school', '--downpayment-percent', '20')
  assert.deepEqual(settings, {
    product_name: 'Pay monthly',
    instalments: 4,
    day_of_month: 5,
    downpayment_percent: 20,
    offered: [],
    charge_components: [],
  })
  const offering = await run(env, 'flex', 'set', 'demo-school', '--offered', '6,3')
  assert.match(offering.out, /; parents may also choose 3, 6\.\n$/)
  await run(env, 'flex', 'set', 'demo-school', '--offered', 'none')
  const charging = await run(env, 'flex', 'set', 'demo-school', '--charge-components', 'PICNIC_FEE,EXAM_FEE')
  assert.match(charging.out, /Single charges that are asked for: PICNIC_FEE, EXAM_FEE\.\n$/)
  const { service_student_id: id } = await made(
    demo.post(`${ERP}/users/parent/students`, {
      student: sampleStudent(),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1000 }],
    }),
  )
  const plan = await made(demo.post(`/api/v1/integrations/flex/students/${id}/plans`))
  assert.equal(plan.product_name, 'Pay monthly')
  const amounts = plan.payment_schedule.map((row: { amount: number }) => row.amount)
  assert.deepEqual(amounts, [200, 200, 200, 200, 200])
})

test('a default plan that cannot be is refused with the bounds, and nothing is changed', async t => {
  const env = { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
  const set = (...options: string[]) => run(env, 'flex', 'set', 'demo-school', ...options)
  for (const [options, message] of [
    [['--instalments', '37'], /instalments must be a whole number from 1 to 36/],
    [['--day-of-month', '29'], /day_of_month must be a whole number from 1 to 28/],
    [['--downpayment-percent', '91'], /downpayment_percent must be a whole number from 0 to 90/],
    [['--offered', '3,37'], /offered\.\d must be a whole number from 1 to 36/],
    [['--offered', '1,2,3,4,5,6,7'], /offered can be at most 6/],
    [['--charge-components', 'LATE_FEE'], /charge_components\.0 is kept by Bursar itself/],
    [['--instalments', 'ten'], /"ten" is not a whole number/],
    [[], /Say what to change/],
  ] as const) {
    const { code, out, err } = await set(...options)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, message)
  }
  assert.equal((await ask(env, 'flex', 'show', 'demo-school')).instalments, 10)
})

test('the clock of a running sandbox is read and moved, with what happened on the way', async t => {
  const { url, demo, app } = await startBursar(t)
  const expires_at = new Date(app.ctx.clock.now().getTime() + 3_600_000).toISOString()
  await made(demo.post(`${PAY}/payment_links`, sampleOrder({ expires_at })))
  const before = await askDeveloper({}, 'clock', 'show', '--url', url)
  const moved = await runDeveloper({}, 'clock', 'advance', 'P1D', '--url', url)
  assert.equal(moved.code, 0, moved.err)
  assert.match(moved.out, /^It is \d{4}-\d\d-\d\d \d\d:\d\d IST in the sandbox\.\n/)
  assert.match(moved.out, /^orders expired +1$/m)
  const year = new Date(before.now).getUTCFullYear() + 1
  const there = await runDeveloper({}, 'clock', 'to', `${year}-12-05T09:00:00+05:30`, '--url', url)
  assert.match(there.out, new RegExp(`^It is ${year}-12-05 09:00 IST`))
  const { summary, now } = await askDeveloper({}, 'clock', 'to', `${year}-12-05T09:30`, '--url', url)
  assert.equal(now.slice(0, 16), `${year}-12-05T04:00`)
  assert.equal(summary.orders_expired, 0)
})

test('the clock does not go back, and what is no duration or moment is refused before anything is asked', async t => {
  const { url } = await startBursar(t)
  const back = await runDeveloper({}, 'clock', 'to', '2020-01-01T00:00:00Z', '--url', url)
  assert.deepEqual([back.code, back.out], [1, ''])
  assert.match(back.err, /in the past/)
  for (const [verb, value] of [
    ['advance', 'tomorrow'],
    ['to', '5 January'],
  ] as const) {
    const { code, err } = await runDeveloper({}, 'clock', verb, value, '--url', 'http://127.0.0.1:9')
    assert.equal(code, 1)
    assert.match(err, new RegExp(`^"${value}" is not a (duration|moment): write one such as`))
  }
})

test('figures that are set on the command line are those a running Bursar debits by', async t => {
  const env = { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
  const { demo } = await startBursar(t, env)
  assert.deepEqual(await ask(env, 'flex', 'set-rules', 'upi_autopay.limit=99', 'enach.days_between=4'), {
    'upi_autopay.limit': '99',
    'enach.days_between': '4',
  })
  const refused = await run(env, 'flex', 'set-rules', 'enach.present_at=12:00')
  assert.match(refused.err, /enach\.present_at must lie in a window/)
  assert.equal((await ask(env, 'flex', 'rules'))['enach.present_at'], '08:30')
  const { service_student_id: id } = await made(
    demo.post(`${ERP}/users/parent/students`, {
      student: sampleStudent(),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1000 }],
    }),
  )
  const { plan_id } = await made(demo.post(`/api/v1/integrations/flex/students/${id}/plans`))
  const { body } = await demo.post(`/api/v1/sandbox/flex/plans/${plan_id}/authorise`)
  assert.equal(body.data.status, 'authorised', 'above the limit of UPI there is eNACH only')
})
