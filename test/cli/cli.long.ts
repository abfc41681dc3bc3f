import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { Client, type Json } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { NOBODY } from '../harness/nobody.ts'
import { KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { ask, run, scratch, type Env } from './command-line.ts'

async function freshEnv(t: TestContext): Promise<Env & { DATABASE_URL: string }> {
  return { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
}

const LIVE: Env = {
  BURSAR_MODE: 'live',
  PUBLIC_URL: 'https://fees.example.in',
  TRUST_PROXY: '127.0.0.1',
}

async function statusOf(url: string, key: Json): Promise<number> {
  const client = new Client(url, { key: key.key_id, secret: key.secret })
  return (await client.get(`${PAY}/orders`)).status
}

test('an institute, a branch and a key made on the command line work at once in a running Bursar', async t => {
  const env = await freshEnv(t)
  const { url } = await startBursar(t, env)
  const made = await run(env, 'institutes', 'create', 'green-park', '--name', 'Green Park School')
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /Created the institute green-park with the branch MAIN\./)
  await ask(env, 'branches', 'add', 'green-park', 'EAST', '--name', 'East campus', '--default')
  assert.deepEqual(await ask(env, 'branches', 'list', 'green-park'), [
    { collector_code: 'MAIN', name: 'Main branch', is_default: false },
    { collector_code: 'EAST', name: 'East campus', is_default: true },
  ])
  const key = await ask(env, 'keys', 'create', 'green-park')
  const client = new Client(url, { key: key.key_id, secret: key.secret })
  const order = await client.post(`${PAY}/orders`, sampleOrder({ collector_code: 'EAST' }))
  assert.equal(order.status, 201, order.text)
})

test('a key gets the scopes and limits it was made with, and its successor gets them too', async t => {
  const env = await freshEnv(t)
  const { url } = await startBursar(t, env)
  const limits = ['--scope', 'read', '--rate', '7', '--burst', '9']
  const first = await ask(env, 'keys', 'create', 'demo-school', '--label', 'reports', ...limits)
  for (const key of [first, await ask(env, 'keys', 'rotate', first.key_id)]) {
    assert.deepEqual([key.label, key.scopes], ['reports', ['read']])
    const client = new Client(url, { key: key.key_id, secret: key.secret })
    assert.equal((await client.get(`${PAY}/orders`)).headers.get('ratelimit-limit'), '9')
    assert.equal((await client.post(`${PAY}/orders`, sampleOrder())).status, 403)
  }
})

test('rotating gives a second working key, and a third of the label is refused with advice', async t => {
  const env = await freshEnv(t)
  const { url } = await startBursar(t, env)
  const first = await ask(env, 'keys', 'create', 'demo-school')
  const second = await ask(env, 'keys', 'rotate', first.key_id)
  assert.deepEqual([await statusOf(url, first), await statusOf(url, second)], [200, 200])
  const third = await run(env, 'keys', 'rotate', second.key_id)
  assert.deepEqual([third.code, third.out], [1, ''])
  assert.equal(third.err, 'Two keys labelled "default" are active. Revoke one first, or use another label.\n')
})

test('a revoked key is dead within five seconds on every Bursar over the database', async t => {
  const env = await freshEnv(t)
  const houses = [await startBursar(t, env), await startBursar(t, env)]
  const key = await ask(env, 'keys', 'create', 'demo-school')
  for (const { url } of houses) assert.equal(await statusOf(url, key), 200)
  // Its start takes a part of the five seconds only for us: they count from the answer.
  await ask(env, 'keys', 'revoke', key.key_id)
  const dead = async ({ url }: { url: string }) => (await statusOf(url, key)) === 401
  await Promise.all(houses.map(app => waitFor(() => dead(app), 'the key to die', { limitMs: 5_000 })))
  const [last] = (await ask(env, 'keys', 'list', 'demo-school')).slice(-1)
  assert.ok(Date.parse(last.revoked_at) > 0)
  assert.equal((await run(env, 'keys', 'rotate', key.key_id)).code, 1)
})

test('live mode makes live keys, and names every setting it misses at once', async t => {
  const env = { ...(await freshEnv(t)), ...LIVE }
  const key = await ask(env, 'keys', 'create', 'demo-school')
  assert.match(key.key_id, /^key_live_/)
  const bare = await run({ BURSAR_MODE: 'live' }, 'keys', 'list', 'demo-school')
  assert.equal(bare.code, 1)
  for (const name of ['MASTER_KEY', 'DATABASE_URL', 'PUBLIC_URL', 'TLS_CERT_FILE', 'TRUST_PROXY']) {
    assert.match(bare.err, new RegExp(name))
  }
})

test('a secret is shown once, and neither the key list nor the database holds it', async t => {
  const env = await freshEnv(t)
  const { code, out } = await run(env, 'keys', 'create', 'demo-school', '--label', 'erp')
  const secret = /^Secret +(\S+)$/m.exec(out)?.[1] ?? assert.fail(out)
  assert.equal(code, 0)
  assert.match(out, /it will not be shown again/)
  const lists = [await run(env, 'keys', 'list', 'demo-school')]
  lists.push(await run(env, 'keys', 'list', 'demo-school', '--json'))
  assert.match(
    lists[0]?.out ?? '',
    /erp +read, orders, students, refunds, settings +standard +\d{4}-\d\d-\d\d \d\d:\d\d IST +never +active/,
  )
  const client = new pg.Client(env.DATABASE_URL)
  await client.connect()
  const { rows } = await client.query<{ row: string }>('select api_keys::text as row from api_keys')
  await client.end()
  const everything = JSON.stringify([lists, rows])
  assert.match(everything, /key_test_demo/)
  for (const form of [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret, 'base64url').toString('hex'),
  ]) {
    assert.ok(!everything.includes(form))
  }
})

