import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoVisitor } from '../../../console/support.ts'
import { setStage } from '../../../harness/browser.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, openConsole } from '../support.ts'

test('filters that were cleared at once come back at once, and not on another page', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { page, go, complaints } = await openConsole(stage, await demoVisitor(stage.bursar.url))
  const narrowed = `${I}/settings/audit?what=team.invited&from=2026-11-01`
  const undo = page.getByRole('button', { name: 'Undo' })
  await go(narrowed)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.waitForURL(url => url.search === '')
  await expectSoundAndKeep(page, 'console-undo')
  await undo.click()
  await page.waitForURL(/what=team\.invited/)
  await page.getByText('From: 1 Nov 2026').waitFor()

  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.waitForURL(url => url.search === '')
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.waitForURL(/settings\/team$/)
  await undo.click()
  await undo.waitFor({ state: 'hidden' })
  assert.equal(new URL(page.url()).search, '')
  assert.deepEqual(complaints, [])
})
