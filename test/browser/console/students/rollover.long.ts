import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { yearEnd } from '../../../../src/app/jobs.ts'
import { advanceRollovers } from '../../../../src/students/rollover/rollover.service.ts'
import { DESKTOP, expectCount, setStage, type Stage } from '../../../harness/browser.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { entranceFor } from '../../../portal/parents-support.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { confirm, I, memberOf, openConsole } from '../support.ts'

const NARROW = { width: 390, height: 844 }
const STUDENTS = [
  ['Kabir Rao', '5', 20000],
  ['Zoya Khan', '5', 61500],
  ['Dev Patel', '6', 60000],
  ['Kavya Nair', '12', 60000],
  ['Meera Iyer', 'Hostel', 0],
] as const

async function fill({ bursar: { demo } }: Stage): Promise<void> {
  for (const [no, [fullname, grade, paid]] of STUDENTS.entries()) {
    const lines = [{ component_type: 'TUITION_FEE', amount: paid }]
    const payment = {
      amount: paid,
      paid_at: '2026-06-05',
      mode: 'cash',
      transaction_id: 'CASH',
      fee_components: lines,
    }
    const answer = await demo.post(`${ERP}/users/parent-${no}/students`, {
      student: sampleStudent({ fullname, grade, identifier: `ADM-${1042 + no}` }),
      fee_components: [
        { component_type: 'TUITION_FEE', fee_amount: 60000 },
        { component_type: 'TRANSPORT_FEE', fee_amount: 0 },
      ],
      payments: paid === 0 ? [] : [payment],
    })
    assert.equal(answer.status, 201, answer.text)
  }
}

test('a bursar takes the school into the next year: form, file, preview, progress and report', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  await fill(stage)
  const finance = await memberOf(stage, 'finance')
  const { page, go, complaints } = await openConsole(stage, finance)
  await go(`${I}/students`)
  await page.getByRole('link', { name: 'New academic year' }).click()
  await page.getByLabel('Start 2027-28 without it').check()
  await page.getByLabel('Next class after 5').waitFor()
  assert.equal(await page.getByLabel('Next class after 5').inputValue(), '6')
  assert.equal(await page.getByLabel('Class 12 leaves the school').isChecked(), true)
  await expectSoundAndKeep(page, 'console-rollover-form')

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as a file' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  assert.match(text, /^\uFEFFgrade,next_grade,component_type,fee_amount\r\n5,6,TUITION_FEE,60000\r\n/)
  const changed = text
    .replace('5,6,TUITION_FEE,60000', '5,6,TUITION_FEE,65000')
    .replace('6,7,,', '6,7,TUITION_FEE,"66,000"')
  const file = { name: 'grades.csv', mimeType: 'text/csv', buffer: Buffer.from(`${changed}5,9,,\r\n`) }
  await page.getByLabel('File of classes and fees').setInputFiles(file)
  await page.getByText('Row 6:').waitFor()
  assert.equal(await page.getByLabel('Tuition fee of class 6, rupees').inputValue(), '65,000')
  assert.equal(await page.getByLabel('Tuition fee of class 7, rupees').inputValue(), '66,000')

  const feeOf7 = page.getByLabel('Tuition fee of class 7, rupees')
  await feeOf7.fill('sixty')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Tuition fee of class 7 must be an amount in rupees').waitFor()
  assert.equal(await feeOf7.getAttribute('aria-invalid'), 'true')
  assert.equal(await feeOf7.evaluate(field => field === document.activeElement), true)
  await expectSoundAndKeep(page, 'console-rollover-problem')
  await page.getByLabel('New year begins in').fill('2026')
  await feeOf7.fill('')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('New year begins in must be later than 2026-27').waitFor()
  await page.getByLabel('New year begins in').fill('2027')
  await page.getByLabel('Another fee').fill('Tuition Fee')
  await page.getByRole('button', { name: 'Add the fee' }).click()
  await expectCount(page.getByRole('columnheader', { name: /^tuition fee$/i }), 1)

  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview
    .getByText('No fees are set for class 7 (1 student): this student will owe nothing for 2027-28.')
    .waitFor()
  await expectSoundAndKeep(page, 'console-rollover-no-fees')
  await feeOf7.fill('66000')
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('₹40,000.00').first().waitFor()
  await preview.getByRole('link', { name: 'Meera Iyer' }).waitFor()
  await expectSoundAndKeep(page, 'console-rollover-preview')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-rollover-preview-phone')
  await page.getByLabel('Class Hostel leaves the school').check()
  await page.getByText('Changed since the preview.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Start the year 2027-28' }).click()
  await confirm(page, 'Start')
  await page.getByText('0 of 5 students are done.').waitFor()
  await expectSoundAndKeep(page, 'console-rollover-running-phone')
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(stage.bursar.app.ctx, yearEnd)
  await page.getByText('It is done.').waitFor()
  await page.setViewportSize(DESKTOP)
  await expectSoundAndKeep(page, 'console-rollover-done')

  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('button', { name: 'Remove the filter Year: 2026-27' }).click()
  await page
    .locator('td', { hasText: /^2027-28$/ })
    .first()
    .waitFor()
  await expectSoundAndKeep(page, 'console-students-years')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('Year').selectOption('2026-27')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expectCount(page.locator('td', { hasText: /^2027-28$/ }), 0)
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-students-years-phone')
  await page.getByText('Kabir Rao').click()
  await page.getByText('₹40,000.00 carried to 2027-28').waitFor()
  await expectSoundAndKeep(page, 'console-student-carried-phone')
  await page.setViewportSize(DESKTOP)
  await expectSoundAndKeep(page, 'console-student-carried')
  assert.deepEqual(complaints, [])

  const family = await openConsole(stage, { cookie: null }, NARROW)
  await family.page.goto(stage.bursar.url + (await entranceFor(stage.bursar.demo, 'parent-0')))
  await family.page.getByText('Carried to 2027-28').click()
  await family.page.getByText('₹40,000.00 carried to 2027-28, to be paid there').waitFor()
  await expectSoundAndKeep(family.page, 'parents-carried-phone')

  const viewer = await openConsole(stage, await memberOf(stage, 'viewer'))
  await viewer.go(`${I}/students/rollover`)
  await viewer.page.getByRole('link', { name: '2027-28' }).waitFor()
  await viewer.page.getByText('An owner or somebody from finance can start one.').waitFor()
  assert.equal(await viewer.page.getByRole('button', { name: 'Preview' }).count(), 0)
})
