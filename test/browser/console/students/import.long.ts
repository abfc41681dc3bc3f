import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finishImport } from '../../../../src/imports/engine/steps.service.ts'
import { dayOf } from '../../../../src/platform/calendar.ts'
import { PHONE, axeViolations, isTooWide, keep, setStage } from '../../../harness/browser.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { CHILDREN, DAY_WAYS, messyCsv } from '../../../imports/messy-support.ts'
import { instituteId } from '../../../students/support.ts'
import { I, memberOf, openConsole } from '../support.ts'

test('a messy list of 480 children is imported and mended in the page', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'finance'))
  let clicks = 0
  const press = async (name: string | RegExp): Promise<void> => {
    clicks++
    await page.getByRole('button', { name }).first().click()
  }
  /** Does what a worker would. */
  const work = async (): Promise<void> => {
    await page.getByRole('status').getByText('You can leave this page').waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    await finishImport(stage.bursar.app.ctx, { instituteId: await instituteId(stage.bursar), id })
  }
  const odd = DAY_WAYS['27/02/2016'] ?? assert.fail()
  const list = messyCsv(
    odd,
    CHILDREN.map((child, index) => (index === 7 ? { ...child, mobile: '12' } : child)),
  ).replaceAll(/,28\/\d\d\/20\d\d,/g, ',2018.31.31,')
  await go(`${I}/students/import`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'All students.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(list),
  })
  await page.getByLabel('What Adm No is').waitFor()
  assert.equal(await page.getByLabel('What Student Class is').inputValue(), 'grade')
  assert.equal(await page.getByLabel('What Father Mobile is').inputValue(), 'primary_contact_number')
  await keep(page, 'import-columns')
  await press('Check the file')
  await work()
  const rows = page.getByRole('region', { name: 'Rows to correct' })
  await rows.waitFor({ timeout: 30_000 })
  await page.getByText('for example “2018.31.31”').waitFor()
  await page.getByLabel('Mobile of the family of Vivaan Bose · SM/1008').fill('98765 43210')
  await keep(page, 'import-rows')
  assert.deepEqual(await axeViolations(page), [])
  await page.setViewportSize(PHONE)
  await keep(page, 'import-rows-phone')
  assert.equal(await isTooWide(page), false)
  await page.setViewportSize({ width: 1280, height: 800 })
  await press(/^Leave it empty in all/)
  await press(/^Check again with 2 corrections/)
  await work()
  await press(/^Register 480 students/)
  await work()
  await page.getByText('480 students are registered or brought up to date').waitFor({ timeout: 60_000 })
  t.diagnostic(`a messy list of 480 children: ${clicks} clicks, one file and one field`)
  assert.ok(clicks <= 6)
  assert.deepEqual(complaints, [])
})

test('a list is for the academic year of today, also after the next one has students', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { page, go } = await openConsole(stage, await memberOf(stage, 'finance'))
  const [year = 0, month = 0] = dayOf(stage.bursar.app.ctx.clock.now()).split('-').map(Number)
  const now = month < 4 ? year - 1 : year
  const student = sampleStudent({ academic_year_start: now + 1, academic_year_end: now + 2 })
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }]
  const added = await stage.bursar.demo.post(`${ERP}/users/next-year/students`, { student, fee_components })
  assert.equal(added.status, 201, added.text)
  await go(`${I}/students/import`)
  const buffer = Buffer.from(messyCsv(DAY_WAYS['27/02/2016'] ?? assert.fail(), CHILDREN.slice(0, 3)))
  await page.locator('input[type=file]').setInputFiles({ name: 'few.csv', mimeType: 'text/csv', buffer })
  const field = page.getByLabel('The academic year begins in')
  await field.waitFor()
  assert.equal(await field.inputValue(), String(now))
})

test('days that could be meant in two ways are asked about once for their column', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'finance'))
  await go(`${I}/students/import`)
  const few = CHILDREN.slice(0, 3).map((child, index) => ({ ...child, born: `2016-02-0${index + 3}` }))
  const buffer = Buffer.from(messyCsv(DAY_WAYS['27/02/2016'] ?? assert.fail(), few))
  await page.locator('input[type=file]').setInputFiles({ name: 'few.csv', mimeType: 'text/csv', buffer })
  const asked = page.getByLabel('What 3/02/2016 means in “Date of Birth”')
  await asked.waitFor()
  assert.deepEqual(await asked.locator('option').allInnerTexts(), [
    'Choose',
    '3 Feb 2016: the day comes first',
    '2 Mar 2016: the month comes first',
  ])
  const check = page.getByRole('button', { name: 'Check the file' })
  assert.ok(await check.isDisabled())
  await asked.selectOption('dmy')
  assert.ok(await check.isEnabled())
  await page.getByLabel('What Date of Birth is').selectOption('')
  await asked.waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})
