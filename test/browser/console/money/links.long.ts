import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DESKTOP, keep, PHONE, setStage } from '../../../harness/browser.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { linksFile } from '../../../console/orders/support.ts'
import { expectSound } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const HEADER = 'name,phone,email,component_type,amount,identifier,settle_dues'

test('a bursar makes and sends payment links for students of a list, and sees which rows of a file pay dues', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar } = stage
  for (const [index, fee] of [12_000, 9_000, 0].entries()) {
    const made = await bursar.demo.post(`${ERP}/users/parent-${index}/students`, {
      student: sampleStudent({ fullname: `Child ${index}`, identifier: `ADM-${index}` }),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: fee }],
    })
    assert.equal(made.status, 201, made.text)
  }
  const rules = { late_fees: [{ due_date: '2026-01-10', kind: 'none' }] }
  assert.equal((await bursar.demo.send('PUT', `${ERP}/payment-rules`, rules)).status, 200)
  const finance = await memberOf(stage, 'finance')
  for (const viewport of [DESKTOP, PHONE]) {
    const { page, go, complaints, context } = await openConsole(stage, finance, viewport)
    const isDesktop = viewport === DESKTOP
    const name = (picture: string): string => `links-${picture}-${isDesktop ? 'desktop' : 'phone'}`
    const dialogue = page.getByRole('dialog')

    if (isDesktop) {
      await go(`${I}/students`)
      await page.getByLabel('Select all 3 shown').check()
    } else {
      await go(`${I}/money?view=dues`)
      await page
        .getByLabel(/^Select Child/)
        .first()
        .check()
    }
    await page.getByRole('button', { name: 'Payment links' }).click()
    await dialogue.getByLabel('What is due by a day').check()
    await dialogue.getByRole('button', { name: 'Make the links' }).click()
    await dialogue.getByText('Choose a day').waitFor()
    await dialogue.getByLabel('E-mail').check()
    await keep(page, name('dialogue'))
    await expectSound(page, name('dialogue'))
    await dialogue.getByLabel('What is overdue').check()
    await dialogue.getByRole('button', { name: 'Make and send the links' }).click()
    await dialogue.getByText(isDesktop ? '2 links are ready' : '0 links are ready').waitFor()
    await dialogue
      .getByText(isDesktop ? 'Nothing is overdue. Child 2' : 'The family was told of its link', {
        exact: false,
      })
      .waitFor()
    await keep(page, name('made'))
    await expectSound(page, name('made'))
    await dialogue.getByRole('button', { name: 'Close' }).last().click()

    await go(`${I}/orders/files`)
    await keep(page, name('files'))
    const row = (who: string): string =>
      `Parent,9876500001,p@example.in,TUITION_FEE,${isDesktop ? 5 : 6},${who}`
    const rows = [row('ADM-1,yes'), row('ADM-1,'), row('ADM-9,yes')]
    await page.setInputFiles('input[type=file]', {
      name: 'links.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(linksFile(rows, HEADER)),
    })
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('1 row pays the dues of a student.', { exact: false }).waitFor()
    await page.getByText('fits no student', { exact: false }).waitFor()
    await keep(page, name('file'))
    await expectSound(page, name('file'))
    assert.deepEqual(complaints, [])
    await context.close()
  }
})
