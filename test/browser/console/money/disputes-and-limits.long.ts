import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { BankDesk, credit } from '../../../banking/support.ts'
import { STUDENTS } from '../../../console/students/support.ts'
import { assertAnswer, createPerson } from '../../../console/support.ts'
import { DESKTOP, openBrowser, PHONE } from '../../../harness/browser.ts'
import { PAY, sampleOrder } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { confirm, I, openConsole } from '../support.ts'

const SIZES = { desktop: DESKTOP, phone: PHONE } as const

/** Everything of it is on the screen, without scrolling sideways. */
async function expectInView(page: Page, text: string | RegExp): Promise<void> {
  const found = page.getByText(text).locator('visible=true').first()
  await found.waitFor()
  const box = await found.boundingBox()
  const width = page.viewportSize()?.width ?? 0
  assert.ok(
    box !== null && box.x >= 0 && box.x + box.width <= width,
    `${String(text)} lies beside the screen`,
  )
}

test('disputes, the amounts of approvals and returned cheques in a browser', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const bank = await BankDesk.open(done => t.after(done))
  const { desk, today } = bank
  const { bursar, finance } = desk
  const { demo } = bursar
  const owner = await createPerson(bursar, {
    email: 'owner@school.example',
    institute: 'demo-school',
    role: 'owner',
  })
  const stage = { browser, bursar }

  await t.test(
    'disputes say what to answer by when, and how much, on a small desktop and a phone',
    async () => {
      for (const outcome of ['open', 'lost']) {
        const order = sampleOrder({ details: [{ component_type: 'TUITION_FEE', amount: 45_678 }] })
        const { order_id: id } = (await demo.post(`${PAY}/orders`, order)).body.data
        const paid = await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })
        const at = `/api/v1/sandbox/payments/${paid.body.data.payment_id}/dispute`
        assertAnswer(await demo.post(at, { outcome, reason: 'fraud' }), '200')
      }
      for (const [name, size] of Object.entries(SIZES)) {
        const { page, go, context } = await openConsole(stage, finance, size)
        await go(`${I}/money?view=disputes`)
        for (const text of ['₹45,678.00', 'Open', 'Lost', 'Order', /^Answer .* in the dashboard of/])
          await expectInView(page, text)
        await expectSoundAndKeep(page, `console-disputes-${name}`)
        await context.close()
      }
    },
  )

  await t.test('an owner sets both amounts, reads them back and switches them off', async () => {
    for (const [name, size] of Object.entries(SIZES)) {
      const { page, go, context, complaints } = await openConsole(stage, owner, size)
      await go(`${I}/approvals`)
      await page.getByRole('button', { name: 'Ask for a second person' }).click()
      const dialogue = page.getByRole('dialog')
      await dialogue.getByLabel('Above, in rupees').fill('5,000')
      await dialogue.getByLabel('For one child in one academic year, in rupees').fill('20000')
      await expectSoundAndKeep(page, `console-approval-limits-${name}`)
      await confirm(page, 'Save')
      await expectInView(
        page,
        /above ₹5,000\.00 wait until a second person .* more than ₹20,000\.00 for one child/,
      )
      await expectSoundAndKeep(page, `console-approvals-${name}`)
      await page.getByRole('button', { name: 'Change the amounts' }).click()
      await dialogue.getByLabel('Above, in rupees').fill('')
      await dialogue.getByLabel('For one child in one academic year, in rupees').fill('')
      await confirm(page, 'Save')
      await expectInView(page, /are done at once, by one person/)
      assert.deepEqual(complaints, [])
      await context.close()
    }
  })

  await t.test('a returned cheque on the statement is proposed, and becomes its bounce', async () => {
    const account = await bank.newAccount()
    for (const [index, [name, size]] of Object.entries(SIZES).entries()) {
      const number = `00884${index}`
      const amount = 1_750 + index
      const studentId = await desk.register()
      const taken = await finance.post(`${STUDENTS}/${studentId}/payments`, {
        amount,
        paid_at: today,
        mode: 'cheque',
        fee_components: [{ component_type: 'TUITION_FEE', amount }],
        instrument: { number, bank: 'Canara Bank' },
      })
      assertAnswer(taken, '201')
      await bank.add(account, [
        credit(today, `CLG ${number} CANARA`, number, amount),
        `${today},I/W CHQ RETURN ${number} FUNDS INSUFFICIENT,,${amount.toFixed(2)},,`,
      ])
      const { page, go, context, complaints } = await openConsole(stage, finance, size)
      await go(`${I}/money?view=bank`)
      await page.getByText(`I/W CHQ RETURN ${number}`).locator('visible=true').first().click()
      const dialogue = page.getByRole('dialog')
      await dialogue.getByText(new RegExp(`Cheque ${number}, Canara Bank`)).waitFor()
      await dialogue.getByLabel('The bank’s reason').fill('Funds insufficient')
      await dialogue.getByLabel('Charge for it, rupees').fill('250')
      await expectSoundAndKeep(page, `console-returned-cheque-${name}`)
      await dialogue.getByRole('button', { name: 'Take the money back' }).click()
      await page.getByText('The cheque bounced: its money is due again.').waitFor()
      const dues = (await demo.get(`/api/v1/integrations/erp/students/${studentId}/dues`)).body.data
      assert.equal(
        dues.components.find((one: { paid_amount: number }) => one.paid_amount > 0),
        undefined,
      )
      assert.deepEqual(complaints, [])
      await context.close()
    }
  })
})
