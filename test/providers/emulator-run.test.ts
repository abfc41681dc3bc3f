import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { followSandbox } from '../../emulators/clock.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { startServer } from '../../emulators/server.ts'
import { startBursar } from '../harness/bursar.ts'
import { bareEnv } from '../harness/child-env.ts'

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

test('an emulator that cannot start as asked says in a sentence what to change', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const help = run('razorpay', '--help')
  assert.equal(help.status, 0)
  for (const option of ['--port', '--callback', '--clock']) assert.ok(help.said.includes(option))
  for (const [args, sentence] of [
    [['cashfree', '--port', `${port}`], /Port \d+ is taken/],
    [['cashfree', '--clock', 'http://127.0.0.1:1'], /no sandbox tells its time/],
    [['cashfree', '--speed', '2'], /--speed[^]*usage/],
    [['paypal'], /no emulator paypal[^]*razorpay, cashfree, lender/],
    [['lender'], /Set LENDER_SECRET/],
  ] as const) {
    const { status, said } = run(...args)
    assert.equal(status, 2, said)
    assert.match(said, sentence)
  }
})

function run(...args: string[]): { status: number | null; said: string } {
  const program = join(import.meta.dirname, '../../emulators/run.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: bareEnv(),
    encoding: 'utf8',
  })
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
  return { status, said: `${stdout}${stderr}` }
}
