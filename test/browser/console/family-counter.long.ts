import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../../harness/browser.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { expectSoundAndKeep } from '../checkout-support.ts'
import { I, memberOf, openConsole } from './support.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 30000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 6000 },
]

test('a family of three pays everything, part in cash and part by cheque, with one paper', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  for (const [identifier, fullname] of [
    ['ADM-1', 'Kabir Rao'],
    ['ADM-2', 'Meera Rao'],
    ['ADM-3', 'Dev Rao'],
  ]) {
    const student = sampleStudent({ fullname, identifier, section: 'B' })
    await demo.post(`${ERP}/users/parent-1/students`, { student, fee_components: FEES })
  }
  const { page, go, complaints, context } = await openConsole(stage, await memberOf(stage, 'cashier'))
  await go(`${I}/counter`)
  const began = performance.now()
  let clicks = 0
  const click = async (name: string | RegExp): Promise<void> => {
    clicks++
    await page.getByRole('button', { name }).click()
  }
  await page.getByLabel('Family').fill('ADM-2')
  await page.keyboard.press('Enter')
  await click('Everything: ₹1,08,000.00')
  await expectSoundAndKeep(page, 'console-family')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-family-phone')
  await page.setViewportSize(WIDE)
  await click('Another way')
  await page.getByLabel('Amount 2, rupees').fill('1,00,000')
  await page.getByLabel('Number on it 2').fill('004512')
  await page.getByLabel('Bank 2').fill('Canara Bank')
  await expectSoundAndKeep(page, 'console-family-ways')
  await click('Take ₹1,08,000.00')
  await page.getByText(/₹1,08,000\.00 received, receipt .*000001, .*000002/).waitFor()
  const seconds = (performance.now() - began) / 1000
  t.diagnostic(
    `a family of three, cash and a cheque: ${clicks} clicks, ${seconds.toFixed(1)} s with the pictures`,
  )
  assert.ok(clicks <= 3)
  await expectSoundAndKeep(page, 'console-family-taken')
  const paper = await page.getByRole('link', { name: 'Print the receipt of the family' }).getAttribute('href')
  const file = await context.request.get(stage.bursar.url + (paper ?? ''))
  assert.equal((await file.body()).subarray(0, 5).toString(), '%PDF-')
  await page.getByLabel('Family').fill('nobody at all')
  await page.keyboard.press('Enter')
  await page.getByText('No family was found by “nobody at all”.').waitFor()
  await page.getByLabel('Family').fill('ADM-1')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing is left to pay.').first().waitFor()
  assert.deepEqual(complaints, [])
})
