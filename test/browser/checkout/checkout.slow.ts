import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE, setParentStage } from '../../harness/browser.ts'
import {
  createLink,
  expectSoundAndKeep,
  expectWords,
  goToBank,
  paymentsOf,
  press,
  statesOf,
} from '../support.ts'

const LIMIT_BYTES = 60 * 1024

test('a parent pays', { concurrency: 3 }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open, part, ended } = stage

  part('by UPI, card and net banking, on a phone and on a desktop', async () => {
    const sizes = Object.entries({ phone: PHONE, desktop: DESKTOP })
    const actions: [string, string, (page: Page) => Promise<void>][] = [
      ['UPI', 'upi', page => press(page, 'Approve')],
      ['Card', 'card', payByCard],
      ['Net banking', 'netbanking', payByBank],
    ]
    for (const [label, mode, perform] of actions) {
      const page = await open()
      const link = await createLink(bursar)
      await goToBank(page, link, label)
      const openApp = page.getByRole('link', { name: 'Open a UPI app (test)' })
      for (const [size, viewport] of sizes) {
        await page.setViewportSize(viewport)
        await expectSoundAndKeep(page, `bank-${mode}-${size}`)
        assert.equal(await openApp.isVisible(), mode === 'upi' && size === 'phone')
      }
      await perform(page)
      await page.waitForURL(link.url)
      await expectWords(page, /Paid on \d+ \w+ \d{4}/, /Receipt \d{4}-\d\d\/\d{6}/, /₹45,000\.50/)
      assert.equal(await page.title(), 'Paid: Fees, Demo School')
      const payments = await paymentsOf(bursar, link.id)
      assert.deepEqual(
        payments.map(payment => [payment.state, payment.mode]),
        [['captured', mode]],
      )
      for (const [size, viewport] of mode === 'upi' ? sizes : []) {
        await page.setViewportSize(viewport)
        await expectSoundAndKeep(page, size === 'phone' ? 'order-paid' : `order-paid-${size}`)
      }
      await page.context().close()
    }
  })

  part('and gets a receipt', async () => {
    const page = await open()
    const link = await createLink(bursar)
    await goToBank(page, link)
    await press(page, 'Approve')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the receipt (PDF)' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^receipt-order_.*\.pdf$/)
    const pdf = await readFile(await download.path())
    assert.equal(pdf.subarray(0, 4).toString(), '%PDF')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('.button, footer').locator('visible=true').count(), 0)
    await expectWords(page, /Demo School/, /Receipt \d{4}-\d\d\/\d{6}/, /Tuition fee/)
    const unpaid = await createLink(bursar)
    assert.equal((await fetch(`${unpaid.url}/receipt.pdf`)).status, 404)
    await page.context().close()
  })

  part('without JavaScript, in Hindi as in English', async () => {
    const page = await open({ javaScriptEnabled: false, locale: 'hi-IN' })
    const link = await createLink(bursar)
    await page.goto(link.url)
    await page.getByRole('radio', { name: 'कार्ड' }).check()
    await page.getByRole('button', { name: '₹45,000.50 का भुगतान करें' }).click()
    await page.getByLabel('Card number').fill('4000000000009995')
    await press(page, 'Pay ₹45,000.50')
    await page.waitForURL(link.url)
    await expectWords(page, /खाते में पर्याप्त पैसा नहीं था/)
    await page.getByRole('button', { name: '₹45,000.50 का भुगतान करें' }).click()
    await page.getByLabel('Card number').fill('4111 1111 1111 1111')
    await press(page, 'Pay ₹45,000.50')
    await page.waitForURL(link.url)
    await expectWords(page, /भुगतान \d+ \S+ \d{4} को .* बजे हुआ/)
    assert.deepEqual(await statesOf(bursar, link.id), ['failed', 'captured'])
    await page.context().close()
  })

  part('after a refusal, with the reason and another try', async () => {
    const page = await open()
    const link = await createLink(bursar, { callback_url: 'https://erp.example.in/back' })
    await goToBank(page, link, 'Card')
    await page.getByLabel('Card number').fill('4000 0000 0000 0002')
    await press(page, 'Pay ₹45,000.50')
    await page.waitForURL(link.url)
    await expectWords(page, /Payment failed/, /The bank declined the payment\. Your money has not left/)
    await expectSoundAndKeep(page, 'order-failed')
    assert.equal(await page.getByRole('radio').first().inputValue(), 'card', 'the last used comes first')
    assert.equal(await page.getByRole('radio', { name: 'Card' }).isChecked(), true)
    assert.match(
      (await page.getByRole('link', { name: 'Back to Demo School' }).getAttribute('href')) ?? '',
      /^https:\/\/erp\.example\.in\/back\?order_id=.*&status=unpaid&signature=[0-9a-f]{64}$/,
    )
    await goToBank(page, link, 'Net banking')
    await page.getByLabel('Your bank').selectOption('Empty Test Bank (not enough money)')
    await press(page, 'Pay ₹45,000.50')
    await page.waitForURL(link.url)
    await expectWords(page, /did not have enough money/)
    await goToBank(page, link)
    await press(page, 'Cancel and go back')
    await page.waitForURL(link.url)
    await expectWords(page, /cancelled before it was completed/)
    assert.deepEqual(await statesOf(bursar, link.id), ['failed', 'failed', 'failed'])
    await page.context().close()
  })

  part('with a test card only, and no card is kept or logged', async () => {
    const page = await open()
    const link = await createLink(bursar)
    await goToBank(page, link, 'Card')
    const posted: string[] = []
    page.on('request', request => posted.push(request.postData() ?? ''))
    await fillCard(page, '5555 4444 3333 1111')
    await press(page, 'Pay ₹45,000.50')
    await page.getByRole('alert').waitFor()
    await expectWords(page, /not one of the test cards below/)
    assert.doesNotMatch(await page.content(), /5555|4444/)
    await expectSoundAndKeep(page, 'bank-card-refused')
    assert.doesNotMatch(posted.join(), /987|ASHA|Asha/, 'CVV and name never leave the browser')
    assert.deepEqual(await statesOf(bursar, link.id), ['created'])
    await fillCard(page, '4111 1111 1111 1111')
    await press(page, 'Pay ₹45,000.50')
    await page.waitForURL(link.url)
    assert.deepEqual(await statesOf(bursar, link.id), ['captured'])
    const tables = await bursar.sql<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    assert.ok(tables.length > 10)
    for (const { name } of tables) {
      const sql = `select 1 from ${name} t where t::text ~ '4111 ?1111 ?1111|5555 ?4444 ?3333'`
      assert.deepEqual(await bursar.sql(sql), [], name)
    }
    assert.doesNotMatch(bursar.logText(), /4111.?1111|5555.?4444|card_number/)
    await page.context().close()
  })

  part('over a thin line: the whole page is small and comes from here alone', async () => {
    const page = await open()
    const link = await createLink(bursar, {
      details: Array.from({ length: 50 }, (_, index) => ({
        component_type: `ACTIVITY_FEE_${index}`,
        amount: 100,
      })),
    })
    const session = await page.context().newCDPSession(page)
    let bytes = 0
    await session.send('Network.enable')
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(link.url, { waitUntil: 'networkidle' })
    assert.ok(bytes > 1_000 && bytes < LIMIT_BYTES, `${bytes} bytes`)
    const button = await page.getByRole('button', { name: /^Pay / }).boundingBox()
    assert.ok(button !== null && button.y + button.height <= PHONE.height, 'the button is in reach')
    await page.context().close()
  })

  await ended()
})

async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry, MM/YY').fill('12/34')
  await page.getByLabel('CVV').fill('987')
  await page.getByLabel('Name on the card').fill('Asha Rao')
}

async function payByCard(page: Page): Promise<void> {
  await fillCard(page, '4111 1111 1111 1111')
  await press(page, 'Pay ₹45,000.50')
}

async function payByBank(page: Page): Promise<void> {
  await page.getByLabel('Your bank').selectOption('Test Bank (approves)')
  await press(page, 'Pay ₹45,000.50')
}
