import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DESKTOP, isTooWide, PHONE, setParentStage } from '../../harness/browser.ts'
import { PAY } from '../../harness/samples.ts'
import { sandboxNow } from '../../harness/sandbox-now.ts'
import {
  createLink,
  expectSound,
  expectSoundAndKeep,
  expectWords,
  goToBank,
  paymentsOf,
  press,
  statesOf,
} from '../support.ts'

test('the order page ends well', { concurrency: 3 }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open, part, ended } = stage

  part('a double click and a second tab make one payment', async () => {
    const page = await open()
    const link = await createLink(bursar)
    await page.goto(link.url)
    const second = await page.context().newPage()
    await second.goto(link.url)
    await page.getByRole('button', { name: /^Pay / }).dblclick()
    // Not by its address: the second click gives up the way there that the first began.
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    assert.match(page.url(), /\/sandbox\/bank\//)
    await press(second, 'Pay ₹45,000.50')
    await second.waitForURL(page.url())
    assert.deepEqual(await statesOf(bursar, link.id), ['created'])
    await press(page, 'Approve')
    await page.waitForURL(link.url)
    await press(second, 'Approve')
    await second.waitForURL(link.url)
    await expectWords(second, /Paid on/)
    assert.deepEqual(await statesOf(bursar, link.id), ['captured'])
    await page.context().close()
  })

  part('a reload in the middle and the back button lead on to the same payment', async () => {
    const page = await open()
    const link = await createLink(bursar)
    await goToBank(page, link)
    const bank = page.url()
    await page.reload()
    await page.goBack()
    await page.goto(link.url)
    await expectWords(page, /You have started to pay/)
    await expectSoundAndKeep(page, 'order-started')
    await press(page, 'Go on with the payment')
    await page.waitForURL(bank)
    await page.getByRole('link', { name: 'Card' }).click()
    await press(page, 'Approve')
    await page.waitForURL(link.url)
    await page.reload()
    await expectWords(page, /Paid on/)
    await page.goBack()
    await expectWords(page, /the bank has approved it/)
    await expectSound(page, 'bank done')
    await page.getByRole('link', { name: 'Go back' }).click()
    await page.waitForURL(link.url)
    await page.goto(`${link.url}/start`)
    await expectWords(page, /Paid on/)
    assert.deepEqual(await paymentsOf(bursar, link.id).then(rows => rows.map(row => [row.state, row.mode])), [
      ['captured', 'card'],
    ])
    await page.context().close()
  })

  part('back to a page of before the payment, Pay there ends at paid', async () => {
    const page = await open()
    const link = await createLink(bursar)
    await page.goto(link.url)
    const stale = await page.context().newPage()
    await stale.goto(link.url)
    await press(page, 'Pay ₹45,000.50')
    await press(page, 'Approve')
    await page.waitForURL(link.url)
    await page.goBack()
    await page.goBack()
    await page.waitForURL(link.url)
    await expectWords(page, /Paid on/)
    await press(stale, 'Pay ₹45,000.50')
    await stale.waitForURL(link.url)
    await expectWords(stale, /Paid on/)
    assert.deepEqual(await statesOf(bursar, link.id), ['captured'])
    await page.context().close()
  })

  part('pending says do not pay again, and turns paid by itself', async () => {
    const page = await open({ javaScriptEnabled: false })
    const link = await createLink(bursar)
    await goToBank(page, link, 'Net banking')
    await page.getByLabel('Your bank').selectOption('Slow Test Bank (stays pending)')
    await press(page, 'Pay ₹45,000.50')
    await page.waitForURL(link.url)
    await expectWords(page, /Waiting for the bank/, /Do not pay again; this page updates by itself/)
    assert.equal(await page.getByRole('button').count(), 0, 'nothing to pay again with')
    const again = await fetch(`${link.url}/start`, { method: 'POST', redirect: 'manual' })
    assert.equal(again.status, 303)
    const [payment] = await paymentsOf(bursar, link.id)
    assert.equal(payment?.state, 'pending')
    await bursar.demo.post(`/api/v1/sandbox/payments/${payment.id}/capture`)
    await page.getByText('Paid on').waitFor()
    assert.deepEqual(await statesOf(bursar, link.id), ['captured'])
    await page.context().close()
  })

  part('pending can be kept from moving, and a refusal after it can be tried again', async () => {
    const page = await open()
    const link = await createLink(bursar)
    await goToBank(page, link)
    await press(page, 'Leave it pending')
    await page.waitForURL(link.url)
    await expectSoundAndKeep(page, 'order-pending')
    await page.getByRole('link', { name: 'Stop updating by itself' }).click()
    await expectWords(page, /Do not pay again\. If your bank/)
    const still = await fetch(page.url())
    assert.equal(still.headers.get('refresh'), null)
    const [payment] = await paymentsOf(bursar, link.id)
    await bursar.demo.post(`/api/v1/sandbox/payments/${payment?.id}/fail`)
    await page.getByRole('link', { name: 'Check now' }).click()
    await expectWords(page, /Payment failed/)
    await page.context().close()
  })

  await t.test(
    'cancelled or expired while the bank page is open: nobody is sent on, and money wins',
    async () => {
      const cancelled = await createLink(bursar)
      const soon = new Date(sandboxNow() + 600_000).toISOString()
      const expired = await createLink(bursar, { expires_at: soon })
      for (const [link, end, says] of [
        [cancelled, () => bursar.demo.delete(`${PAY}/payment_links/${cancelled.id}`), /Cancelled/],
        [expired, () => bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT15M' }), /Expired/],
      ] as const) {
        const page = await open()
        await goToBank(page, link)
        assert.equal((await end()).status, 200)
        await bursar.app.worker.runAllDue()
        const other = await page.context().newPage()
        await other.goto(link.url)
        await expectWords(other, says, /do not complete the payment you started/)
        assert.equal(await other.getByRole('button').count(), 0)
        const again = await fetch(`${link.url}/start`, { method: 'POST', redirect: 'manual' })
        assert.equal(again.headers.get('location'), new URL(link.url).pathname)
        await press(page, 'Approve')
        await page.waitForURL(link.url)
        await expectWords(page, /Paid on/)
        const { body } = await bursar.demo.get(`${PAY}/payment_links/${link.id}`)
        assert.equal(body.data.status, 'paid')
        await page.context().close()
      }
    },
  )

  part('Hindi comes by the browser, the switch by choice, and the choice is remembered', async () => {
    const page = await open({ locale: 'hi-IN' })
    const link = await createLink(bursar, { expires_at: '2099-01-31T18:30:00+05:30' })
    await page.goto(link.url)
    assert.equal(await page.locator('html').getAttribute('lang'), 'hi')
    await expectWords(page, /Kabir Rao की फ़ीस/, /₹45,000\.50/, /ट्यूशन फ़ीस/, /31 जनवरी 2099 को शाम 6:30 बजे तक/)
    await expectSoundAndKeep(page, 'order-hindi')
    await page.getByRole('link', { name: 'English' }).click()
    await expectWords(page, /Fees for Kabir Rao/, /until 31 January 2099 at 6:30 pm IST/)
    await page.goto(link.url)
    await expectWords(page, /Fees for Kabir Rao/)
    await page.getByRole('link', { name: 'हिन्दी' }).click()
    await page.goto(`${bursar.url}/pay/demo-school/order_unknown`)
    await expectWords(page, /यह लिंक हमें नहीं मिला/)
    await expectSound(page, 'wrong link in Hindi')
    const [cookie] = await page.context().cookies()
    assert.deepEqual([cookie?.name, cookie?.value, cookie?.httpOnly], ['lang', 'hi', true])
    await page.context().close()
  })

  part('the keyboard walks it in order; large text, narrow screens and the dark fit', async () => {
    const link = await createLink(bursar, { student_name: 'Lakshmi-Venkateswaran '.repeat(6).trim() })
    const page = await open({ viewport: DESKTOP, colorScheme: 'dark' })
    await page.goto(link.url)
    await expectSoundAndKeep(page, 'order-dark')
    const walked: string[] = []
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press('Tab')
      walked.push(await page.evaluate(() => document.activeElement?.tagName ?? ''))
    }
    assert.deepEqual(walked, ['INPUT', 'BUTTON', 'A'])
    await page.setViewportSize({ width: 180, height: 370 })
    assert.equal(await isTooWide(page), false, 'a phone at 200%')
    await page.setViewportSize(PHONE)
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
    assert.equal(await isTooWide(page), false, 'text at 200%')
    await page.evaluate(() => (document.documentElement.style.fontSize = ''))
    for (const method of ['UPI', 'Card', 'Net banking']) {
      await page.goto(link.url)
      await page.getByRole('button').click()
      await page.getByRole('link', { name: method }).first().click()
      await page.setViewportSize({ width: 180, height: 370 })
      assert.equal(await isTooWide(page), false, `${method} at 200%`)
      await page.setViewportSize(PHONE)
      await expectSound(page, `${method} in the dark`)
    }
    await page.context().close()
  })

  await ended()
})
