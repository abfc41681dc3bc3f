import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { actOnPayment, confirm, memberOf, openConsole } from '../../browser/console/support.ts'
import { SCHOOL } from '../../console/students/support.ts'
import { assertAnswer } from '../../console/support.ts'
import type { Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { registerStudent } from '../../students/support.ts'
import { officeTask, type Office } from '../clicks.ts'
import { takePictures } from '../pictures.ts'

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 60_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 6_000 },
]
const FAMILY = { primary_contact_email: 'asha@example.in', primary_contact_number: '9876509999' }

const register = ({ stage }: Office): Promise<string> =>
  registerStudent(
    stage.bursar.demo,
    { identifier: 'ADM-1', fullname: 'Kabir Rao', ...FAMILY },
    { fee_components: FEES },
  )

async function findFamily(page: Page): Promise<void> {
  await page.getByLabel('Family').fill('ADM-1')
  await page.keyboard.press('Enter')
  await page.getByLabel('Tuition fee of Kabir Rao, rupees').fill('9000')
}

async function toPayments(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('heading', { name: 'Students', exact: true }).waitFor()
  await page.getByText('Kabir Rao').first().click()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
}

async function transactionOf({ stage }: Office, id: string): Promise<string> {
  const { data } = (await stage.bursar.demo.get(`${ERP}/students/${id}/payments`)).body
  return data[0].transaction_id
}

const owed = async ({ stage }: Office, id: string): Promise<number> =>
  (await stage.bursar.demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount

/** What the family was told by mail so far, the last first. */
async function toldOf({ stage }: Office, subject: RegExp): Promise<Json> {
  const { demo } = stage.bursar
  let found: Json
  await waitFor(
    async () => {
      await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' })
      const { data } = (await demo.get('/api/v1/sandbox/mailbox?to=asha@example.in')).body
      found = data.find((one: Json) => subject.test(one.subject ?? ''))
      return found !== undefined
    },
    `a mail about ${String(subject)}`,
  )
  return found
}

officeTask('cancel cash that was typed twice, over the amount of one person', async office => {
  const { page, go, stage } = office
  const id = await register(office)
  const owner = await memberOf(stage, 'owner')
  const limit = { above: 5_000, reason: 'Decided by the management' }
  assertAnswer(await owner.send('PUT', `${SCHOOL}/approval-limit`, limit), '200')
  await go('/i/demo-school/counter')
  await findFamily(page)
  await page.getByRole('button', { name: 'Take ₹9,000.00' }).click()
  await page.getByText('₹9,000.00 received').waitFor()
  await toldOf(office, /₹9,000\.00/)
  await toPayments(page)
  await actOnPayment(page, await transactionOf(office, id), 'Cancel the payment')
  await confirm(page, 'Cancel the payment', 'Typed twice')
  await page.getByText('waits until a colleague approves it').waitFor()
  assert.equal(await owed(office, id), 57_000, 'nothing is changed yet')
  // Who asked for it is offered to withdraw it, and nothing else.
  await go('/i/demo-school/approvals')
  await page.getByRole('button', { name: 'Withdraw' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
  await takePictures(office, 'cancel-waits')

  const second = await openConsole(stage, owner)
  await second.go('/i/demo-school')
  await second.page.getByText('Requests to approve').click()
  await second.page.getByText('Typed twice').first().waitFor()
  await second.page.getByRole('button', { name: 'Approve', exact: true }).click()
  await second.page.getByRole('button', { name: 'Approve and do it' }).click()
  await second.page.getByText('Approved, and done.').waitFor()
  assert.equal(await owed(office, id), 66_000)
  const mail = await toldOf(office, /was cancelled/)
  assert.match(mail.text, /₹9,000\.00[\s\S]*Typed twice/)
  assert.deepEqual([...office.complaints, ...second.complaints], [])
})

officeTask('pay a part of a payment back in cash, with the voucher to sign', async office => {
  const { page, go, context, stage } = office
  const id = await register(office)
  await go('/i/demo-school/counter')
  await findFamily(page)
  await page.getByRole('button', { name: 'Take ₹9,000.00' }).click()
  await page.getByText('₹9,000.00 received').waitFor()
  await toldOf(office, /₹9,000\.00/)
  await toPayments(page)
  await actOnPayment(page, await transactionOf(office, id), 'Refund the payment')
  const dialogue = page.getByRole('dialog')
  await dialogue.getByLabel('Amount in rupees').fill('2,000')
  await dialogue.getByLabel('Reason').fill('A sister’s concession came later')
  await takePictures(office, 'refund-cash')
  await dialogue.getByRole('button', { name: 'Pay it out' }).click()
  await page.getByText(/₹2,000\.00 is paid out\. Print voucher \d{4}-\d{2}\/000001/).waitFor()
  const voucher = page.getByRole('link', { name: /^Voucher / })
  const file = await context.request.get(stage.bursar.url + ((await voucher.getAttribute('href')) ?? ''))
  assert.equal((await file.body()).subarray(0, 5).toString(), '%PDF-')
  assert.equal(await owed(office, id), 59_000)
  await page.getByRole('link', { name: 'Counter' }).first().click()
  await page.getByRole('link', { name: 'Cash book and day close' }).click()
  const book = page.getByRole('table', { name: 'Cash book' })
  await book.getByRole('row', { name: /Voucher .*000001.*-₹2,000\.00/ }).waitFor()
  await page.getByText('₹7,000.00 in cash was taken, less what was paid out').waitFor()
  await takePictures(office, 'refund-cash-book')
  const mail = await toldOf(office, /₹2,000\.00 refunded/)
  assert.match(mail.text, /000001/)
  assert.deepEqual(office.complaints, [])
})

officeTask('take back a cheque that the bank returned, and the family is told', async office => {
  const { page, go } = office
  const id = await register(office)
  await go('/i/demo-school/counter')
  await findFamily(page)
  await page.getByLabel('How', { exact: true }).selectOption('cheque')
  await page.getByLabel('Number on it').fill('004512')
  await page.getByLabel('Bank').fill('Canara Bank')
  await page.getByRole('button', { name: 'Take ₹9,000.00' }).click()
  await page.getByText('₹9,000.00 received').waitFor()
  await toldOf(office, /₹9,000\.00/)
  await page.getByRole('link', { name: 'Cheques', exact: true }).click()
  await page.getByRole('button', { name: 'Bounced: cheque 004512' }).click()
  await page.getByRole('dialog').getByLabel('Charge for it, rupees').fill('350')
  await takePictures(office, 'cheque-bounced')
  await confirm(page, 'Take the money back', 'Funds insufficient')
  await page.getByText('Cheque 004512 bounced: ₹9,000.00 is due again.').waitFor()
  assert.equal(await owed(office, id), 66_350)
  const mail = await toldOf(office, /cheque/i)
  for (const part of ['004512', '₹9,000.00', 'Funds insufficient', '₹350.00'])
    assert.ok(mail.text.includes(part), `${part} is not in: ${mail.text}`)
  await toPayments(page)
  await page.getByText('Funds insufficient').first().waitFor()
  assert.deepEqual(office.complaints, [])
})
