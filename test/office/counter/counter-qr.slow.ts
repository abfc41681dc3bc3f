import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { officeTask } from '../clicks.ts'
import { takePictures } from '../pictures.ts'

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
  await page.getByText(/₹40,000\.00 paid by phone for .*, receipt .*000001, .*000002/).waitFor()
  t.diagnostic(`from the admission number to the code: ${seconds.toFixed(1)} s`)
  await takePictures(office, 'counter-qr-paid')
  assert.deepEqual(office.complaints, [])
})

officeTask(
  'a mistyped amount is marked at its field, and what is more is taken as an advance',
  async office => {
    const { page, go, stage, complaints } = office
    const student = sampleStudent({ fullname: 'Kabir Rao', identifier: 'ADM-1' })
    const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 20_000 }]
    await stage.bursar.demo.post(`${ERP}/users/parent-1/students`, { student, fee_components })
    await go('/i/demo-school/counter')
    await page.getByLabel('Family').fill('ADM-1')
    await page.keyboard.press('Enter')
    const tuition = page.getByLabel('Tuition fee of Kabir Rao, rupees')
    await tuition.fill('2,00,000')
    await page.getByText('Only ₹20,000.00 is left. Type the rest as an advance.').waitFor()
    assert.equal(await tuition.getAttribute('aria-invalid'), 'true')
    const take = (amount: string) => page.getByRole('button', { name: `Take ${amount}` })
    assert.equal(await take('₹2,00,000.00').isDisabled(), true)
    await takePictures(office, 'counter-too-much')
    await tuition.fill('20000')
    await page.getByRole('button', { name: 'Another way' }).click()
    await page.getByLabel('Amount 2, rupees').fill('12a')
    await page.getByText('Type an amount in rupees with at most two decimals.').waitFor()
    await page.getByRole('button', { name: 'One way less' }).click()
    await take('₹20,000.00').click()
    await page.getByText(/₹20,000\.00 received for .*, receipt/).waitFor()
    assert.deepEqual(complaints, [])
  },
)
