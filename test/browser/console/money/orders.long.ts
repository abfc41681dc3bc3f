import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { DESKTOP, expectCount, keep, PHONE, setStage, type Stage } from '../../../harness/browser.ts'
import { PAY, sampleOrder } from '../../../harness/samples.ts'
import { createPage, pay, submit } from '../../../payment-pages/support.ts'
import { linksFile } from '../../../console/orders/support.ts'
import { advance, finish } from '../../../imports/support.ts'
import { createPerson } from '../../../console/support.ts'
import { expectSound } from '../../support.ts'
import { showTechnical } from '../support.ts'

/** The orders area as people use it; what a page may not do is complain. */
async function openPage(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 40[0139]/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  return { page, complaints }
}

async function enterAsDemo(page: Page, { bursar }: Stage): Promise<void> {
  await page.goto(`${bursar.url}/console`)
  await page.getByRole('button', { name: 'Bursar of Demo School' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

/** Sound, and kept as seen from the top. */
async function expectSoundAndKeep(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await page.evaluate(() => window.scrollTo(0, 0))
  await keep(page, name)
}

const at = ({ bursar }: Stage, path: string): string => `${bursar.url}/console/i/demo-school/orders${path}`

async function make(stage: Stage, kind: string, changes: Record<string, unknown>): Promise<string> {
  const { body, text } = await stage.bursar.demo.post(`${PAY}/${kind}`, sampleOrder(changes))
  assert.ok(body.data, text)
  return body.data.order_id
}

/** An order that failed once, was paid and settled, and something of every other kind. */
async function fill(stage: Stage): Promise<{ paid: string; page: string }> {
  const { demo } = stage.bursar
  const paid = await make(stage, 'orders', {
    name: 'Meera Iyer',
    student_name: 'Anand Iyer',
    identifier: 'ADM-2042',
    grade: '7',
    details: [
      { component_type: 'TUITION_FEE', amount: 45_000 },
      { component_type: 'TRANSPORT_FEE', amount: 6_500.5 },
    ],
    notes: [{ key: 'receipt_book', value: 'B-17' }],
  })
  await pay(demo, paid, 'failure')
  await pay(demo, paid)
  await demo.post('/api/v1/sandbox/clock', { advance: 'P3D' })
  const page = await createPage(demo, { title: 'Science fair 2026', max_payments: 120 })
  await pay(demo, await submit(page.url, { name: 'Zoya Khan' }))
  await submit(page.url, { name: 'Imran Das' })
  await make(stage, 'payment_links', { name: 'Leela Nair', student_name: 'Tara Nair' })
  return { paid, page: page.id }
}

test('orders and links in the console', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const filled = await fill(stage)
  const flows = {
    makesSendsAndCancels,
    tellsAStoryAndRefunds,
    publishesAPage,
    makesLinksOfAFile,
    shutsTheViewerOut,
  }
  for (const flow of Object.values(flows)) {
    const context = await stage.browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    context.setDefaultTimeout(10_000)
    await flow(t, stage, context, filled)
    await context.close()
  }
})

type Filled = Awaited<ReturnType<typeof fill>>

async function makesSendsAndCancels(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test(
    'a link is found, made, shown as QR code, sent in Hindi and cancelled with a reason',
    async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const { page, complaints } = await openPage(context)
      await enterAsDemo(page, stage)
      await page.getByRole('link', { name: 'Orders & links' }).click()
      await page.getByRole('row', { name: /Leela Nair/ }).waitFor()
      await expectSoundAndKeep(page, 'console-orders-list')
      await page.getByRole('searchbox', { name: /Search by id/ }).fill('2042')
      await page.waitForURL(/q=2042/)
      await page.getByRole('row', { name: /Zoya Khan/ }).waitFor({ state: 'detached' })
      await expectCount(page.locator('tbody tr'), 1)
      await page.goto(at(stage, '?kind=page&status=unpaid'))
      await page.getByRole('row', { name: /Imran Das/ }).focus()
      await expectCount(page.locator('tbody tr'), 1)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /Payment page, ₹250/ }).waitFor()

      await page.goto(at(stage, '/new'))
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Asha Rao')
      await page.getByLabel('Phone').fill('123')
      await page.getByLabel('E-mail').fill('asha@example.in')
      await page.getByRole('combobox', { name: 'Fee' }).selectOption('TUITION_FEE')
      await page.getByLabel('Amount').fill('12,345.50')
      await page.getByLabel('Name of somebody who is not registered').fill('Kabir Rao')
      await page.getByRole('button', { name: 'Create, ₹12,345.50' }).click()
      await page.getByText('Must be a phone number of 7 to 15 digits', { exact: true }).waitFor()
      await expectSoundAndKeep(page, 'console-orders-new')
      await page.getByLabel('Phone').fill('98765 43210')
      await page.getByRole('button', { name: 'Create, ₹12,345.50' }).click()
      await page.getByRole('heading', { name: 'Payment link, ₹12,345.50' }).waitFor()

      await page.getByRole('button', { name: 'Copy link' }).click()
      await page.getByText('Copied.').waitFor()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      assert.match(copied, /\/pay\/demo-school\/order_\w+$/)
      await page.getByRole('button', { name: 'QR code' }).click()
      const picture = page.getByRole('img', { name: /QR code of/ })
      await picture.waitFor()
      assert.ok(await picture.evaluate(image => (image as HTMLImageElement).decode().then(() => true)))
      await expectSoundAndKeep(page, 'console-orders-qr')
      await page.getByRole('button', { name: 'Close' }).click()

      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByLabel('SMS to 98765 43210').check()
      await page.getByLabel('Language').selectOption('hi')
      await expectSound(page, 'send')
      await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
      await page.getByText('E-mail is on its way to asha@example.in').waitFor()

      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      await page.getByRole('button', { name: 'Cancel the link' }).click()
      await page.getByText('Enter a reason').waitFor()
      await page.getByLabel('Reason').fill('Wrong amount')
      await expectSoundAndKeep(page, 'console-orders-cancel')
      await page.getByRole('button', { name: 'Cancel the link' }).click()
      await page.locator('.timeline').getByText('Wrong amount').waitFor()
      assert.equal(await page.locator('article .status').first().innerText(), 'Cancelled')
      assert.deepEqual(complaints, [])
    },
  )
}

