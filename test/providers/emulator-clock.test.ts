import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { followSandbox } from '../../emulators/clock.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { startServer } from '../../emulators/server.ts'
import { startBursar } from '../harness/bursar.ts'

test('an emulator that follows a sandbox has its time at each request, and goes on from there when it is gone', async t => {
  const bursar = await startBursar(t)
  const gone = await startServer(() => ({ status: 503, body: {} }))
  let isGone = false
  const front = await startServer(async ({ path, headers }) => {
    const { authorization = '' } = headers
    const answer = await fetch(`${isGone ? gone.url : bursar.url}${path}`, { headers: { authorization } })
    return { status: answer.status, body: await answer.json() }
  })
  const clock = await followSandbox(front.url)
  const emulators = [await startCashfree({ clock }), await startRazorpay({ clock })] as const
  t.after(() => Promise.all([front, gone, ...emulators].map(server => server.close())))
  const [cashfree, razorpay] = emulators

  const moved = await bursar.demo.post('/api/v1/sandbox/clock', { advance: 'P40D' })
  assert.equal(moved.status, 200, moved.text)
  const now = Date.parse(moved.body.data.now)
  await Promise.all(emulators.map(({ url }) => fetch(`${url}/whatever`)))
  for (const at of [Number(cashfree.books.now()), razorpay.books.now() * 1_000])
    assert.ok(Math.abs(at - now) < 60_000, `${new Date(at).toISOString()} is not ${moved.body.data.now}`)

  isGone = true
  const before = cashfree.books.now()
  await fetch(`${cashfree.url}/whatever`)
  const since = cashfree.books.now().getTime() - before.getTime()
  assert.ok(since >= 0 && since < 60_000, `time went on by ${since} ms`)
  await assert.rejects(followSandbox(gone.url), /answers 503/)
})