test('a mistyped command or option is answered with the likely one, the help to read and exit code 2', async () => {
  const cases = [
    [['institute', 'list'], /Unknown command 'institute'\. Did you mean institutes\?\nSee bursar --help\./],
    [['keys', 'creat'], /Did you mean create\?\nSee bursar keys --help\./],
    [['keys', 'create', 'x', '--labl', 'y'], /Did you mean --label\?\nSee bursar keys create --help\./],
    [['institutes', 'create', 'x'], /'--name <name>' not specified\.\nSee bursar institutes create --help\./],
    [['institutes', 'strict', 'x', 'maybe'], /'maybe' is not a state\. Allowed choices are on, off\./],
    [['branches'], /Usage: bursar branches/],
  ] as const
  for (const [args, expected] of cases) {
    const { code, out, err } = await run({}, ...args)
    assert.deepEqual([code, out], [2, ''], args.join(' '))
    assert.match(err, expected)
  }
})

test('a value of the wrong shape is refused by a sentence and exit code 1 before anything is opened', async () => {
  const named = ['--name', 'x']
  const cases = [
    [['institutes', 'create', 'Green Park', ...named], /"Green Park" cannot be an institute code/],
    [['institutes', 'create', 'a'.repeat(64), ...named], /1 to 63 lower-case letters/],
    [['institutes', 'create', 'g', '--name', ' '], /A name must have 1 to 500 characters; this one has 0/],
    [['institutes', 'create', 'g', ...named, '--branch', 'NORTH'], /write CODE=NAME/],
    [['branches', 'add', 'g', 'b'.repeat(65), ...named], /A branch code must have 1 to 64 characters/],
    [['catalogue', 'add', 'g', 'grade', '5', '--name', 'n'.repeat(501)], /this one has 501/],
    [['keys', 'create', 'g', '--rate', '0'], /whole number from 1/],
    [['keys', 'revoke', 'no id'], /"no id" cannot be a key id/],
  ] as const
  for (const [args, expected] of cases) {
    const { code, out, err } = await run({ DATA_DIR: '/nowhere/at/all' }, ...args)
    assert.deepEqual([code, out], [1, ''], args.join(' '))
    assert.match(err, expected)
    assert.ok(!err.includes('    at '), 'no stack')
  }
})

test('with --json every answer and every error is JSON, wherever the option stands', async t => {
  const env = await freshEnv(t)
  for (const noun of ['branches', 'catalogue', 'keys']) {
    assert.ok(Array.isArray(await ask(env, noun, 'list', 'demo-group')))
  }
  const before = await run(env, '--json', 'institutes', 'list')
  assert.deepEqual(JSON.parse(before.out), await ask(env, 'institutes', 'list'))
  assert.deepEqual(await ask(env, 'migrate'), { applied: [], version: (await ask(env, 'migrate')).version })
  for (const args of [['keys', 'list', 'nobody'], ['keys', 'lst'], ['keys'], ['restore', '/none']]) {
    const { out, err } = await run(env, ...args, '--json')
    assert.equal(out, '')
    assert.equal(typeof JSON.parse(err).error, 'string')
  }
})

test('the settings are shown with their values, secrets only as set, and faults fail the command', async () => {
  const secrets = {
    DATABASE_URL: 'postgres://u:hunter2@db/x',
    MASTER_KEY: 'ab'.repeat(32),
    METRICS_TOKEN: 'tok-17',
  }
  const { code, out } = await run({ ...secrets, PORT: '8123' }, 'config')
  assert.equal(code, 0)
  assert.match(out, /^PORT +8123 +port to listen on/m)
  assert.match(out, /^HOST +127\.0\.0\.1 \(default\)/m)
  const json = JSON.stringify(await ask({ ...secrets }, 'config'))
  for (const [name, secret] of Object.entries(secrets)) {
    assert.match(out, new RegExp(`^${name} +set `, 'm'))
    assert.ok(!out.includes(secret) && !json.includes(secret))
  }
  const wrong = await run({ PORT: 'eighty' }, 'config')
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /PORT must be a whole number/)
})