async function tellsAStoryAndRefunds(
  t: TestContext,
  stage: Stage,
  context: BrowserContext,
  { paid }: Filled,
): Promise<void> {
  await t.test('an order shows what happened to it, and a part of it is refunded with a reason', async () => {
    const { page, complaints } = await openPage(context)
    await enterAsDemo(page, stage)
    await page.goto(at(stage, `/${paid}`))
    await page.getByRole('heading', { name: 'Pay order, ₹51,500.50' }).waitFor()
    await page.getByRole('button', { name: 'Refund' }).click()
    await page.getByLabel('Part of it').check()
    await page.getByLabel('Amount in rupees').fill('6,500.50')
    await page.getByText('₹6,500.50 goes back to Meera Iyer the way it was paid').waitFor()
    await page.getByLabel('Reason').fill('Transport was not used')
    await expectSoundAndKeep(page, 'console-orders-refund')
    await page.getByRole('button', { name: 'Refund this amount' }).click()
    await page.getByText('₹6,500.50 is on its way back').waitFor()
    await page.locator('article .status', { hasText: 'Partly refunded' }).waitFor()
    await showTechnical(page)
    await page.getByText('Technical details', { exact: true }).first().click()
    await page.locator('pre.raw-json').first().waitFor()
    await expectSoundAndKeep(page, 'console-orders-detail')
    await page.setViewportSize(PHONE)
    await expectSoundAndKeep(page, 'console-orders-detail-phone')
    await page.goto(at(stage, ''))
    await page.getByRole('row', { name: /Meera Iyer/ }).waitFor()
    await expectSoundAndKeep(page, 'console-orders-list-phone')
    assert.deepEqual(complaints, [])
  })
}

