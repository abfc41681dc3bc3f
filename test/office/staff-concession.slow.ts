import assert from 'node:assert/strict'
import { SCHOOL, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { memberOf } from '../browser/console/support.ts'
import { ERP } from '../harness/samples.ts'
import type { Json } from '../harness/client.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

officeTask('half of the tuition for children of staff, however their category was typed', async office => {
  const { page, go, stage } = office
  const owner = await memberOf(stage, 'owner')
  const family = { primary_contact_name: 'Asha Rao', primary_contact_number: '9876543210' }
  const year = { academic_year_start: 2026, academic_year_end: 2027 }
  for (const [identifier, fullname, category] of [
    ['A-1', 'Kabir Rao', 'staff'],
    ['A-2', 'Meera Iyer', ' STAFF '],
    ['A-3', 'Ravi Menon', undefined],
  ]) {
    const student = { identifier, fullname, grade: '5', ...(category && { category }), ...family, ...year }
    assertAnswer(await owner.post(STUDENTS, student), '201')
  }
  const structure = {
    terms: [{ name: 'Term 1', due_date: '2026-12-10' }],
    fee_heads: ['TUITION_FEE'],
    grades: ['5'],
    amounts: [{ grade: '5', component_type: 'TUITION_FEE', term: 1, amount: 60_000 }],
    concessions: [],
  }
  assertAnswer(await owner.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, structure), '200')

  await go('/i/demo-school/students')
  await page.getByRole('link', { name: 'Fee structure' }).click()
  await page.getByRole('button', { name: 'Add for children of staff, or another category' }).click()
  const category = page.getByRole('combobox', { name: 'For students of the category' })
  // A rule that finds nobody says so before it is saved, with what there is instead.
  await category.fill('Staffs')
  await page.getByText(/nobody would get it\. Children have: staff \(2\)/i).waitFor()
  await takePictures(office, 'staff-concession-nobody')
  await category.fill('Staff')
  await page.getByText('2 children have it.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Save the fee structure' }).click()
  await page.getByText('The fee structure is saved.').first().waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByLabel('Why some pay less').fill('Rule of the school for 2026-27')
  await takePictures(office, 'staff-concession-preview')
  await page.getByRole('button', { name: 'Set the fees of 3 students' }).click()
  await page.getByText('The fees of 3 students are set').waitFor()

  const { data } = (await stage.bursar.demo.get(`${ERP}/students`)).body
  const owed = data.map((one: Json) => [one.identifier, one.fee_summary.outstanding])
  assert.deepEqual(owed.sort(), [
    ['A-1', 30_000],
    ['A-2', 30_000],
    ['A-3', 60_000],
  ])
  assert.deepEqual(office.complaints, [])
})
