import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSWORD } from '../../console/support.ts'
import { PHONE, setStage } from '../../harness/browser.ts'
import { expectSoundAndKeep } from '../support.ts'
import { I, memberOf, openConsole } from './support.ts'

test('a person makes a token for an assistant, sees it once, and ends it', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'finance'))
  await go(I)
  await page.getByRole('button', { name: /account of/ }).click()
  await page.getByRole('menuitem', { name: 'Your assistants' }).click()
  await page.getByText('No tokens yet').waitFor()
  await page.getByRole('button', { name: 'Create a token' }).click()
  const dialogue = page.getByRole('dialog')
  await dialogue.getByLabel('Which assistant has it').fill('Laptop in the office')
  await dialogue.getByLabel(/Remind families/).check()
  await dialogue.getByLabel('Your password').fill(PASSWORD)
  await expectSoundAndKeep(page, 'assistants-new')
  await dialogue.getByRole('button', { name: 'Create the token' }).click()
  const token = await dialogue.getByText(/^demo-school\.[\w-]{43}$/).textContent()
  await dialogue.getByText(`${stage.bursar.url}/mcp`).waitFor()
  await expectSoundAndKeep(page, 'assistants-token')
  await dialogue.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByText('read, reminders').waitFor()
  await expectSoundAndKeep(page, 'assistants')
  assert.equal((await page.content()).includes(token ?? 'none'), false)
  await page.setViewportSize(PHONE)
  await expectSoundAndKeep(page, 'assistants-phone')
  await page.getByRole('button', { name: 'End Laptop in the office' }).click()
  await page.getByText('No tokens yet').waitFor()
  assert.deepEqual(complaints, [])
})
