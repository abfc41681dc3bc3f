import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

const DAY = new Date().toISOString().slice(0, 10)
const STATEMENT = [
  'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance',
  `${DAY},UPI/412345678901/adm 7/FEES,412345678901,,12000,`,
].join('\n')

officeTask(
  'a transfer that names an admission number, to the bank account that the school had entered',
  async office => {
    const { page, go, stage, complaints } = office
    const student = sampleStudent({ fullname: 'Meera Iyer', identifier: 'ADM-7', section: 'B' })
    const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }]
    const made = await stage.bursar.demo.post(`${ERP}/users/parent-7/students`, { student, fee_components })
    assert.equal(made.status, 201, made.text)

    await go('/i/demo-school')
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('button', { name: 'Add an account' }).click()
    await page.getByLabel('In the name of').fill('Sunrise Trust')
    await page.getByLabel('Account number').fill('5010 0123 4567 89')
    await page.getByLabel('IFSC').fill('hdfc0000123')
    await page.getByLabel('Bank and branch').fill('HDFC Bank, Jayanagar')
    await page.getByRole('button', { name: 'Save the details' }).click()
    await page.getByText('The school’s details are saved.').first().waitFor()

    await page.getByRole('link', { name: 'Money' }).first().click()
    await page.getByRole('link', { name: 'Bank statement', exact: true }).click()
    await takePictures(office, 'bank-account-known')
    await page.getByRole('button', { name: 'HDFC Bank, Jayanagar …6789' }).click()
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add a statement' }).click()
    await (
      await choosing
    ).setFiles({ name: 'bank.csv', mimeType: 'text/csv', buffer: Buffer.from(STATEMENT) })
    await page.getByRole('button', { name: 'Add 1 line' }).click()
    await page.getByText('1 new line, 0 lines matched.').waitFor()
    await page.getByRole('row', { name: /adm 7/ }).click()
    await page.getByText('The line names the admission number.').waitFor()
    assert.match(
      await page.getByPlaceholder('Name, admission number or phone').inputValue(),
      /^Meera Iyer, ADM-7/,
    )
    await takePictures(office, 'bank-line-named')
    await page.getByRole('button', { name: 'Record ₹12,000.00' }).click()
    await page.getByText('Every line is decided.').waitFor()

    await page.getByRole('link', { name: 'Exports', exact: true }).click()
    await takePictures(office, 'exports')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Vouchers of payments and refunds' }).click()
    assert.match((await saved).suggestedFilename(), /^payments-.*\.xml$/)
    assert.deepEqual(complaints, [])
  },
  { role: 'owner' },
)
