import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { DESKTOP, openBrowser } from '../../../harness/browser.ts'
import type { TestBursar } from '../../../harness/bursar.ts'
import { found, sampleRecord, startFakeErp } from '../../../harness/fakes/erp.ts'
import { startReceiver } from '../../../harness/receiver.ts'
import { entranceFor } from '../../../portal/parents-support.ts'
import { startDelivering } from '../../../webhooks/support.ts'
import { address, code, FEES, plantAttacks, text } from '../../attacks-support.ts'
import { ADMISSION, consolePages, I, parentPages, type Tour } from '../../attacks-tour-support.ts'
import { press } from '../../support.ts'
import { ROOMY_YEAR } from '../../../portal/parents-support.ts'
import { actOnPayment } from '../support.ts'

/** Rows of these pages open beside the table. */
const OPENS =
  /view=(payments|receipts)|\/developers\/(keys|webhooks|deliveries|events|requests)|\/flex\/erp|audit$|\/institutes|jobs/
const ROWS_OPENED = 3

/** A page, and whatever it asked for or complained of that it should not. */
async function openPage(
  context: BrowserContext,
  { url }: TestBursar,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage()
  const complaints: string[] = []
  const complain = (what: string): void => void complaints.push(`${page.url()}: ${what}`)
  page.on('pageerror', error => complain(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') complain(message.text())
  })
  page.on('request', request => {
    const { protocol, origin, pathname } = new URL(request.url())
    if (protocol !== 'data:' && (origin !== url || pathname.endsWith('/x')))
      complain(`asked for ${request.url()}`)
  })
  return { page, complaints }
}

/** Nothing ran, nothing was made of the texts, and nothing runs once it is pressed. */
async function expectHarmless(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const addresses = [...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap(
      element => ['href', 'src', 'action', 'formaction'].map(name => element.getAttribute(name) ?? ''),
    )
    return {
      ran: '__ran' in window,
      made: [...document.querySelectorAll('img[src="x"], script:not([src]), [onerror]')].map(
        one => one.outerHTML,
      ),
      scripts: addresses.filter(value => /^\s*(javascript|vbscript|data:text)/i.test(value)),
    }
  })
  assert.deepEqual(seen, { ran: false, made: [], scripts: [] }, page.url())
}

/** Waits for the texts, unfolds whatever is folded, and looks. */
async function look(page: Page, texts: readonly string[]): Promise<void> {
  const missing: string[] = []
  for (const one of texts) {
    const place = page.getByText(one).filter({ visible: true }).first()
    await place.waitFor({ timeout: 5_000 }).catch(() => missing.push(one))
  }
  await page.waitForFunction(() => document.querySelector('.mantine-Loader-root') === null)
  await page.waitForFunction(() => {
    const folded = [...document.querySelectorAll('details')]
    for (const details of folded) details.open = true
    return folded.every(details => details.children.length > 1)
  })
  await expectHarmless(page)
  assert.deepEqual(missing, [], `${page.url()} shows it as it was written`)
}

