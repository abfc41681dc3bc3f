import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountRegistry } from '../../../src/providers/accounts/registry.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { addAccount } from '../../../src/providers/accounts/accounts.service.ts'
import { createBursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { createLog } from '../../../src/platform/log.ts'
import { judgeAccounts } from '../../../src/app/doctor/doctor.rules.ts'
import { lookAtAccounts } from '../../../src/app/doctor/doctor.service.ts'
import { takeCallback } from '../../../src/payments/callbacks.service.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { assertAnswer, createPerson } from '../../console/support.ts'
import {
  add,
  app,
  bursar,
  GROUP,
  groupOwner,
  keysOf,
  SCHOOL,
  schoolOwner,
  settingsOf,
  start,
  revokeKey,
  startMerchant,
  wanted,
} from './support.ts'

const { demo, group } = bursar
await startMerchant('North')
await startMerchant('South')
const ofGroup = await add(groupOwner, GROUP, wanted('North'))
const ofSouth = await add(groupOwner, GROUP, wanted('South', { collector_code: 'SOUTH' }))
const reason = { reason: 'for the test' }

test('one key is one account: two would each report the other’s pay-outs; a live key is refused in a sandbox', async () => {
  assertAnswer(await groupOwner.post(GROUP, wanted('North', { collector_code: 'NORTH' })), '409 HUE00002')
  assertAnswer(await schoolOwner.post(SCHOOL, wanted('South')), '409 HUE00002')
  await startMerchant('Second')
  const second = wanted('Second', { collector_code: 'SOUTH' })
  assertAnswer(await groupOwner.post(GROUP, second), '409 HUE00002')
  const keys = { ...keysOf('Second'), keyId: 'rzp_live_Merchant00001' }
  const { status, text } = await groupOwner.post(GROUP, { ...second, settings: settingsOf(keys) })
  assert.equal(status, 400)
  assert.match(text, /a sandbox takes test keys only/)
})

test('credentials that the provider does not accept are not put into use', async () => {
  const settings = [{ field: 'key_id', value: 'rzp_test_Nobody00001' }]
  const rotated = await groupOwner.post(`${GROUP}/${ofSouth}/rotate`, { settings, ...reason })
  assertAnswer(rotated, '409 HUE00002')
  assert.match(rotated.body.message, /does not accept.* Nothing was changed\.$/)
  assert.equal((await start(group, 'demo-group', 'SOUTH')).account_id, ofSouth, 'payers go on')
  const added = await schoolOwner.post(SCHOOL, wanted('Nobody'))
  assertAnswer(added, '409 HUE00002')
  for (const provider of ['toString', '__proto__', 'paypal'])
    assertAnswer(await schoolOwner.post(SCHOOL, wanted('Nobody', { provider })), '400 HUE00000')
})

test('the key of the installation is refused to an institute, and the doctor finds one that has it', async () => {
  const keys = keysOf('Third')
  await startMerchant('Third')
  const values = { key_id: keys.keyId, key_secret: keys.keySecret, webhook_secret: keys.webhookSecret }
  const installation = { apiUrls: app.config.providerUrls, values: new Map([['razorpay', values]]) }
  const ctx = { ...app.ctx, accounts: new AccountRegistry(app.ctx, new Map(), installation) }
  const institute = await getInstitute(app.ctx, 'demo-school')
  const third = { ...wanted('Third'), collectorCode: null } as never
  const adding = addAccount(ctx, { instituteId: institute.id }, { institute, by: 'test' }, third)
  await assert.rejects(adding, /This key is that of the installation/)
  const north = keysOf('North')
  const later = { key_id: north.keyId, key_secret: north.keySecret, webhook_secret: north.webhookSecret }
  const found = await lookAtAccounts({ ...app.config, providers: new Map([['razorpay', later]]) }, app.ctx)
  assert.match(found.text, /"Account North" of demo-group: has the key of the installation too/)
})

test('checking the connection says in words what the provider does not accept', async () => {
  const good = await groupOwner.post(`${GROUP}/${ofGroup}/check`)
  assertAnswer(good, '200')
  assert.equal(good.body.data.problem, undefined)
  assert.ok(good.body.data.account.checked_at)
  revokeKey('South')
  const bad = await groupOwner.post(`${GROUP}/${ofSouth}/check`)
  assert.match(bad.body.data.problem, /does not accept/)
  const account = (await groupOwner.get(GROUP)).body.data.find((one: { id: string }) => one.id === ofSouth)
  assert.equal(account.check_problem, bad.body.data.problem)
})

test('the operator sees every institute’s accounts, and what providers reported of no institute; the doctor says what to do', async () => {
  const finding = await lookAtAccounts(app.config, app.ctx)
  assert.equal(finding.verdict, 'problem')
  assert.match(finding.text, /"Account South" of demo-group: .*does not accept/)
  const bank = app.ctx.accounts.accountOfInstallation('sandbox')
  assert.ok(bank)
  const outcome = { kind: 'captured', mode: 'upi', transactionId: 'T1', capturedAt: new Date() } as const
  const report = {
    about: 'payment',
    instituteId: 9_999,
    paymentId: 'pay_none',
    providerRef: 'bank_none',
  } as const
  const readCallback = async () => [{ ...report, outcome: { ...outcome, amountPaise: paiseOf(12_350) } }]
  await takeCallback(app.ctx, { ...bank, readCallback }, { headers: {}, rawBody: Buffer.alloc(0) })
  const operator = await createPerson(bursar, { email: 'operator@example.in', operator: true })
  const { data } = (await operator.get('/console/api/operator/providers')).body
  assert.deepEqual(
    data.unmatched.map((one: Record<string, unknown>) => [
      one['provider_ref'],
      one['problem'],
      one['reported'],
    ]),
    [['bank_none', 'captured, and unknown here', 123.5]],
  )
  const resolve = `/console/api/operator/providers/unmatched/${data.unmatched[0].id}/resolve`
  assertAnswer(await operator.post(resolve, { reason: 'of another business' }), '200')
  assert.deepEqual((await operator.get('/console/api/operator/providers')).body.data.unmatched, [])
  const states = data.accounts.map((one: Record<string, string>) => [
    one['institute'],
    one['title'],
    one['state'],
  ])
  assert.deepEqual(states.toSorted(), [
    ['demo-group', 'Account North', 'test'],
    ['demo-group', 'Account South', 'test'],
  ])
})

test('the doctor warns of accounts through which nobody can pay, and of those that no callback reached', () => {
  const account = {
    institute: 'green-park',
    title: 'Main',
    isPaused: false,
    isTestKey: false,
    flaw: null,
    isSilent: false,
  }
  const judge = (changes: Partial<typeof account>, more = {}) =>
    judgeAccounts({
      stranded: [],
      accounts: [{ ...account, ...changes }],
      unpayable: [],
      unmatched: 0,
      hasInstallation: false,
      isLive: true,
      ...more,
    })
  assert.deepEqual(judge({}), { verdict: 'ok', text: '1 set up, all accepted' })
  assert.match(judge({ isTestKey: true }).text, /"Main" of green-park has a test key/)
  assert.match(judge({ isSilent: true }).text, /no callback ever came for "Main" of green-park/)
  assert.equal(judge({ isTestKey: true }, { isLive: false }).verdict, 'ok')
  assert.equal(judge({}, { unpayable: ['east'] }).verdict, 'problem')
  assert.equal(judge({}, { accounts: [] }).verdict, 'problem')
  assert.equal(judge({}, { unmatched: 2 }).verdict, 'warning')
})

test('live mode does not start without the keys of an account that has something to finish; a paused one finishes it', async () => {
  const { order_id: orderId } = await start(demo, 'demo-school')
  await bursar.sql(`update payments set provider = 'razorpay', account_id = 'razorpay' where order_id = $1`, [
    orderId,
  ])
  const found = await lookAtAccounts(app.config, app.ctx)
  assert.equal(found.verdict, 'problem')
  assert.match(found.text, /1 payments of the account razorpay cannot be finished/)
  await bursar.sql(`delete from instance_settings where key = 'mode'`)
  const env = {
    BURSAR_MODE: 'live',
    PUBLIC_URL: 'https://fees.example.in',
    TRUST_PROXY: '127.0.0.1',
    PORT: '0',
  }
  const database = { DATABASE_URL: app.config.databaseUrl ?? '', MASTER_KEY: TEST_MASTER_KEY }
  await assert.rejects(
    createBursar(readConfig({ ...env, ...database }), createLog({ level: 'silent', format: 'json' })),
    /Put them back with PROVIDERS_PAUSED=razorpay/,
  )
  const bank = app.ctx.accounts.installation.get('sandbox')
  assert.ok(bank)
  const both = new Map([
    ['razorpay', { ...bank, name: 'razorpay' }],
    ['sandbox', bank],
  ])
  const paused = new AccountRegistry(app.ctx, both, { paused: ['razorpay'] })
  assert.equal(paused.preferred('payments')?.id, 'sandbox')
  assert.equal(paused.preferred('mandates')?.id, 'sandbox')
  assert.equal((await paused.accountOf({ instituteId: 1, accountId: 'razorpay' })).id, 'razorpay')
})
