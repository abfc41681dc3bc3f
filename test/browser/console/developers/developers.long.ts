import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { seedDemoUser } from '../../../../src/console/auth/users.service.ts'
import { getInstitute } from '../../../../src/institutes/institutes.service.ts'
import { DESKTOP, openBrowser, PHONE, type Stage } from '../../../harness/browser.ts'
import { sampleRecord, startFakeErp } from '../../../harness/fakes/erp.ts'
import { startReceiver } from '../../../harness/receiver.ts'
import { PAY, sampleOrder } from '../../../harness/samples.ts'
import { queue } from '../../../messages/support.ts'
import { startDelivering } from '../../../webhooks/support.ts'
import { expectSound, expectSoundAndKeep } from '../../support.ts'

/** The console for developers and for the operator, in a browser. */
const REFUSALS = /status of 40[0134]/

async function enter(
  context: BrowserContext,
  { bursar }: Stage,
  name: string,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !REFUSALS.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  await page.goto(`${bursar.url}/console/sign-in`)
  await page.getByRole('button', { name, exact: true }).click()
  await page.waitForURL(url => !url.pathname.includes('sign-in'))
  return { page, complaints }
}

test('developers and the operator at the console', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const bursar = await startDelivering(t)
  const stage: Stage = { browser, bursar }
  const { ctx } = bursar.app
  await ctx.db.transaction(async tx =>
    seedDemoUser(tx, {
      email: 'viewer@demo-school.example',
      name: 'Viewer',
      isOperator: false,
      member: { institute: await getInstitute(ctx, 'demo-school'), role: 'viewer' },
    }),
  )
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder())
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  await bursar.demo.get(`${PAY}/orders/none`)
  for (const flow of [keysAndWebhooks, erpAndSandbox, onlyLooks, operates]) {
    const context = await browser.newContext({ viewport: DESKTOP })
    context.setDefaultTimeout(10_000)
    await flow(t, stage, context)
    await context.close()
  }
})

async function keysAndWebhooks(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test('a key shows its secret once; a webhook is added, tested, watched and disabled', async s => {
    const receiver = await startReceiver(s)
    const { page, complaints } = await enter(context, stage, 'Bursar of Demo School')
    const base = `${stage.bursar.url}/console/i/demo-school/developers`
    await page.goto(base)
    await page.waitForURL(/developers\/keys$/)
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('What it is for').fill('Fee module')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const secret = (await page.locator('code.secret').nth(1).innerText()).trim()
    await expectSound(page, 'secret')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('row', { name: /Fee module/ }).click()
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    assert.ok(!(await page.content()).includes(secret), 'the secret is gone')
    await page.getByRole('button', { name: 'Revoke' }).click()
    const dialogue = page.getByRole('dialog', { name: 'Revoke Fee module?' })
    await dialogue.getByLabel('Reason').fill('Only a try')
    // A dialogue that still fades in has no colours to judge yet.
    await page.waitForFunction(() => document.getAnimations().length === 0)
    await expectSound(page, 'revoke')
    await dialogue.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('Fee module is revoked').waitFor()
    await expectSoundAndKeep(page, 'console-developers-keys')

    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('Mail failures to').fill('it@school.example')
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    const row = page.locator('tbody tr').first()
    await row.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Answered 200').waitFor()
    await expectSoundAndKeep(page, 'console-developers-webhook')
    await page.getByRole('link', { name: 'Its deliveries' }).click()
    await page.waitForURL(/deliveries\?webhook_id=/)
    await page.locator('tbody tr').first().click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('2. Answered 200').waitFor()
    await expectSoundAndKeep(page, 'console-developers-delivery')
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'Events' }).click()
    await page
      .getByRole('row', { name: /Any payment was made/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'Data of the event' }).waitFor()
    await expectSoundAndKeep(page, 'console-developers-event')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('row', { name: /HUE00001/ }).click()
    await page.waitForURL(/request=req_/)
    await page.getByRole('dialog').getByText('HUE00001').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expectSoundAndKeep(page, 'console-developers-requests')
    assert.deepEqual(complaints, [])
  })
}

