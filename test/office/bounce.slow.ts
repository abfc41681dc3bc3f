import assert from 'node:assert/strict'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { must } from '../console/flex/support.ts'
import type { Stage } from '../harness/browser.ts'
import { registerStudent } from '../students/support.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

const FLEX = '/api/v1/integrations/flex'

/** A family on instalments whose first debit the bank returned. */
async function bounceOne({ bursar }: Stage): Promise<void> {
  const { demo, app, url } = bursar
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]
  const who = { identifier: 'ADM-ASHA', fullname: 'Asha Menon' }
  const studentId = await registerStudent(demo, who, { fee_components: fees })
  const { plan_id: planId } = (await must(demo.post(`${FLEX}/students/${studentId}/plans`, {}))).body.data
  const { id: instituteId } = await getInstitute(app.ctx, 'demo-school')
  const mandate = { rail: 'enach', language: 'en', returnUrl: `${url}/` } as const
  await startMandate(app.ctx, { instituteId, planId }, mandate)
  await must(demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`))
  const [first] = (await must(demo.get(`${FLEX}/plans/${planId}`))).body.data.payment_schedule
  await must(demo.post('/api/v1/sandbox/clock', { to: `${first.present_on}T08:30:30+05:30` }))
  const outcome = { outcome: 'bounced', code: '04' }
  await must(demo.post(`/api/v1/sandbox/flex/instalments/${first.id}/outcome`, outcome))
  await must(demo.post('/api/v1/sandbox/clock', { advance: 'P1D' }))
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
