import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Bursar } from '../../sdk/node/src/index.ts'
import { writtenSbom } from '../../tools/sbom.ts'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'
import { skipWithout } from '../sdk/languages.ts'
import { scratch } from './command-line.ts'
import { freePort } from './developer/listening.ts'

/** The packages as their users get them: packed, and run in an empty folder. Needs the registries for dependencies. */
const ROOT = new URL('../..', import.meta.url).pathname
/** As a user has it: npm and no Node of ours. */
const { HOME = '', npm_config_registry: registry = '' } = process.env
const ENV = {
  PATH: (process.env['PATH'] ?? '')
    .split(':')
    .filter(path => !path.includes('node_modules'))
    .join(':'),
  HOME,
  ...(registry !== '' && { npm_config_registry: registry }),
}

/** Gives an empty folder, and the package as it is named from there. */
function pack(t: TestContext, folder: string): { cwd: string; tarball: string } {
  const to = scratch(t)
  const env = { ...process.env, npm_config_loglevel: 'error' }
  execFileSync('npm', ['pack', '--pack-destination', to], { cwd: join(ROOT, folder), env, stdio: 'pipe' })
  const [name = ''] = readdirSync(to)
  const cwd = join(to, 'empty')
  mkdirSync(cwd)
  return { cwd, tarball: `../${name}` }
}

function npx(t: TestContext, cwd: string, env: Record<string, string>, args: string[]): ChildProcess {
  const child = spawn('npx', ['--yes', ...args], { cwd, env: { ...ENV, ...env }, detached: true })
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
  })
  return child
}

test('the command line runs from its package without the server', async t => {
  const { cwd, tarball } = pack(t, 'cli')
  assert.equal(tarball, '../bursar-cli-0.1.0.tgz')
  const bursar = await startBursar(t)
  const env = { BURSAR_API_URL: bursar.url, BURSAR_CLI_CONFIG: join(cwd, 'cli.json') }
  const run = async (...args: string[]): Promise<string> => {
    const child = npx(t, cwd, env, [tarball, ...args])
    let [out, err] = ['', '']
    child.stdout?.on('data', part => (out += String(part)))
    child.stderr?.on('data', part => (err += String(part)))
    const [code] = await once(child, 'close')
    assert.equal(code, 0, err)
    return out
  }
  assert.equal(await run('--version'), '0.1.0\n')
  assert.match(await run('trigger', 'refund.processed', '--real'), /refunded ₹100\.00 by rfd_/)
  assert.match(await run('clock', 'show'), /in the sandbox/)
  await run('samples', 'receive-webhooks.mjs')
  assert.ok(existsSync(join(cwd, 'receive-webhooks.mjs')))
})

test('the server starts from its package in an empty folder, takes a payment and prints its receipt', async t => {
  const { cwd, tarball } = pack(t, '.')
  const materials = execFileSync('tar', ['-xzOf', join(cwd, tarball), 'package/dist/sbom.cdx.json'])
  assert.equal(materials.toString(), writtenSbom(ROOT))
  const port = await freePort()
  const server = npx(t, cwd, { PORT: String(port), DEMO: 'off' }, [tarball])
  let out = ''
  server.stdout?.on('data', part => (out += String(part)))
  server.stderr?.on('data', part => (out += String(part)))
  await waitFor(async () => out.includes('Ctrl-C stops it') || server.exitCode !== null, 'it to start', {
    limitMs: 200_000,
    everyMs: 200,
  })
  assert.match(out, /Bursar is running/)
  assert.ok(existsSync(join(cwd, 'data')))
  const baseUrl = `http://127.0.0.1:${port}`
  const client = new Bursar({ baseUrl, apiKey: 'key_test_demo', apiSecret: 'secret_test_demo' })
  const { order_id } = await client.createPayOrder({
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    identifier: 'ADM-1042',
    details: [{ component_type: 'TUITION_FEE', amount: '51500.50' }],
  })
  await client.sandboxPay(order_id, { outcome: 'success' })
  assert.equal((await client.getPayOrder(order_id)).details[0]?.amount, '51500.50')
  // Made in a process of its own.
  const pdf = await client.getPayOrderReceipt(order_id)
  assert.equal(Buffer.from(pdf.subarray(0, 5)).toString(), '%PDF-')
  for (const path of ['/docs/', '/docs/guides/first-hour', '/console', '/openapi.json'])
    assert.equal((await fetch(baseUrl + path)).status, 200, path)
  process.kill(-(server.pid ?? 0), 'SIGINT')
  await once(server, 'close')
  assert.match(out, /Stopped\./)
})

test(
  'mvn package makes the jar that the README of the Java client names',
  { skip: skipWithout('mvn') },
  t => {
    const cwd = join(scratch(t), 'java')
    cpSync(join(ROOT, 'sdk/java'), cwd, { recursive: true })
    execFileSync('mvn', ['-q', 'package'], { cwd, stdio: 'pipe' })
    const [jar = ''] = /target\/[\w.-]+\.jar/.exec(readFileSync(join(cwd, 'README.md'), 'utf8')) ?? []
    assert.ok(existsSync(join(cwd, jar)), jar)
  },
)

/** The first commands of a page, with what this checkout has installed already. */
function runPrinted(t: TestContext, page: string, cwd: string): string {
  const [, lines = ''] = /^```sh\n([^`]+)/m.exec(readFileSync(join(ROOT, page), 'utf8')) ?? []
  const script = lines.replaceAll(/npm ci(?: &&)?/g, '').replaceAll('PATH/TO/bursar', ROOT)
  t.after(() => {
    for (const left of ['cli/bursar-cli-0.1.0.tgz', 'sdk/node/bursar-sdk-1.0.0.tgz'])
      rmSync(join(ROOT, left), { force: true })
  })
  const env = { ...process.env, npm_config_loglevel: 'error', npm_config_yes: 'true' }
  return execFileSync('sh', ['-ec', script], { cwd, env, encoding: 'utf8', stdio: 'pipe' })
}

test('the Node client is packed and installed by the lines of its README, and loads', t => {
  const cwd = scratch(t)
  runPrinted(t, 'sdk/node/README.md', cwd)
  const code = "import { Bursar } from 'bursar-sdk'; console.log(typeof Bursar.prototype.createPayOrder)"
  const shell = ['--input-type=module', '-e', code]
  assert.equal(execFileSync(process.execPath, shell, { cwd, encoding: 'utf8' }), 'function\n')
})

test('the command line is packed and run by the lines of its guide', t => {
  assert.match(runPrinted(t, 'docs/erp-developer/command-line.md', ROOT), /Usage: bursar-cli/)
})