async function erpAndSandbox(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test('the ERP is connected and tested field by field; the clock tells what it did', async s => {
    const erp = await startFakeErp(s, { username: 'bursar', password: 'quiet' })
    erp.put(sampleRecord())
    const { page, complaints } = await enter(context, stage, 'Bursar of Demo School')
    const base = `${stage.bursar.url}/console/i/demo-school/developers`
    await page.goto(`${base}?view=erp`)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByLabel('Fetch-student URL').fill(erp.url)
    await page.getByLabel('User name').fill('bursar')
    await page.getByRole('textbox', { name: 'Password' }).fill('quiet')
    await page.getByLabel('Reason').fill('First connection')
    await expectSoundAndKeep(page, 'console-developers-erp-form')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('textbox', { name: 'Identifier', exact: true }).fill('ADM-1042')
    await page.getByRole('button', { name: 'Ask the ERP' }).click()
    await page.getByText('Kabir Rao').first().waitFor()
    erp.put(sampleRecord({ primary_contact_number: 'x', grade: undefined }))
    await page.getByRole('button', { name: 'Ask the ERP' }).click()
    await page.getByText('What to mend').waitFor()
    assert.ok(!(await page.content()).includes('quiet'))
    await expectSoundAndKeep(page, 'console-developers-erp')

    await page.getByRole('link', { name: 'Sandbox' }).click()
    await page.getByRole('button', { name: 'A week' }).click()
    await page.getByText('Payments settled to bank').waitFor()
    await expectSoundAndKeep(page, 'console-developers-sandbox')
    assert.deepEqual(complaints, [])
  })
}

async function onlyLooks(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test('a viewer looks and changes nothing, and every page fits a phone', async () => {
    const { page, complaints } = await enter(context, stage, 'Viewer')
    await page.setViewportSize(PHONE)
    const base = `${stage.bursar.url}/console/i/demo-school/developers`
    for (const name of ['webhooks', 'deliveries', 'requests', 'erp', 'sandbox']) {
      await page.goto(`${base}/${name}`)
      await page.locator('tbody tr').first().waitFor()
      await expectSoundAndKeep(page, `console-developers-${name}-phone`)
    }
    await page.goto(`${base}/keys`)
    await page.locator('tbody tr').first().click()
    await page.getByRole('dialog').getByText('Made').waitFor()
    for (const name of ['Create a key', 'Rotate', 'Revoke'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    await page.goto(`${stage.bursar.url}/console/operator/institutes`)
    await page.getByText('For operators only').waitFor()
    assert.deepEqual(complaints, [])
  })
}

async function operates(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test('the operator creates an institute, adds a holiday, and sees jobs and health', async () => {
    const { bursar } = stage
    await queue(bursar, {})
    await bursar.sql(
      `update messages set state = 'failed', next_try_at = null, failure = 'no such mailbox', sent_at = null
       where about = 'wh_1'`,
    )
    const { page, complaints } = await enter(context, stage, 'Operator')
    await page.goto(`${bursar.url}/console/operator`)
    await page.getByRole('button', { name: 'Create an institute' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Green Park School')
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill('Green Park')
    await page.getByRole('button', { name: 'Create it' }).click()
    await page.getByText('Can have 1 to 63 lower-case letters').waitFor()
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill('green-park')
    await page.getByRole('button', { name: 'Create it' }).click()
    await page.waitForURL(/\/i\/green-park\/settings\/team/)

    await page.goto(`${bursar.url}/console/operator/institutes`)
    await page.getByRole('row', { name: /Demo Group/ }).click()
    await page.getByRole('button', { name: 'Make South branch the default' }).click()
    await page.getByLabel('Reason').fill('The larger one')
    await page.getByRole('button', { name: 'Make it the default', exact: true }).click()
    await page.getByText('South branch is the default branch now').waitFor()
    await expectSoundAndKeep(page, 'console-operator-institutes')

    await page.getByRole('link', { name: 'Holidays' }).click()
    await page.getByRole('button', { name: 'Add a holiday' }).click()
    const year = new Date().getFullYear() + 1
    await page.getByRole('textbox', { name: 'Day', exact: true }).fill(`26/01/${year}`)
    await page.getByRole('textbox', { name: 'Holiday', exact: true }).fill('Republic Day')
    await page.getByLabel('Reason').fill('Told by the RBI')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByRole('row', { name: /Republic Day/ }).waitFor()
    await expectSoundAndKeep(page, 'console-operator-holidays')

    await page.goto(`${bursar.url}/console/operator/jobs?kind=message`)
    await page.getByText('no such mailbox').waitFor()
    await expectSoundAndKeep(page, 'console-operator-jobs')
    await page.getByRole('row', { name: /no such mailbox/ }).click()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Sent again').waitFor()
    await page.goto(`${bursar.url}/console/operator/providers`)
    await page.getByText("the sandbox's mailbox only").first().waitFor()
    await expectSoundAndKeep(page, 'console-operator-providers')
    await page.goto(`${bursar.url}/console/operator/health`)
    await page.getByText('Requests answered').waitFor()
    await expectSoundAndKeep(page, 'console-operator-health')
    await page.setViewportSize(PHONE)
    await expectSoundAndKeep(page, 'console-operator-health-phone')
    await page.goto(`${bursar.url}/console/operator/audit`)
    await page.getByRole('row', { name: /Holiday added/ }).waitFor()
    await expectSound(page, 'audit')
    assert.deepEqual(complaints, [])
  })
}
