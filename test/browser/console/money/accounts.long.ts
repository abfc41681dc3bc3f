import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEYS } from '../../../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../../../emulators/razorpay/emulator.ts'
import { startBursar } from '../../../harness/bursar.ts'
import { DESKTOP, openBrowser, PHONE } from '../../../harness/browser.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { confirm } from '../support.ts'

test('an owner sets up a provider account, checks it, replaces its keys and pauses it', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const razorpay = await startRazorpay()
  t.after(() => razorpay.close())
  const bursar = await startBursar(t, { RAZORPAY_API_URL: razorpay.url })
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  await page.goto(`${bursar.url}/console/sign-in`)
  await page.getByRole('button', { name: 'Bursar of Demo School', exact: true }).click()
  await page.waitForURL(url => !url.pathname.includes('sign-in'))
  await page.goto(`${bursar.url}/console/i/demo-school/settings/accounts`)
  await page.getByText('No account of your own yet').waitFor()
  await expectSoundAndKeep(page, 'console-accounts-empty')
  await page.getByRole('button', { name: 'Add an account' }).click()
  await page.getByLabel('Name').fill('Main account')
  await page.getByLabel('Key id').fill(KEYS.keyId)
  await page.getByLabel('Key secret').fill('a wrong one')
  await page.getByLabel('Webhook secret').fill(KEYS.webhookSecret)
  await page.getByRole('button', { name: 'Add the account' }).click()
  await page.getByText('Must not contain spaces').waitFor()
  await page.getByLabel('Key secret').fill('wrong-secret')
  await page.getByRole('button', { name: 'Add the account' }).click()
  const refusal = page.getByRole('alert').getByText(/does not accept/)
  await refusal.waitFor()
  await expectSoundAndKeep(page, 'console-accounts-new')
  await page.getByLabel('Key secret').fill(KEYS.keySecret)
  await page.getByRole('button', { name: 'Add the account' }).click()
  await page.getByText(/No callback has come yet/).waitFor()
  assert.match(await page.locator('code.secret').innerText(), /\/callbacks\/razorpay\/pa_/)

  await page.getByRole('button', { name: 'Check connection' }).click()
  await page.getByText('The provider accepts the credentials.').waitFor()
  await page.getByRole('button', { name: 'Replace keys' }).click()
  await page.getByLabel('Webhook secret').fill('the-next-long-webhook-secret')
  await confirm(page, 'Replace them')
  await page.getByText(/uses the key …0001 now/).waitFor()
  await expectSoundAndKeep(page, 'console-accounts-detail')

  await page.getByRole('button', { name: 'Pause' }).click()
  await confirm(page, 'Pause it')
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Nowhere: nothing is set up, or it is paused').first().waitFor()
  await page.setViewportSize(PHONE)
  await expectSoundAndKeep(page, 'console-accounts-phone')
  await context.close()
})
