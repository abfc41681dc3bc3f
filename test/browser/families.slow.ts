import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { setFlexSettings } from '../../src/flex/settings/settings.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { DESKTOP, keep, PHONE, setParentStage } from '../harness/browser.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { entranceFor, newFamily, ROOMY_YEAR } from '../portal/parents-support.ts'
import { expectSound, expectWords, press } from './support.ts'

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

async function shoot(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await keep(page, `families-${name}-phone`)
  await page.setViewportSize(DESKTOP)
  await keep(page, `families-${name}-desktop`)
  await page.setViewportSize(PHONE)
}

const SIBLINGS = [
  { fullname: 'Kabir Rao', primary_contact_number: '9876501234' },
  { fullname: 'Anaya Rao', grade: '2', primary_contact_number: '9876501234' },
]

test('a family without an app', { concurrency: 2 }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open, part, ended } = stage
  const { demo, group, url } = bursar

  part(
    'picks fees of both children, by keyboard alone, pays them at once and has a receipt for each',
    async () => {
      await must(
        demo.send('PUT', `${ERP}/payment-rules`, {
          late_fees: [
            {
              component_type: 'TUITION_FEE',
              due_date: '2026-07-10',
              kind: 'per_day',
              amount_per_day: 10,
              max_amount: 500,
            },
            { component_type: 'TRANSPORT_FEE', due_date: '2090-01-10', kind: 'none' },
          ],
        }),
      )
      const { user } = await newFamily(demo, { students: SIBLINGS })
      const page = await open()
      await page.goto(url + (await entranceFor(demo, user)))
      await page.goto(`${url}/parents`)
      await shoot(page, 'home')
      await page.getByRole('link', { name: /^Pay ₹.* for your children$/ }).click()
      await expectWords(page, /What do you want to pay\?/)
      await shoot(page, 'choose')
      // Overdue is ticked already; the transport fee of one child is ticked beside it.
      const box = page.locator('input[type=checkbox]').nth(1)
      await box.focus()
      await page.keyboard.press('Space')
      assert.ok(await box.isChecked())
      await expectWords(page, /Chosen in all: ₹1,21,000\.50/)
      for (const language of ['hi', 'kn', 'ta']) {
        const other = await page.context().newPage()
        await other.goto(`${url}/parents/pay?lang=${language}`)
        await expectSound(other, `choose in ${language}`)
        await keep(other, `families-choose-${language}`)
        await other.goto(`${url}/parents/pay?lang=en`)
        await other.close()
      }
      await press(page, 'Pay ₹1,21,000.50')
      await expectWords(page, /₹1,21,000\.50/)
      await shoot(page, 'checkout')
      await press(page, 'Pay ₹1,21,000.50')
      await page.waitForURL(/\/sandbox\/bank\//)
      await page.locator('button[value=success]').first().click()
      await page.getByRole('link', { name: 'Receipt for Kabir Rao (PDF)' }).waitFor()
      await expectWords(page, /Receipt for Anaya Rao \(PDF\)/)
      await shoot(page, 'paid')
      await page.getByRole('link', { name: 'Back to all children' }).click()
      await page.getByRole('heading', { name: 'Fees of your children' }).waitFor()
    },
  )

  part('chooses how long to pay', async () => {
    const { ctx } = bursar.app
    await setFlexSettings(ctx, await getInstitute(ctx, 'demo-group'), { offered: [3, 4, 6] })
    const { user, students } = await newFamily(group, { students: [ROOMY_YEAR] })
    const page = await open()
    await page.goto(url + (await entranceFor(group, user)))
    await page.goto(`${url}/parents/students/${students[0]}/plan`)
    await page.locator('form[action$="/plan/start"] button').click()
    await page.getByText('How long do you want to pay?').waitFor()
    await page.getByLabel(/^6 instalments of ₹11,000\.08 a month/).check()
    await press(page, 'Show these instalments')
    await expectWords(page, /6 instalments/)
    assert.ok(await page.getByLabel(/^6 instalments/).isChecked())
    await shoot(page, 'length')
  })

  await ended()
})
