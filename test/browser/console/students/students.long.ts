import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startMandate } from '../../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../../src/institutes/institutes.service.ts'
import { createPerson, PASSWORD } from '../../../console/support.ts'
import { DESKTOP, expectCount, PHONE, setStage, type Stage } from '../../../harness/browser.ts'
import type { Json } from '../../../harness/client.ts'
import { sampleRecord, startFakeErp, type FakeErp } from '../../../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { setErp } from '../../../students/support.ts'
import { expectSound, expectSoundAndKeep } from '../../support.ts'
import { actOnPayment, showTechnical } from '../support.ts'

const AT = '/console/i/demo-school'
const KABIR = { fullname: 'Kabir Rao', identifier: 'ADM-1042', grade: '5' }
const TUITION = {
  component_type: 'TUITION_FEE',
  fee_amount: 60_000,
  discounts: [{ discount_type: 'SIBLING', value: 5_000 }],
}

/** A family with a late fee, money paid, and instalments of which the ERP let one be skipped. */
async function fill({ bursar }: Stage, erp: FakeErp): Promise<string> {
  const { demo, app, url } = bursar
  const rule = {
    component_type: 'TUITION_FEE',
    due_date: '2026-01-10',
    kind: 'per_day',
    amount_per_day: 10,
    max_amount: 900,
  }
  await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [rule] })
  const register = async (parent: string, student: object, fees: Json[]): Promise<string> => {
    const body = { student: sampleStudent({ ...student }), fee_components: fees }
    return (await demo.post(`${ERP}/users/${parent}/students`, body)).body.data.service_student_id
  }
  const id = await register('parent-1', KABIR, [
    TUITION,
    { component_type: 'TRANSPORT_FEE', fee_amount: 12_000 },
  ])
  await register('parent-1', { fullname: 'Anaya Rao', identifier: 'ADM-1043', grade: '2' }, [TUITION])
  for (const [no, fullname] of ['Meera Iyer', 'Zoya Khan', 'Dev Patel', 'Kavya Nair'].entries())
    await register(
      `parent-${no + 2}`,
      { fullname, identifier: `ADM-${1100 + no}`, grade: '8', primary_contact_name: 'Lata Menon' },
      [TUITION],
    )
  await demo.post(`${ERP}/students/${id}/payments`, {
    amount: 5_000,
    paid_at: '2026-06-01',
    mode: 'cash',
    transaction_id: 'CASH-17',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 5_000 }],
  })
  await setErp(demo, erp)
  erp.put(
    sampleRecord(KABIR, {
      fee_components: [
        { component_type: 'TUITION_FEE', fee_amount: 55_000 },
        { component_type: 'TRANSPORT_FEE', fee_amount: 12_000 },
      ],
    }),
  )
  const { plan_id: planId } = (await demo.post(`/api/v1/integrations/flex/students/${id}/plans`)).body.data
  const { id: instituteId } = await getInstitute(app.ctx, 'demo-school')
  const mandate = { rail: 'upi_autopay', language: 'en', returnUrl: url } as const
  await startMandate(app.ctx, { instituteId, planId }, mandate)
  await demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`, {})
  erp.refuse('ADM-1042', 'amount_mismatch', 'The fee is being corrected.')
  await demo.post('/api/v1/sandbox/clock', { advance: 'P40D' })
  return id
}

async function enter(page: Page, { bursar }: Stage): Promise<void> {
  await page.goto(`${bursar.url}/console`)
  await page.getByRole('button', { name: 'Bursar of Demo School' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

async function openPage(stage: Stage, viewport = DESKTOP): Promise<{ page: Page; complaints: string[] }> {
  const context = await stage.browser.newContext({ viewport })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 40/.test(message.text())) complaints.push(message.text())
  })
  return { page, complaints }
}

test('students in the console', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const erp = await startFakeErp(t)
  const id = await fill(stage, erp)
  await findsStudents(t, stage, id)
  await tellsAStudentsStory(t, stage, id, erp)
  await letsAViewerOnlyLook(t, stage, id)
  await fitsAPhone(t, stage, id)
})

async function findsStudents(t: TestContext, stage: Stage, id: string): Promise<void> {
  await t.test(
    'students are found while one types, filtered in the address and opened by the keyboard',
    async () => {
      const { page, complaints } = await openPage(stage)
      await enter(page, stage)
      await page.getByRole('link', { name: 'Students', exact: true }).click()
      const rows = page.locator('tbody tr')
      await page.getByText('Zoya Khan').waitFor()
      await expectCount(rows, 6)
      await expectSoundAndKeep(page, 'console-students-list')
      await page.getByLabel('Search students', { exact: true }).pressSequentially('rao', { delay: 20 })
      await page.waitForURL(/q=rao/)
      await page.getByText('Zoya Khan').waitFor({ state: 'hidden' })
      await expectCount(rows, 2)
      await page.getByLabel('Search students', { exact: true }).fill('nobody like this')
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByText('No student matches “nobody like this”').waitFor()
      await page.goBack()
      await page.goto(`${stage.bursar.url}${AT}/students?grade=8&owing=yes`)
      await page.getByText('Meera Iyer').waitFor()
      await expectCount(rows, 4)
      await page.getByRole('button', { name: 'Remove the filter Class: 8' }).click()
      await page.getByText('Anaya Rao').waitFor()
      await rows.first().focus()
      await page.keyboard.press('ArrowDown')
      assert.equal(await rows.nth(1).evaluate(row => row === document.activeElement), true)

      await page.keyboard.press('/')
      await page.keyboard.type('adm-1042')
      const hits = page.getByRole('listbox')
      await hits.getByRole('option', { name: /Kabir Rao/ }).waitFor()
      await expectSoundAndKeep(page, 'console-students-search')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${AT}/students/${id}`)
      await page.getByRole('heading', { name: 'Kabir Rao', level: 1 }).waitFor()
      assert.deepEqual(complaints, [])
      await page.context().close()
    },
  )
}

