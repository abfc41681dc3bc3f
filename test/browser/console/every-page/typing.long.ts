import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeStudent } from '../../../console/money/support.ts'
import { demoVisitor } from '../../../console/support.ts'
import { setStage } from '../../../harness/browser.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, openConsole } from '../support.ts'

test('days and amounts are typed as people write them, and shown alike', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar } = stage
  const fees = { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 600_000 }] }
  await makeStudent(bursar, { identifier: 'ADM-1042', fullname: 'Kabir Rao' }, fees)
  const { page, go, complaints } = await openConsole(stage, await demoVisitor(bursar.url))
  await go(`${I}/students`)
  await page.getByRole('row', { name: /Kabir Rao/ }).click()
  await page.getByRole('button', { name: 'Record a payment' }).click()

  const amount = page.getByLabel('Tuition fee, rupees')
  await amount.pressSequentially('123456.5')
  assert.equal(await amount.inputValue(), '1,23,456.5')
  for (let keys = 0; keys < 4; keys++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('9')
  assert.equal(await amount.inputValue(), '12,34,956.5')
  await page.getByText('₹6,00,000.00 left to pay; ₹6,34,956.50 of this will stand as an advance').waitFor()
  await page.keyboard.press('Backspace')
  assert.equal(await amount.inputValue(), '1,23,456.5', 'the caret stood behind the 9')
  await amount.fill('1234,50')
  await page.getByText('Type an amount in rupees with at most two decimals.').waitFor()
  await amount.fill('')
  await amount.pressSequentially('₹ 500/-')
  assert.equal(await amount.inputValue(), '500')

  const day = page.getByLabel('Paid on')
  await day.fill('last week')
  await page.getByRole('button', { name: 'Record it' }).click()
  await page.getByText('Write the day like 18 Nov 2026 or 18/11/2026').waitFor()
  assert.equal(await day.getAttribute('aria-invalid'), 'true')
  await expectSoundAndKeep(page, 'console-typing-wrong-day')
  await day.fill('1.4.26')
  await page.keyboard.press('Tab')
  assert.equal(await day.inputValue(), '1 Apr 2026')
  // As the browser's own calendar gives it.
  await page.locator('.behind-field').fill('2026-04-02')
  assert.equal(await day.inputValue(), '2 Apr 2026')
  await page.getByRole('button', { name: 'Record it' }).click()
  await page.getByText('₹500.00 is recorded').waitFor()
  const [paid] = await bursar.sql<{ on: string; amount: string }>(
    `select (paid_at at time zone 'Asia/Kolkata')::date::text as on, amount_paise::text as amount from direct_payments`,
  )
  assert.deepEqual(paid, { on: '2026-04-02', amount: '50000' })

  await go(`${I}/orders/new`)
  const until = page.getByLabel('Can be paid until')
  await until.fill('18/11/2099 21:30')
  await page.keyboard.press('Tab')
  assert.equal(await until.inputValue(), '18 Nov 2099, 9:30 pm')
  assert.deepEqual(complaints, [])
})
