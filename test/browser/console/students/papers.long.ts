import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { printedCodeUrl } from '../../../../src/dues/printed-code.service.ts'
import { DESKTOP, PHONE, setStage, type Stage } from '../../../harness/browser.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 30000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 6000 },
]

async function registerClass({ bursar }: Stage, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let no = 1; no <= count; no++) {
    const phone = `98765${String(no).padStart(5, '0')}`
    const student = sampleStudent({
      fullname: `Child ${no}`,
      identifier: `ADM-${no}`,
      section: no % 2 === 0 ? 'A' : 'B',
      primary_contact_number: phone,
    })
    const { body } = await bursar.demo.post(`${ERP}/users/parent-${no}/students`, {
      student,
      fee_components: FEES,
    })
    ids.push(body.data.service_student_id)
  }
  return ids
}

test('notices of 130 students and cards of a section are one click each, saved while one goes on working', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  await registerClass(stage, 130)
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'finance'))
  await go(`${I}/students`)
  const began = performance.now()
  const notices = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Demand notices (PDF)' }).click()
  await page.getByRole('link', { name: 'Counter' }).click()
  const saved = await notices
  await page.getByText(`Saved as ${saved.suggestedFilename()}`).waitFor()
  const file = await readFile((await saved.path()) ?? '')
  assert.equal([...file.toString('latin1').matchAll(/\/Type \/Page\b/g)].length, 130)
  t.diagnostic(
    `130 notices: 1 click, ${((performance.now() - began) / 1000).toFixed(1)} s, ${file.length} bytes`,
  )
  await go(`${I}/students?section=A`)
  const cards = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Fee cards (PDF)' }).click()
  const sheet = await readFile((await (await cards).path()) ?? '')
  assert.equal([...sheet.toString('latin1').matchAll(/\/Type \/Page\b/g)].length, 7)
  await expectSoundAndKeep(page, 'console-students-papers')
  assert.deepEqual(complaints, [])
})

test('a family opens what is due by the code on its card, and pays it in three clicks', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const [id = ''] = await registerClass(stage, 1)
  const { ctx } = stage.bursar.app
  const { pathname } = new URL(printedCodeUrl(ctx, { code: 'demo-school' }, id))
  const page = await stage.browser.newPage({ viewport: PHONE })
  await page.goto(stage.bursar.url + pathname)
  await page.getByText('Fees for Child 1').waitFor()
  await expectSoundAndKeep(page, 'printed-code-phone')
  await page.setViewportSize(DESKTOP)
  await expectSoundAndKeep(page, 'printed-code')
  await page.setViewportSize(PHONE)
  await page.goto(`${stage.bursar.url}${pathname}?lang=kn`)
  await expectSoundAndKeep(page, 'printed-code-kn')
  await page.goto(`${stage.bursar.url}${pathname}?lang=en`)
  await page.getByRole('button', { name: 'Pay ₹36,000.00' }).click()
  await page.waitForURL(/\/pay\/demo-school\/order_/)
  await page.getByRole('button', { name: 'Pay ₹36,000.00' }).click()
  await page.waitForURL(/\/sandbox\/bank\//)
  await page
    .getByRole('button', { name: /^Pay|Success|Approve/ })
    .first()
    .click()
  await page.waitForURL(/\/pay\/demo-school\//)
  await page.getByText('Paid', { exact: true }).waitFor()
  await page.goto(stage.bursar.url + pathname)
  await page.getByText('Nothing is due now. Thank you.').waitFor()
  await expectSoundAndKeep(page, 'printed-code-nothing')
})
