import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DESKTOP, keep, PHONE, setStage } from '../../../harness/browser.ts'
import { PAY, sampleOrder } from '../../../harness/samples.ts'
import { notifyPayers } from '../../../../src/payments/notices/notices.service.ts'
import { payOrder } from '../../../console/money/support.ts'
import { expectSound } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

test('a bursar sends and cancels links of several families, and prints and mails receipts, from their lists', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar } = stage
  for (let index = 0; index < 3; index++) {
    const made = await bursar.demo.post(`${PAY}/payment_links`, sampleOrder({ name: `Payer ${index}` }))
    assert.equal(made.status, 201, made.text)
  }
  for (let index = 0; index < 2; index++) await payOrder(bursar, { name: `Paid ${index}` })
  await notifyPayers(bursar.app.ctx, 100)
  await bursar.sql(`update messages set created_at = created_at - interval '2 days'`)
  const finance = await memberOf(stage, 'finance')
  for (const viewport of [DESKTOP, PHONE]) {
    const { page, go, complaints, context } = await openConsole(stage, finance, viewport)
    const isDesktop = viewport === DESKTOP
    const name = (picture: string): string => `bulk-${picture}-${isDesktop ? 'desktop' : 'phone'}`
    const dialogue = page.getByRole('dialog')

    await go(`${I}/orders`)
    if (isDesktop) await page.getByLabel('Select all 5 shown').check()
    else
      await page
        .getByLabel(/^Select ₹/)
        .first()
        .check()
    await page.getByText(isDesktop ? '5 selected' : '1 selected').waitFor()
    await expectSound(page, name('orders'))
    await page.getByRole('button', { name: 'Send the links again' }).click()
    await expectSound(page, name('send'))
    await dialogue.getByRole('button', { name: 'Send', exact: true }).click()
    // On the phone one of those is picked that got a message a moment ago, or a paid one.
    await dialogue.getByText(isDesktop ? '3 links sent.' : '0 links sent.').waitFor()
    await dialogue
      .getByText(isDesktop ? 'Nobody can pay this any more: it is paid.' : '1 left out:')
      .waitFor()
    await keep(page, name('sent'))
    await expectSound(page, name('sent'))
    await dialogue.getByRole('button', { name: 'Close' }).last().click()

    if (isDesktop) {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export these' }).click()
      await page.getByRole('menuitem', { name: /CSV/ }).click()
      assert.match((await download).suggestedFilename(), /^orders-.*\.csv$/)
      await page.getByRole('button', { name: 'Cancel these' }).click()
      await dialogue.getByRole('button', { name: 'Cancel these orders and links' }).click()
      await dialogue.getByText('Enter a reason').waitFor()
      await dialogue.getByLabel('Reason').fill('The trip is called off')
      await dialogue.getByRole('button', { name: 'Cancel these orders and links' }).click()
      await dialogue.getByText('3 orders and links cancelled.').waitFor()
      await keep(page, name('cancelled'))
      await dialogue.getByRole('button', { name: 'Close' }).last().click()
      await page.getByText('Cancelled').first().waitFor()
    }

    await go(`${I}/money?view=receipts`)
    await page
      .getByLabel(/^Select 20/)
      .first()
      .check()
    const pdf = page.waitForEvent('download')
    await page.getByRole('button', { name: 'One PDF of these' }).click()
    await page.getByRole('menuitem', { name: 'A5, a page each' }).click()
    assert.equal((await pdf).suggestedFilename(), 'receipts.pdf')
    await page.getByRole('button', { name: 'Mail these again' }).click()
    await dialogue.getByRole('button', { name: 'Mail', exact: true }).click()
    await dialogue.getByText(isDesktop ? '1 receipt mailed.' : '0 receipts mailed.').waitFor()
    await keep(page, name('mailed'))
    await expectSound(page, name('receipts'))
    assert.deepEqual(complaints, [])
    await context.close()
  }
})
