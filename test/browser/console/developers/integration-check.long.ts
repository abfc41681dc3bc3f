import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../../../examples/erp/connect.ts'
import { clientOf, SECRETS, sampleStudent, startErp } from '../../../examples/support.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { PHONE, setStage } from '../../../harness/browser.ts'
import { I, memberOf, openConsole } from '../support.ts'

test('a developer checks an integration, reads what to mend, mends it and gets the certificate', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'developer'))
  const erp = await startErp(t)
  const fees = { TUITION_FEE: 48_000_00 }
  erp.books.addStudent(sampleStudent(), fees)
  erp.books.addStudent(sampleStudent({ identifier: 'ADM-2', state: 'discontinued' }), fees)
  erp.books.addStudent(sampleStudent({ identifier: 'ADM-3' }), fees)
  erp.books.addStudent(sampleStudent({ identifier: 'ADM-4', contact_email: '' }), fees)
  await connect(clientOf(stage.bursar.url), erp.url, SECRETS)

  await go(`${I}/developers/integration-check`)
  await page.getByLabel('Identifier of an active student').fill('ADM-1')
  await page.getByLabel('A student who has left').fill('ADM-2')
  await page.getByLabel('A student who has changed branch').fill('ADM-3')
  await page.getByLabel('A student whose record is wrong').fill('ADM-4')
  await page.getByLabel('Address that shows your books').fill(`${erp.url}/bookings`)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('heading', { name: '14 of 15 passed' }).waitFor()
  await page.getByText(/answered 200 with a record for ADM-3\. Answer 422/).waitFor()
  await expectSoundAndKeep(page, 'console-developers-integration-check-failed')

  erp.books.setState({ identifier: 'ADM-3', year: 2026 }, 'transferred')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('heading', { name: 'This integration is complete' }).waitFor()
  await page.getByRole('heading', { name: '15 of 15 passed' }).waitFor()
  await page.getByText('What was sent and what came back').nth(8).click()
  await expectSoundAndKeep(page, 'console-developers-integration-check')
  await page.setViewportSize(PHONE)
  await expectSoundAndKeep(page, 'console-developers-integration-check-phone')
  assert.deepEqual(complaints, [])
})
