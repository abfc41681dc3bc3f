import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectCount, setStage } from '../../../harness/browser.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { actOnPayment, I, memberOf, openConsole } from '../support.ts'

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
    await go(`${I}/students/${id}?tab=payments`)
    await actOnPayment(page, 'BOOK-1', 'Refund the payment')
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
    await page.getByRole('button', { name: 'Act on the payment BOOK-1' }).click()
    await expectCount(page.getByRole('menuitem'), 1)
    await page.getByRole('menuitem', { name: 'Refund the payment' }).waitFor()
    await page.keyboard.press('Escape')
  })

  await t.test('the cash book keeps the number of a cancelled receipt and marks it', async () => {
    await actOnPayment(page, 'BOOK-2', 'Cancel the payment')
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

test('a cashier finds the counter alone: takes money in six clicks, prints, sees and closes the own drawer', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const student = sampleStudent({ fullname: 'Kabir Rao', identifier: 'ADM-1042' })
  await stage.bursar.demo.post(`${ERP}/users/parent-1/students`, { student, fee_components: FEES })
  const { page, go, complaints, context } = await openConsole(stage, await memberOf(stage, 'cashier'))
  await go(I)
  await page.waitForURL(/\/counter/)
  const entries = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()
  assert.deepEqual(entries, ['Counter'])
  await page.getByRole('link', { name: 'One student by hand' }).click()
  await page.getByPlaceholder('Name, admission number or phone').fill('ADM-1042')
  await page.getByRole('option', { name: /Kabir Rao/ }).click()
  assert.equal(await page.getByLabel('Paid on').count(), 0)
  await page.getByLabel('Amount, rupees').fill('5,000')
  await page.getByRole('button', { name: 'Take ₹5,000.00' }).waitFor()
  await expectSoundAndKeep(page, 'console-cashier-take')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-cashier-take-phone')
  await page.setViewportSize(WIDE)
  await page.getByRole('button', { name: 'Take ₹5,000.00' }).click()
  await page.getByText('₹5,000.00 received for Kabir Rao').waitFor()
  await page.getByRole('link', { name: 'Cash book and day close' }).click()
  await page.getByRole('row', { name: /000001.*₹5,000\.00/ }).waitFor()
  await page.getByLabel('Cash, rupees').fill('1,000')
  await page.getByLabel('From where').fill('The safe')
  await page.getByRole('button', { name: 'Write it down' }).click()
  await page.getByText('₹6,000.00 in cash was taken').waitFor()
  await page.getByLabel('₹500 ×').fill('12')
  await page.getByRole('button', { name: 'Close the day' }).click()
  await page.getByText(/cashier@school\.example closed with ₹6,000\.00 in cash/).waitFor()
  const sheet = await page.getByRole('link', { name: 'Print the day’s sheet' }).getAttribute('href')
  const file = await context.request.get(stage.bursar.url + (sheet ?? ''))
  assert.equal((await file.body()).subarray(0, 5).toString(), '%PDF-')
  await expectSoundAndKeep(page, 'console-cashier-book')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-cashier-book-phone')
  assert.deepEqual(complaints, [])
})
