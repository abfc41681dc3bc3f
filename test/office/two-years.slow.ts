import assert from 'node:assert/strict'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { daysAgo } from '../console/money/support.ts'
import { SCHOOL } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { memberOf } from '../browser/console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask, type Office } from './clicks.ts'
import { takePictures } from './pictures.ts'

const YEARS = {
  from_academic_year_start: 2025,
  from_academic_year_end: 2026,
  to_academic_year_start: 2026,
  to_academic_year_end: 2027,
}

async function register(
  { stage }: Office,
  changes: Json,
  fee_components: Json[] = [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }],
): Promise<string> {
  const student = sampleStudent(changes)
  const answer = await stage.bursar.demo.post(`${ERP}/users/rao/students`, { student, fee_components })
  assertAnswer(answer, '201')
  return answer.body.data.service_student_id
}

const LAST_YEAR = { academic_year_start: '2025', academic_year_end: '2026' }

officeTask('see after a new year since when carried dues are owed', async office => {
  const { page, go, stage } = office
  const { demo, app } = stage.bursar
  const due = { component_type: 'TUITION_FEE', due_date: daysAgo(200), kind: 'none' }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [due] }), '200')
  await register(office, { ...LAST_YEAR, identifier: 'ADM-1', fullname: 'Kabir Rao', grade: '4' })
  const row = page.getByRole('row', { name: /Kabir Rao/ })
  const openDues = async (): Promise<void> => {
    await page.getByRole('link', { name: 'Money' }).first().click()
    await page.getByRole('link', { name: 'Dues', exact: true }).click()
    await row.getByText('200 days').waitFor()
  }
  await go('/i/demo-school')
  await openDues()
  const owner = await memberOf(stage, 'owner')
  const wanted = {
    ...YEARS,
    grades: [{ grade: '4', next_grade: '5' }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
    without_structure: true,
    reason: 'A new year',
  }
  assertAnswer(await owner.post(`${SCHOOL}/rollovers`, wanted), '201')
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(app.ctx, yearEnd)

  await go('/i/demo-school')
  await openDues()
  assert.equal(await row.count(), 1, 'the child stands there once')
  await takePictures(office, 'carried-age')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('How late').selectOption({ label: 'Over 90 days' })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('How late: Over 90 days').waitFor()
  await row.getByText('200 days').waitFor()
  await row.click()
  await page.getByRole('heading', { name: 'Kabir Rao' }).waitFor()
  const dues = page.getByRole('row', { name: /^Previous year dues Overdue/ })
  await dues.getByText('₹12,000.00').first().waitFor()
  assert.deepEqual(office.complaints, [])
})

officeTask('say what a family owes, with a child that has records of two years', async office => {
  const { page, go, stage } = office
  const { demo } = stage.bursar
  const late = { kind: 'slab', slabs: [{ from_day: 1, amount: 250 }] }
  const rules = { late_fees: [{ component_type: 'TUITION_FEE', due_date: daysAgo(40), ...late }] }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, rules), '200')
  const kabir = { identifier: 'ADM-1', fullname: 'Kabir Rao' }
  const bus = [{ component_type: 'BUS_FEE', fee_amount: 3_000 }]
  const old = await register(office, { ...kabir, ...LAST_YEAR, grade: '4' }, bus)
  const present = await register(office, { ...kabir, grade: '5' })
  await register(office, { identifier: 'ADM-2', fullname: 'Meera Rao', grade: '2' })
  // 12,000 of tuition and 250 of late fee each, and the bus of the year before, which has no due day.
  const sums = /The family owes ₹27,500\.00, late fees included; ₹24,500\.00 of it is overdue\./
  for (const id of [present, old]) {
    await go(`/i/demo-school/students/${id}`)
    await page.getByRole('link', { name: 'Family', exact: true }).click()
    const table = page.getByRole('table', { name: 'Children of this family' })
    await table.getByRole('row', { name: /Kabir Rao ADM-1 .*₹12,250\.00 ₹15,250\.00$/ }).waitFor()
    await table.getByRole('row', { name: /Meera Rao ADM-2 .*₹12,250\.00 ₹12,250\.00$/ }).waitFor()
    assert.equal(await table.getByRole('row').count(), 3, 'each child once, below the heads')
    assert.match(await page.getByText(/^The family owes/).innerText(), sums)
  }
  await takePictures(office, 'family-two-years')
  await page.getByRole('link', { name: 'Counter' }).first().click()
  await page.getByRole('textbox', { name: 'Family', exact: true }).fill('ADM-2')
  await page.keyboard.press('Enter')
  assert.match(await page.getByText(/^The family owes/).innerText(), sums)
  await page.getByRole('button', { name: 'All overdue: ₹24,500.00' }).waitFor()
  await page.getByRole('button', { name: 'Everything: ₹27,500.00' }).waitFor()
  await takePictures(office, 'counter-two-years')
  assert.deepEqual(office.complaints, [])
})
