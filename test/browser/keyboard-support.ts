import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { waitFor } from '../harness/wait.ts'
import { expectSound } from './support.ts'

/** Working a page by its keys: where the focus is, and that it can be seen there. */
const MOST_STOPS = 80

type Looking = typeof globalThis & {
  lookOf: (element: Element) => string
  looks: Map<Element, string>
  before: Element | null
}

/** In the page: how an element looks, with the frame of a field and the picture that stands for a box to tick. */
export function watchLooks(): void {
  ;(globalThis as Looking).lookOf = element =>
    [
      element,
      element.parentElement,
      element.parentElement?.parentElement,
      element.matches('[type=radio], [type=checkbox]') ? element.nextElementSibling : null,
    ]
      .filter(one => one instanceof Element)
      .map(one => {
        const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } = getComputedStyle(one)
        return [outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor].join(' ')
      })
      .join(' | ')
}

/** In the page: what has the focus is on the screen and looks otherwise than it did without. */
function isFocusSeen(): boolean {
  const { lookOf, looks, before } = globalThis as Looking
  const { activeElement: active } = document
  if (active === null || active === document.body) return false
  // The parts of a date are one field.
  if (active === before) return true
  const { top, bottom, left, right } = active.getBoundingClientRect()
  const isOnScreen = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  return isOnScreen && lookOf(active) !== looks.get(active)
}

/** In the page: what has the focus, as an ear hears it; nothing when the focus is lost. */
function focusedName(): string {
  if (document.activeElement === document.body) return ''
  const active = document.activeElement as HTMLElement
  const label = active instanceof HTMLInputElement ? active.labels?.[0]?.innerText : undefined
  const other =
    active.closest('textarea, select') === active ? (active as HTMLSelectElement).labels[0]?.innerText : ''
  const name = active.getAttribute('aria-label') ?? label ?? (other || active.innerText)
  return name.replaceAll(/\s+/g, ' ').replace(/ \*$/, '').trim()
}

/** One key; where it leads is to be seen. */
export async function step(page: Page, key = 'Tab'): Promise<string> {
  await page.evaluate(() => {
    const kept = globalThis as Looking
    kept.before = document.activeElement
    kept.looks = new Map()
    for (const element of document.querySelectorAll(
      'a, button, input, select, textarea, summary, [tabindex]',
    ))
      kept.looks.set(element, kept.lookOf(element))
  })
  await page.keyboard.press(key)
  await page.waitForFunction(isFocusSeen, undefined, { timeout: 3_000 }).catch(async () => {
    const html = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300))
    assert.fail(`${page.url()}: after ${key} the focus cannot be seen on ${html}`)
  })
  return page.evaluate(focusedName)
}

/** How long ago something was changes while one looks, wherever it stands in a row. */
const steady = (label: string): string => label.replaceAll(/just now|\d+ (?:min|h|d) ago/g, '')

/** Goes on until it is there; answers the stops on the way. */
export async function goTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<string[]> {
  const stops: string[] = []
  while (stops.length < MOST_STOPS) {
    const stop = await step(page, key)
    stops.push(stop)
    if (typeof name === 'string' ? steady(stop) === steady(name) : name.test(stop)) return stops
  }
  return assert.fail(`${page.url()}: ${String(name)} is not reached by ${key}: ${stops.join(' → ')}`)
}

/** It may come there a moment later: a field that has just been drawn takes the focus after its frame. */
export async function expectFocus(page: Page, name: string | RegExp, why: string): Promise<void> {
  const isThere = (focused: string): boolean =>
    typeof name === 'string' ? steady(focused) === steady(name) : name.test(focused)
  let focused = ''
  await waitFor(async () => isThere((focused = await page.evaluate(focusedName))), why, {
    limitMs: 3_000,
  }).catch(() => assert.fail(`${page.url()}: ${why}: the focus is on "${focused}", not on ${String(name)}`))
}

export const dialogue = (page: Page): Locator => page.getByRole('dialog')

/** Once it is there whole, with the focus in it. */
export async function expectDialogue(page: Page, name: string): Promise<void> {
  await dialogue(page).last().waitFor()
  await page.waitForFunction(() => document.activeElement?.matches('[role=dialog], [role=dialog] *'))
  await page.waitForFunction(() => document.getAnimations().length === 0)
  await expectSound(page, name)
}
