import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres/supervisor.ts'
import { Client, DEMO } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'
import { ask, run, scratch, start, type Env } from './command-line.ts'

/** A Bursar of its own process on its own data folder. */
async function createBursar(t: TestContext, env: Env) {
  const child = start({ PORT: '0', LOG_LEVEL: 'silent', ...env }, 'src/app/main.ts')
  const complaint = text(child.stderr)
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  t.after(stop)
  // Read to the end: a Bursar whose output is cut off would not stop in order.
  let said = ''
  child.stdout.on('data', chunk => (said += String(chunk)))
  await waitFor(async () => said.includes('Ctrl-C') || child.exitCode !== null, 'Bursar to start')
  const url = /Listening +(http\S+)/.exec(said)?.[1] ?? assert.fail(`${said}${await complaint}`)
  return { demo: new Client(url, DEMO), url, stop, said: () => said }
}

/** A data folder whose server is stopped, if a failed test left it running, before the folder goes. */
function dataFolder(t: TestContext): Env & { DATA_DIR: string } {
  const folder: string[] = []
  t.after(async () => {
    if (isRunning(folder[0] ?? '')) await (await openEmbeddedPostgres({ dataDir: folder[0] ?? '' })).stop()
  })
  folder.push(scratch(t))
  return { DATA_DIR: folder[0] ?? '' }
}

function isRunning(dataDir: string): boolean {
  return existsSync(join(dataDir, 'pg', 'postmaster.pid'))
}

async function createOrder(demo: Client): Promise<string> {
  const { status, body, text: answer } = await demo.post(`${PAY}/orders`, sampleOrder())
  assert.equal(status, 201, answer)
  return body.data.order_id
}

test('an order taken before a backup, of a running or of a stopped Bursar, is there after a restore', async t => {
  const [env, fromRunning, fromStopped] = [dataFolder(t), dataFolder(t), dataFolder(t)]
  const files = scratch(t)
  const [running, stopped] = [join(files, 'running'), join(files, 'stopped')]
  const app = await createBursar(t, env)
  const first = await createOrder(app.demo)
  assert.deepEqual(await ask(env, 'backup', running), { file: running, bytes: statSync(running).size })
  const second = await createOrder(app.demo)
  await app.stop()
  assert.ok(!isRunning(env.DATA_DIR))
  const told = await run(env, 'backup', stopped)
  assert.equal(told.code, 0, told.err)
  assert.match(
    told.out,
    /It is encrypted, and .*master\.key is not in it: keep that too, apart from the backup/,
  )
  assert.equal(told.err, '', 'no progress where there is no terminal')
  assert.ok(!isRunning(env.DATA_DIR), 'the server that the backup started is stopped')

  for (const [target, file, orders] of [
    [fromRunning, running, [first]],
    [fromStopped, stopped, [first, second]],
  ] as const) {
    const locked = await run(target, 'restore', file)
    assert.match(locked.err, /encrypted under the master key: set MASTER_KEY, or put the master\.key/)
    copyFileSync(join(env.DATA_DIR, 'master.key'), join(target.DATA_DIR, 'master.key'))
    const restored = await run(target, 'restore', file)
    assert.match(
      restored.out,
      /Restored the backup of .* IST into .*\nStart Bursar to use it\./,
      restored.err,
    )
    const { demo, stop } = await createBursar(t, target)
    for (const id of orders) assert.equal((await demo.get(`${PAY}/orders/${id}`)).status, 200)
    await stop()
  }
  assert.deepEqual(readdirSync(files).sort(), ['running', 'stopped'])
})

test('a restore never touches a folder with a database, and a backup never overwrites a file', async t => {
  const env = dataFolder(t)
  const file = join(scratch(t), 'one')
  const nothing = await run(env, 'backup', file)
  assert.deepEqual([nothing.code, existsSync(file)], [1, false])
  assert.match(nothing.err, /has no database, so there is nothing to back up/)
  assert.deepEqual(readdirSync(env.DATA_DIR), [], 'none was made for it either')
  assert.match((await run(env, 'migrate')).out, /Applied 0001_\w+\.sql\n[^]*The database is at version \d+\./)
  assert.equal((await run(env, 'backup', file)).code, 0)
  const { size, mtimeMs } = statSync(file)
  for (const [command, expected] of [
    ['backup', /one exists: choose another name/],
    ['restore', /pg exists: choose another DATA_DIR/],
  ] as const) {
    const { code, err } = await run(env, command, file)
    assert.equal(code, 1)
    assert.match(err, expected)
  }
  assert.deepEqual([statSync(file).size, statSync(file).mtimeMs], [size, mtimeMs])
  assert.match((await run(env, 'migrate')).out, /^Nothing to do: the database is at version/)
})

