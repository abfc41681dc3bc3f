import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createUser } from '../../../../src/console/auth/users.service.ts'
import { getInstitute } from '../../../../src/institutes/institutes.service.ts'
import { addLender, chooseLender } from '../../../../src/loans/lenders/lenders.service.ts'
import { dayOf } from '../../../../src/platform/calendar.ts'
import { paiseOf } from '../../../../src/platform/money.ts'
import type { TransferPort } from '../../../../src/providers/port.ts'
import { API, PASSWORD, tokenOf, Visitor } from '../../../console/support.ts'
import { setStage, type Stage } from '../../../harness/browser.ts'
import { registerStudent } from '../../../students/support.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const NARROW = { width: 390, height: 844 }
const PDF = Buffer.from('%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n')

/** A lender without an API, one of its people, and an application whose family has consented. */
async function setDesk({
  bursar,
}: Stage): Promise<{ visitor: Visitor; applicationId: string; link: string }> {
  const { ctx } = bursar.app
  const limits = { leastPaise: paiseOf(1_000_00), mostPaise: paiseOf(500_000_00) }
  const terms = { apiUrl: null, yearlyRateBp: 1200, months: 12 }
  await addLender(ctx, { code: 'sahakari', title: 'Sahakari Bank', kind: 'desk', ...limits, ...terms })
  await chooseLender(ctx, await getInstitute(ctx, 'demo-school'), 'sahakari')
  const person = { email: 'ravi@sahakari.example.in', name: 'Ravi Shah', isOperator: false, member: null }
  const { link: joinLink } = await createUser(ctx, { ...person, lender: 'sahakari' })
  const visitor = new Visitor(bursar.url)
  await visitor.post(`${API}/invitations/accept`, { token: tokenOf(joinLink ?? ''), password: PASSWORD })
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]
  const studentId = await registerStudent(bursar.demo, { identifier: 'DESK-1' }, { fee_components: fees })
  const started = await bursar.demo.post(`/api/v1/integrations/cred/students/${studentId}/applications`)
  const { application_id: applicationId, redirect_url: link } = started.body.data
  return { visitor, applicationId, link }
}

async function act(page: Page, button: string, verb: string, fields: Record<string, string>): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialogue = page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields)) await dialogue.getByLabel(label).fill(value)
  await dialogue.getByRole('button', { name: verb, exact: true }).click()
  await dialogue.waitFor({ state: 'detached' })
}

