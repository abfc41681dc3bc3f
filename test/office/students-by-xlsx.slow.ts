import assert from 'node:assert/strict'
import writeExcelFile from 'write-excel-file/node'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { expectSoundAndKeep } from '../browser/support.ts'
import { instituteId } from '../students/support.ts'
import { officeTask } from './clicks.ts'

const NARROW = { width: 390, height: 844 }
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const STUDENTS = 500

async function schoolList(): Promise<Buffer> {
  const rows = Array.from({ length: STUDENTS }, (_, no) => [
    { value: `A-${1000 + no}` },
    { value: `Student ${no}` },
    { value: String(1 + (no % 10)) },
    { value: 'AB'[no % 2] ?? 'A' },
    { value: `Parent ${Math.floor(no / 2)}` },
    // One number is wrong.
    { value: no === 7 ? '12' : String(9_800_000_000 + Math.floor(no / 2)) },
    { value: 60_000 },
    { value: 'Hostel' },
  ])
  const head = ['Adm No', 'Name', 'Class', 'Sec', 'Father', 'Mobile No', 'Tuition Fee', 'Notes']
  return writeExcelFile([head.map(value => ({ value })), ...rows]).toBuffer()
}

officeTask('500 students by XLSX', async ({ page, go, stage, complaints }) => {
  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('link', { name: 'Import' }).click()
  const file = { name: 'school.xlsx', mimeType: XLSX, buffer: await schoolList() }
  await page.getByLabel('File of students').setInputFiles(file)
  assert.equal(await page.getByLabel('What Adm No is').inputValue(), 'identifier')
  assert.equal(await page.getByLabel('What Mobile No is').inputValue(), 'primary_contact_number')
  assert.equal(await page.getByLabel('What Notes is').inputValue(), '')
  await expectSoundAndKeep(page, 'console-import-columns')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-import-columns-phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.waitForURL(/\/students\/import\/imp_/)
  const key = { instituteId: await instituteId(stage.bursar), id: page.url().split('/').at(-1) ?? '' }
  await finishImport(stage.bursar.app.ctx, key)
  await page.getByText('499 students are new').waitFor()
  await page.getByText('Mobile of the family').first().waitFor()
  await expectSoundAndKeep(page, 'console-import-checked')
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, 'console-import-checked-phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Register 499 students' }).click()
  await page.getByText('The students are being registered').waitFor()
  await finishImport(stage.bursar.app.ctx, key)
  await page.getByText('499 students are registered or brought up to date').waitFor()
  await expectSoundAndKeep(page, 'console-import-done')
  await page.getByRole('link', { name: 'Go to the students' }).click()
  await page.getByText('Student 0', { exact: true }).waitFor()
  const [count] = await stage.bursar.sql<{ students: number; families: number }>(
    `select (select count(*) from students) as students, (select count(*) from users) as families`,
  )
  assert.deepEqual(count, { students: 499, families: 250 })
  assert.deepEqual(complaints, [])
})
