import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeStudent } from '../../../console/money/support.ts'
import { expectCount, setStage } from '../../../harness/browser.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

test('the list of students opens on the running year, which can be taken away, and the search has each child once', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const fees = { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }] }
  for (const start of [2025, 2026]) {
    const year = { academic_year_start: String(start), academic_year_end: String(start + 1) }
    const child = { ...year, identifier: 'ADM-1', fullname: 'Kabir Rao', grade: String(start - 2021) }
    await makeStudent(stage.bursar, child, fees)
  }
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'finance'))
  const rows = page.locator('tr.opens')
  const chip = page.getByRole('button', { name: 'Remove the filter Year: 2026-27' })

  await go(I)
  await page.getByRole('link', { name: 'Students', exact: true }).click()
  await page.waitForURL(/\/students\?academic_year_start=2026$/)
  await expectCount(rows, 1)
  await expectSoundAndKeep(page, 'students-year')
  await page.reload()
  await chip.waitFor()
  await chip.click()
  await page.waitForURL(/\/students$/)
  await expectCount(rows, 2)
  await rows.first().click()
  await page.getByRole('heading', { name: 'Kabir Rao', level: 1 }).waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Students' }).click()
  await expectCount(rows, 2)
  assert.equal(new URL(page.url()).search, '', 'whoever took it away finds all years again')

  await go(`${I}/students?owing=yes`)
  await expectCount(rows, 2)
  assert.equal(new URL(page.url()).search, '?owing=yes', 'a link leads where it says')

  await page.keyboard.press('Control+K')
  await page.keyboard.type('kabir')
  await page.getByRole('option', { name: /ADM-1 · Class 5, 2026-27/ }).waitFor()
  await expectCount(page.getByRole('option', { name: /Kabir Rao/ }), 1)
  assert.deepEqual(complaints, [])
})
