import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { exposureWarning } from '../../src/app/banner.ts'
import { warnAboutSecrets, ConfigError, readConfig } from '../../src/app/config.ts'
import { findMisspelt, ALL_SETTINGS, describeDefault } from '../../src/app/config/settings.ts'
import { PROVIDERS } from '../../src/providers/catalogue.ts'

const GUIDE = readFileSync(new URL('../../docs/operator/settings.md', import.meta.url), 'utf8')

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.lines
  }
}

test('the operator guide lists every setting, in order, with its meaning and its true default', () => {
  const rows = Object.entries(ALL_SETTINGS).map(
    ([name, setting]) => `| \`${name}\` | ${setting.describes} | ${describeDefault(setting) || 'none'} |`,
  )
  const documented = GUIDE.split('\n').filter(line => line.startsWith('| `'))
  assert.deepEqual(documented, rows)
})

test('without any setting Bursar starts as a sandbox with the defaults that are documented', () => {
  const { mode, role, host, port, workerPort, publicUrl, poolSize, logFormat, drainMs, webhooks } =
    readConfig({})
  assert.deepEqual(
    { mode, role, host, port, workerPort, publicUrl, poolSize, logFormat, drainMs },
    {
      mode: 'sandbox',
      role: 'all',
      host: '127.0.0.1',
      port: 8080,
      workerPort: 8081,
      publicUrl: 'http://127.0.0.1:8080',
      poolSize: 16,
      logFormat: 'plain',
      drainMs: 0,
    },
  )
  assert.equal(webhooks.slotsPerEndpoint, 50)
  assert.equal(readConfig({ HOST: '::1', PORT: '1' }).publicUrl, 'http://[::1]:1')
})

test('a wrong value is refused with its name, what it must be and what it is; all are listed at once', () => {
  assert.deepEqual(
    problemsOf({
      BURSAR_MODE: 'production',
      BURSAR_ROLE: 'web',
      PORT: '80.5',
      WORKER_PORT: '70000',
      DB_POOL_SIZE: '1',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      TLS_CERT_FILE: '/nowhere.pem',
      OUTBOUND_ALLOW: '10.0.0.0/8,intranet',
      DNS_SERVERS: 'not an address',
      WEBHOOK_RETRY_SECONDS: '5,-1',
      WEBHOOK_CONCURRENCY: 'many',
    }),
    [
      'BURSAR_MODE must be one of sandbox, live; it is "production".',
      'BURSAR_ROLE must be one of all, api, worker; it is "web".',
      'PORT must be a whole number from 0 to 65535; it is "80.5".',
      'WORKER_PORT must be a whole number from 0 to 65535; it is "70000".',
      'DB_POOL_SIZE must be a whole number from 2 to 500; it is "1".',
      'TLS_CERT_FILE must name a file that exists; it is "/nowhere.pem".',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, silent; it is "loud".',
      'LOG_FORMAT must be one of plain, json; it is "xml".',
      'OUTBOUND_ALLOW must be CIDRs such as 10.0.0.0/8, comma-separated; it is "10.0.0.0/8,intranet".',
      'DNS_SERVERS must be addresses of name servers, comma-separated; it is "not an address".',
      'WEBHOOK_RETRY_SECONDS must be at most 50 positive numbers, comma-separated, none above 2592000; it is "5,-1".',
      'WEBHOOK_CONCURRENCY must be a whole number from 1 to 1000; it is "many".',
      'TLS_CERT_FILE and TLS_KEY_FILE go together; set all or none.',
    ],
  )
})

test('a wrong secret is not repeated', () => {
  for (const [name, setting] of Object.entries(ALL_SETTINGS)) {
    if (setting.isSecret !== true && !name.endsWith('_URL')) continue
    for (const problem of problemsOf({ [name]: 'hush:hush' })) assert.doesNotMatch(problem, /hush/)
  }
  assert.match(problemsOf({ MASTER_KEY: 'hush' })[0] ?? '', /MASTER_KEY must be 32 bytes .* makes one\.$/)
})