test('with a database of your own, backup and restore point to its own tools', async () => {
  for (const command of ['backup', 'restore']) {
    const { code, err } = await run({ DATABASE_URL: 'postgres://db.example.in/x' }, command, 'file')
    assert.equal(code, 1)
    assert.match(err, /pg_dump.*pg_basebackup/)
  }
})

test('a live Bursar on the embedded server backs itself up; the backup is verified and restored under its key only', async t => {
  const [env, other, backups] = [dataFolder(t), dataFolder(t), scratch(t)]
  const live = {
    BURSAR_MODE: 'live',
    MASTER_KEY: '22'.repeat(32),
    PUBLIC_URL: 'https://fees.school.example.in',
    TRUST_PROXY: '127.0.0.1',
    METRICS_TOKEN: 'token',
    DRAIN_SECONDS: '0',
    BACKUP_DIR: backups,
  }
  const app = await createBursar(t, { ...live, ...env })
  assert.match(app.said(), /Mode +live\n/)
  assert.match(
    app.said(),
    /Database +embedded PostgreSQL in .*\n +Backups +daily at 02:30 IST into .*, 14 kept/,
  )
  const good = (): string | undefined => readdirSync(backups).find(name => name.endsWith('.backup'))
  await waitFor(async () => good() !== undefined, 'the first backup')
  const metrics = await fetch(`${app.url}/metrics`, { headers: { authorization: 'Bearer token' } })
  assert.match(await metrics.text(), /^bursar_backup_failures_in_row 0$/m)
  await app.stop()

  const file = join(backups, good() ?? '')
  const verified = await run({ ...live, ...other }, 'backup', 'verify', file)
  assert.match(verified.out, /is good: the backup of .* all \d+ rows of \d+ tables were read/, verified.err)
  // When it was, for `bursar doctor`; nothing of the backup.
  const trial = ['restore-trial.json']
  assert.deepEqual(readdirSync(other.DATA_DIR), trial)
  const wrong = await run({ ...live, ...other, MASTER_KEY: '33'.repeat(32) }, 'restore', file)
  assert.deepEqual([wrong.code, readdirSync(other.DATA_DIR)], [1, trial])
  assert.match(wrong.err, /made under another master key/)
  const restored = await run({ ...live, ...other }, 'restore', file)
  assert.match(restored.out, /Start Bursar with the same MASTER_KEY to use it\./, restored.err)
  await (await createBursar(t, { ...live, ...other })).stop()
})

test('the data of the embedded server is moved to another PostgreSQL once Bursar is stopped', async t => {
  const env = dataFolder(t)
  const to = await emptyDatabase(t)
  assert.match((await run(env, 'move', '--to', to)).err, /has no database, so there is nothing to move/)
  assert.match((await run(env, 'move', '--to', 'db.example.in')).err, /--to must be an address/)
  const app = await createBursar(t, env)
  const order = await createOrder(app.demo)
  const refused = await run(env, 'move', '--to', to)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /Bursar is running\. Stop it first/)
  await app.stop()
  const moved = await run(env, 'move', '--to', to)
  assert.match(moved.out, /Moved \d+ rows of \d+ tables; both sides were compared and are equal\./, moved.err)
  assert.match(moved.err, / of \d+ +orders: 1 rows/)
  assert.ok(!isRunning(env.DATA_DIR))
  const { demo, stop } = await createBursar(t, { ...env, DATABASE_URL: to })
  assert.equal((await demo.get(`${PAY}/orders/${order}`)).status, 200)
  await stop()
})

test('a command leaves the embedded server as it found it, also beside others and after a failure', async t => {
  const env = dataFolder(t)
  const listed = await run(env, 'institutes', 'list')
  assert.equal(listed.code, 0)
  assert.match(listed.err, /had no database, so a new one was made there/)
  assert.equal((await run(env, 'institutes', 'list')).err, '')
  assert.ok(!isRunning(env.DATA_DIR), 'started for the command, stopped after it')
  assert.equal((await run(env, 'keys', 'list', 'nobody')).code, 1)
  assert.ok(!isRunning(env.DATA_DIR), 'also after a failure')
  const codes = ['a', 'b', 'c', 'd', 'e', 'f']
  const made = await Promise.all(codes.map(code => run(env, 'institutes', 'create', code, '--name', code)))
  for (const { code, err } of made) assert.equal(code, 0, err)

  const { demo } = await createBursar(t, env)
  assert.equal((await ask(env, 'institutes', 'list')).length, 2 + codes.length)
  assert.ok(isRunning(env.DATA_DIR), "a running Bursar's server is left alone")
  await createOrder(demo)
})