async function perform(
  page: Page,
  name: string,
  confirm: string,
  reason = 'Asked by the parents',
): Promise<void> {
  const dialogue = page.getByRole('dialog')
  await dialogue.getByLabel('Reason').fill(reason)
  await dialogue.getByRole('button', { name: confirm, exact: true }).click()
  await page.getByText(name).waitFor()
  await dialogue.waitFor({ state: 'hidden' })
}

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

async function tellsAStudentsStory(t: TestContext, stage: Stage, id: string, erp: FakeErp): Promise<void> {
  await t.test(
    'a student’s page says why an instalment was skipped, and actions that move money ask for a reason',
    async () => {
      const { page, complaints } = await openPage(stage)
      await enter(page, stage)
      await page.goto(`${stage.bursar.url}${AT}/students/${id}`)
      const tabs = page.getByRole('navigation', { name: 'About Kabir Rao' })
      await page.getByRole('table', { name: 'Dues by fee' }).waitFor()
      await expectSoundAndKeep(page, 'console-students-student')
      const seen: Record<string, string> = {
        Instalments: 'The fee is being corrected',
        Family: 'The family owes',
        Messages: 'Everything that the family was sent',
        Story: 'Instalment skipped',
      }
      for (const [tab, text] of Object.entries(seen)) {
        await tabs.getByRole('link', { name: tab }).click()
        await page.getByText(text).first().waitFor()
        await expectSoundAndKeep(page, `console-students-student-${tab.toLowerCase()}`)
      }
      await page.reload()
      await page.getByText('Instalment skipped').first().waitFor()
      await page.goBack()
      await page.getByText('Everything that the family was sent').waitFor()
      await tabs.getByRole('link', { name: 'Payments' }).click()

      await page.getByRole('button', { name: 'Record a payment' }).click()
      await page.getByLabel('Tuition fee, rupees').fill('1,500')
      await page.getByRole('dialog').getByRole('button', { name: 'Record it' }).click()
      await page.getByText('₹1,500.00 is recorded').waitFor()
      await page.getByRole('link', { name: '80 mm roll' }).waitFor()
      await expectSoundAndKeep(page, 'console-students-record')
      await page.getByRole('button', { name: 'Done' }).click()
      await tabs.getByRole('link', { name: 'Dues' }).click()
      await page.getByText('₹48,500.00').first().waitFor()

      await tabs.getByRole('link', { name: 'Payments' }).click()
      await actOnPayment(page, 'CASH-17', 'Cancel the payment')
      await expectSoundAndKeep(page, 'console-students-cancel')
      await perform(page, 'The payment of ₹5,000.00 is cancelled.', 'Cancel the payment')

      await choose(page, 'Give or change a concession')
      await page.getByRole('combobox', { name: 'Kind of concession' }).fill('MERIT')
      await page.getByLabel('Amount in rupees, in all').fill('90000')
      await page.getByRole('textbox', { name: 'Reason' }).fill('Topper')
      await page.getByRole('button', { name: 'Change the concession' }).click()
      await page.getByText(/Is more than the ₹55,000\.00/).waitFor()
      await expectSound(page, 'concession')
      await page.getByLabel('Amount in rupees, in all').fill('1000')
      await perform(page, 'The concession on Tuition fee is changed.', 'Change the concession', 'Topper')

      // What a plan will take costs no late fee; the sister has none.
      await page.goto(`${stage.bursar.url}${AT}/students?q=Anaya`)
      await page.getByRole('row', { name: /Anaya Rao/ }).click()
      await page.getByRole('heading', { name: 'Anaya Rao', level: 1 }).waitFor()
      await choose(page, 'Waive a late fee')
      await perform(page, 'The late fee is waived.', 'Waive it')
      await page.getByText('₹900.00 waived').first().waitFor()
      await page.goto(`${stage.bursar.url}${AT}/students/${id}`)

      erp.put(
        sampleRecord(
          { ...KABIR, grade: '6' },
          { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 50_000 }] },
        ),
      )
      await choose(page, 'Fetch from the ERP now')
      await page.getByText('things are different now').waitFor()
      await expectSoundAndKeep(page, 'console-students-fetch')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

      await page.getByRole('button', { name: 'Payment link' }).click()
      await page.getByLabel('Amount in rupees').fill('2000')
      await page.getByRole('button', { name: 'Create the link' }).click()
      assert.match(await page.getByLabel('Link', { exact: true }).inputValue(), /\/pay\/demo-school\/order_/)
      await page.keyboard.press('Escape')
      await choose(page, 'Leaving')
      await perform(page, 'The leaving of Kabir Rao is settled.', 'Settle the leaving', 'Left for Pune')
      await page.getByText('Left for Pune').first().waitFor()
      await tellsItOnce(page)
      assert.deepEqual(complaints, [])
      await page.context().close()
    },
  )
}

