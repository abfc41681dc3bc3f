import assert from 'node:assert/strict'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { expectSoundAndKeep } from '../browser/support.ts'
import { must } from '../console/flex/support.ts'
import type { Stage } from '../harness/browser.ts'
import { PHONE } from '../harness/browser.ts'
import { entranceFor, newFamily, ROOMY_YEAR } from '../portal/parents-support.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

const FLEX = '/api/v1/integrations/flex'

/** A family on instalments whose first debit the bank returned. */
async function bounceOne({ bursar }: Stage, code = '04'): Promise<{ user: string; studentId: string }> {
  const { demo, app, url } = bursar
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]
  const who = { identifier: 'ADM-ASHA', fullname: 'Asha Menon', ...ROOMY_YEAR }
  const { user, students } = await newFamily(demo, { students: [who], fees })
  const [studentId = ''] = students
  const { plan_id: planId } = (await must(demo.post(`${FLEX}/students/${studentId}/plans`, {}))).body.data
  const { id: instituteId } = await getInstitute(app.ctx, 'demo-school')
  const mandate = { rail: 'enach', language: 'en', returnUrl: `${url}/` } as const
  await startMandate(app.ctx, { instituteId, planId }, mandate)
  await must(demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`))
  const [first] = (await must(demo.get(`${FLEX}/plans/${planId}`))).body.data.payment_schedule
  await must(demo.post('/api/v1/sandbox/clock', { to: `${first.present_on}T08:30:30+05:30` }))
  const outcome = { outcome: 'bounced', code }
  await must(demo.post(`/api/v1/sandbox/flex/instalments/${first.id}/outcome`, outcome))
  await must(demo.post('/api/v1/sandbox/clock', { advance: 'P1D' }))
  return { user, studentId }
}

officeTask('find out why a debit bounced, and what happens next', async office => {
  const { page, go, stage } = office
  await bounceOne(stage)
  await go('/i/demo-school')
  await page.getByText('Bounced debits, last 30 days').click()
  await page.getByRole('link', { name: 'The account did not have enough money.' }).click()
  await takePictures(office, 'bounce-debits')
  await page.getByText('Asha Menon').click()
  await page
    .getByText(/The account did not have enough money/)
    .first()
    .waitFor()
  await page
    .getByText(/presented again on/)
    .first()
    .waitFor()
  await takePictures(office, 'bounce-plan')
  assert.deepEqual(office.complaints, [])
})

officeTask('a parent pays the instalment that came back', async ({ stage, context, complaints }) => {
  const { demo, url } = stage.bursar
  const { user, studentId } = await bounceOne(stage, '15')
  const page = await context.newPage()
  await page.setViewportSize(PHONE)
  await page.goto(url + (await entranceFor(demo, user)))
  for (const language of ['hi', 'kn', 'ta', 'en']) {
    await page.goto(`${url}/parents/students/${studentId}/plan?lang=${language}`)
    await expectSoundAndKeep(page, `parents-plan-came-back-${language}`)
  }
  await page.getByRole('heading', { name: 'An instalment came back' }).waitFor()
  await takePictures({ page }, 'parents-plan-came-back')
  await page.getByRole('button', { name: /^Pay ₹6,000\.00 now$/ }).click()
  await page.getByRole('button', { name: 'Pay ₹6,000.00' }).click()
  await page.locator('button[value=success]').first().click()
  await page.waitForURL(/\/(pay|parents)\//)
  await page.goto(`${url}/parents/students/${studentId}/plan`)
  assert.doesNotMatch(await page.locator('main').innerText(), /An instalment came back|now$/m)
  await page.goto(`${url}/parents/students/${studentId}`)
  assert.equal(await page.getByRole('button', { name: /Pay ₹/ }).count(), 0)
  await takePictures({ page }, 'parents-student-in-instalments')
  assert.deepEqual(complaints, [])
})