async function lookAtRows(page: Page): Promise<void> {
  const rows = page.locator('tr.opens')
  await rows.first().waitFor()
  const count = Math.min(await rows.count(), ROWS_OPENED)
  for (let no = 0; no < count; no++) {
    await rows.nth(no).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText(/\S/).first().waitFor()
    await look(page, [])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
}

/** Failures of all pages are collected and reported at the end. */
async function walk(page: Page, origin: string, tour: Tour): Promise<string[]> {
  const wrong: string[] = []
  for (const [path, ...texts] of tour) {
    try {
      await page.goto(origin + path)
      await page.locator('main h1').first().waitFor()
      await look(page, texts)
      if (path.startsWith('/console') && OPENS.test(path)) await lookAtRows(page)
    } catch (error) {
      wrong.push(`${path}: ${String(error)}`)
    }
  }
  return wrong
}

test(
  'what a payer, a parent or an ERP writes is shown as text and never runs',
  { concurrency: 2 },
  async t => {
    const browser = await openBrowser(t)
    if (browser === null) return
    const bursar = await startDelivering(t, { WEBHOOK_RETRY_SECONDS: '0.02' })
    const [erp, receiver] = await Promise.all([startFakeErp(t), startReceiver(t)])
    const planted = await plantAttacks(bursar, { erp, receiver })
    const { url, demo } = bursar
    const open = async (options: { bypassCSP?: boolean } = {}) => {
      const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(15_000)
      t.after(() => context.close())
      const [name = '', value = ''] = (planted.owner.cookie ?? '').split('=')
      await context.addCookies([{ name, value, url }])
      return openPage(context, bursar)
    }

    const tours: Promise<void>[] = []
    for (const [how, bypassCSP] of [
      ['under the policy, which has nothing to refuse', false],
      ['and would not if there were no policy', true],
    ] as const) {
      const inConsole = async (): Promise<void> => {
        const { page, complaints } = await open({ bypassCSP })
        const wrong = await walk(page, url, consolePages(planted))
        assert.deepEqual([...wrong, ...complaints], [])
      }
      const atThePortal = async (): Promise<void> => {
        const { page, complaints } = await open({ bypassCSP })
        const back = `&callback_url=${encodeURIComponent(address('Home'))}`
        await page.goto(url + (await entranceFor(demo, planted.family, back)))
        const wrong = await walk(page, url, parentPages(bursar, planted))
        assert.deepEqual([...wrong, ...complaints], [])
      }
      tours.push(
        t.test(`on every page of the console, ${how}`, inConsole),
        t.test(`on every page of parents and payers, ${how}`, atThePortal),
      )
    }
    // What follows changes what stands there.
    await Promise.all(tours)

    await t.test('in what the console finds, asks and is answered', async () => {
      const { page, complaints } = await open()
      await page.goto(`${url}${I}/students/${planted.student}?tab=payments`)
      await page.getByRole('heading', { name: text('Student'), level: 1 }).waitFor()
      const opened = [
        () => page.getByRole('button', { name: 'Record a payment' }).click(),
        () => page.getByRole('button', { name: 'Payment link' }).click(),
        () => actOnPayment(page, text('Transaction'), 'Cancel the payment'),
      ]
      for (const openDialogue of opened) {
        await openDialogue()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /^(Cancel|Go back)$/ })
          .waitFor()
        await expectHarmless(page)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      }
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Fetch from the ERP now' }).click()
      await page.getByRole('dialog').getByText(text('Refusal')).waitFor()
      await expectHarmless(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })

      await page.keyboard.press('/')
      await page.keyboard.type('Student"><img')
      await page
        .getByRole('option', { name: text('Student') })
        .first()
        .waitFor()
      await expectHarmless(page)
      await page.getByRole('combobox').fill(text('Nobody'))
      await page.getByText(`Nothing matches “${text('Nobody').slice(0, 20)}`).waitFor()
      await expectHarmless(page)

      await page.goto(`${url}${I}/developers/erp`)
      erp.disturb(() => found(sampleRecord({ identifier: text('Another'), fullname: text('Student') })))
      await page.getByRole('textbox', { name: 'Identifier', exact: true }).fill(ADMISSION)
      await page.getByRole('button', { name: 'Ask the ERP' }).click()
      await page
        .getByRole('cell', { name: text('Another') })
        .first()
        .waitFor()
      await expectHarmless(page)
      erp.disturb(() =>
        found(sampleRecord({ identifier: ADMISSION, fullname: text('Asked'), grade: code('G') })),
      )
      await page.getByRole('button', { name: 'Ask the ERP' }).click()
      await page.getByText(text('Asked')).waitFor()
      await expectHarmless(page)
      erp.disturb(null)
      assert.deepEqual(complaints, [])
    })

    await t.test('in forms that payers are given back, and on the pages of bank and lender', async () => {
      const { page, complaints } = await open()
      await page.goto(
        url + (await entranceFor(demo, planted.family, '&callback_url=javascript:window.__ran=1')),
      )
      await look(page, [text('Student')])
      assert.equal(await page.getByText('Back to').count(), 0, 'a script is no way back')
      await page.goto(planted.page.url)
      await page.getByLabel('Your name').fill(text('Typed'))
      await page.getByLabel('Phone number').fill(text('Phone'))
      await page.getByLabel(text('House')).fill(text('House'))
      await press(page, 'Continue to payment')
      await page.getByRole('alert').waitFor()
      assert.equal(await page.getByLabel('Your name').inputValue(), text('Typed'))
      await expectHarmless(page)
      await page.goto(`${url}/pay/demo-school/${planted.failed}`)
      await page.getByRole('button', { name: /^Pay / }).click()
      await page.waitForURL(/\/sandbox\/bank\//)
      await look(page, [])
      await press(page, 'Decline')
      await page.waitForURL(/\/pay\//)

      const agree = async (): Promise<void> => {
        await page.getByRole('radio', { name: 'UPI Autopay' }).check()
        await page.getByRole('checkbox').check()
        await press(page, 'Continue to your bank')
      }
      erp.refuse('ADM-1042', 'student_not_found', text('Refusal'))
      await page.goto(`${url}/parents/students/${planted.sibling}/plan`)
      await press(page, 'See the instalments')
      const plan = page.url()
      await look(page, [text('Sibling'), text('Refusal')])
      const named = { fullname: text('Sibling'), primary_contact_name: text('Contact'), ...ROOMY_YEAR }
      erp.put(sampleRecord(named, { fee_components: FEES }))
      await page.goto(plan)
      await agree()
      await page.waitForURL(/\/sandbox\/bank\/mandates\//)
      await look(page, [text('Sibling')])

      const cred = `/api/v1/integrations/cred/students/${planted.sibling}/applications`
      await page.goto((await demo.post(cred, { amount: 20_000 })).body.data.redirect_url)
      await look(page, [text('Sibling')])
      await page.getByRole('checkbox').check()
      await page.getByRole('button', { name: /Sandbox Lender/ }).click()
      await page.waitForURL(/\/sandbox\/lender\//)
      await look(page, [text('Sibling')])
      assert.equal(await page.getByLabel('Name').inputValue(), text('Contact'))
      const refused = /\/p\/demo-school\/attacked: .* status of 422/
      assert.deepEqual(
        complaints.filter(complaint => !refused.test(complaint)),
        [],
      )
    })
  },
)
