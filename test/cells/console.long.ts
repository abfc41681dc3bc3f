import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createPerson, PASSWORD } from '../console/support.ts'
import { openBrowser } from '../harness/browser.ts'
import { WITHOUT_HAPROXY } from './proxy.ts'
import { SCHOOL, startService } from './service.ts'

const EMAIL = 'asha@example.in'

test(
  'who works for schools in two cells signs in to each, and both tabs go on working',
  { skip: WITHOUT_HAPROXY },
  async t => {
    const browser = await openBrowser(t)
    if (browser === null) return
    const { proxy, north, south } = await startService(t)
    // Two accounts of the same person, one in each cell.
    await createPerson({ ...north, url: proxy.url }, { email: EMAIL, institute: 'demo-school' })
    await createPerson({ ...south, url: proxy.url }, { email: EMAIL, institute: SCHOOL })
    const context = await browser.newContext()
    const open = async (school: string, name: string): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(`${proxy.url}/console/i/${school}`)
      await page.getByLabel('E-mail address').fill(EMAIL)
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText(name).first().waitFor()
      return page
    }
    const first = await open('demo-school', 'Demo School')
    const second = await open(SCHOOL, 'Green Park School')
    for (const [page, name] of [
      [first, 'Demo School'],
      [second, 'Green Park School'],
    ] as const) {
      await page.reload()
      await page.getByText(name).first().waitFor()
      // An address without a code: the tab knows its school.
      await page.goto(`${proxy.url}/console/account`)
      await page.getByText(EMAIL).first().waitFor()
      await page.goto(`${proxy.url}/console`)
      await page.getByText(name).first().waitFor()
    }
    assert.deepEqual(
      (await context.cookies())
        .map(({ name }) => name)
        .filter(name => name.endsWith('session'))
        .toSorted(),
      ['bursar_north_session', 'bursar_south_session'],
    )
  },
)
