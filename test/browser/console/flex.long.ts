import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openFlexSchool, type FlexSchool } from '../../console/flex/support.ts'
import { createPerson } from '../../console/support.ts'
import { DESKTOP, expectCount, isTooWide, keep, openBrowser, PHONE } from '../../harness/browser.ts'
import { expectSound, expectSoundAndKeep } from '../support.ts'

type Stage = { browser: Browser; school: FlexSchool }

test('Flex in the console', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const stage = { browser, school: await openFlexSchool(t) }
  await showsDays(t, stage)
  await actsOnAPlan(t, stage)
  await onlyShowsAViewer(t, stage)
  await fitsAPhone(t, stage)
})

async function openConsole(
  { browser, school }: Stage,
  { viewport = DESKTOP, cookie }: { viewport?: typeof DESKTOP; cookie?: string } = {},
): Promise<{
  context: BrowserContext
  page: Page
  go: (path: string) => Promise<void>
  complaints: string[]
}> {
  const { url } = school.bursar
  const context = await browser.newContext({ viewport })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 40[013]/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url }])
  } else {
    await page.goto(`${url}/console`)
    await page.getByRole('button', { name: 'Bursar of Demo School' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  }
  const go = async (path: string): Promise<void> => {
    await page.goto(`${url}/console/i/demo-school/flex${path}`)
  }
  return { context, page, go, complaints }
}

async function showsDays(t: TestContext, stage: Stage): Promise<void> {
  await t.test(
    'the calendar leads to a day, a day to a plan, and the views around them say why',
    async () => {
      const { context, page, go, complaints } = await openConsole(stage)
      const { day } = stage.school
      await go(`?month=${day.slice(0, 7)}`)
      const cell = page.locator(`a[href*="/flex/days/${day}"]`)
      await cell.waitFor()
      assert.match(await cell.innerText(), /2 bounced\s+₹7\.2 K/)
      await expectSoundAndKeep(page, 'console-flex-calendar')
      await cell.click()
      const rows = page.locator('tbody tr')
      await rows.first().waitFor()
      await expectCount(rows, 6)
      await expectSoundAndKeep(page, 'console-flex-day')
      await page.getByRole('link', { name: /Bounced 2/ }).click()
      await page.waitForURL(/status=bounced/)
      await page.getByRole('button', { name: 'Remove the filter State: Bounced' }).waitFor()
      await page.getByText('The account did not have enough money. (code 04)').waitFor()
      await expectCount(rows, 2)

      await page.getByRole('navigation', { name: 'Flex' }).getByRole('link', { name: 'Coming run' }).click()
      await page.getByText('Plan is held').waitFor()
      await page.getByText('Families are notified by').first().waitFor()
      await expectSoundAndKeep(page, 'console-flex-coming')
      await go('/returns')
      await page.getByRole('link', { name: 'The account did not have enough money.' }).waitFor()
      await expectSoundAndKeep(page, 'console-flex-returns')
      await page.getByRole('link', { name: 'The account did not have enough money.' }).click()
      await page.waitForURL(/debits\?.*return_code=04/)
      await page.getByText('Asha Menon').waitFor()
      await go('/erp')
      await page.getByText('No such student in our books.').first().waitFor()
      await expectSoundAndKeep(page, 'console-flex-erp')
      assert.deepEqual(complaints, [])
      await context.close()
    },
  )
}

async function actsOnAPlan(t: TestContext, stage: Stage): Promise<void> {
  await t.test('a plan is found, read, held with a reason, resumed, and an instalment is moved', async () => {
    const { context, page, go, complaints } = await openConsole(stage)
    await go('/plans')
    await page.getByText('Asha Menon').waitFor()
    await expectSoundAndKeep(page, 'console-flex-plans')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Name, admission number, phone, plan id or UMRN').fill('asha men')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=asha/)
    const row = page.locator('tbody tr')
    await page.getByText('Kabir Rao').waitFor({ state: 'hidden' })
    await row.first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Asha Menon', level: 1 }).waitFor()
    await page.getByText('Instalment 1: bounced').first().waitFor()
    await expectSoundAndKeep(page, 'console-flex-plan')

    await page.getByRole('button', { name: 'Hold', exact: true }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue.getByText(/Nothing is debited from Asha Rao until you resume it/).waitFor()
    await expectSoundAndKeep(page, 'console-flex-hold')
    await dialogue.getByLabel('Reason').fill('The parents asked to wait')
    await dialogue.getByRole('button', { name: 'Hold the plan' }).click()
    await page.getByText('The plan is held.').waitFor()
    await page.getByText('The parents asked to wait').waitFor()
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await dialogue.getByLabel('Reason').fill('They are back')
    await dialogue.getByRole('button', { name: 'Resume the plan' }).click()
    await page.locator('.toast', { hasText: 'The plan goes on.' }).waitFor()

    await page.getByRole('button', { name: 'Move instalment 2 to another day' }).click()
    await dialogue.getByLabel('New due date').fill('1.1.2020')
    await dialogue.getByLabel('Reason').fill('Salary comes later')
    await dialogue.getByRole('button', { name: 'Move it' }).click()
    await dialogue.getByText('Is in the past').waitFor()
    const [, second] = (await stage.school.planOf('Asha')).payment_schedule
    const later = `${second.due_date.slice(0, 8)}20`
    await dialogue.getByLabel('New due date').fill(later)
    await expectSound(page, 'move')
    await dialogue.getByRole('button', { name: 'Move it' }).click()
    await page.getByText(/Instalment 2 is due on 20 /).waitFor()
    assert.equal((await stage.school.planOf('Asha')).payment_schedule[1].due_date, later)

    await go('/settings')
    await page.getByLabel('Instalments').fill('12')
    await page.getByRole('button', { name: 'Change the default plan' }).click()
    await dialogue.getByLabel('Reason').fill('New school year')
    await dialogue.getByRole('button', { name: 'Change it' }).click()
    await page.getByText('New plans will use these settings.').waitFor()
    await dialogue.waitFor({ state: 'hidden' })
    await expectSoundAndKeep(page, 'console-flex-settings')
    assert.deepEqual(complaints, [])
    await context.close()
  })
}

async function onlyShowsAViewer(t: TestContext, stage: Stage): Promise<void> {
  await t.test('a viewer is shown everything and offered no action', async () => {
    const { bursar, plans } = stage.school
    const viewer = await createPerson(bursar, {
      email: 'looks@school.example',
      institute: 'demo-school',
      role: 'viewer',
    })
    const { context, page, go } = await openConsole(stage, { cookie: viewer.cookie ?? '' })
    await go(`/plans/${plans.Dev}`)
    await page.getByRole('heading', { name: 'Dev Shah', level: 1 }).waitFor()
    await page.getByRole('alert').getByText('Somebody holds the plan').waitFor()
    for (const name of [/^Hold/, /^Resume/, /^Cancel/, /^Move/])
      assert.equal(await page.getByRole('button', { name }).count(), 0)
    await go('/settings')
    await page.getByText('An owner or somebody from finance can change it.').waitFor()
    await go('/plans/plan_00000000000000000000000000')
    await page.getByText('This plan was not found').waitFor()
    await context.close()
  })
}

async function fitsAPhone(t: TestContext, stage: Stage): Promise<void> {
  await t.test('every page of Flex fits a phone', async () => {
    const { context, page, go, complaints } = await openConsole(stage, { viewport: PHONE })
    const { day, plans } = stage.school
    const pages = {
      [`?month=${day.slice(0, 7)}`]: ['calendar', '2 bounced'],
      [`/days/${day}`]: ['day', 'Asha Menon'],
      '/coming': ['coming', 'Plan is held'],
      '/returns': ['returns', 'The account did not have enough money.'],
      '/plans': ['plans', 'Asha Menon'],
      [`/plans/${plans.Asha}`]: ['plan', 'What happened'],
      '/erp': ['erp', 'No such student in our books.'],
      '/settings': ['settings', 'Name for parents'],
    } as const
    await go(`?month=${day.slice(0, 7)}`)
    await page.getByText('2 bounced').waitFor()
    // On a phone the month is a list of its own.
    await expectSound(page, 'calendar')
    for (const [path, [name, text]] of Object.entries(pages)) {
      await go(path)
      await page.getByText(text).filter({ visible: true }).first().waitFor()
      assert.equal(await isTooWide(page), false, name)
      await keep(page, `console-flex-${name}-phone`)
    }
    assert.deepEqual(complaints, [])
    await context.close()
  })
}
