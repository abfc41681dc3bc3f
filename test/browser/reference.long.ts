import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DESKTOP, openBrowser } from '../harness/browser.ts'
import { startBursar } from '../harness/bursar.ts'

test('the reference shows every operation, asks no other host and offers no service but ours', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const { url } = await startBursar(t)
  const page = await browser.newPage({ viewport: DESKTOP })
  const asked = new Set<string>()
  page.on('request', request => asked.add(new URL(request.url()).origin))
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: 'Bursar fee collection API' }).waitFor()
  for (const name of ['Pay orders', 'Payment links', 'Students', 'Webhooks', 'Sandbox', 'Events']) {
    await page.getByText(name, { exact: true }).first().waitFor({ state: 'attached' })
  }
  for (const foreign of ['Ask AI', 'Generate MCP', 'Deploy']) {
    assert.equal(await page.getByText(foreign).count(), 0, foreign)
  }
  assert.deepEqual(asked, new Set([url]))
})

test('a guide is copied as Markdown by its button', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const { url } = await startBursar(t)
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(`${url}/docs/guides/money`)
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await page.getByRole('status').getByText('Copied').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(copied, await (await fetch(`${url}/docs/guides/money.md`)).text())
})
