import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { setMoney } from '../../../console/money/support.ts'
import { createPerson } from '../../../console/support.ts'
import { DESKTOP, expectCount, isTooWide, PHONE, setStage, type Stage } from '../../../harness/browser.ts'
import { expectSound, expectSoundAndKeep } from '../../support.ts'

const VIEWS = [
  'collection',
  'payments',
  'settlements',
  'expected',
  'disputes',
  'reconciliation',
  'dues',
  'receipts',
  'ledger',
]

async function enter(context: BrowserContext, { bursar }: Stage): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${bursar.url}/console`)
  await page.getByRole('button', { name: 'Bursar of Demo School' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  return page
}

async function show(page: Page, { bursar }: Stage, view: string): Promise<void> {
  await page.goto(`${bursar.url}/console/i/demo-school/money?view=${view}`)
  await page.getByRole('heading', { name: 'Money', level: 1 }).waitFor()
  await page.locator('.data-table, .state').first().waitFor()
  await page.waitForFunction(() => document.querySelector('.mantine-Loader-root') === null)
}

test('the money pages in a browser', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { browser, bursar } = stage
  await setMoney(bursar)
  await bursar.sql(
    `insert into settlement_exceptions (institute_id, provider, account_id, utr, provider_ref, problem, reported_paise, known_paise, noticed_at)
     values (1, 'sandbox', 'sandbox', 'SBX4410', 'bank_01x', 'amount differs', 4490000, 4500000, now())`,
  )
  const session = await browser.newContext({
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  session.setDefaultTimeout(10_000)
  const page = await enter(session, stage)

  await t.test('every view shows what there is, and is sound', async () => {
    for (const view of VIEWS) {
      await show(page, stage, view)
      await expectSoundAndKeep(page, `console-money-${view}`)
    }
    await show(page, stage, 'reconciliation')
    await page.getByRole('button', { name: 'Run the checks' }).click()
    await page.getByText('Every account of the ledger holds').waitFor()
    await expectCount(page.getByText('1 difference'), 1)
    await expectSoundAndKeep(page, 'console-money-checks')
  })

  await t.test('a settlement opens from its row by the keyboard and tells what is in it', async () => {
    await show(page, stage, 'settlements')
    await page.locator('tbody tr').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Settlement SBX/ }).waitFor()
    await page.getByText('Kabir & Rao <1>').first().waitFor()
    await expectSoundAndKeep(page, 'console-money-settlement')
  })

  await t.test('an export saves the list with its filters', async () => {
    await show(page, stage, 'payments&source=direct')
    await page.getByRole('button', { name: 'Export' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ])
    assert.match(saved.suggestedFilename(), /^payments-\d{4}-\d{2}-\d{2}\.csv$/)
    const text = await readFile(await saved.path(), 'utf8')
    assert.equal(text.trimEnd().split('\r\n').length, 2)
    await page.getByText(/^Saved as payments-/).waitFor()
  })

  await t.test('the ledgers of Tally are named as in the institute’s books', async () => {
    await show(page, stage, 'payments')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: /Tally ledgers/ }).click()
    await page.getByLabel('Bank account that settlements reach').fill('HDFC A/c 4410')
    await page.getByLabel('Reason').fill('As in our books')
    await expectSound(page, 'ledgers of Tally')
    await page.getByRole('button', { name: 'Use these names' }).click()
    await page.getByText('Tally exports use these names from now on.').waitFor()
    const [kept] = await bursar.sql<{ ledger: string }>(
      `select ledger from tally_ledgers where subject = 'bank'`,
    )
    assert.equal(kept?.ledger, 'HDFC A/c 4410')
  })

  await t.test('a receipt is cancelled once a reason is given', async () => {
    await show(page, stage, 'receipts&number=3')
    await page.locator('tbody tr').first().click()
    await page.getByRole('button', { name: 'Cancel this receipt' }).click()
    await page.getByRole('button', { name: 'Cancel the receipt' }).click()
    await page.getByText('Enter a reason').waitFor()
    await page.getByLabel('Reason').fill('Issued to the wrong payer')
    await expectSoundAndKeep(page, 'console-money-cancel')
    await page.getByRole('button', { name: 'Cancel the receipt' }).click()
    await page.locator('tbody').getByText('Cancelled').waitFor()
  })

  await t.test('a viewer is offered no action', async () => {
    const viewer = await createPerson(bursar, {
      email: 'viewer@school.example',
      institute: 'demo-school',
      role: 'viewer',
    })
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    const [name = '', value = ''] = (viewer.cookie ?? '').split('=')
    await context.addCookies([{ name, value, url: bursar.url }])
    const reading = await context.newPage()
    await show(reading, stage, 'receipts&number=1')
    await reading.locator('tbody tr').first().click()
    await reading.getByText('Print:').waitFor()
    assert.equal(await reading.getByRole('button', { name: 'Cancel this receipt' }).count(), 0)
    await context.close()
  })

  await t.test('every view fits a phone', async () => {
    const phone = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })
    const small = await enter(phone, stage)
    for (const view of VIEWS) {
      await show(small, stage, view)
      assert.equal(await isTooWide(small), false, view)
    }
    await show(small, stage, 'dues')
    await expectSoundAndKeep(small, 'console-money-dues-phone')
    await phone.close()
  })
})