/** What stands in several logs is told once, with its person by name; ids and raw data only to who wants them. */
async function tellsItOnce(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Story' }).click()
  const entries = page.getByRole('region', { name: 'Everything that happened' }).locator('.timeline > li')
  const left = entries.filter({ hasText: 'Left for Pune' })
  await expectCount(left, 1)
  assert.match(await left.innerText(), /by Bursar of Demo School/)
  const cancelled = entries.filter({ hasText: 'Payment cancelled' })
  await expectCount(cancelled, 1)
  assert.match(await cancelled.innerText(), /by Bursar of Demo School/)
  assert.equal(await page.getByText('Technical details').count(), 0)
  await showTechnical(page)
  await page.getByText('Technical details').first().click()
  await page.locator('pre.raw-json').first().waitFor()
  await expectSoundAndKeep(page, 'console-students-detail')
}

async function letsAViewerOnlyLook(t: TestContext, stage: Stage, id: string): Promise<void> {
  await t.test('a viewer sees all of it and is offered no action', async () => {
    const email = 'viewer@school.example'
    await createPerson(stage.bursar, { email, institute: 'demo-school', role: 'viewer' })
    const { page, complaints } = await openPage(stage)
    await page.goto(`${stage.bursar.url}${AT}/students/${id}`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Left for Pune').first().waitFor()
    await page.getByRole('link', { name: 'Payments', exact: true }).click()
    await page.getByText('CASH-17').waitFor()
    for (const name of [/Record a payment/, /Payment link/, /More/, /^Act on/])
      assert.equal(await page.getByRole('button', { name }).count(), 0)
    assert.deepEqual(complaints, [])
    await page.context().close()
  })
}

/** A line with something to press and two of text, and what is around them, in px. */
const THREE_LINES = 88

async function fitsAPhone(t: TestContext, stage: Stage, id: string): Promise<void> {
  await t.test('list, search and student fit a phone', async () => {
    const { page, complaints } = await openPage(stage, PHONE)
    await enter(page, stage)
    await page.goto(`${stage.bursar.url}${AT}/students`)
    await page.getByText('Zoya Khan').waitFor()
    await expectSoundAndKeep(page, 'console-students-list-phone')
    await page.getByRole('button', { name: 'Open the navigation' }).click()
    await page.getByRole('combobox', { name: /^Search students/ }).fill('kabir')
    await page.getByRole('option', { name: /Kabir Rao/ }).waitFor()
    await expectSoundAndKeep(page, 'console-students-search-phone')
    await page.getByRole('option', { name: /Kabir Rao/ }).click()
    await page.waitForURL(`**/students/${id}`)
    await page.getByText('Left for Pune').first().waitFor()
    await expectSoundAndKeep(page, 'console-students-student-phone')
    assert.equal(
      await page.getByRole('link', { name: /^WhatsApp/ }).getAttribute('href'),
      'https://wa.me/919876543210',
    )
    for (const tab of ['dues', 'payments', 'family']) {
      await page.goto(`${stage.bursar.url}${AT}/students/${id}?tab=${tab}`)
      const rows = page.locator('main table tbody tr')
      await rows.first().waitFor()
      await expectSoundAndKeep(page, `console-students-student-${tab}-phone`)
      for (const row of await rows.all()) {
        const height = (await row.boundingBox())?.height ?? 0
        assert.ok(height <= THREE_LINES, `${height} px, a row of ${tab}: ${await row.innerText()}`)
      }
    }
    assert.deepEqual(complaints, [])
    await page.context().close()
  })
}
