import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { officeTask } from '../clicks.ts'
import { takePictures } from '../pictures.ts'

async function takeCash(page: Page, amount: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Student', exact: true }).fill('Kabir')
  await page.getByRole('option', { name: /Kabir Rao/ }).click()
  await page.getByLabel('Amount, rupees').fill(amount)
}

officeTask('close the day and export it to Tally', async office => {
  const { page, go, stage } = office
  const { demo } = stage.bursar
  const student = sampleStudent({ identifier: 'ADM-7', fullname: 'Kabir Rao' })
  const fee_components = [
    { component_type: 'TUITION_FEE', fee_amount: 22_000.55 },
    { component_type: 'BUS_FEE', fee_amount: 15_000.55 },
  ]
  assert.equal((await demo.post(`${ERP}/users/family-7/students`, { student, fee_components })).status, 201)

  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Counter' }).first().click()
  await page.getByRole('link', { name: 'One student by hand' }).click()
  await takeCash(page, '7000')
  await page.getByRole('button', { name: 'Take ₹7,000.00' }).click()
  await page.getByText(/₹7,000.00 received for Kabir Rao, receipt/).waitFor()

  await page.getByRole('link', { name: 'Cash book and day close' }).click()
  await page.getByLabel('₹500 ×').fill('14')
  await takePictures(office, 'day-close')
  await page.getByRole('button', { name: 'Close the day' }).click()
  await page.getByText('closed with ₹7,000.00 in cash').waitFor()
  await page.getByText('By the cash book ₹7,000.00 is in my drawer.').waitFor()
  await page.getByLabel('My drawer').selectOption('Cash handed over')
  await page.getByLabel('To whom').fill('The accountant')
  await page.getByLabel('Cash, rupees').fill('7001')
  await page.getByRole('button', { name: 'Write it down' }).click()
  await page.getByText(/^Must be at most the ₹7,000.00 that the cash book of/).waitFor()
  await page.getByLabel('Cash, rupees').fill('7000')
  await page.getByRole('button', { name: 'Write it down' }).click()
  await page.getByText(/handed over: ₹7,000.00, The accountant/).waitFor()

  // As fractions of a rupee, 15,000.55 and the advance of 4,998.90 do not add up to two decimals.
  await page.getByRole('link', { name: 'One student by hand' }).click()
  await takeCash(page, '35000')
  await page.getByText('₹4,998.90 is more than is due').waitFor()
  assert.equal(await page.getByLabel('Tuition fee, rupees').inputValue(), '19,999.45')
  await page.getByRole('button', { name: 'Take ₹35,000.00' }).click()
  await page.getByText(/₹35,000.00 received for Kabir Rao, receipt/).waitFor()
  await page.getByText(/^You closed this day, /).waitFor()
  await page.getByRole('link', { name: 'Cash book and day close' }).click()
  await page.getByText(/^₹35,000.00 in cash was taken by .* after the close/).waitFor()
  await page.getByLabel('₹500 ×').fill('70')
  await takePictures(office, 'day-close-again')
  await page.getByRole('button', { name: 'Close the day' }).click()
  await page.getByText('closed with ₹35,000.00 in cash').waitFor()

  await page.getByRole('link', { name: 'Deposits' }).click()
  await page.getByLabel('Name of the bank account').fill('HDFC current 4512')
  await page.getByRole('button', { name: 'Add the account' }).click()
  await page.getByLabel('₹500 ×').fill('14')
  await page.getByRole('button', { name: 'Make the slip, ₹7,000.00' }).click()
  await page.getByText('Slip 1 over').waitFor()
  await takePictures(office, 'deposit')

  await page.getByRole('link', { name: 'Money' }).first().click()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await page.getByRole('button', { name: 'Export' }).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Tally XML vouchers' }).click()
  assert.match((await saving).suggestedFilename(), /^payments-.*\.xml$/)
})
