import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../../harness/browser.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { expectSoundAndKeep } from '../checkout-support.ts'
import { I, memberOf, openConsole } from './support.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 60000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 12000 },
]

test('cash is paid out again in part, with a voucher, and the cash book shows both and what was cancelled', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const student = sampleStudent({ fullname: 'Kabir Rao', identifier: 'ADM-1042' })
  const registered = await demo.post(`${ERP}/users/parent-1/students`, { student, fee_components: FEES })
  const id = registered.body.data.service_student_id
  const finance = await memberOf(stage, 'finance')
  const take = async (transaction: string): Promise<void> => {
    const answer = await finance.post(`/console/api/institutes/demo-school/students/${id}/payments`, {
      amount: 9000,
      paid_at: '2026-11-16T10:00:00Z',
      mode: 'cash',
      transaction_id: transaction,
      fee_components: [
        { component_type: 'TUITION_FEE', amount: 6000 },
        { component_type: 'TRANSPORT_FEE', amount: 3000 },
      ],
    })
    assert.equal(answer.status, 201, answer.text)
  }
  await take('BOOK-1')
  await take('BOOK-2')
  const { page, go, complaints, context } = await openConsole(stage, finance)

  await t.test('a part of one fee goes back in cash in five clicks', async () => {
    await go(`${I}/students/${id}`)
    await page.getByRole('button', { name: 'Refund the payment BOOK-1' }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue.getByLabel('Of which fee').selectOption('TRANSPORT_FEE')
    await dialogue.getByLabel('Amount in rupees').fill('2,000')
    await dialogue.getByLabel('Paid out by').selectOption('cheque')
    await dialogue.getByLabel('Reason').fill('Uses the bus no more')
    await dialogue.getByRole('button', { name: 'Pay it out' }).click()
    await dialogue.getByText('is needed: the number of the cheque').waitFor()
    await dialogue.getByLabel('Paid out by').selectOption('cash')
    await expectSoundAndKeep(page, 'console-counter-refund')
    await page.setViewportSize(NARROW)
    await expectSoundAndKeep(page, 'console-counter-refund-phone')
    await dialogue.getByRole('button', { name: 'Pay it out' }).click()
    await page.getByText(/₹2,000\.00 is paid out\. Print voucher \d{4}-\d{2}\/000001/).waitFor()
    await page.setViewportSize(WIDE)
    await page.getByText('₹2,000.00 given back').waitFor()
    const voucher = await page.getByRole('link', { name: /^Voucher / }).getAttribute('href')
    const file = await context.request.get(stage.bursar.url + (voucher ?? ''))
    assert.equal((await file.body()).subarray(0, 5).toString(), '%PDF-')
    await expectSoundAndKeep(page, 'console-student-refunded')
    const { components } = (await demo.get(`${ERP}/students/${id}/dues`)).body.data
    assert.deepEqual(
      components.map((one: { outstanding_amount: number }) => one.outstanding_amount),
      [48000, 8000],
    )
  })

  await t.test('what has been paid out in part can be refunded further and not be cancelled', async () => {
    assert.equal(await page.getByRole('button', { name: 'Cancel the payment BOOK-1' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Refund the payment BOOK-1' }).count(), 1)
  })

  await t.test('the cash book keeps the number of a cancelled receipt and marks it', async () => {
    await page.getByRole('button', { name: 'Cancel the payment BOOK-2' }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue.getByText('If the money goes back to the family, refund it instead.').waitFor()
    await dialogue.getByLabel('Reason').fill('Typed twice')
    await dialogue.getByRole('button', { name: 'Cancel the payment' }).click()
    await page.getByText('The payment of ₹9,000.00 is cancelled.').waitFor()
    await go(`${I}/counter?view=book`)
    const book = page.getByRole('table', { name: 'Cash book' })
    await book.getByRole('row', { name: /000001.*₹2,000\.00 refunded/ }).waitFor()
    await book.getByRole('row', { name: /000002.*Cancelled/ }).waitFor()
    await book.getByRole('row', { name: /Voucher .*000001.*-₹2,000\.00/ }).waitFor()
    await page.getByText('₹7,000.00 in cash was taken, less what was paid out').waitFor()
    await expectSoundAndKeep(page, 'console-cash-book')
    await page.setViewportSize(NARROW)
    await expectSoundAndKeep(page, 'console-cash-book-phone')
    await page.setViewportSize(WIDE)
  })
  assert.deepEqual(complaints, [])
})
