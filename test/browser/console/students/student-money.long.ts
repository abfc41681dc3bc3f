import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../../../harness/browser.ts'
import type { Json } from '../../../harness/client.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { confirm, I, memberOf, openConsole } from '../support.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 60000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 12000 },
]

test('a link that pays dues, a refund by fee and the rule for money beyond what is owed', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const student = sampleStudent({ fullname: 'Kabir Rao', identifier: 'ADM-1042' })
  const registered = await demo.post(`${ERP}/users/parent-1/students`, { student, fee_components: FEES })
  const studentId = registered.body.data.service_student_id
  const balances = async (): Promise<Json> => {
    const { components } = (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data
    return components.map((one: Json) => [one.component_type, one.outstanding_amount])
  }
  const { page, go, complaints } = await openConsole(stage, await memberOf(stage, 'finance'))

  await t.test('a link is made for a student picked from the list and a fee of the catalogue', async () => {
    await go(`${I}/orders/new`)
    await page.getByText('lowers nobody’s dues').first().waitFor()
    await page.getByPlaceholder('Name, admission number or phone').fill('ADM-1042')
    await page.getByRole('option', { name: /Kabir Rao, ADM-1042/ }).click()
    await page.getByText('It lowers the dues of Kabir Rao').waitFor()
    await page.getByRole('combobox', { name: 'Fee' }).selectOption('TUITION_FEE')
    await page.getByRole('textbox', { name: 'Amount' }).fill('40000')
    await expectSoundAndKeep(page, 'console-new-order-dues')
    await page.setViewportSize(NARROW)
    await expectSoundAndKeep(page, 'console-new-order-dues-phone')
    await page.getByRole('button', { name: 'Create, ₹40,000.00' }).click()
    await page.waitForURL(/\/orders\/order_/)
    await page.getByText('Pays the dues of').waitFor()
    await page.getByRole('link', { name: 'Kabir Rao' }).waitFor()
    const orderId = page.url().split('/').at(-1) ?? ''
    const paid = await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
    assert.equal(paid.status, 200, paid.text)
    assert.deepEqual(await balances(), [
      ['TUITION_FEE', 20000],
      ['TRANSPORT_FEE', 12000],
    ])
  })

  await t.test(
    'a refund by fee names what is left of each, refuses more, and makes that fee due again',
    async () => {
      const order = await demo.post(`/api/v1/integrations/pay/students/${studentId}/orders`, {})
      const orderId = order.body.data.order_id
      await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
      await page.setViewportSize(WIDE)
      await go(`${I}/orders/${orderId}`)
      await page.getByRole('button', { name: 'Refund' }).click()
      await page.getByLabel('By fee').check()
      await page.getByLabel(/at most ₹20,000\.00/).waitFor()
      const transport = page.getByLabel(/at most ₹12,000\.00/)
      await page.getByLabel('Reason').fill('Moved closer to the school')
      await page.getByRole('button', { name: 'Refund this amount' }).click()
      await page.getByText('Enter an amount for at least one fee.').waitFor()
      await transport.fill('a lot')
      await page.getByRole('button', { name: 'Refund this amount' }).click()
      await page.getByText('Must be an amount in rupees').waitFor()
      await transport.fill('12,000.01')
      await page.getByRole('button', { name: 'Refund this amount' }).click()
      await page.getByRole('alert').waitFor()
      await transport.fill('4,000.50')
      await page.getByText('₹4,000.50 goes back to').waitFor()
      await expectSoundAndKeep(page, 'console-refund-by-fee')
      await page.setViewportSize(NARROW)
      await expectSoundAndKeep(page, 'console-refund-by-fee-phone')
      await page.getByRole('button', { name: 'Refund this amount' }).click()
      await page.getByText('₹4,000.50 is on its way back').waitFor()
      const refunds = page.getByRole('table', { name: 'Refunds' })
      await refunds.getByText('Transport fee ₹4,000.50').waitFor()
      assert.deepEqual(await balances(), [
        ['TUITION_FEE', 0],
        ['TRANSPORT_FEE', 4000.5],
      ])
      await page.setViewportSize(WIDE)
      await page.getByRole('button', { name: 'Refund' }).click()
      await page.getByLabel('By fee').check()
      await page.getByLabel(/at most ₹7,999\.50/).waitFor()
      await page.keyboard.press('Escape')
    },
  )

  await t.test('finance chooses to keep money beyond what is owed as an advance', async () => {
    await go(`${I}/settings/payments`)
    await page.getByLabel('Keep it as an advance of the student').check()
    await expectSoundAndKeep(page, 'console-payment-rules')
    await page.setViewportSize(NARROW)
    await expectSoundAndKeep(page, 'console-payment-rules-phone')
    await page.getByRole('button', { name: 'Change the payment rules' }).click()
    await confirm(page, 'Change them')
    await page.getByText('The payment rules are changed.').waitFor()
    assert.equal((await demo.get(`${ERP}/payment-rules`)).body.data.surplus, 'advance')
  })

  await t.test('finance sets a late fee without an ERP, and a wrong step is named', async () => {
    await page.setViewportSize(WIDE)
    await page.getByRole('button', { name: 'Add a late fee' }).click()
    const rule = page.getByRole('group', { name: 'Late fee 1' })
    await rule.getByLabel('Due on').fill('2026-12-10')
    await rule.getByLabel('Late fee', { exact: true }).selectOption('slab')
    await rule.getByRole('button', { name: 'Add a step' }).click()
    await rule.getByLabel('From day').nth(1).fill('1')
    await rule.getByLabel('Rupees in all').nth(1).fill('500')
    await expectSoundAndKeep(page, 'console-late-fees')
    await page.setViewportSize(NARROW)
    await expectSoundAndKeep(page, 'console-late-fees-phone')
    await page.getByRole('button', { name: 'Change the payment rules' }).click()
    await confirm(page, 'Change them')
    await page.getByText('Late fee 1: must begin on a later day').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await rule.getByLabel('From day').nth(1).fill('15')
    await page.getByRole('button', { name: 'Change the payment rules' }).click()
    await confirm(page, 'Change them')
    await page.getByText('The payment rules are changed.').first().waitFor()
    const { late_fees: kept } = (await demo.get(`${ERP}/payment-rules`)).body.data
    assert.deepEqual(kept[0].slabs, [
      { from_day: 1, amount: 200 },
      { from_day: 15, amount: 500 },
    ])
  })
  assert.deepEqual(complaints, [])
})
