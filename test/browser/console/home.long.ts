import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { must, openFlexSchool, type FlexSchool } from '../../console/flex/support.ts'
import { setMoney } from '../../console/money/support.ts'
import { demoVisitor } from '../../console/support.ts'
import { openBrowser } from '../../harness/browser.ts'
import { ERP } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { subscribe } from '../../webhooks/support.ts'
import { I, openConsole, type OpenConsole } from './support.ts'

/**
 * Money that came every way and went back, a student who left owing, debits that came back at once and later, a plan that
 * is held: whatever a number and its list could count differently.
 */
async function fill(school: FlexSchool): Promise<void> {
  const { bursar } = school
  const { demo } = bursar
  const [paid] = (await school.planOf('Kabir')).payment_schedule
  await must(
    demo.post(`/api/v1/sandbox/flex/instalments/${paid.id}/outcome`, { outcome: 'bounced', code: '04' }),
  )
  const [, second] = (await school.planOf('Kabir')).payment_schedule
  const soon = Temporal.PlainDate.from(second.present_on).subtract({ days: 3 })
  await must(demo.post('/api/v1/sandbox/clock', { to: `${soon.toString()}T11:00:00+05:30` }))
  const { half, late } = await setMoney(bursar)
  await must(
    demo.post(`${ERP}/students/${half}/payments`, {
      amount: 1_500.5,
      paid_at: `${soon.toString()}T10:00:00+05:30`,
      mode: 'cash',
      transaction_id: 'CASH-TODAY',
      fee_components: [{ component_type: 'TUITION_FEE', amount: 1_500.5 }],
    }),
  )
  const owner = await demoVisitor(bursar.url)
  const left = { status: 'dropped', reason: 'Left the school' }
  await must(owner.post(`/console/api/institutes/demo-school/students/${late}/status`, left))
  await subscribe(demo, 'http://127.0.0.1:9/hook')
}

type Stat = { amount: number; count: number | undefined; link: Locator }

/** What went back has a minus before it. */
function rupees(text: string): number {
  const [, sign = '', digits = ''] = /(-?)₹([\d,]+\.\d\d)/.exec(text) ?? []
  return Number(sign + digits.replaceAll(',', ''))
}

async function readNumber({ page }: OpenConsole, label: string): Promise<Stat> {
  const link = page.locator('.stat', { hasText: label })
  const value = await link.locator('.stat-value').innerText()
  const note = await link.locator('.stat-value + *').innerText()
  const count = /^([\d,]+) /.exec(note)?.[1]
  return {
    amount: value.startsWith('₹') ? rupees(value) : Number(value.replaceAll(',', '')),
    count: count === undefined ? undefined : Number(count.replaceAll(',', '')),
    link,
  }
}

/** What the rows of the list have in one column, all together, to the paisa. */
async function addUpColumn(page: Page, title: string): Promise<{ amount: number; count: number }> {
  const table = page.locator('.data-table').last()
  await table.locator('tbody tr').first().waitFor()
  const titles = await table.locator('thead th').allInnerTexts()
  // Below the title of a column that can be sorted stands its arrow.
  const column = titles.findIndex(text => text.trim().split('\n')[0] === title) + 1
  assert.ok(column > 0, `${title} is one of ${titles.join(', ')}`)
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0, 'all of them are shown')
  const cells = await table.locator(`tbody tr td:nth-child(${column})`).allInnerTexts()
  const paise = cells.reduce((sum, text) => sum + Math.round(rupees(text) * 100), 0)
  return { amount: paise / 100, count: cells.length }
}

test('every number of Home is the sum of the list that it leads to', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const school = await openFlexSchool(t)
  await fill(school)
  const stage = { browser, bursar: school.bursar }
  const session = await openConsole(stage, await demoVisitor(stage.bursar.url))
  await leadsToSums(t, session)
  await leadsToWords(t, session)
  assert.deepEqual(session.complaints, [])
  await session.context.close()
})

const SUMS = {
  'Collected today': 'Amount',
  'Collected this month': 'Amount',
  'Settled to bank this month': 'Net',
  'Left to pay, all years': 'Left to pay',
  'Instalments due in 7 days': 'Amount',
  'On its way to the bank': 'Amount',
} as const

async function leadsToSums(t: TestContext, session: OpenConsole): Promise<void> {
  for (const [label, column] of Object.entries(SUMS))
    await t.test(`${label}: as much and as many as the list has`, async () => {
      const page = await session.go(I)
      await page.locator('.stat').first().waitFor()
      const { amount, count, link } = await readNumber(session, label)
      assert.ok(amount > 0, `there is something to compare: ${amount}`)
      await link.click()
      await page.waitForURL(url => url.pathname !== `/console${I}`)
      const list = await addUpColumn(page, column)
      assert.equal(list.amount, amount)
      if (count !== undefined) assert.equal(list.count, count)
    })
}

async function leadsToWords(t: TestContext, session: OpenConsole): Promise<void> {
  await t.test('bounces and their ratio are those of the page of returns', async () => {
    const page = await session.go(I)
    await page.locator('.stat').first().waitFor()
    const { amount: bounced, link } = await readNumber(session, 'Bounced debits')
    const note = await link.locator('.status').innerText()
    assert.equal(bounced, 3, 'two that bounced, and one that was taken back later')
    const [, ratio = '', sum = ''] = /^([\d.]+ %) came back, (₹.+)$/.exec(note) ?? []
    await link.click()
    const lead = page.locator('.flex-lead')
    await waitFor(async () => (await lead.innerText()).includes(`returned ${bounced} (${ratio})`), note)
    assert.match(await lead.innerText(), new RegExp(sum.replaceAll('.', '\\.')))
  })

  await t.test('webhooks and an ERP that do not fail are not there', async () => {
    const page = await session.go(I)
    await page.locator('.stat').first().waitFor()
    for (const hasText of ['Webhooks', 'ERP'])
      assert.equal(await page.locator('.stat', { hasText }).count(), 0)
  })
}
