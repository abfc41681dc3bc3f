import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openFlexSchool, type FlexSchool } from '../../console/flex/support.ts'
import { setMoney } from '../../console/money/support.ts'
import { linksFile } from '../../console/orders/support.ts'
import { advance } from '../../imports/support.ts'
import { createPerson, demoVisitor } from '../../console/support.ts'
import { createPage } from '../../payment-pages/support.ts'
import { openBrowser, type Stage } from '../../harness/browser.ts'
import { subscribe } from '../../webhooks/support.ts'
import { expectSound } from '../support.ts'
import { confirm, I, memberOf, openConsole, type OpenConsole } from './support.ts'

/** Acts that the tours of each area pass by, done to their end by somebody who may. */
test('actions of the console, to their end', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const school = await openFlexSchool(t)
  const { bursar } = school
  const stage: Stage = { browser, bursar }
  await setMoney(bursar)
  const owner = await openConsole(stage, await demoVisitor(bursar.url))
  const developer = await openConsole(stage, await memberOf(stage, 'developer'))
  const finance = await openConsole(stage, await memberOf(stage, 'finance'))
  const keeper = { email: 'operator@house.example', operator: true }
  const operator = await openConsole(stage, await createPerson(bursar, keeper))

  await t.test('a key is rotated: a second one works beside it until the first is revoked', () =>
    rotatesAKey(stage, owner),
  )
  await t.test('a webhook gets a header and a new secret, recovers, is disabled and added again', () =>
    changesAWebhook(stage, developer),
  )
  await t.test('an event is triggered and found among the deliveries', () => triggersAnEvent(developer))
  await t.test('the ERP is disconnected with a reason', () => disconnectsTheErp(stage, developer))
  await t.test('a plan is cancelled for good with a reason', () => cancelsAPlan(school, finance))
  await t.test('a file is called off before anything is made, and another is stopped on its way', () =>
    callsFilesOff(stage, finance),
  )
  await t.test('a payment page that was taken off is published again', () => publishesAgain(stage, finance))
  await t.test('payments leave as XLSX and as Tally XML, ledgers as masters', () => exportsAll(finance))
  await t.test('a role is changed, and an invitation withdrawn', () => changesTheTeam(stage, owner))
  await t.test('an institute is renamed and gets a branch; a holiday goes away again', () =>
    looksAfterTheHouse(stage, operator),
  )
  for (const { complaints, context } of [owner, developer, finance, operator]) {
    assert.deepEqual(complaints, [])
    await context.close()
  }
})

async function openRow(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('row', { name }).first().click()
  await page.getByRole('dialog').waitFor()
}

