import assert from 'node:assert/strict'
import { yearEnd } from '../../src/app/year-end.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { expectSoundAndKeep } from '../browser/checkout-support.ts'
import { confirm, memberOf } from '../browser/console/support.ts'
import { STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'

const NARROW = { width: 390, height: 844 }

officeTask('a new year', async ({ page, go, stage, complaints }) => {
  const owner = await memberOf(stage, 'owner')
  const family = { primary_contact_name: 'Asha Rao', primary_contact_number: '9876543210' }
  const year = { academic_year_start: 2026, academic_year_end: 2027 }
  for (const [identifier, fullname, grade] of [
    ['A-1', 'Kabir Rao', '4'],
    ['A-2', 'Meera Rao', '5'],
  ]) {
    const student = { identifier, fullname, grade, ...family, ...year }
    assertAnswer(await owner.post(STUDENTS, student), '201')
  }
  await go('/i/demo-school/students')
  await page.getByRole('link', { name: 'Fee structure' }).click()
  await page.getByLabel('The academic year begins in').fill('2027')
  await page.getByText('Fees of 2027-28.').waitFor()
  await page.getByLabel('Classes').fill('4, 5, 6')
  await page.getByLabel('Fees', { exact: true }).fill('Tuition fee')
  await page.getByLabel('Term 1 is due on').fill('2027-06-10')
  await page.getByLabel('Tuition fee of class 5, Term 1, rupees').fill('30000')
  await page.getByLabel('Tuition fee of class 6, Term 1, rupees').fill('35000')
  await page.getByRole('button', { name: 'Add a term' }).click()
  await page.getByLabel('Term 2 is due on').fill('2027-12-10')
  await page.getByRole('button', { name: 'Same amounts as Term 1' }).click()
  await page.getByRole('button', { name: 'Add for brothers and sisters' }).click()
  await page.getByRole('button', { name: 'Save the fee structure' }).click()
  await page.getByText('The fee structure is saved.').first().waitFor()

  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('link', { name: 'New academic year' }).click()
  await page.getByText('The fees are those of the fee structure of 2027-28').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText('₹60,000.00').first().waitFor()
  await expectSoundAndKeep(page, 'console-rollover-structure')
  await page.getByRole('button', { name: 'Start the year 2027-28' }).click()
  await confirm(page, 'Start')
  await page.getByText('0 of 2 students are done.').waitFor()
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(stage.bursar.app.ctx, yearEnd)
  await page.getByText('It is done.').waitFor()

  // The younger one has the concession of the second child, in the class that comes after.
  const { data } = (await stage.bursar.demo.get(`${ERP}/students?academic_year_start=2027`)).body
  const owed = data.map((one: Json) => [one.grade, one.fee_summary.outstanding])
  assert.deepEqual(owed.sort(), [
    ['5', 54_000],
    ['6', 70_000],
  ])

  await go('/i/demo-school/students/fees')
  await page.getByLabel('The academic year begins in').fill('2027')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Students of class 5').click()
  await page.getByText('As it is').first().waitFor()
  await page.getByText('Nothing would change.').waitFor()
  await expectSoundAndKeep(page, 'console-fee-structure-preview')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-fee-structure-preview-phone')
  assert.deepEqual(complaints, [])
})
