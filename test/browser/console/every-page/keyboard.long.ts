import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { makeStudent, setMoney } from '../../../console/money/support.ts'
import { DESKTOP, setStage, type Stage } from '../../../harness/browser.ts'
import { startFakeErp } from '../../../harness/fakes/erp.ts'
import { ERP } from '../../../harness/samples.ts'
import { setErp } from '../../../students/support.ts'
import { subscribe } from '../../../webhooks/support.ts'
import { dialogue, expectDialogue, expectFocus, goTo, step, watchLooks } from '../../keyboard-support.ts'

/** The console without a mouse: everything is reached, seen to be reached, and left again. */
const I = '/console/i/demo-school'

/** Money, a webhook and an ERP that was asked: something in every table. */
async function fill({ bursar }: Stage, erp: { url: string }): Promise<void> {
  const { demo } = bursar
  await subscribe(demo, 'http://127.0.0.1:9/hook')
  await setMoney(bursar)
  const fees = { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }] }
  await makeStudent(bursar, { identifier: 'ADM-1042', fullname: 'Kabir Rao' }, fees)
  await setErp(demo, erp)
  await demo.post(`${ERP}/pull/test`, { identifier: 'ADM-1042' })
}

test('the console by the keyboard alone', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  await fill(stage, await startFakeErp(t))
  const context = await stage.browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
  context.setDefaultTimeout(10_000)
  await context.addInitScript(watchLooks)
  t.after(() => context.close())
  const go = async (path: string): Promise<Page> => {
    const page = context.pages()[0] ?? (await context.newPage())
    await page.goto(stage.bursar.url + path)
    await page.locator('main h1').waitFor()
    return page
  }

  await t.test('one comes in, and the stops follow the page as it is read', () => comesIn(go))
  await t.test('a student is found, and a payment recorded with a reason', () => recordsAPayment(go))
  await t.test('Enter opens a row of every table, Escape leads back to it', () => opensRows(go, stage))
  await t.test('Escape closes one dialogue at a time', () => closesOneAtATime(go))
  await t.test('a filter is set and taken away, and the focus is not lost', () => filters(go))
  await t.test('on a narrow screen the navigation opens, is walked through and closes', () =>
    walksOnAPhone(go, context),
  )
})

type Go = (path: string) => Promise<Page>

async function comesIn(go: Go): Promise<void> {
  const page = await go('/console')
  await page.getByRole('button', { name: 'Bursar of Demo School' }).waitFor()
  const stops = await goTo(page, 'Bursar of Demo School')
  assert.deepEqual(stops.slice(0, 2), ['E-mail address', 'Password'])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()

  await go(I)
  await page.getByText('Collected today').waitFor()
  assert.equal(await step(page), 'Skip to the page')
  const around = await goTo(page, 'Settings')
  assert.match(
    around.join(' → '),
    /^Demo School → Search students.* → .*account of Bursar of Demo School → Home → /,
  )
  assert.deepEqual(around.slice(-9), [
    'Home',
    'Students',
    'Counter',
    'Orders & links',
    'Flex',
    'Loans',
    'Money',
    'Developers',
    'Settings',
  ])
  assert.match(await step(page), /^This year’s fees alone/)

  await go(I)
  await page.getByText('Collected today').waitFor()
  await step(page)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'main')
  assert.match(await step(page), /^This year’s fees alone/, 'past all that stands around the page')
}

