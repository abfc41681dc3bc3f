import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { axeViolations, isTooWide, keep } from '../harness/browser.ts'
import type { TestBursar } from '../harness/bursar.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'

export type Link = { id: string; url: string }

export async function createLink(bursar: TestBursar, changes: Record<string, unknown> = {}): Promise<Link> {
  const { body, text } = await bursar.demo.post(`${PAY}/payment_links`, {
    ...sampleOrder({
      student_name: 'Kabir Rao',
      details: [
        { component_type: 'TUITION_FEE', amount: 40000 },
        { component_type: 'TRANSPORT_FEE', amount: 5000.5 },
      ],
    }),
    ...changes,
  })
  assert.equal(body?.status, 'success', text)
  return { id: body.data.order_id, url: body.data.redirect_url }
}

/** From the order page to the bank's. */
export async function goToBank(page: Page, link: Link, method = 'UPI'): Promise<void> {
  await page.goto(link.url)
  await page.getByRole('radio', { name: method }).check()
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.waitForURL(/\/sandbox\/bank\//)
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

export async function expectWords(page: Page, ...patterns: RegExp[]): Promise<void> {
  const text = await page.locator('main').innerText()
  for (const pattern of patterns) assert.match(text, pattern)
}

/** As a payer's page has to be: nothing for axe to say, nothing beside the screen. */
export async function expectSound(page: Page, name: string): Promise<void> {
  assert.deepEqual(await axeViolations(page), [], name)
  assert.equal(await isTooWide(page), false, `${name}: the page scrolls sideways`)
}

export async function expectSoundAndKeep(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await keep(page, name)
}

export async function paymentsOf(
  bursar: TestBursar,
  orderId: string,
): Promise<{ id: string; state: string; mode: string }[]> {
  return bursar.sql('select id, state, mode from payments where order_id = $1 order by created_at, id', [
    orderId,
  ])
}

export async function statesOf(bursar: TestBursar, orderId: string): Promise<string[]> {
  return (await paymentsOf(bursar, orderId)).map(payment => payment.state)
}
