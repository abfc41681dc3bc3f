import assert from 'node:assert/strict'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { expectSoundAndKeep } from '../browser/support.ts'
import { confirm, memberOf } from '../browser/console/support.ts'
import { SCHOOL, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

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
  const structure = {
    terms: [
      { name: 'Term 1', due_date: '2026-06-10' },
      { name: 'Term 2', due_date: '2026-12-10' },
    ],
    fee_heads: ['TUITION_FEE', 'COMPUTER_FEE'],
    grades: ['4', '5', '6'],
    amounts: ['4', '5', '6'].flatMap((grade, index) =>
      [1, 2].flatMap(term => [
        { grade, component_type: 'TUITION_FEE', term, amount: 27_333 + index * 4_000 },
        { grade, component_type: 'COMPUTER_FEE', term, amount: 500.5 },
      ]),
    ),
    concessions: [
      { discount_type: 'SIBLING_2', kind: 'sibling', child: 2, percent: 10, fee_heads: ['TUITION_FEE'] },
    ],
  }
  assertAnswer(await owner.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, structure), '200')

  await go('/i/demo-school/students')
  await page.getByRole('link', { name: 'New academic year' }).click()
  await page.getByText('There is no fee structure for 2027-28.').waitFor()
  // Nothing else is asked before what the year costs.
  assert.equal(await page.getByRole('button', { name: 'Preview' }).count(), 0)
  await page.getByLabel('Raise Tuition fee by').fill('8')
  await page.getByLabel('Raise Computer fee by').fill('50')
  await page.getByLabel('Computer fee: percent or rupees').selectOption('rupees')
  await page.getByLabel('Term 2 of 2027-28 is due on').fill('13-12-27')
  await takePictures({ page }, 'new-year-copy')
  await page.getByRole('button', { name: 'Save as the fee structure of 2027-28' }).click()
  await page.getByText('The fees are those of the fee structure of 2027-28').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText(/₹6,768\.00 for 1 student/).waitFor()
  await preview
    .getByText(/13 Dec\w* 2027/)
    .first()
    .waitFor()
  await preview.getByText(/child 2 of a family, 10 % off Tuition fee/).waitFor()
  await takePictures({ page }, 'new-year-preview')
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
    ['5', 62_014],
    ['6', 77_422],
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
