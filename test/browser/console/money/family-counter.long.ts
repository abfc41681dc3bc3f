import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../../../harness/browser.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

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
  await page.getByText(/₹1,08,000\.00 received for .*, receipt .*000001, .*000002/).waitFor()
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

/** What a family brings to the counter. */
const BRINGS = ['an admission number', 'a phone', 'a receipt of last time'] as const

test('ten families pay within a minute each, found by what they bring, in one way or two, with one paper each', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const cashier = await memberOf(stage, 'cashier')
  const families: { typed: string; brings: string; children: number }[] = []
  for (let no = 0; no < 10; no++) {
    const phone = `98450${String(10_000 + no)}`
    const children = 1 + (no % 3)
    const ids: string[] = []
    for (let child = 0; child < children; child++) {
      const student = sampleStudent({
        fullname: `Child ${no} ${child}`,
        identifier: `FAM-${no}-${child}`,
        primary_contact_number: phone,
      })
      const { body } = await demo.post(`${ERP}/users/family-${no}/students`, {
        student,
        fee_components: FEES,
      })
      ids.push(body.data.service_student_id)
    }
    const brings = BRINGS[no % BRINGS.length] ?? ''
    let typed = brings === 'a phone' ? phone : `FAM-${no}-0`
    if (brings === 'a receipt of last time') {
      const earlier = await cashier.post('/console/api/institutes/demo-school/counter/takings', {
        children: [
          {
            service_student_id: ids[0],
            fee_components: [{ component_type: 'TUITION_FEE', amount: 1000 }],
          },
        ],
        ways: [{ mode: 'cash', amount: 1000 }],
      })
      typed = earlier.body.data.payments[0].receipt_number
    }
    families.push({ typed, brings, children })
  }
  const { page, go, complaints } = await openConsole(stage, cashier)
  await go(`${I}/counter`)
  const seconds: number[] = []
  let clicks = 0
  for (const [no, { typed, brings, children }] of families.entries()) {
    const began = performance.now()
    const before = clicks
    const click = async (name: string | RegExp): Promise<void> => {
      clicks++
      await page.getByRole('button', { name }).click()
    }
    await page.getByLabel('Family').fill(typed)
    await page.keyboard.press('Enter')
    await click(/^Everything: /)
    if (no % 4 === 3) {
      await click('Another way')
      await page.getByLabel('How 2').selectOption('upi')
      await page.getByLabel('Amount 2, rupees').fill('5,000')
      await page.getByLabel('Reference 2').fill(`UPI-${no}`)
    }
    await click(/^Take ₹/)
    await page.getByText(/received for .*, receipt/).waitFor()
    const paper = page.getByRole('link', { name: 'Print the receipt of the family' })
    assert.match((await paper.getAttribute('href')) ?? '', /\/counter\/takings\/take_/)
    const took = (performance.now() - began) / 1000
    seconds.push(took)
    t.diagnostic(`${brings}, ${children} children: ${clicks - before} clicks, ${took.toFixed(1)} s`)
  }
  const sum = seconds.reduce((all, one) => all + one, 0)
  t.diagnostic(`ten families: ${clicks} clicks, ${sum.toFixed(0)} s`)
  assert.ok(clicks <= 24)
  assert.ok(Math.max(...seconds) < 60)
  await page.getByLabel('Family').fill('FAM-9-0')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing is left to pay.').first().waitFor()
  assert.deepEqual(complaints, [])
})

test('a wrong amount is marked where it was typed', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const student = sampleStudent({ fullname: 'Kabir Rao', identifier: 'ADM-1' })
  await demo.post(`${ERP}/users/parent-1/students`, { student, fee_components: FEES })
  const { page, go } = await openConsole(stage, await memberOf(stage, 'cashier'))
  await go(`${I}/counter`)
  await page.getByLabel('Family').fill('ADM-1')
  await page.keyboard.press('Enter')
  const bus = page.getByLabel('Transport fee of Kabir Rao, rupees')
  await bus.fill('60x0')
  await page.getByText('Type an amount in rupees with at most two decimals.').waitFor()
  assert.equal(await bus.getAttribute('aria-invalid'), 'true')
  await expectSoundAndKeep(page, 'console-family-wrong-amount')
  await bus.fill('0.001')
  assert.equal(await bus.getAttribute('aria-invalid'), 'true')
  const take = page.getByRole('button', { name: /^Take ₹/ })
  for (const typed of ['1e3', '-5', '1,00,000.555', '1,2,3']) {
    await bus.fill(typed)
    await page.getByText('Type an amount in rupees with at most two decimals.').waitFor()
    assert.equal(await take.innerText(), 'Take ₹0.00', typed)
    assert.equal(await take.isDisabled(), true, typed)
  }
  await bus.fill('')
  await bus.pressSequentially('1,2,3')
  assert.equal(await bus.inputValue(), '123', 'commas between keys group, and are grouped anew')
  await page.getByRole('button', { name: 'Take ₹123.00' }).waitFor()
  await bus.fill('5,000')
  await page.getByRole('button', { name: 'Take ₹5,000.00' }).click()
  await page.getByText(/₹5,000\.00 received for Kabir Rao, receipt/).waitFor()
})
