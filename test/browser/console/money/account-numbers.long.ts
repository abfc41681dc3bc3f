import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DESKTOP, PHONE, setStage } from '../../../harness/browser.ts'
import { ERP } from '../../../harness/samples.ts'
import { assertStatus, newStudent } from '../../../http/support.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const FEES = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]

test('the office gives one student an account number, asks for those of many and sees how far it is, also when one has left', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const enrol = () => newStudent(demo, { fee_components: FEES })
  const [first, leaver] = [await enrol(), await enrol(), await enrol()]
  const finance = await memberOf(stage, 'finance')
  const { page, go, complaints, context } = await openConsole(stage, finance, DESKTOP)
  const dialogue = page.getByRole('dialog')

  await go(`${I}/students/${first}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Give an account number' }).click()
  await dialogue.getByText(/gets an account number that is its own/).waitFor()
  await expectSoundAndKeep(page, 'account-number-give')
  await page.keyboard.press('Escape')
  await dialogue.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Give an account number' }).click()
  await dialogue.getByRole('button', { name: 'Give the number' }).click()
  await page.getByText(/The account number is \d{15}/).waitFor()

  await go(`${I}/students`)
  await page.getByLabel('Select all 3 shown').check()
  await page.getByRole('button', { name: 'Account numbers' }).click()
  await expectSoundAndKeep(page, 'account-numbers-ask')
  await dialogue.getByRole('button', { name: 'Ask for the numbers' }).click()
  await dialogue.getByText('2 account numbers asked for.').waitFor()
  await dialogue.getByText(/It has the number/).waitFor()
  await dialogue.getByRole('button', { name: 'Close' }).last().click()
  await go(`${I}/settings/accounts`)
  await page.getByText('1 student with a number of their own, 2 more asked for.').waitFor()
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' }), 200)
  await page.getByText('3 students with a number of their own.').waitFor()
  await expectSoundAndKeep(page, 'account-numbers-given')

  assertStatus(await demo.post(`${ERP}/students/${leaver}/drop`, {}), 200)
  await page.setViewportSize(PHONE)
  await go(`${I}/settings/accounts`)
  await page.getByText('2 students with a number of their own.').waitFor()
  await expectSoundAndKeep(page, 'account-numbers-phone')
  assert.deepEqual(complaints, [])
  await context.close()
})