test('a variable that looks like a misspelt setting is named with what was probably meant', () => {
  assert.deepEqual(
    findMisspelt({
      DATABSE_URL: 'x',
      BURSAR_PORT: '9000',
      webhook_concurrency: '3',
      BURSAR_COLOUR: 'red',
      WEBHOOK_CONCURRENCY: '3',
      PATH: '/bin',
      POST: 'x',
      HOSTNAME: 'x',
      SMTP_HOST: 'x',
    }),
    [
      'DATABSE_URL is not a setting and was ignored; did you mean DATABASE_URL?',
      'BURSAR_PORT is not a setting and was ignored; did you mean PORT?',
      'webhook_concurrency is not a setting and was ignored; did you mean WEBHOOK_CONCURRENCY?',
      'BURSAR_COLOUR is not a setting and was ignored; `bursar config` lists them.',
    ],
  )
})

function keyed(mode: string, keyId: string): readonly string[] {
  const secrets = { RAZORPAY_KEY_SECRET: 'hush', RAZORPAY_WEBHOOK_SECRET: 'hush' }
  return problemsOf({ BURSAR_MODE: mode, RAZORPAY_KEY_ID: keyId, ...secrets }).filter(problem =>
    problem.startsWith('RAZORPAY'),
  )
}

test('a sandbox refuses a live key of a payment provider and live mode a test key, naming the setting', () => {
  assert.deepEqual(keyed('sandbox', 'rzp_test_Key0000000001'), [])
  assert.deepEqual(keyed('live', 'rzp_live_Key0000000001'), [])
  assert.deepEqual(keyed('sandbox', 'rzp_live_Key0000000001'), [
    'RAZORPAY_KEY_ID is a live key of Razorpay, and a sandbox must not move real money: use a test key, or set BURSAR_MODE=live.',
  ])
  assert.deepEqual(keyed('live', 'rzp_test_Key0000000001'), [
    'RAZORPAY_KEY_ID is a test key of Razorpay, with which no money arrives: live mode needs a live key.',
  ])
  for (const mode of ['sandbox', 'live'])
    assert.deepEqual(keyed(mode, 'RZP_LIVE_Key0000000001'), [
      'RAZORPAY_KEY_ID is neither a test key nor a live key of Razorpay.',
    ])
})

test('a provider does not take a key that it cannot tell for a test or a live one', () => {
  for (const provider of Object.values(PROVIDERS)) {
    const { settings } = provider
    const values = Object.fromEntries(settings.map(({ field }) => [field, 'neither']))
    const { field, key } = provider.describe(values)
    assert.equal(key, null)
    assert.ok(settings.some(one => one.field === field))
  }
})

function warn(env: Record<string, string>): string | null {
  return exposureWarning(readConfig(env))
}

test('a sandbox that listens beyond this machine says so loudly; one that does not, and live mode, do not', () => {
  for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'school.example'])
    assert.match(
      warn({ HOST }) ?? '',
      /beyond this machine: everybody who can reach it can use its published/,
    )
  for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) assert.equal(warn({ HOST }), null)
  assert.equal(warn({ HOST: '0.0.0.0', BURSAR_ROLE: 'worker' }), null)
  assert.equal(exposureWarning({ ...readConfig({ HOST: '0.0.0.0' }), mode: 'live' }), null)
})

test('a webhook secret of a provider that can be found by trying is warned of', () => {
  const keys = { RAZORPAY_KEY_ID: 'rzp_test_x', RAZORPAY_KEY_SECRET: 'x' }
  const [warning] = warnAboutSecrets(readConfig({ ...keys, RAZORPAY_WEBHOOK_SECRET: 'w' }))
  assert.match(warning ?? '', /^RAZORPAY_WEBHOOK_SECRET has less than 16 characters/)
  assert.deepEqual(warnAboutSecrets(readConfig({ ...keys, RAZORPAY_WEBHOOK_SECRET: 'sixteen-letters!' })), [])
})
