import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { TestContext } from 'node:test'
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { startBursar, type TestBursar } from './bursar.ts'
import { waitFor } from './wait.ts'

/** Chromium as people have it: installed by the system, without a profile, without calling home. */
const CANDIDATES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export const PHONE = { width: 360, height: 740 }
export const DESKTOP = { width: 1280, height: 800 }

/** Null, with the reason printed, where there is no browser. */
export async function openBrowser(t: TestContext): Promise<Browser | null> {
  const executablePath = CANDIDATES.find(path => path !== undefined && existsSync(path))
  if (executablePath === undefined) {
    t.skip('no Chromium on this machine; install it or set CHROMIUM')
    return null
  }
  const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  const browser = await chromium.launch({ executablePath, args: [...flags, ...quiet] })
  t.after(() => browser.close())
  return browser
}

export type Stage = { bursar: TestBursar; browser: Browser }

/** A browser and a Bursar for it to look at; null where there is no browser. */
export async function setStage(t: TestContext, env: Record<string, string> = {}): Promise<Stage | null> {
  const browser = await openBrowser(t)
  return browser === null ? null : { browser, bursar: await startBursar(t, env) }
}

export type ParentStage = Stage & {
  /** A page of a phone, in a profile of its own. */
  open: (options?: BrowserContextOptions) => Promise<Page>
  /** A test of its own that runs beside the others. */
  part: (name: string, check: (t: TestContext) => Promise<void>) => void
  /** When all parts are over; nothing is left to look at after that. */
  ended: () => Promise<unknown>
}

/** The stage of a parent's pages. */
export async function setParentStage(t: TestContext): Promise<ParentStage | null> {
  const stage = await setStage(t)
  if (stage === null) return null
  const parts: Promise<void>[] = []
  return {
    ...stage,
    open: async (options = {}) => {
      const context = await stage.browser.newContext({ viewport: PHONE, ...options })
      context.setDefaultTimeout(30_000)
      return context.newPage()
    },
    part: (name, check) => void parts.push(t.test(name, check)),
    ended: () => Promise.all(parts),
  }
}

/** Screenshots for looking at: taken when SCREENSHOTS is set, into the folder that it names, else into a temporary one. */
export async function keep(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: wanted } = process.env
  if (wanted === undefined) return
  const folder = isAbsolute(wanted) ? wanted : join(tmpdir(), 'bursar-screenshots')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Whether a person would have to scroll sideways. */
export async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
}

/**
 * What axe finds wrong with the page as it stands; evaluated outside the page's own script policy. By night all that changes is colours, so
 * only their contrast is looked at again.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'))
  const byDay = await runAxe(page, {})
  const chosen = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  await page.emulateMedia({ colorScheme: chosen ? 'light' : 'dark' })
  await page.waitForFunction(isDark => {
    const shown = document.documentElement.dataset['mantineColorScheme']
    return shown === undefined || (shown === 'dark') === isDark
  }, !chosen)
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  const byNight = await runAxe(page, { runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: chosen ? 'dark' : 'light' })
  return [...byDay, ...byNight.map(violation => `in the other colours, ${violation}`)]
}

async function runAxe(page: Page, options: object): Promise<string[]> {
  return page.evaluate(async more => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'], ...more })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`)
  }, options)
}

/** So many of them, as soon as the page has come to show what was asked of it. */
export async function expectCount(found: Locator, count: number): Promise<void> {
  await waitFor(async () => (await found.count()) === count, `${count} of ${String(found)}`, {
    limitMs: 15_000,
  })
}
