import assert from 'node:assert/strict'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { takePictures } from './pictures.ts'
import { officeTask } from './clicks.ts'

officeTask('compare a settlement with a bank statement', async office => {
  const { page, go, stage } = office
  const { demo } = stage.bursar
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  await demo.post('/api/v1/sandbox/settlements/run')
  const [settlement] = (await demo.get(`${PAY}/settlements`)).body.data
  const day = settlement.settled_at.slice(0, 10)
  const statement = [
    'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance',
    `${day},NEFT CR ${settlement.utr},${settlement.utr},,${settlement.net},`,
    `${day},SMS CHARGES,,118.00,,`,
  ].join('\n')

  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Money' }).first().click()
  await page.getByRole('link', { name: 'Bank statement', exact: true }).click()
  await page.getByLabel('Name of the bank account').fill('HDFC current 4512')
  await page.getByRole('button', { name: 'Add the account' }).click()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add a statement' }).click()
  const chooser = await choosing
  await chooser.setFiles({ name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from(statement) })
  await takePictures(office, 'bank-preview')
  await page.getByRole('button', { name: 'Add 2 lines' }).click()
  await page.getByText('2 new lines, 1 line matched.').waitFor()
  await page.getByText('1 line to decide').waitFor()
  await takePictures(office, 'bank-to-decide')
  await page.getByRole('row', { name: /SMS CHARGES/ }).click()
  await page.getByText('Something else', { exact: true }).click()
  await page.getByLabel('What it is').last().fill('Charges of the bank')
  await takePictures(office, 'bank-line')
  await page.getByRole('button', { name: 'Not money for fees' }).click()
  await page.getByText(/Reconciled up to/).waitFor()
  await page.getByText('Every line is decided.').waitFor()
  await page.getByText('All lines').click()
  await page.getByText(`Settlement ${settlement.utr}`).waitFor()
  await takePictures(office, 'bank-all')
  assert.equal((await demo.get(`${PAY}/settlements/${settlement.utr}`)).status, 200)
})
