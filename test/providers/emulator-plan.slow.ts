import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { daysBetween } from '../../src/platform/calendar.ts'
import { dayIn, openWorld, stateOf } from '../flex/support.ts'
import type { Json } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'
import { startProgram } from './emulator-process.ts'

/** As in docs/operator/going-live.md, with Razorpay and a bank mandate: every step at a page that a person has. */
test('three debits by a bank mandate, with a bounce, are rehearsed at the desk of an emulator on the sandbox’s clock', async t => {
  const port = await freePort()
  const emulator = `http://127.0.0.1:${port}`
  const world = await openWorld(t, {
    setUp: false,
    withErp: false,
    schedule: [
      ['TUITION_FEE', 30_000],
      ['TUITION_FEE', 30_000],
      ['TRANSPORT_FEE', 12_000.5],
    ].map(([component_type, amount], index) => ({
      due_date: dayIn(20 + 30 * index),
      details: [{ component_type, amount }],
    })),
    env: {
      RAZORPAY_API_URL: emulator,
      RAZORPAY_KEY_ID: 'rzp_test_Emulator000001',
      RAZORPAY_KEY_SECRET: 'emulator-key-secret-test-1',
      RAZORPAY_WEBHOOK_SECRET: 'emulator-webhook-secret-test-1',
    },
  })
  const { url, app } = world.bursar
  const callback = `${url}/callbacks/razorpay`
  await startProgram(t, 'razorpay', '--port', `${port}`, '--clock', url, '--callback', callback)

  const desk = `${emulator}/desk/test-1/`
  /** Presses the first button of this name. */
  const press = async (verb: string): Promise<void> => {
    const page = await (await fetch(desk)).text()
    const button = new RegExp(`name="on" value="([^"]*)"><button name="do" value="${verb}">`)
    const on = button.exec(page)?.[1] ?? assert.fail(`no ${verb} at the desk: ${page}`)
    await fetch(`${desk}act`, { method: 'POST', body: new URLSearchParams({ on, do: verb }) })
  }
  const becomes = (n: number, state: string): Promise<void> =>
    waitFor(async () => stateOf(await world.plan(), n) === state, `instalment ${n} to be ${state}`)
  const presented = (n: number): Promise<Json> =>
    world.advanceUntil(plan => stateOf(plan, n) === 'presented', `presentation of instalment ${n}`)

  await authorise((await world.plan()).redirect_url)
  await press('confirmed')
  await waitFor(async () => (await world.plan()).status === 'active', 'the mandate')

  await presented(0)
  await press('captured')
  await becomes(0, 'debited')
  await press('pay out')
  const { payment_schedule: before } = await presented(1)
  assert.equal(before[0].status, 'settled')
  await press('insufficient_funds')
  await becomes(1, 'scheduled')
  const { payment_schedule: after } = await presented(1)
  assert.ok(daysBetween(before[1].present_on, after[1].present_on) >= 3, 'not presented before three days')
  await press('captured')
  await becomes(1, 'debited')

  await presented(2)
  await press('captured')
  await press('pay out')
  await waitFor(async () => (await world.plan()).status === 'closed', 'the end of the plan')
  await world.advance('P1D')
  const { payment_schedule: rows, paid_amount } = await world.plan()
  assert.deepEqual(
    [paid_amount, ...rows.map((one: Json) => one.status)],
    [72_000.5, 'settled', 'settled', 'settled'],
  )
  const institute = await getInstitute(app.ctx, 'demo-school')
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])

  await press('dispute')
  await press('lost')
  await waitFor(async () => {
    const [row] = await world.bursar.sql('select state from payment_disputes')
    return row?.['state'] === 'lost'
  }, 'the end of the dispute')
  await press('pay out')
  await world.advance('P1D')
  const reversed = await world.plan()
  assert.equal(reversed.status, 'active')
  assert.equal(reversed.payment_schedule.filter((one: Json) => one.status === 'reversed').length, 1)
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
})

/** As a parent does it in a browser: agrees on the plan's page, then authorises on the one that it leads to. */
async function authorise(planUrl: string): Promise<void> {
  const page = await (await fetch(planUrl)).text()
  const [, seen = ''] = /name="seen" value="([^"]+)"/.exec(page) ?? []
  const agreed = await fetch(`${planUrl}/mandate`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(planUrl).origin },
    body: new URLSearchParams({ seen, rail: 'enach', consent: 'yes' }),
  })
  const at = agreed.headers.get('location') ?? assert.fail(await agreed.text())
  const done = await fetch(at, { method: 'POST', body: new URLSearchParams({ on: '', do: 'aadhaar' }) })
  assert.match(await done.text(), /You can close this page/)
}

/**
 * Bursar is told of it before the emulator, which asks Bursar for the time, can start there. Below those that the system
 * gives to connections: one of them could be taken meanwhile.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
