import assert from 'node:assert/strict'
import { registerStudent } from '../../students/support.ts'
import { officeTask } from '../clicks.ts'
import { takePictures } from '../pictures.ts'

officeTask('register a family’s post-dated cheques, and take those of the day to the bank', async office => {
  const { page, go, stage } = office
  const { demo } = stage.bursar
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]
  const who = { identifier: 'ADM-ASHA', fullname: 'Asha Menon' }
  await registerStudent(demo, who, { fee_components: fees })
  await go('/i/demo-school/counter?view=post-dated')
  await page.getByRole('combobox', { name: 'Cheques for' }).fill('Asha')
  await page.getByRole('option', { name: /Asha Menon/ }).click()
  await page.getByLabel('Number on it').fill('004512')
  await page.getByLabel('Bank').fill('Canara Bank')
  const { data } = (await demo.get('/api/v1/sandbox/clock')).body
  const first = Temporal.PlainDate.from(data.now.slice(0, 10)).add({ days: 20 })
  await page.getByLabel('Date on it').fill(first.toString())
  await page.getByLabel('Amount, rupees').fill('20,000')
  await page.getByRole('button', { name: 'Another cheque' }).click()
  await page.getByRole('button', { name: 'Another cheque' }).click()
  assert.equal(await page.getByLabel('Number on it 3').inputValue(), '004514')
  await takePictures(office, 'post-dated-form')
  await page.getByRole('button', { name: 'Register 3 cheques, ₹60,000.00' }).click()
  await page.getByText('3 cheques of Asha Menon registered.').waitFor()
  await page.getByText('In the office').nth(2).waitFor()
  await demo.post('/api/v1/sandbox/clock', { to: `${first.toString()}T10:00:00+05:30` })
  await go('/i/demo-school')
  await page.getByText('Post-dated cheques to bank').click()
  await page.getByText('To the bank today: ₹20,000.00').waitFor()
  await takePictures(office, 'post-dated-due')
  await page.getByRole('button', { name: 'Take 1 cheque to the bank' }).click()
  await page.getByText('1 cheque taken as payments.').waitFor()
  await page.getByText('Taken, not on a slip').waitFor()
  await page.getByRole('button', { name: 'Replace cheque 004513' }).click()
  await takePictures(office, 'post-dated-replace')
  await page.getByRole('dialog').getByLabel('Number on it').fill('004600')
  await page
    .getByRole('dialog')
    .getByLabel('Date on it')
    .fill(first.add({ days: 40 }).toString())
  await page.getByRole('dialog').getByLabel('Reason').fill('Wrong signature')
  await page.getByRole('button', { name: 'Replace it' }).click()
  await page.getByText('004600').first().waitFor()
  assert.deepEqual(office.complaints, [])
})
