import assert from 'node:assert/strict'
import { expectSoundAndKeep } from '../browser/support.ts'
import { PHONE } from '../harness/browser.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { entranceFor, newFamily } from '../portal/parents-support.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

const SANDBOX = '/api/v1/sandbox'

officeTask(
  'let families in by a code, and a parent comes in with one',
  async ({ page, go, complaints, stage }) => {
    const { bursar, browser } = stage
    const { demo } = bursar
    const student = sampleStudent({ fullname: 'Zoya Khan', primary_contact_number: '9876509999' })
    await demo.post(`${ERP}/users/khan/students`, {
      student,
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 12000 }],
    })
    await go('/i/demo-school/settings/families')
    await page.getByLabel('Parents may sign in with a code').check()
    await page.getByLabel('Language of pages').selectOption('ta')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText(/\/school\/demo-school/)
      .first()
      .waitFor()
    await expectSoundAndKeep(page, 'console-settings-families')
    assert.deepEqual(complaints, [])

    const context = await browser.newContext({ viewport: PHONE })
    const parent = await context.newPage()
    await parent.goto(`${bursar.url}/school/demo-school`)
    await expectSoundAndKeep(parent, 'sign-in-ta')
    // Each language stands by its own name and its English one, for readers whose browser has no font for it.
    await parent.getByRole('link', { name: 'English' }).click()
    await parent.getByRole('link', { name: /\(Kannada\)/ }).waitFor()
    await parent.locator('input[name=contact]').fill('98765 09999')
    await parent.keyboard.press('Enter')
    await parent.locator('input[name=code]').waitFor()
    await expectSoundAndKeep(parent, 'sign-in-code')
    let code = ''
    await waitFor(async () => {
      await demo.post(`${SANDBOX}/clock`, { advance: 'PT0S' })
      const { body } = await demo.get(`${SANDBOX}/mailbox?to=${encodeURIComponent('+919876509999')}`)
      code = /^\d{6}$/m.exec(body.data[0]?.text ?? '')?.[0] ?? ''
      return code !== ''
    }, 'a code in the mailbox')
    await parent.locator('input[name=code]').fill(code)
    await parent.keyboard.press('Enter')
    await parent.getByText('Zoya Khan').first().waitFor()
    await expectSoundAndKeep(parent, 'parents-by-code')
    await context.close()
  },
  { role: 'owner' },
)

officeTask('use an advance for another fee', async ({ page, go, complaints, stage }) => {
  const { demo } = stage.bursar
  const made = await demo.post(`${ERP}/users/rao/students`, {
    student: sampleStudent(),
    fee_components: [
      { component_type: 'TUITION_FEE', fee_amount: 1000 },
      { component_type: 'TRANSPORT_FEE', fee_amount: 700 },
    ],
    payments: [
      {
        amount: 1600,
        paid_at: '2026-06-01',
        mode: 'cash',
        transaction_id: 'CASH-1',
        fee_components: [{ component_type: 'TUITION_FEE', amount: 1600 }],
      },
    ],
  })
  await go(`/i/demo-school/students/${made.body.data.service_student_id}`)
  await page.getByText('₹600.00 was paid beyond the fees and stands as an advance.').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Use the advance for other fees' }).click()
  await page.getByLabel('For which fee').selectOption('TRANSPORT_FEE')
  await page.getByLabel('Amount in rupees').fill('250')
  await page.getByLabel(/Reason|Why/).fill('The family asked for it.')
  await expectSoundAndKeep(page, 'console-use-advance')
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByText('₹350.00 was paid beyond the fees and stands as an advance.').waitFor()
  await page.getByRole('link', { name: 'Story' }).click()
  await page.getByText('Advance used for other fees').first().waitFor()
  await expectSoundAndKeep(page, 'console-advance-used')
  assert.deepEqual(complaints, [])
})

officeTask('a parent ticks fees of two children, and the sum follows at once', async office => {
  const { demo, url } = office.stage.bursar
  const late = {
    component_type: null,
    due_date: '2026-01-10',
    kind: 'slab',
    slabs: [{ from_day: 1, amount: 250 }],
  }
  const rules = await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [late] })
  assert.equal(rules.status, 200, rules.text)
  const students = [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao', grade: '2' }]
  const { user } = await newFamily(demo, { students })
  const page = await office.context.newPage()
  await page.setViewportSize(PHONE)
  await page.goto(url + (await entranceFor(demo, user)))
  await page.goto(`${url}/parents/pay?fee=`)
  const total = page.locator('.total')
  const boxes = page.getByRole('checkbox')
  assert.equal(await total.innerText(), 'Chosen in all: ₹0.00')
  await boxes.nth(0).click()
  assert.equal(await total.innerText(), 'Chosen in all: ₹54,250.00')
  // Both fees of a child are under one rule, whose late fee comes once; the other child has its own.
  await boxes.nth(1).click()
  assert.equal(await total.innerText(), 'Chosen in all: ₹66,250.50')
  await boxes.nth(2).click()
  assert.equal(await total.innerText(), 'Chosen in all: ₹1,20,500.50')
  await page.getByText('Chosen: ₹66,250.50').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Update the total' }).count(), 0)
  await takePictures({ page }, 'parents-choose')
  await page.getByRole('button', { name: 'Pay ₹1,20,500.50' }).click()
  await page.getByText('₹1,20,500.50').first().waitFor()

  const { browser } = office.stage
  const storageState = await office.context.storageState()
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState, viewport: PHONE })
  const slow = await plain.newPage()
  await slow.goto(`${url}/parents/pay?fee=`)
  await slow.getByRole('checkbox').nth(0).click()
  await slow.getByRole('button', { name: 'Update the total' }).click()
  await slow.getByText('Chosen in all: ₹54,250.00').waitFor()
  await plain.close()
  assert.deepEqual(office.complaints, [])
})
