import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { bareEnv } from '../harness/processes/child-env.ts'
import { PROGRAM, startProgram } from './emulator-process.ts'

test('each account has a desk of its own at the address of the emulator, and its buttons lead back there', async t => {
  const url = await startProgram(t, 'razorpay', '--port', '0', '--callback', 'http://127.0.0.1:1/')
  const create = (account: string) =>
    fetch(`${url}/v1/payment_links`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`rzp_live_Emulator00000${account}:emulator-key-secret-live-${account}`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ amount: 150_000, currency: 'INR', reference_id: 'r-1', description: 'Fees' }),
    }).then(async answer => ((await answer.json()) as { id: string }).id)
  const [first, second] = [await create('1'), await create('2')]
  const accounts = await (await fetch(url)).text()
  const desks = [...accounts.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => new URL(href, url))
  assert.deepEqual(
    desks.map(({ origin, pathname }) => [origin, pathname]),
    ['live-1', 'live-2', 'test-1', 'test-2'].map(name => [url, `/desk/${name}/`]),
  )
  const texts = await Promise.all(desks.map(async desk => (await fetch(desk)).text()))
  assert.deepEqual(
    texts.map(text => [text.includes(first), text.includes(second)]),
    [
      [true, false],
      [false, true],
      [false, false],
      [false, false],
    ],
  )

  const [desk = new URL(url)] = desks
  const press = (on: string, verb: string, action: string) =>
    fetch(new URL(action, desk), { method: 'POST', body: new URLSearchParams({ on, do: verb }) })
  await press('', 'pay upi', `/i/${first}`)
  const paid = await (await fetch(desk)).text()
  const [, action = '', on = ''] =
    /action="([^"]+)"><input type="hidden" name="on" value="(pay_[^"]+)"><button name="do" value="dispute">/.exec(
      paid,
    ) ?? []
  const back = await press(on, 'dispute', action)
  assert.equal(back.url, desk.href)
  assert.match(await back.text(), new RegExp(`disp_\\w+ of ${on}: open`))
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
    [['lender', '--clock', 'http://127.0.0.1:8080'], /a lender goes by real time/],
  ] as const) {
    const { status, said } = run(...args)
    assert.equal(status, 2, said)
    assert.match(said, sentence)
  }
})

function run(...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: bareEnv(),
    encoding: 'utf8',
  })
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
  return { status, said: `${stdout}${stderr}` }
}
