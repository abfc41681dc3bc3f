import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

officeTask('a family of two pays everything by a code on the screen', async office => {
  const { page, go, stage, t } = office
  const { demo } = stage.bursar
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 20_000 }]
  for (const [identifier, fullname] of [
    ['ADM-1', 'Kabir Rao'],
    ['ADM-2', 'Meera Rao'],
  ]) {
    const student = sampleStudent({ fullname, identifier })
    await demo.post(`${ERP}/users/parent-1/students`, { student, fee_components: fees })
  }
  await go('/i/demo-school/counter')
  const began = performance.now()
  await page.getByLabel('Family').fill('ADM-2')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Everything: ₹40,000.00' }).click()
  await page.getByRole('button', { name: 'Show a code to pay ₹40,000.00' }).click()
  const picture = page.getByRole('img', { name: /^QR code of / })
  await picture.waitFor()
  const seconds = (performance.now() - began) / 1000
  await takePictures(office, 'counter-qr')
  const url = (await picture.getAttribute('alt'))?.replace('QR code of ', '') ?? ''
  const phone = await office.context.newPage()
  await phone.goto(url)
  await phone.getByText('₹40,000.00').first().waitFor()
  await phone.close()
  const orders = await stage.bursar.sql<{ id: string }>(`select id from orders where state = 'unpaid'`)
  for (const { id } of orders)
    await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success', mode: 'upi' })
  await page.getByText(/₹40,000\.00 paid by phone, receipt .*000001, .*000002/).waitFor()
  t.diagnostic(`from the admission number to the code: ${seconds.toFixed(1)} s`)
  await takePictures(office, 'counter-qr-paid')
  assert.deepEqual(office.complaints, [])
})
