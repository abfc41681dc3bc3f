import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openFlexSchool } from '../../../console/flex/support.ts'
import { setMoney } from '../../../console/money/support.ts'
import { demoVisitor } from '../../../console/support.ts'
import { openBrowser, PHONE } from '../../../harness/browser.ts'
import { subscribe, trigger } from '../../../webhooks/support.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, openConsole } from '../support.ts'

/** Where each chart stands, and the table that says the same. */
const CHARTS: readonly (readonly [path: string, chart: RegExp, table: RegExp | 'inside'])[] = [
  ['/money?view=collection', /^Collected by day/, /By period/],
  ['/money?view=collection', /^Collected, by way/, 'inside'],
  ['/money?view=dues', /^Left to pay, by fee and age/, /Ageing/],
  ['/money?view=demand', /^Collected and left to pay, by class/, /By class/],
  ['/money?view=demand', /^Collected and due, by month/, /By month/],
  ['/flex/returns', /^Bounced debits, by reason/, /Bounced debits by reason/],
  ['/developers/deliveries', /^Deliveries by day/, 'inside'],
]

test('each chart has its numbers in a table, is saved as a picture, and fits a phone', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const school = await openFlexSchool(t)
  const { bursar } = school
  const { demo } = bursar
  const [due] = (await school.planOf('Kabir')).payment_schedule
  const bounced = { outcome: 'bounced', code: '04' }
  assert.ok((await demo.post(`/api/v1/sandbox/flex/instalments/${due.id}/outcome`, bounced)).status < 300)
  const { half } = await setMoney(bursar)
  await subscribe(demo, 'http://127.0.0.1:9/hook')
  await trigger(demo)
  const { page, go, complaints } = await openConsole({ browser, bursar }, await demoVisitor(bursar.url))
  const places = [...CHARTS, [`/students/${half}`, /^Due and paid in/, 'inside'] as const]
  for (const [path, name, table] of places) {
    await go(`${I}${path}`)
    const chart = page.getByRole('figure', { name })
    await chart.locator('svg.chart text').first().waitFor()
    if (table === 'inside') {
      await chart.getByText('Show as a table').click()
      await chart.getByRole('table').waitFor()
      assert.ok((await chart.getByRole('row').count()) > 1, `${String(name)} has rows`)
    } else
      await page
        .getByRole('table', { name: table })
        .or(page.getByRole('group', { name: table }))
        .first()
        .waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      chart.getByRole('button', { name: /^Save as PNG/ }).click(),
    ])
    assert.match(saved.suggestedFilename(), /^[a-z0-9-]+\.png$/)
    const picture = await readFile(await saved.path())
    assert.equal(picture.subarray(1, 4).toString(), 'PNG')
    assert.ok(picture.length > 4_000, `${String(name)} is drawn: ${picture.length} bytes`)
    const kept = `console-chart-${path.replaceAll(/\W+/g, '-')}`
    await expectSoundAndKeep(page, kept)
    await page.setViewportSize(PHONE)
    await expectSoundAndKeep(page, `${kept}-phone`)
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  await go(`${I}/developers/deliveries`)
  const axis = page
    .getByRole('figure', { name: /^Deliveries by day/ })
    .locator('svg.chart text[text-anchor=end]')
  await axis.first().waitFor()
  assert.deepEqual(await axis.allTextContents(), ['0', '1', '2', '3', '4'], 'nobody counts halves')
  assert.deepEqual(complaints, [])
})