test('an application goes from the family’s consent to the school’s bank account, by three people', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  // No provider takes the lender's transfer in, as in live mode.
  const bank = stage.bursar.app.ctx.accounts.installation.get('sandbox') as { transfers?: TransferPort }
  delete bank.transfers
  const { visitor, applicationId, link } = await setDesk(stage)
  const desk = await openConsole(stage, visitor)
  await desk.go('/')
  await desk.page.getByText('No application yet').waitFor()
  assert.equal(await desk.page.getByRole('link', { name: 'Students' }).count(), 0)

  const family = await stage.browser.newPage()
  await family.goto(link)
  await family.getByRole('checkbox').check()
  await family.getByRole('button', { name: /Sahakari Bank/ }).click()
  await desk.page.reload()
  await desk.page.locator('tr.opens').first().waitFor()
  await expectSoundAndKeep(desk.page, 'console-desk-list')
  await desk.page.locator('tr.opens').first().click()
  await desk.page.getByRole('button', { name: 'Approve with an offer' }).click()
  const dialogue = desk.page.getByRole('dialog')
  const terms = { 'Interest a year, in percent': '120000', 'Number of EMIs': '12 months' }
  for (const [label, value] of Object.entries({ ...terms, 'Each EMI, in rupees': '100' }))
    await dialogue.getByLabel(label).fill(value)
  await dialogue.getByRole('button', { name: 'Make the offer' }).click()
  await dialogue.getByText('Must be a number from 0 to 100, such as 12.5').waitFor()
  await dialogue.getByLabel('Interest a year, in percent').fill('12.5%')
  await dialogue.getByText('At this rate about ₹5,344.97').waitFor()
  await dialogue.getByRole('button', { name: 'Make the offer' }).click()
  await dialogue.getByText(/Does not fit: at this rate/).waitFor()
  await expectSoundAndKeep(desk.page, 'console-desk-offer')
  await dialogue.getByLabel('Each EMI, in rupees').fill('5345.20')
  await dialogue.getByRole('button', { name: 'Make the offer' }).click()
  await dialogue.waitFor({ state: 'detached' })
  await act(desk.page, 'Replace the offer', 'Make the offer', { 'All other charges, in rupees': '590' })
  await desk.page.getByText('Not yet', { exact: true }).waitFor()

  await family.reload()
  await expectSoundAndKeep(family, 'loan-offer')
  await family.getByRole('checkbox').check()
  await family.getByRole('button', { name: 'Accept the offer' }).click()
  await family.getByText(/You accepted the offer/).waitFor()

  await desk.page.reload()
  const chooser = desk.page.waitForEvent('filechooser')
  await desk.page.getByRole('button', { name: 'Attach the sanction letter' }).click()
  await (await chooser).setFiles({ name: 'letter.pdf', mimeType: 'application/pdf', buffer: PDF })
  await desk.page.getByRole('button', { name: 'Attach a new version' }).waitFor()
  await act(desk.page, 'Record the sanction', 'The agreement is signed', {
    'Day of transfer 1': '2026-12-01',
  })
  await act(desk.page, 'Record the transfer', 'Record it', {
    'UTR of the transfer': 'HDFCR52026120100077',
    'Day of the transfer': dayOf(stage.bursar.app.ctx.clock.now()),
  })
  await desk.page.getByText('Transferred by the lender').waitFor()
  await expectSoundAndKeep(desk.page, 'console-desk-application')
  const phone = await openConsole(stage, visitor, NARROW)
  await phone.go(`/l/sahakari/${applicationId}`)
  await phone.page.getByText('Transferred by the lender').waitFor()
  await expectSoundAndKeep(phone.page, 'console-desk-application-phone')

  const school = await openConsole(stage, await memberOf(stage, 'finance'))
  await school.go(I)
  await school.page.getByText('Loan transfers to confirm').waitFor()
  await expectSoundAndKeep(school.page, 'console-home-waiting')
  await school.go(`${I}/loans`)
  await school.page.locator('tr.opens').first().waitFor()
  await expectSoundAndKeep(school.page, 'console-loans')
  await school.page.locator('tr.opens').first().click()
  await school.page.getByRole('button', { name: 'Did it arrive?' }).click()
  await school.page.getByRole('button', { name: 'Yes, it has arrived' }).click()
  await school.page.getByText('In the bank account').waitFor()
  const download = school.page.waitForEvent('download')
  await school.page.getByRole('link', { name: 'Sanction letter' }).click()
  assert.match((await download).suggestedFilename(), /sanction-letter\.pdf$/)
  await expectSoundAndKeep(school.page, 'console-loan')
  await school.page.getByRole('button', { name: 'Not ours' }).click()
  await school.page.getByLabel('We paid it back to the lender').check()
  await school.page.getByLabel('Rupees paid back').fill('20000')
  await school.page.getByLabel('UTR of your transfer to the lender').fill('SBIN52026121000012')
  await school.page.getByLabel('Why').fill('The child left')
  await expectSoundAndKeep(school.page, 'console-loan-return')
  await school.page.getByRole('button', { name: 'Take it out of the books' }).click()
  await school.page.getByText('₹20,000.00 of it went back or did not arrive').waitFor()

  const owner = await openConsole(stage, await memberOf(stage, 'owner'), NARROW)
  await owner.go(`${I}/settings/loans`)
  await owner.page.getByLabel('Nobody').check()
  await owner.page.getByRole('button', { name: 'Change', exact: true }).click()
  await owner.page.getByRole('dialog').getByLabel('Reason').fill('No loans this year')
  await owner.page.getByRole('button', { name: 'Change the lender' }).click()
  await owner.page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectSoundAndKeep(owner.page, 'console-settings-loans-phone')
  for (const { complaints } of [desk, phone, school, owner]) assert.deepEqual(complaints, [])
})