async function recordsAPayment(go: Go): Promise<void> {
  const page = await go(I)
  await page.keyboard.press('/')
  await expectFocus(page, /^Search students/, 'the shortcut of the search')
  await page.keyboard.type('kabir')
  await page.getByRole('option', { name: /Kabir Rao/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Kabir Rao', level: 1 }).waitFor()

  await goTo(page, 'Record a payment')
  await page.keyboard.press('Enter')
  await expectDialogue(page, 'record')
  await expectFocus(page, 'Tuition fee, rupees', 'the first fee')
  const inside = new Set<string>()
  for (let stops = 0; stops < 15; stops++) {
    inside.add(await step(page))
    assert.equal(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null), true)
  }
  for (const name of [
    'Close',
    'Tuition fee, rupees',
    'Paid on',
    'How',
    'Number',
    'UTR',
    'Cancel',
    'Record it',
  ])
    assert.ok(inside.has(name), `${name} is reached within the dialogue`)
  await page.keyboard.press('Escape')
  await dialogue(page).waitFor({ state: 'hidden' })
  await expectFocus(page, 'Record a payment', 'back where it was opened')

  await page.keyboard.press('Enter')
  await expectDialogue(page, 'record again')
  await page.keyboard.type('1500')
  await goTo(page, 'Record it')
  await page.keyboard.press('Enter')
  await page.getByText('₹1,500.00 is recorded').waitFor()
  await goTo(page, 'Done')
  await page.keyboard.press('Enter')
  await dialogue(page).waitFor({ state: 'hidden' })
  await expectFocus(page, 'Record a payment', 'back where it was opened, once it is done')

  await goTo(page, /^More/)
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await step(page, 'ArrowDown')
  await page.keyboard.press('Enter')
  await expectDialogue(page, 'concession')
  await page.keyboard.press('Escape')
  await dialogue(page).waitFor({ state: 'hidden' })
  await expectFocus(page, /^More/, 'a menu is gone; its button is not')

  await goTo(page, 'Payments')
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Payments' }).waitFor()
  await goTo(page, /^Act on the payment/)
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  for (const _ of ['refund', 'move', 'cancel']) await step(page, 'ArrowDown')
  await page.keyboard.press('Enter')
  await expectDialogue(page, 'cancel')
  await page.keyboard.type('Typed in twice')
  await goTo(page, 'Cancel the payment')
  await page.keyboard.press('Enter')
  await page.getByText('The payment of ₹1,500.00 is cancelled.').waitFor()
  await page.waitForFunction(() => document.activeElement?.id === 'main')
}

/** Where rows lead to a page, and where they open beside the table. */
const LEADS = ['students', 'orders', 'money?view=settlements']
const OPENS = [
  'money?view=payments',
  'money?view=receipts',
  ...['keys', 'webhooks', 'events', 'requests'].map(name => `developers/${name}`),
  'flex/erp',
  'settings/audit',
]

async function focusFirstRow(page: Page): Promise<string> {
  await page.locator('tr.opens').first().waitFor()
  const first = (await page.locator('tr.opens').first().innerText()).replaceAll(/\s+/g, ' ').trim()
  await goTo(page, first)
  return first
}

async function opensRows(go: Go, { bursar }: Stage): Promise<void> {
  for (const path of LEADS) {
    const page = await go(`${I}/${path}`)
    await focusFirstRow(page)
    const [, id = ''] = /\/(\w+)\??/.exec(`/${path}`) ?? []
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.pathname.startsWith(`${I}/${id}/`))
    await page.locator('article h1').waitFor()
  }
  for (const path of OPENS) {
    const page = await go(`${I}/${path}`)
    const row = await focusFirstRow(page)
    await page.keyboard.press('Enter')
    await expectDialogue(page, path)
    await step(page)
    await page.keyboard.press('Escape')
    await dialogue(page).waitFor({ state: 'hidden' })
    await expectFocus(page, row, `${path}: back on the row`)
  }
  const page = await go(`${I}/money?view=payments`)
  await focusFirstRow(page)
  const names = await page.locator('tr.opens').allInnerTexts()
  assert.ok(names.length > 2, bursar.url)
  const nameOf = (no: number): string => (names.at(no) ?? '').replaceAll(/\s+/g, ' ').trim()
  assert.equal(await step(page, 'ArrowDown'), nameOf(1))
  assert.equal(await step(page, 'End'), nameOf(-1))
  assert.equal(await step(page, 'Home'), nameOf(0))
}

async function closesOneAtATime(go: Go): Promise<void> {
  const page = await go(`${I}/developers/webhooks`)
  const row = await focusFirstRow(page)
  await page.keyboard.press('Enter')
  await expectDialogue(page, 'webhook')
  await goTo(page, 'Disable')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: /^Disable / }).waitFor()
  await expectFocus(page, 'Reason', 'the inner dialogue')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: /^Disable / }).waitFor({ state: 'hidden' })
  assert.equal(await dialogue(page).count(), 1, 'the outer dialogue stays')
  await expectFocus(page, 'Disable', 'back in the outer dialogue')
  await page.keyboard.press('Escape')
  await dialogue(page).waitFor({ state: 'hidden' })
  await expectFocus(page, row, 'back on the row')
}

async function filters(go: Go): Promise<void> {
  const page = await go(`${I}/settings/audit`)
  await goTo(page, 'Filter')
  await page.keyboard.press('Enter')
  await page.getByLabel('What', { exact: true }).waitFor()
  await expectFocus(page, 'What', 'the first field of the filter')
  await page.keyboard.press('Escape')
  await expectFocus(page, 'Filter', 'closed without filtering')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'What', 'the first field of the filter')
  await page.keyboard.type('payment.recorded')
  await page.keyboard.press('Enter')
  await page.waitForURL(/what=payment\.recorded/)
  await page.getByRole('form', { name: 'Filters' }).waitFor({ state: 'hidden' })
  await expectFocus(page, 'Filter', 'filtered')
  assert.equal(await step(page), 'Remove the filter What: payment.recorded')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => !url.search.includes('what'))
}

async function walksOnAPhone(go: Go, context: BrowserContext): Promise<void> {
  const page = await go(I)
  await page.setViewportSize({ width: 640, height: 800 })
  await page.getByRole('button', { name: 'Open the navigation' }).waitFor()
  await goTo(page, 'Open the navigation')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Close the navigation' }).waitFor()
  await goTo(page, 'Students')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Students', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Open the navigation' }).waitFor()
  assert.equal(context.pages().length, 1)
}
