import assert from 'node:assert/strict'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

officeTask('refund ₹500 of a payment', async office => {
  const { page, go, stage } = office
  const { demo } = stage.bursar
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder({ name: 'Asha Rao' }))
  const order: string = body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })

  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Orders & links' }).first().click()
  await page.getByRole('row', { name: /Asha Rao/ }).click()
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Part of it, spread over all fees').check()
  await page.getByLabel('Amount in rupees').fill('500')
  await page.getByLabel('Reason').fill('Paid for the bus too')
  await takePictures(office, 'refund')
  await page.getByRole('button', { name: 'Refund this amount' }).click()
  await page.getByText('₹500.00 is on its way back to Asha Rao.').waitFor()
  assert.equal((await demo.get(`${PAY}/orders/${order}`)).body.data.refunded_amount, 500)
})