async function rotatesAKey({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  await go(`${I}/developers/keys`)
  await openRow(page, /Active/)
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.locator('code.secret').first().waitFor()
  const [id = '', secret = ''] = await page.locator('code.secret').allInnerTexts()
  await page
    .getByText(/works on until you revoke it/)
    .first()
    .waitFor()
  await expectSound(page, 'rotated')
  const authorization = `Basic ${Buffer.from(`${id.trim()}:${secret.trim()}`).toString('base64')}`
  const answer = await fetch(`${bursar.url}/api/v1/integrations/erp/events`, { headers: { authorization } })
  assert.equal(answer.status, 200, 'the new one works')
  assert.equal((await bursar.demo.get('/api/v1/integrations/erp/events')).status, 200, 'so does the old one')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('row', { name: new RegExp(id.trim()) }).waitFor()
}

async function changesAWebhook({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  await subscribe(bursar.demo, 'http://127.0.0.1:9/hook')
  await go(`${I}/developers/webhooks`)
  await openRow(page, /pay\.payment\.debited/)
  await page.getByRole('button', { name: 'Change secret or header' }).click()
  await page.getByLabel('New signing secret').fill('another-secret-of-the-school')
  await page.getByRole('textbox', { name: 'Header', exact: true }).fill('X-School')
  await page.getByLabel('Value of the header').fill('demo')
  await expectSound(page, 'change a webhook')
  await page.getByRole('button', { name: 'Change it' }).click()
  await page.getByText('Changed. The old secret keeps signing alongside the new one').waitFor()
  await openRow(page, /pay\.payment\.debited/)
  await page.getByRole('dialog').getByText('X-School').first().waitFor()
  await page.getByRole('button', { name: 'Recover' }).click()
  await page
    .getByRole('dialog', { name: 'Recover what failed' })
    .getByRole('button', { name: 'Recover' })
    .click()
  await page.getByText('Nothing had failed since then.').waitFor()
  await page.getByRole('button', { name: 'Disable' }).click()
  await confirm(page, 'Disable')
  await page.getByText('The webhook is disabled.').waitFor()
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('switch', { name: 'Show disabled ones too' }).click()
  await openRow(page, /pay\.payment\.debited/)
  await page.getByRole('button', { name: 'Add it again' }).click()
  await page.getByRole('button', { name: 'Add the webhook' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const rows = await bursar.sql<{ on: boolean }>(
    `select disabled_at is null as on from webhook_subscriptions order by created_at`,
  )
  assert.deepEqual(rows, [{ on: false }, { on: true }])
}

async function triggersAnEvent({ go, page }: OpenConsole): Promise<void> {
  await go(`${I}/developers/sandbox`)
  await page.getByRole('button', { name: 'Trigger' }).click()
  await page.getByText('Recorded, and on its way to your webhook.').waitFor()
  await page.getByRole('link', { name: 'Its deliveries' }).click()
  await page.waitForURL(/deliveries\?event_id=/)
  await page.getByRole('row', { name: /pay\.payment\.debited/ }).waitFor()
}

async function disconnectsTheErp({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  await go(`${I}/developers/erp`)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Students are no longer fetched before a debit').waitFor()
  await confirm(page, 'Disconnect')
  await page.getByText('The ERP is disconnected.').waitFor()
  await page.getByText('No ERP is connected: the stored data is used as it is.').waitFor()
  assert.equal((await bursar.sql('select from erp_settings')).length, 0)
}

async function cancelsAPlan(school: FlexSchool, { go, page }: OpenConsole): Promise<void> {
  await go(`${I}/flex/plans/${school.plans.Om}`)
  await page.getByRole('button', { name: 'Cancel the plan' }).click()
  await page.getByText(/will not be debited, and the mandate ends/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the plan' }).click()
  await page.getByText('Enter a reason').waitFor()
  await expectSound(page, 'cancel a plan')
  await confirm(page, 'Cancel the plan', 'The family left')
  await page.getByText('The plan is cancelled.').waitFor()
  await page.getByText('The family left').first().waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Hold|Cancel the plan)$/ }).count(), 0)
  assert.equal((await school.planOf('Om')).status, 'cancelled')
}

function fileIdOf(page: Page): string {
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

async function callsFilesOff({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  const send = async (name: string, count: number): Promise<void> => {
    await go(`${I}/orders/files`)
    const rows = Array.from(
      { length: count },
      (_, no) => `P ${no},98765${10_000 + no},p@example.in,TUITION_FEE,10`,
    )
    const file = { name, mimeType: 'text/csv', buffer: Buffer.from(linksFile(rows)) }
    await page.getByLabel('File of links').setInputFiles(file)
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('heading', { name }).waitFor()
  }
  await send('wrong.csv', 2)
  await page.getByRole('button', { name: 'Discard' }).click()
  await confirm(page, 'Discard the file', 'The wrong file')
  await page.getByText('It was discarded before any link was created.').waitFor()
  await send('long.csv', 600)
  await page.getByRole('button', { name: 'Create 600 links' }).click()
  await page.getByText('It begins in a few seconds.').waitFor()
  await advance(bursar, fileIdOf(page))
  await page.getByText('500 of 600 rows are done.').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await confirm(page, 'Stop', 'Sent too early')
  await page.getByText('It was stopped. 500 links were made and stay.').waitFor()
  const [made] = await bursar.sql<{ count: number }>(
    `select count(*) as count from orders where name like 'P %'`,
  )
  assert.equal(made?.count, 500)
}

async function publishesAgain({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  const { id, url } = await createPage(bursar.demo)
  await go(`${I}/orders/pages/${id}`)
  await page.getByRole('button', { name: 'Unpublish' }).click()
  await confirm(page, 'Unpublish the page', 'Over')
  await page.locator('article .status', { hasText: 'Not published' }).waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('The page takes payments.').waitFor()
  assert.equal((await fetch(url)).status, 200)
}

async function exportsAll({ go, page }: OpenConsole): Promise<void> {
  const save = async (item: RegExp): Promise<Buffer> => {
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: item }).click()
    return readFile(await (await saved).path())
  }
  await go(`${I}/money?view=payments`)
  await page.locator('tbody tr').first().waitFor()
  assert.equal((await save(/^Excel/)).subarray(0, 2).toString(), 'PK')
  assert.match((await save(/^Tally XML/)).toString('utf8'), /<VOUCHER [^>]*VCHTYPE="Receipt"/)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: /Tally ledgers/ }).click()
  const masters = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the ledgers for import' }).click()
  assert.match((await readFile(await (await masters).path())).toString('utf8'), /<LEDGER /)
}

async function changesTheTeam(stage: Stage, { go, page }: OpenConsole): Promise<void> {
  const member = {
    email: 'meera@school.example',
    name: 'Meera Iyer',
    institute: 'demo-school',
    role: 'viewer',
  } as const
  const meera = await openConsole(stage, await createPerson(stage.bursar, member))
  await go(`${I}/settings/team`)
  await page
    .getByRole('row', { name: /Meera Iyer/ })
    .getByRole('button', { name: 'Change role' })
    .click()
  await page.getByLabel('Role', { exact: true }).selectOption('finance')
  await confirm(page, 'Change the role', 'Takes over the office')
  await page.getByText('Meera Iyer is finance now.').waitFor()
  await meera.go(`${I}/orders`)
  await meera.page.getByRole('link', { name: 'New link' }).waitFor()
  await meera.context.close()

  await page.getByRole('button', { name: 'Invite a colleague' }).click()
  await page.getByLabel('E-mail address').fill('new@school.example')
  await page.getByRole('button', { name: 'Send the invitation' }).click()
  const invited = page.getByRole('row', { name: /new@school\.example/ })
  await invited.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('The invitation has been withdrawn.').waitFor()
  await invited.waitFor({ state: 'hidden' })
}

async function looksAfterTheHouse({ bursar }: Stage, { go, page }: OpenConsole): Promise<void> {
  await go('/operator/institutes')
  await openRow(page, /Demo School/)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Demo Public School')
  await confirm(page, 'Rename it', 'As on the letterhead')
  await page.getByText('It is now called Demo Public School.').waitFor()
  await openRow(page, /Demo Public School/)
  await page.getByRole('button', { name: 'Add a branch' }).click()
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill('WEST')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('West wing')
  await page.getByRole('button', { name: 'Add the branch' }).click()
  await page.getByText('West wing is there.').waitFor()

  const year = new Date().getFullYear() + 1
  await bursar.sql(`insert into holidays (day, name) values ($1, 'A mistake')`, [`${year}-03-05`])
  await go('/operator/holidays')
  await page.getByRole('row', { name: /A mistake/ }).click()
  await confirm(page, 'Remove it', 'Not on the list')
  await page.getByText(`5 Mar ${year} is a working day again.`).waitFor()
}
