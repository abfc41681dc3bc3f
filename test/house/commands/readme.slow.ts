import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, DEMO } from '../../harness/client.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'

/** What a newcomer does first, in a folder that holds nothing but the repository and what `npm ci` makes. */
const ROOT = join(import.meta.dirname, '../../..')
const [RUN = '', TEST = ''] =
  /```sh\n(npm .*?) +#.*\n(npm .*?) +#.*\n```/
    .exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))
    ?.slice(1) ?? []

const FIRST_DELIVERY_MS = 2_000
const RECEIPT_MAIL_MS = 5_000

/** What `npm ci` makes: CI has run it in this very folder, so it need not download everything a second time. */
const INSTALLED = ['web/dist', 'build']

function copyRepository(to: string): void {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const path of list.split('\0')) if (path !== '') cpSync(join(ROOT, path), join(to, path))
  for (const path of INSTALLED) cpSync(join(ROOT, path), join(to, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
}

/** As in a new terminal: nothing of this run's Node or npm. */
function newcomersEnv(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  const path = PATH.split(':').filter(folder => !folder.includes('node_modules'))
  return { PATH: path.join(':'), HOME }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** npm hands the signal on to what it runs. */
async function end(child: ChildProcess, exit: Promise<unknown>): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
  await exit
}

test('once the first command of the README has installed it, it starts from a bare checkout and everything works from the first second', async t => {
  const [install, start = ''] = RUN.split(' && ')
  assert.deepEqual([install, start], ['npm ci', 'npm start'])
  if (!(await isFree(8080))) {
    t.skip('port 8080 is in use on this machine, and the README names it')
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'bursar-newcomer-'))
  copyRepository(folder)
  const child = spawn('bash', ['-c', start], { cwd: folder, env: newcomersEnv(), detached: true })
  const exit = once(child, 'close')
  t.after(async () => {
    await end(child, exit)
    rmSync(folder, { recursive: true, force: true })
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (said += String(part)))
  const receiver = await startReceiver(t)
  const demo = new Client('http://127.0.0.1:8080', DEMO)

  // From the first moment at which it says that it is ready, whatever else it still does.
  const isReady = async (): Promise<boolean> => (await demo.get('/readyz')).status === 200
  await waitFor(async () => child.exitCode !== null || (await isReady()), 'npm start', {
    limitMs: 60_000,
  })
  assert.equal(child.exitCode, null, said)
  // Whoever signs in or calls now finds the demo school whole.
  const sunrise = new Client('http://127.0.0.1:8080', {
    key: 'key_test_sunrise',
    secret: 'secret_test_sunrise',
  })
  const students = await sunrise.get('/api/v1/integrations/erp/students?limit=200')
  assert.deepEqual([students.body.data.length, students.body.has_more], [200, true])
  const subscription = {
    event_code: 'pay.payment.debited',
    url: receiver.url,
    failure_notification_email: 'it@school.example.in',
  }
  assert.equal((await demo.post('/api/v1/integrations/erp/webhooks', subscription)).status, 201)
  const order = sampleOrder({ email: 'first@example.in' })
  const { order_id: orderId } = (await demo.post(`${PAY}/orders`, order)).body.data
  const pay = await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  assert.equal(pay.status, 200, JSON.stringify(pay.body))
  const paidMs = Date.now()
  await waitFor(async () => receiver.requests.length > 0, 'the first delivery', {
    limitMs: FIRST_DELIVERY_MS,
  })
  const hasMail = async (): Promise<boolean> => {
    const { body } = await demo.get('/api/v1/sandbox/mailbox?to=first@example.in')
    return body.data.length > 0
  }
  await waitFor(hasMail, 'the receipt mail', { limitMs: RECEIPT_MAIL_MS - (Date.now() - paidMs) })
  await waitFor(async () => said.includes('Ctrl-C stops it.'), 'the banner')
  await end(child, exit)
  assert.match(said, /Stopped\./)
})

test('what CI tests is the second command of the README', () => {
  assert.match(TEST, /^npm ci && npm test/)
  const ci = readFileSync(join(ROOT, '.ci', 'run'), 'utf8').split('\n')
  const [install, run] = [ci.findIndex(line => line.startsWith('npm ci')), ci.indexOf('tested npm test')]
  assert.ok(install > 0 && run > install, 'npm ci comes before npm test')
})
