import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setErpSettings } from '../../src/erp/settings/settings.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { addressPolicy } from '../../src/platform/http-client/addresses.ts'
import { BursarError } from '../../src/platform/errors.ts'
import { addSubscription } from '../../src/webhooks/subscriptions/subscriptions.service.ts'
import { startBursar } from '../harness/bursar.ts'

const bursar = await startBursar({ after })
const live = (allowed: string[] = []) => ({
  ...bursar.app.ctx,
  mode: 'live' as const,
  addressPolicy: addressPolicy({ mode: 'live', allowed }),
})
const institute = await getInstitute(bursar.app.ctx, 'demo-school')
const command = { instituteId: institute.id }

async function add(url: string, ctx = live()) {
  const failureEmails = 'it@school.example.in'
  return addSubscription(ctx, command, institute, { eventCode: 'pay.payment.debited', url, failureEmails })
}

async function expectRefused(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => assert.fail('an address inside was taken'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof BursarError)
  assert.equal(error.code, 'HUE00000')
  assert.match(JSON.stringify(error.problems), /"url".*use a public address/)
}

const INSIDE = [
  '10.1.2.3',
  '127.0.0.1:8443',
  '[::1]',
  'localhost',
  'x.localhost',
  '192.168.1.9',
  '2130706433',
]

test('live mode refuses a webhook to an address inside when it is added, and says what to change', async () => {
  for (const host of [...INSIDE, '169.254.169.254']) await expectRefused(add(`https://${host}/hooks`))
  assert.deepEqual(await bursar.sql('select url from webhook_subscriptions'), [])
})

test('live mode refuses to fetch students from an address inside when it is set', async () => {
  for (const host of INSIDE)
    await expectRefused(setErpSettings(live(), command, institute, { url: `https://${host}/students` }))
})

test('names, public addresses and those that the operator allows are taken', async () => {
  for (const host of ['erp.school.example.in', '8.8.8.8'])
    assert.equal((await add(`https://${host}/hooks`)).subscription.eventCode, 'pay.payment.debited')
  assert.ok(await add('https://10.1.2.3/hooks', live(['10.1.0.0/16'])))
})
