import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { expectSoundAndKeep } from '../../browser/support.ts'
import { officeTask } from '../clicks.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }

/** In both widths. */
async function lookAt(page: Page, name: string): Promise<void> {
  await expectSoundAndKeep(page, name)
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, `${name}-phone`)
  await page.setViewportSize(WIDE)
}

officeTask('register a student and collect at the counter', async ({ page, go, complaints }) => {
  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByText('No students yet').waitFor()
  await page.getByRole('link', { name: 'Fee structure' }).click()
  await page.getByLabel('Classes').fill('4, 5')
  await page.getByLabel('Fees', { exact: true }).fill('Tuition fee, Transport fee')
  await page.getByLabel('Term 1 is due on').fill('10 Dec 2026')
  await page.getByLabel('Tuition fee of class 5, Term 1, rupees').fill('60,000')
  await page.getByLabel('Transport fee of class 5, Term 1, rupees').fill('12000')
  await page.getByRole('button', { name: 'Add for brothers and sisters' }).click()
  await lookAt(page, 'console-fee-structure')
  await page.getByRole('button', { name: 'Save the fee structure' }).click()
  await page.getByText('The fee structure is saved.').first().waitFor()

  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('link', { name: 'Add a student' }).click()
  await page.getByLabel('Admission no.').fill('ADM-1')
  await page.getByLabel('Student’s name').fill('Kabir Rao')
  await page.getByLabel('Class').fill('5')
  await page.getByLabel('Section').fill('B')
  await page.getByLabel('Parent’s name').fill('Asha Rao')
  await page.getByLabel('Mobile of the family').fill('9876543210')
  await lookAt(page, 'console-add-student')
  await page.getByRole('button', { name: 'Add the student' }).click()
  await page.getByRole('heading', { name: 'Kabir Rao' }).waitFor()
  await page.getByText('₹72,000.00').first().waitFor()
  // Nothing is overdue, so there is no such field either.
  assert.equal(await page.getByText('Overdue', { exact: true }).count(), 0)
  await lookAt(page, 'console-student-of-office')

  await page.getByRole('link', { name: 'Counter' }).first().click()
  await page.getByRole('link', { name: 'One student by hand' }).click()
  await page.getByPlaceholder('Name, admission number or phone').fill('ADM-1')
  await page.getByRole('option', { name: /Kabir Rao/ }).click()
  await page.getByLabel('Amount').first().fill('30000')
  await page.getByRole('button', { name: 'Take ₹30,000.00' }).click()
  await page.getByText('received for Kabir Rao, receipt').waitFor()
  await page.getByRole('link', { name: 'A5' }).waitFor()
  assert.deepEqual(complaints, [])
})

officeTask(
  'take cash of a family whose online payment is still at the bank',
  async ({ page, go, stage, complaints }) => {
    const { demo } = stage.bursar
    const student = sampleStudent({ identifier: 'ADM-2', fullname: 'Meera Iyer' })
    const fee_components = [
      { component_type: 'TUITION_FEE', fee_amount: 20_000 },
      { component_type: 'TRANSPORT_FEE', fee_amount: 5_000 },
    ]
    const registered = await demo.post(`${ERP}/users/counter-1/students`, { student, fee_components })
    const details = [{ component_type: 'TUITION_FEE', amount: 20_000 }]
    const order = sampleOrder({ service_student_id: registered.body.data.service_student_id, details })
    const { order_id: id } = (await demo.post(`${PAY}/orders`, order)).body.data
    await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'pending' })

    await go('/i/demo-school')
    await page.getByRole('link', { name: 'Counter' }).first().click()
    await page.getByRole('link', { name: 'One student by hand' }).click()
    await page.getByPlaceholder('Name, admission number or phone').fill('ADM-2')
    await page.getByRole('option', { name: /Meera Iyer/ }).click()
    await page.getByLabel('Amount').first().fill('25000')
    await page.getByText('₹5,000.00 is left to take.').waitFor()
    await page.getByRole('button', { name: 'Take ₹5,000.00' }).waitFor()
    await lookAt(page, 'console-counter-on-the-way')
    await page.getByLabel('Take the other ₹20,000.00 as an advance').check()
    await page.getByRole('button', { name: 'Take ₹25,000.00' }).click()
    await page.getByText('received for Meera Iyer, receipt').waitFor()
    assert.deepEqual(complaints, [])
  },
)
