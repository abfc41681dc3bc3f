import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../../../harness/browser.ts'
import { makeOrder } from '../../../console/orders/support.ts'
import { pay } from '../../../payment-pages/support.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const NARROW = { width: 390, height: 844 }

test('a refund above the amount is asked for by one person and approved by another', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const orderId = await makeOrder(demo, 'orders')
  await pay(demo, orderId)
  const owner = await openConsole(stage, await memberOf(stage, 'owner'))
  const finance = await openConsole(stage, await memberOf(stage, 'finance'))

  await owner.go(`${I}/approvals`)
  await owner.page.getByText('done at once, by one person').waitFor()
  await owner.page.getByRole('button', { name: 'Ask for a second person' }).click()
  await owner.page.getByLabel('Above, in rupees').fill('5000')
  await owner.page.getByLabel('For one child in one academic year').fill('8000')
  await owner.page.getByRole('dialog').getByLabel('Reason').fill('Decided by the management')
  await expectSoundAndKeep(owner.page, 'console-approvals-amount')
  await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.page.getByText('above ₹5,000.00 wait').waitFor()
  await owner.page.getByText('more than ₹8,000.00 for one child').waitFor()

  await finance.go(`${I}/orders/${orderId}`)
  await finance.page.getByRole('button', { name: 'Refund', exact: true }).click()
  await finance.page.getByRole('dialog').getByLabel('Reason').fill('Left the school')
  await finance.page.getByRole('button', { name: /^Refund ₹/ }).click()
  await finance.page.getByText('waits until a colleague approves it').waitFor()
  await finance.go(`${I}/approvals`)
  await finance.page.getByRole('button', { name: 'Withdraw' }).waitFor()
  assert.equal(await finance.page.getByRole('button', { name: 'Approve' }).count(), 0)

  await owner.go(I)
  await owner.page.getByText('Requests to approve').click()
  await owner.page.getByText('Refund to Asha Rao').waitFor()
  await expectSoundAndKeep(owner.page, 'console-approvals')
  const phone = await openConsole(stage, await memberOf(stage, 'viewer'), NARROW)
  await phone.go(`${I}/approvals`)
  await phone.page.getByText('Refund to Asha Rao').waitFor()
  await expectSoundAndKeep(phone.page, 'console-approvals-phone')
  // On the way home, too.
  await owner.page.setViewportSize(NARROW)
  await owner.page.getByRole('button', { name: 'Approve', exact: true }).click()
  await owner.page.getByRole('button', { name: 'Approve and do it' }).click()
  await owner.page.getByText('Approved, and done.').waitFor()
  const { body } = await demo.get(`/api/v1/integrations/pay/orders/${orderId}/refunds`)
  assert.deepEqual(
    body.data.map((refund: { amount: number }) => refund.amount),
    [45_000],
  )
  for (const { complaints } of [owner, finance, phone]) assert.deepEqual(complaints, [])
})
