import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { PHONE, setStage } from '../harness/browser.ts'
import { entranceFor, newFamily } from '../portal/parents-support.ts'
import { createLink, expectSoundAndKeep, expectWords, goToBank, press } from './support.ts'

/** Chromium on this system has no share sheet; this one keeps what it was given. */
async function addShareSheet(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shared: ShareData[] = []
    const sheet = {
      canShare: () => true,
      share: (data: ShareData) => Promise.resolve(void shared.push(data)),
      shared,
    }
    Object.assign(navigator, sheet)
  })
}

/** What was given to the share sheet. */
async function sharedFiles(page: Page): Promise<{ name: string; type: string; begins: string }[]> {
  return page.evaluate(async () => {
    const { shared } = navigator as unknown as { shared: ShareData[] }
    const files = shared.flatMap(({ files: own = [] }) => own)
    return Promise.all(
      files.map(async file => ({
        name: file.name,
        type: file.type,
        begins: (await file.text()).slice(0, 5),
      })),
    )
  })
}

test('families install their pages, share receipts, and read without a connection that there is none', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar, browser } = stage
  const { demo, url } = bursar
  await bursar.sql(`update institutes set has_parent_sign_in = true where code = 'demo-school'`)
  const { user, students } = await newFamily(demo, { students: [{ fullname: 'Kabir Rao' }] })
  const context = await browser.newContext({ viewport: PHONE })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  await addShareSheet(page)
  await page.goto(url + (await entranceFor(demo, user)))
  await page.evaluate(() => navigator.serviceWorker.ready.then(({ scope }) => scope))
  const browserOf = await context.newCDPSession(page)
  const { errors } = await browserOf.send('Page.getAppManifest')
  assert.deepEqual(errors, [])
  const { installabilityErrors } = await browserOf.send('Page.getInstallabilityErrors')
  assert.deepEqual(
    installabilityErrors.map(({ errorId }) => errorId).filter(id => id !== 'in-incognito'),
    [],
  )

  await page.goto(`${url}/parents/students/${students[0]}`)
  for (const _ of ['the dues', 'the order']) await press(page, 'Pay ₹66,000.50')
  await press(page, 'Approve')
  await page.waitForURL(/\/parents\/students\/.*paid=/)
  const share = page.getByRole('button', { name: /^Share: Receipt / })
  await share.waitFor()
  await expectSoundAndKeep(page, 'family-app-received')
  await page.goto(`${url}/parents/history`)
  await share.click()
  await page.getByRole('button', { name: /^Share: Receipt /, disabled: false }).waitFor()
  const [receipt] = await sharedFiles(page)
  assert.deepEqual([receipt?.type, receipt?.begins], ['application/pdf', '%PDF-'])
  assert.match(receipt?.name ?? '', /^receipt-\w+\.pdf$/)
  await expectSoundAndKeep(page, 'family-app-history')

  const link = await createLink(bursar)
  await goToBank(page, link)
  await press(page, 'Approve')
  await page.getByRole('button', { name: 'Share: Download the receipt (PDF)' }).click()
  await page.getByRole('button', { name: /^Share: /, disabled: false }).waitFor()
  assert.equal((await sharedFiles(page)).length, 1)
  await expectSoundAndKeep(page, 'family-app-paid')
  const unpaid = await createLink(bursar)
  assert.deepEqual(complaints, [])

  const kept = await page.evaluate(async () => {
    const names = await caches.keys()
    const texts = await Promise.all(
      names.map(async name => {
        const cache = await caches.open(name)
        const answers = await Promise.all((await cache.keys()).map(request => cache.match(request)))
        return Promise.all(answers.map(async answer => (await answer?.text()) ?? ''))
      }),
    )
    return texts.flat()
  })
  assert.equal(kept.length, 1)
  assert.doesNotMatch(kept[0] ?? '', /Kabir|Rao|₹/)

  await bursar.app.stop()
  await page.goto(`${url}/parents`)
  await expectWords(page, /No connection/, /look here before you pay again/)
  await expectSoundAndKeep(page, 'family-app-offline')
  for (const address of [unpaid.url, link.url, `${url}/school/demo-school`])
    await assert.rejects(page.goto(address), /ERR_CONNECTION_REFUSED/, address)
  await context.close()
})
