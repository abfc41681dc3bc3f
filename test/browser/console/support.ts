import type { BrowserContext, Page } from 'playwright-core'
import { createPerson, type Visitor } from '../../console/support.ts'
import type { Role } from '../../../src/console/console.rules.ts'
import { DESKTOP, type Stage } from '../../harness/browser.ts'

/** Somebody at the console, by the cookie of a session that was opened without a browser. */
export type OpenConsole = {
  context: BrowserContext
  page: Page
  /** Below /console. */
  go: (path: string) => Promise<Page>
  /** What a page may not do: fail, or break its own policy. */
  complaints: string[]
}

export const I = '/i/demo-school'
const REFUSALS = /status of 4\d\d/

export async function openConsole(
  { browser, bursar }: Stage,
  { cookie }: { cookie: string | null },
  viewport = DESKTOP,
): Promise<OpenConsole> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', acceptDownloads: true })
  context.setDefaultTimeout(15_000)
  if (cookie !== null) {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url: bursar.url }])
  }
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !REFUSALS.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  const go = async (path: string): Promise<Page> => {
    await page.goto(`${bursar.url}/console${path}`)
    await page.locator('main h1').waitFor()
    return page
  }
  return { context, page, go, complaints }
}

export async function memberOf({ bursar }: Stage, role: Role): Promise<Visitor> {
  return createPerson(bursar, { email: `${role}@school.example`, institute: 'demo-school', role })
}

/** Says why in the dialogue that is open, and does it. */
export async function confirm(page: Page, verb: string, reason = 'Asked by the office'): Promise<void> {
  const dialogue = page.getByRole('dialog').last()
  await dialogue.getByLabel('Reason').fill(reason)
  await dialogue.getByRole('button', { name: verb, exact: true }).click()
}

/** Turns on what is at first shown to developers alone. */
export async function showTechnical(page: Page): Promise<void> {
  await page.getByRole('button', { name: /account of/ }).click()
  await page
    .getByRole('radiogroup', { name: 'Ids and technical details' })
    .getByText('Shown', { exact: true })
    .click()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
}

/** Something that is done with a payment, from its row on a student's page. */
export async function actOnPayment(page: Page, transaction: string, act: string): Promise<void> {
  await page.getByRole('button', { name: `Act on the payment ${transaction}`, exact: true }).click()
  await page.getByRole('menuitem', { name: act }).click()
  await page.getByRole('menu').waitFor({ state: 'hidden' })
}
