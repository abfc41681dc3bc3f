import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { pay } from '../../../payment-pages/support.ts'
import { setStage, type Stage } from '../../../harness/browser.ts'
import { PAY, sampleOrder } from '../../../harness/samples.ts'
import { I, memberOf, openConsole } from '../support.ts'

const isRefund = (url: URL): boolean => url.pathname.endsWith('/refunds')

/** The server gets the request and does it; the browser never hears of it. */
async function loseAnswers(page: Page): Promise<void> {
  await page.route(isRefund, async route => {
    await route.fetch()
    await route.abort('connectionreset')
  })
}

async function openRefund(page: Page, amount: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Part of it').check()
  await page.getByLabel('Amount in rupees').fill(amount)
  await page.getByLabel('Reason').fill(reason)
}

async function press(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Refund this amount' }).click()
}

async function expectNoAnswer(page: Page): Promise<void> {
  await page.getByRole('alert').getByText('The server cannot be reached. Check your connection.').waitFor()
}

async function expectRefunded(page: Page, amount: string): Promise<void> {
  await page.getByText(`${amount} is on its way back`).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}

/** Asks for a refund of ₹100 and loses the answer; later ones arrive again. */
async function loseRefund(
  { page, go }: Pick<Awaited<ReturnType<typeof openConsole>>, 'page' | 'go'>,
  stage: Stage,
): Promise<string> {
  const order = await paidOrder(stage)
  await go(`${I}/orders/${order}`)
  await loseAnswers(page)
  await openRefund(page, '100', 'Bus not used')
  await press(page)
  await expectNoAnswer(page)
  assert.deepEqual(await refundsOf(stage, order), [10_000])
  await page.unroute(isRefund)
  return order
}

async function refundsOf({ bursar }: Stage, order: string): Promise<number[]> {
  const rows = await bursar.sql<{ amount: number }>(
    'select amount_paise::int as amount from refunds where order_id = $1 order by requested_at, id',
    [order],
  )
  return rows.map(row => row.amount)
}

async function paidOrder({ bursar }: Stage): Promise<string> {
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder({ name: 'Meera Iyer' }))
  await pay(bursar.demo, body.data.order_id)
  return body.data.order_id
}

test('a refund whose answer is lost', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { context, go, page } = await openConsole(stage, await memberOf(stage, 'finance'))
  t.after(() => context.close())

  await t.test('is made once, however often the button is pressed in the same dialogue', async () => {
    const order = await loseRefund({ page, go }, stage)
    await press(page)
    await expectRefunded(page, '₹100.00')
    await page.getByText('Your earlier request had succeeded. It was not repeated.').waitFor()
    assert.deepEqual(await refundsOf(stage, order), [10_000])
  })

  await t.test('is made once when the page is loaded again and the form filled in again', async () => {
    const order = await loseRefund({ page, go }, stage)
    await page.reload()
    await openRefund(page, '100', 'Bus not used')
    await press(page)
    await expectRefunded(page, '₹100.00')
    assert.deepEqual(await refundsOf(stage, order), [10_000])

    await openRefund(page, '100', 'Bus not used')
    await press(page)
    await expectRefunded(page, '₹100.00')
    await page.getByText('It was not repeated').waitFor({ state: 'hidden' })
    assert.deepEqual(await refundsOf(stage, order), [10_000, 10_000], 'a new dialogue is a new refund')
  })

  await t.test(
    'is named when something else is sent afterwards, which is done if it is sent again',
    async () => {
      const order = await loseRefund({ page, go }, stage)
      await page.getByLabel('Amount in rupees').fill('200')
      await press(page)
      await page.getByRole('alert').getByText('An earlier request from this form succeeded').waitFor()
      assert.deepEqual(await refundsOf(stage, order), [10_000])
      await press(page)
      await expectRefunded(page, '₹200.00')
      assert.deepEqual(await refundsOf(stage, order), [10_000, 20_000])
    },
  )

  await t.test('does not stand in the way when the server refused it: the mended form is sent', async () => {
    const order = await paidOrder(stage)
    await go(`${I}/orders/${order}`)
    await openRefund(page, '9,00,000', 'Bus not used')
    await press(page)
    await page
      .getByRole('dialog')
      .getByText(/refund/i)
      .last()
      .waitFor()
    await page.getByLabel('Amount in rupees').fill('100')
    await press(page)
    await expectRefunded(page, '₹100.00')
    assert.deepEqual(await refundsOf(stage, order), [10_000])
  })
})
