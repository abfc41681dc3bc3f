import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { bareEnv } from '../harness/processes/child-env.ts'
import { Client, DEMO } from '../harness/client.ts'
import { startReceiver } from '../harness/receiver.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { Driver } from '../sdk/driver.ts'
import { languages } from '../sdk/languages.ts'
import { subscribe } from '../webhooks/support.ts'

/** The last release's code beside today's, over a database that today's has migrated. UPGRADE_FROM names another commit. */
const ROOT = join(import.meta.dirname, '..', '..')
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The last tag; before there is one, the commit that kept its data for the next release. Null without a history. */
function lastRelease(): string | null {
  const named = process.env['UPGRADE_FROM']
  if (named !== undefined) return named
  try {
    return git('describe', '--tags', '--match', 'v*', '--abbrev=0')
  } catch {
    const kept = git('log', '-1', '--format=%H', '--', 'test/release/data-of-last-release.json.br')
    return kept === '' ? null : kept
  }
}

const release = lastRelease()
const skip = release === null && 'this checkout has no history to take the last release from'
const old = mkdtempSync(join(tmpdir(), 'bursar-release-'))
after(() => rmSync(old, { recursive: true, force: true }))
if (release !== null) {
  execFileSync('sh', ['-c', `git -C "$1" archive "$2" | tar -x -C "$3"`, 'sh', ROOT, release, old])
  symlinkSync(join(ROOT, 'node_modules'), join(old, 'node_modules'))
}

async function startOld(t: TestContext, databaseUrl: string): Promise<Client> {
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: old,
    env: { ...bareEnv(), PORT: '0', DEMO: 'off', DATABASE_URL: databaseUrl, MASTER_KEY: TEST_MASTER_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += String(part)))
  await waitFor(
    async () => text.includes('Ctrl-C stops it.') || child.exitCode !== null,
    `${release} to start`,
    { limitMs: 120_000 },
  )
  const url = /Listening +(\S+)/.exec(text)?.[1]
  assert.ok(url, text)
  return new Client(url, DEMO)
}

/** What one makes the other finishes. */
async function workTogether(maker: Client, reader: Client): Promise<void> {
  const made = await maker.post(`${PAY}/orders`, sampleOrder())
  assert.equal(made.status, 201, made.text)
  const { order_id: id } = made.body.data
  const paid = await reader.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })
  assert.equal(paid.status, 200, paid.text)
  assert.equal((await maker.get(`${PAY}/orders/${id}`)).body.data.status, 'paid')
  assert.equal((await reader.post(`${PAY}/orders/${id}/refunds`, { amount: 1 })).status, 201)
}

test(
  'the last release works beside this one on the schema of this one, and goes on alone',
  { skip },
  async t => {
    const bursar = await startBursar(t)
    const before = await startOld(t, bursar.app.config.databaseUrl ?? '')
    const receiver = await startReceiver(t)
    await subscribe(bursar.demo, `${receiver.origin}/hook`)
    await workTogether(before, bursar.demo)
    await workTogether(bursar.demo, before)
    await waitFor(async () => receiver.requests.length >= 2, 'the old worker to deliver what both recorded')
    for (const one of [before, bursar.demo]) assert.equal((await one.get('/readyz')).status, 200)
    // Back: the new one ends, and a process of the old one starts on what it left.
    await bursar.app.stop()
    await workTogether(before, await startOld(t, bursar.app.config.databaseUrl ?? ''))
    assert.equal((await before.get('/readyz')).status, 200)
  },
)

test(
  'the clients of the last release take and give back a payment at the server of this one',
  { skip },
  async t => {
    execFileSync(process.execPath, ['tools/sdk/generate.ts'], { cwd: old, stdio: 'pipe' })
    const bursar = await startBursar(t)
    const access = { BURSAR_KEY: DEMO.key, BURSAR_SECRET: DEMO.secret, BURSAR_URL: bursar.url }
    for (const { name, command, env } of languages(old)) {
      if (command === null) {
        t.diagnostic(`${name} is not on this machine`)
        continue
      }
      const driver = new Driver(command, { ...env, ...access, BURSAR_TIMEOUT_MS: '20000' })
      t.after(() => driver.stop())
      const { order_id: id } = await driver.call('createPayOrder', [sampleOrder({ identifier: name })])
      await driver.call('sandboxPay', [id, { outcome: 'success' }])
      assert.equal((await driver.call('getPayOrder', [id])).status, 'paid', name)
      await driver.call('refundPayOrder', [id, { amount: '1.50' }])
      const found = await driver.call('listPayOrders', [], { query: { identifier: name } })
      assert.equal(found.length, 1, name)
    }
  },
)
