import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { Visitor } from '../../../console/support.ts'
import { DESKTOP, isTooWide, keep, openBrowser, PHONE } from '../../../harness/browser.ts'
import { openConsole, type OpenConsole } from '../support.ts'
import { addressesOf, makeSchool } from './school.ts'

/** Pages to go to; several people may share the way. */
type Tour = { left: string[]; seen: Set<string> }

function tourOf(addresses: readonly string[]): Tour {
  return { left: [...addresses], seen: new Set(addresses) }
}

/** Goes to each page and to all of its tabs, and looks at it once it has all that it waits for. */
async function walk(
  { page, go }: OpenConsole,
  { left, seen }: Tour,
  look: (address: string) => Promise<void>,
): Promise<void> {
  for (let address = left.shift(); address !== undefined; address = left.shift()) {
    await go(address)
    await settle(page)
    await look(address)
    const links = await page
      .locator('main .page-tabs a')
      .evaluateAll(tabs => tabs.map(tab => (tab.getAttribute('href') ?? '').replace(/^\/console/, '')))
    left.push(...links.filter(link => !seen.has(link)))
    for (const link of links) seen.add(link)
  }
}

async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('main :is(.mantine-Loader-root, .skeleton)') === null,
  )
  await page.waitForFunction(() => document.getAnimations().length === 0)
}

/** A desk's window at 200 %. */
const ENLARGED = { width: 640, height: 400 }

/** What has more to read than it shows, and is no field that somebody types in. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main, main *')]
      .filter(one => {
        const isCut = getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1
        return (
          isCut &&
          one.clientWidth > 1 &&
          one.innerText.trim() !== '' &&
          !one.matches('input, textarea, select, pre, svg *')
        )
      })
      .map(one => `${one.tagName} ${one.className}: ${one.innerText.slice(0, 60).replaceAll('\n', ' ')}`),
  )
}

/** Numbers of a list that the three lines of its row on a phone leave out. */
function numbersLeftOut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main .rows tr.opens')].flatMap(row =>
      [...row.querySelectorAll<HTMLElement>('td.right')]
        .filter(cell => cell.innerText.trim() !== '')
        .filter(cell => cell.getBoundingClientRect().top > row.getBoundingClientRect().bottom - 12)
        .map(cell => `${cell.dataset['title']}: ${cell.innerText}`),
    ),
  )
}

const isOpen = (address: string): boolean => /^\/(sign-in|forgot|join|second-factor)/.test(address)
const isDesk = (address: string): boolean => address.startsWith('/l/')

type Look = (page: Page) => Promise<string[]>

/** Each page that is asked for, as somebody who may see it. */
export async function lookAtPages(
  t: TestContext,
  isAsked: (address: string) => boolean,
  flawsOf: Look,
): Promise<void> {
  const browser = await openBrowser(t)
  if (browser === null) return
  const { bursar, owner, officer, made } = await makeSchool(t)
  const flaws: string[] = []
  const lookAs = async (who: Pick<Visitor, 'cookie'>, tour: Tour): Promise<void> => {
    const session = await openConsole({ browser, bursar }, who, DESKTOP)
    await walk(session, tour, async address => {
      flaws.push(...(await flawsOf(session.page)).map(flaw => `${address}: ${flaw}`))
    })
    flaws.push(...session.complaints)
    await session.context.close()
  }
  const all = addressesOf(made).filter(isAsked)
  const inside = tourOf(all.filter(address => !isOpen(address) && !isDesk(address)))
  await Promise.all([lookAs(owner, inside), lookAs(owner, inside)])
  await lookAs(officer, tourOf(all.filter(isDesk)))
  await lookAs({ cookie: null }, tourOf(all.filter(isOpen)))
  assert.deepEqual(flaws, [])
}

/** What does not fit: at 200 %, and on a phone. */
export async function cramped(page: Page): Promise<string[]> {
  const name = new URL(page.url()).href.replace(/^.*\/console/, '').replaceAll(/\W+/g, '-')
  const flaws: string[] = []
  await page.setViewportSize(ENLARGED)
  await settle(page)
  flaws.push(...(await cutOff(page)).map(what => `cut at 200 %: ${what}`))
  await page.setViewportSize(PHONE)
  await settle(page)
  if (await isTooWide(page)) flaws.push('scrolls sideways on a phone')
  flaws.push(...(await numbersLeftOut(page)).map(what => `not seen on a phone: ${what}`))
  await keep(page, `${name}-phone`)
  await page.setViewportSize(DESKTOP)
  await settle(page)
  await keep(page, name)
  return flaws
}
