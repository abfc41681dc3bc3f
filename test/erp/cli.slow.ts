import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { spawn } from 'node:child_process'
import { test, type TestContext } from 'node:test'
import { ask, run, type Env } from '../cli/command-line.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { bareEnv } from '../harness/processes/child-env.ts'

/** `bursar erp`, as an operator types it. */
const ROOT = new URL('../..', import.meta.url).pathname

async function freshEnv(t: TestContext): Promise<Env> {
  return { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
}

/** With something to read from standard input. */
async function runWith(
  input: string,
  env: Env,
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...args], {
    cwd: ROOT,
    env: { ...bareEnv(), ...env },
  })
  child.stdin.end(input)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, out, err }
}

test('what is set by command line is what the ERP is asked with, and no command shows the password', async t => {
  const env = await freshEnv(t)
  const erp = await startFakeErp(t, { username: 'bursar', password: 'open sesame' })
  erp.put(sampleRecord())
  const set = await runWith(
    'open sesame\n',
    env,
    'erp',
    'set',
    'demo-school',
    '--url',
    erp.url,
    '--username',
    'bursar',
    '--password-stdin',
    '--lookup',
    'grade,identifier',
  )
  assert.equal(set.code, 0, set.err)
  const shown = await run(env, 'erp', 'show', 'demo-school')
  assert.match(shown.out, /\(all\) +http:\S+ +Basic, bursar +identifier,grade +own +4/)
  const found = await ask(env, 'erp', 'test', 'demo-school', 'ADM-1042', '--grade', '5')
  assert.deepEqual([found.outcome, found.student.fullname], ['found', 'Kabir Rao'])
  assert.match(erp.requests[0]?.path ?? '', /\?identifier=ADM-1042&grade=5$/)
  assert.doesNotMatch(set.out + set.err + shown.out, /sesame/)
})

test('a test of a wrong answer names each field and ends with exit code 1', async t => {
  const env = await freshEnv(t)
  const erp = await startFakeErp(t)
  erp.put(sampleRecord({ grade: 5, primary_contact_number: 'none' }))
  const key = ['--header-name', 'X-Api-Key', '--header-value-env', 'ERP_KEY']
  await ask({ ...env, ERP_KEY: 'k-1' }, 'erp', 'set', 'demo-school', '--url', erp.url, ...key)
  const { code, out } = await run(env, 'erp', 'test', 'demo-school', 'ADM-1042')
  assert.equal(code, 1)
  assert.match(out, /^Outcome {2}unavailable \(wrong_record\)$/m)
  assert.match(out, /^data\.student\.grade +must be a string$/m)
  assert.match(out, /^data\.student\.primary_contact_number +must be a phone number of 7 to 15 digits$/m)
  assert.equal(erp.requests[0]?.headers['x-api-key'], 'k-1')
})

test('half a way to authenticate, an unknown parameter and an empty secret are told what is missing', async t => {
  const env = await freshEnv(t)
  const set = ['erp', 'set', 'demo-school', '--url', 'http://127.0.0.1:9/']
  for (const [args, words] of [
    [['--username', 'a'], /--username goes with/],
    [['--header-name', 'X'], /--header-name goes with/],
    [['--username', 'a', '--password-env', 'NOT_THERE'], /NOT_THERE is not set/],
    [['--lookup', 'identifier,name'], /"name" is not a parameter/],
    [['--max-calls', '300'], /max_calls must be a whole number from 1 to 256/],
  ] as const) {
    const { code, err } = await run(env, ...set, ...args)
    assert.notEqual(code, 0)
    assert.match(err, words)
  }
  assert.deepEqual(await ask(env, 'erp', 'show', 'demo-school'), [])
})

test('live mode takes https only, and settings are removed by branch', async t => {
  const live = { BURSAR_MODE: 'live', PUBLIC_URL: 'https://fees.example.in', TRUST_PROXY: '127.0.0.1' }
  const env = { ...(await freshEnv(t)), ...live }
  const plain = await run(env, 'erp', 'set', 'demo-group', '--url', 'http://erp.example.in/')
  assert.equal(plain.code, 1)
  assert.match(plain.err, /must be an https URL/)
  const secure = ['erp', 'set', 'demo-group', '--url', 'https://erp.example.in/']
  await ask(env, ...secure)
  await ask(env, ...secure, '--branch', 'SOUTH', '--custom-schedule')
  const all = await ask(env, 'erp', 'show', 'demo-group')
  assert.deepEqual(
    all.map((one: { collector_code?: string }) => one.collector_code),
    [undefined, 'SOUTH'],
  )
  await ask(env, 'erp', 'remove', 'demo-group', '--branch', 'SOUTH')
  assert.equal((await ask(env, 'erp', 'show', 'demo-group')).length, 1)
  assert.equal((await run(env, 'erp', 'remove', 'demo-group', '--branch', 'SOUTH')).code, 1)
})