test('a strict catalogue refuses an unknown component and lists the allowed ones', async t => {
  const env = await freshEnv(t)
  const { demo } = await startBursar(t, env)
  await ask(env, 'catalogue', 'add', 'demo-school', 'component', 'TUITION_FEE', '--name', 'Tuition fee')
  await ask(env, 'catalogue', 'add', 'demo-school', 'component', 'BUS_FEE')
  assert.match((await run(env, 'institutes', 'strict', 'demo-school', 'on')).out, /is strict/)
  const details = [{ component_type: 'LUNCH', amount: 10 }]
  const refused = await waitForStatus(demo, sampleOrder({ details }), 400)
  assert.equal(refused.errors[0].key, 'details.0.component_type')
  assert.match(refused.errors[0].message, /allowed are: BUS_FEE, TUITION_FEE/)
  await run(env, 'institutes', 'strict', 'demo-school', 'off')
  await waitForStatus(demo, sampleOrder({ details }), 201)
})

/** A Bursar remembers an institute for a few seconds. */
async function waitForStatus(client: Client, body: Json, status: number): Promise<Json> {
  let answer: Json
  const settles = async () => {
    const { status: got, body: read } = await client.post(`${PAY}/orders`, body)
    answer = read
    return got === status
  }
  await waitFor(settles, `an order to be answered by ${status}`, { limitMs: 5_000 })
  return answer
}

test('the OpenAPI document needs no database and is the same each time', async t => {
  const file = join(scratch(t), 'deep', 'openapi.json')
  const env = { DATABASE_URL: `postgres://${NOBODY}/none`, PUBLIC_URL: 'https://other.example.in' }
  const { code, out, err } = await run(env, 'openapi')
  assert.equal(code, 0, err)
  assert.equal((await run({}, 'openapi', file)).code, 0)
  assert.equal(out, readFileSync(file, 'utf8'))
  const document = JSON.parse(out)
  assert.equal(out, `${JSON.stringify(document, null, 2)}\n`)
  assert.deepEqual(document.servers, [{ url: 'http://127.0.0.1:8080' }])
  assert.ok(Object.keys(document.paths).some(path => path.includes('sandbox')))
})

test('a provider account is set up, paused and rotated on the command line, in the audit log and without a secret in any answer', async t => {
  const env = await freshEnv(t)
  const bursar = await startBursar(t, env)
  const razorpay = await startRazorpay()
  t.after(() => razorpay.close())
  const secrets = { ACCOUNT_KEY_SECRET: KEYS.keySecret, ACCOUNT_WEBHOOK_SECRET: 'a-long-webhook-secret' }
  const keys = {
    ...env,
    ...secrets,
    ACCOUNT_KEY_ID: KEYS.keyId,
    RAZORPAY_API_URL: razorpay.url,
  }
  const wrong = { ...keys, ACCOUNT_KEY_SECRET: 'a-wrong-secret' }
  const add = ['providers', 'add', 'demo-school', 'razorpay', '--title', 'Main', '--env']
  assert.match((await run(wrong, ...add)).err, /does not accept.*Nothing was changed/)
  const partly = { ...keys, ACCOUNT_KEY_ID: '', ACCOUNT_KEY_SECRET: 'with a space' }
  assert.equal(
    (await run(partly, ...add)).err.trim(),
    'key_id is required\nkey_secret must not contain spaces',
  )
  const { id, callback_url, state } = await ask(keys, ...add)
  assert.match(callback_url, new RegExp(`/callbacks/razorpay/${id}$`))
  assert.equal(state, 'test')
  const checked = await run(keys, 'providers', 'check', 'demo-school', id)
  assert.equal(checked.code, 0)
  assert.match(checked.out, /accepts it.*No callback has come yet/)
  await ask(env, 'providers', 'pause', 'demo-school', id)
  const next = { ...env, ACCOUNT_WEBHOOK_SECRET: 'another-long-webhook-secret' }
  await ask(next, 'providers', 'rotate', 'demo-school', id, '--env')
  const listed = await run(env, 'providers', 'list', 'demo-school')
  assert.match(listed.out, /Main +razorpay +all +upi,card,netbanking +…0001 +paused +never/)
  assert.match((await run(env, 'providers', 'rotate', 'demo-school', id)).err, /FIELD=VALUE|are the ones/)
  const audit = await bursar.sql<{ what: string }>(
    `select what from console_audit where about = $1 order by id`,
    [id],
  )
  assert.deepEqual(
    audit.map(({ what }) => what.split('.')[1]),
    ['added', 'checked', 'paused', 'rotated'],
  )
  const answers = [
    callback_url,
    checked.out,
    listed.out,
    JSON.stringify(await bursar.sql('select * from console_audit')),
  ]
  for (const secret of Object.values(secrets)) assert.ok(answers.every(text => !text.includes(secret)))
})
