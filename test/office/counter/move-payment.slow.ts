import assert from 'node:assert/strict'
import { registerStudent } from '../../students/support.ts'
import { officeTask } from '../clicks.ts'
import { takePictures } from '../pictures.ts'

officeTask('move a payment that was typed for the wrong child', async office => {
  const { page, go, stage } = office
  const { demo } = stage.bursar
  const fees = [
    { component_type: 'TUITION_FEE', fee_amount: 60_000 },
    { component_type: 'TRANSPORT_FEE', fee_amount: 6_000 },
  ]
  await registerStudent(demo, { identifier: 'ADM-1', fullname: 'Asha Menon' }, { fee_components: fees })
  await registerStudent(demo, { identifier: 'ADM-2', fullname: 'Ravi Iyer' }, { fee_components: fees })
  await go('/i/demo-school/counter')
  await page.getByLabel('Family').fill('ADM-1')
  await page.keyboard.press('Enter')
  await page.getByLabel('Tuition fee of Asha Menon, rupees').fill('5000')
  await page.getByRole('button', { name: 'Take ₹5,000.00' }).click()
  await page.getByText('₹5,000.00 received').waitFor()
  await go('/i/demo-school/students?q=ADM-1')
  await page.getByText('Asha Menon').first().click()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await page.getByRole('button', { name: /^Act on the payment/ }).click()
  await page.getByRole('menuitem', { name: 'Move the payment' }).click()
  await page.getByRole('combobox', { name: 'For whom it is' }).fill('Ravi')
  await page.getByRole('option', { name: /Ravi Iyer/ }).click()
  await page.getByText('What it pays, ₹5,000.00 in all').waitFor()
  await takePictures(office, 'move-payment')
  await page.getByRole('dialog').getByLabel('Reason').fill('Typed for the wrong child')
  await page.getByRole('button', { name: 'Move it' }).click()
  await page.getByText(/₹5,000\.00 is moved; its receipt is .*000002 now/).waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Moved to receipt' })
  await row.getByText('Moved', { exact: true }).waitFor()
  await row.getByText(/^Moved to receipt .*000002\. Typed for the wrong child$/).waitFor()
  await row.getByRole('link', { name: /^Receipt .*000001$/ }).waitFor()
  await takePictures(office, 'move-payment-done')
  assert.deepEqual(office.complaints, [])
})
