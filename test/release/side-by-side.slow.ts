import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { bareEnv } from '../harness/processes/child-env.ts'
import { Client, DEMO } from '../harness/client.ts'
import { startReceiver } from '../harness/receiver.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { subscribe } from '../webhooks/support.ts'

/** The last release's code beside today's, over a database that today's has migrated. UPGRADE_FROM names another commit. */
const ROOT = join(import.meta.dirname, '..', '..')
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

function lastRelease(): string | null {
  const named = process.env['UPGRADE_FROM']
  if (named !== undefined) return named
  try {
    return git('describe', '--tags', '--match', 'v*', '--abbrev=0')
  } catch {
    return null
  }
}

async function startRelease(t: TestContext, release: string, databaseUrl: string): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-release-'))
  execFileSync('sh', ['-c', `git -C "$1" archive "$2" | tar -x -C "$3"`, 'sh', ROOT, release, folder])
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: folder,
    env: { ...bareEnv(), PORT: '0', DATABASE_URL: databaseUrl, MASTER_KEY: TEST_MASTER_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
    rmSync(folder, { recursive: true, force: true })
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += String(part)))
  await waitFor(
    async () => text.includes('Ctrl-C stops it.') || child.exitCode !== null,
    `${release} to start`,
  )
  const url = /Listening +(\S+)/.exec(text)?.[1]
  assert.ok(url, text)
  return new Client(url, DEMO)
}

test('the last release works beside this one on the schema of this one', async t => {
  const release = lastRelease()
  if (release === null) return t.skip('nothing is released yet: there is no tag v*')
  const bursar = await startBursar(t)
  const old = await startRelease(t, release, bursar.app.config.databaseUrl ?? '')
  const receiver = await startReceiver(t)
  await subscribe(bursar.demo, `${receiver.origin}/hook`)
  for (const [maker, reader] of [
    [old, bursar.demo],
    [bursar.demo, old],
  ] as const) {
    const made = await maker.post(`${PAY}/orders`, sampleOrder())
    assert.equal(made.status, 201, made.text)
    const path = `${PAY}/orders/${made.body.data.order_id}`
    const paid = await reader.post(`/api/v1/sandbox/pay/orders/${made.body.data.order_id}/pay`, {
      outcome: 'success',
    })
    assert.equal(paid.status, 200, paid.text)
    assert.equal((await maker.get(path)).body.data.status, 'paid')
    assert.equal((await reader.post(`${path}/refunds`, { amount: 1 })).status, 201)
  }
  await waitFor(async () => receiver.requests.length >= 2, 'the old worker to deliver what both recorded')
  for (const one of [old, bursar.demo]) assert.equal((await one.get('/readyz')).status, 200)
})