async function publishesAPage(
  t: TestContext,
  stage: Stage,
  context: BrowserContext,
  { page: pageId }: Filled,
): Promise<void> {
  await t.test('a payment page is made, seen by payers, changed and taken off', async () => {
    const { page, complaints } = await openPage(context)
    await enterAsDemo(page, stage)
    await page.goto(at(stage, `/pages/${pageId}`))
    await page.getByRole('row', { name: /Zoya Khan/ }).waitFor()
    await expectSoundAndKeep(page, 'console-orders-page')
    await page.goto(at(stage, '/pages/new'))
    await page.getByLabel('Title').fill('Admission form 2027-28')
    await page.getByRole('combobox', { name: 'Fee' }).fill('ADMISSION_FEE')
    await page.getByRole('textbox', { name: 'Amount' }).fill('1,500')
    await page.getByRole('button', { name: 'Add a question' }).click()
    await expectSoundAndKeep(page, 'console-orders-page-new')
    await page.getByRole('button', { name: 'Create the page' }).click()
    await page.getByRole('heading', { name: 'Admission form 2027-28' }).waitFor()
    const url = await page.locator('dd a').first().innerText()
    assert.equal((await fetch(url)).status, 200)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('How many can pay').fill('40')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('0 of 40').waitFor()
    await page.getByRole('button', { name: 'Unpublish' }).click()
    await page.getByLabel('Reason').fill('Admissions are over')
    await page.getByRole('button', { name: 'Unpublish the page' }).click()
    await page.locator('article .status', { hasText: 'Not published' }).waitFor()
    assert.deepEqual(complaints, [])
  })
}

async function makesLinksOfAFile(t: TestContext, stage: Stage, context: BrowserContext): Promise<void> {
  await t.test('a file is checked, its links are made with progress, and it ends in a report', async () => {
    const { page, complaints } = await openPage(context)
    await enterAsDemo(page, stage)
    await page.goto(at(stage, '/files'))
    await page.getByText('No file yet').waitFor()
    await expectSound(page, 'files')
    const rows = Array.from(
      { length: 900 },
      (_, no) => `Parent ${no},98765${10_000 + no},p${no}@example.in,TUITION_FEE,1000`,
    )
    rows.push('Nobody,12,nobody,TUITION_FEE,0')
    const file = { name: 'term-2.csv', mimeType: 'text/csv', buffer: Buffer.from(linksFile(rows)) }
    await page.getByLabel('File of links').setInputFiles(file)
    await page.getByText('What is in the columns of term-2.csv?').waitFor()
    await expectSoundAndKeep(page, 'console-orders-file-columns')
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('heading', { name: 'term-2.csv' }).waitFor()
    await page.getByRole('row', { name: /902 Payer’s mobile Must be a phone number/ }).waitFor()
    await expectSoundAndKeep(page, 'console-orders-file-checked')
    await page.getByRole('button', { name: 'Create 900 links' }).click()
    await page.getByText('It begins in a few seconds.').waitFor()
    const fileId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await advance(stage.bursar, fileId)
    await page.getByText('500 of 900 rows are done.').waitFor()
    await expectSoundAndKeep(page, 'console-orders-file-running')
    await finish(stage.bursar, fileId)
    await page.getByText('900 links were made.').waitFor()
    await expectSoundAndKeep(page, 'console-orders-file-done')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Links as CSV' }).click()
    assert.match((await download).suggestedFilename(), /^links-batch_\w+\.csv$/)
    assert.deepEqual(complaints, [])
  })
}

async function shutsTheViewerOut(
  t: TestContext,
  stage: Stage,
  context: BrowserContext,
  { paid }: Filled,
): Promise<void> {
  await t.test('a viewer sees everything and can change nothing', async () => {
    const who = { email: 'viewer@school.example', institute: 'demo-school', role: 'viewer' } as const
    const visitor = await createPerson(stage.bursar, who)
    const [name = '', value = ''] = (visitor.cookie ?? '').split('=')
    await context.addCookies([{ name, value, url: stage.bursar.url }])
    const { page, complaints } = await openPage(context)
    await page.goto(at(stage, '?q=meera'))
    await page.getByRole('row', { name: /Meera Iyer/ }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'New link' }).count(), 0)
    await page.goto(at(stage, `/${paid}`))
    await page.getByRole('link', { name: 'Receipt' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Refund|Send|Close/ }).count(), 0)
    await page.goto(at(stage, '/files'))
    await page.getByRole('row', { name: /term-2/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Choose a file' }).count(), 0)
    await page.goto(at(stage, '/order_nobody'))
    await page.getByText('This pay order was not found').waitFor()
    assert.deepEqual(
      complaints.filter(text => !text.includes('404')),
      [],
    )
  })
}
