import { keep } from '../harness/browser.ts'
import type { Office } from './clicks.ts'

/** The page as a desk and as a phone show it, where pictures are wanted. */
export async function takePictures({ page }: Pick<Office, 'page'>, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === undefined) return
  const before = page.viewportSize()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    // The navigation slides away when the window gets narrow.
    await page.waitForFunction(() => document.getAnimations().length === 0)
    await keep(page, `${name}-${width}`)
  }
  if (before !== null) await page.setViewportSize(before)
}
