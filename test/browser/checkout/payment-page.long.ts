import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DESKTOP, keep, PHONE, setParentStage } from '../../harness/browser.ts'
import { createPage, PAGES, submit, pay, type MadePage } from '../../payment-pages/support.ts'
import { expectSound, expectWords, press } from '../support.ts'

const LIMIT_BYTES = 60 * 1024

const FAIR = {
  title: 'Science fair 2026',
  description: 'Saturday, 12 December, 10 am, in the assembly hall.\nParents and friends are welcome.',
  details: [
    { component_type: 'REGISTRATION_FEE', amount: 100 },
    { component_type: 'TICKET', label: 'Ticket', amount: 250, max_quantity: 5 },
    { component_type: 'LUNCH', label: 'Lunch', amount: 80, is_optional: true },
    { component_type: 'DONATION', label: 'For the laboratory', min_amount: 50, is_optional: true },
  ],
  fields: [
    { key: 'student_name', is_required: true },
    { key: 'grade', options: ['5', '6', '7'], is_required: true },
    { key: 'date_of_birth' },
    { key: 'house', label: 'House' },
  ],
  success_message: 'Show this page at the door.\nSee you on Saturday!',
}

async function fillIn(page: Page, phone = '98765 43210'): Promise<void> {
  await page.getByLabel('How many: Ticket').fill('3')
  await page.getByRole('checkbox', { name: /Lunch/ }).check()
  await page.getByLabel('For the laboratory').fill('1,000')
  await page.getByLabel('Your name').fill('Asha Rao')
  await page.getByLabel('Phone number').fill(phone)
  await page.getByLabel('E-mail address').fill('asha@example.in')
  await page.getByLabel('Name of the student').fill('Kabir Rao')
  await page.getByLabel('Date of birth').fill('20 Jun 2015')
  await page.getByLabel('Class').selectOption('6')
}

/** The whole page, with the button where it stands at its end. */
async function shoot(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await keep(page, name)
}

async function payByUpi(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.waitForURL(/\/sandbox\/bank\//)
  await press(page, 'Approve')
}

test('a payer finds a public page', { concurrency: 3 }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open, part, ended } = stage
  const { demo } = bursar
  const countOrders = async ({ id }: MadePage): Promise<number> =>
    (await bursar.sql('select 1 from orders where page_id = $1', [id])).length

  part('fills it in, reads what to correct, pays, and has a receipt', async () => {
    const made = await createPage(demo, FAIR)
    const page = await open()
    const session = await page.context().newCDPSession(page)
    let bytes = 0
    await session.send('Network.enable')
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).origin))
    const response = await page.goto(made.url)
    assert.ok(bytes > 1_000 && bytes < LIMIT_BYTES, `${bytes} bytes`)
    assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'/)
    await expectWords(
      page,
      /Demo School\s+Science fair 2026\s+Saturday, 12 December/,
      /Registration fee\s+₹100\.00/,
      /How many: Ticket\s+₹250\.00 each\. Enter a number from 1 to 5/,
      /Nothing is taken yet\. The next page shows the total/,
    )
    const box = await page.getByRole('button').boundingBox()
    assert.ok(box !== null && box.y + box.height <= PHONE.height, 'the button is in reach')
    await shoot(page, 'payment-page-phone')
    await page.setViewportSize(DESKTOP)
    await shoot(page, 'payment-page-desktop')
    await page.setViewportSize(PHONE)

    await fillIn(page, '98765')
    await page.getByLabel('How many: Ticket').fill('6')
    await press(page, 'Continue to payment')
    assert.equal(page.url(), made.url)
    assert.equal(await page.title(), 'Please check: Science fair 2026, Demo School')
    await expectWords(page, /Phone number needs 7 to 15 digits/, /Ticket: enter a whole number from 1 to 5/)
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'alert')
    await shoot(page, 'payment-page-problems')
    await page.getByRole('link', { name: /Phone number needs/ }).click()
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'phone')
    assert.equal(await page.getByLabel('Class').inputValue(), '6')
    assert.equal(await page.getByRole('checkbox', { name: /Lunch/ }).isChecked(), true)
    assert.equal(await page.getByLabel('For the laboratory').inputValue(), '1,000')
    assert.equal(await countOrders(made), 0)

    await page.getByLabel('Phone number').fill('98765 43210')
    await page.getByLabel('How many: Ticket').fill('3')
    await press(page, 'Continue to payment')
    await page.waitForURL(/\/pay\/demo-school\/order_/)
    await expectWords(
      page,
      /Science fair 2026\s+Class 6\s+₹1,930\.00/,
      /Ticket × 3\s+₹750\.00/,
      /For the laboratory\s+₹1,000\.00/,
    )
    await shoot(page, 'payment-page-checkout')
    await payByUpi(page)
    await page.waitForURL(/\/pay\/demo-school\/order_/)
    await expectWords(
      page,
      /Paid on/,
      /Show this page at the door\.\s+See you on Saturday!/,
      /Receipt \d{4}-\d{2}\/\d+/,
    )
    assert.equal(await page.title(), 'Paid: Science fair 2026, Demo School')
    await shoot(page, 'payment-page-paid')
    const back = page.getByRole('link', { name: 'Back to “Science fair 2026”' })
    assert.equal(await back.getAttribute('href'), new URL(made.url).pathname)
    assert.equal(await countOrders(made), 1)
    assert.deepEqual(new Set(asked), new Set([bursar.url]), 'another host was asked')
    await page.context().close()
  })

  part('pays without JavaScript, in Hindi, a page with one price', async () => {
    const made = await createPage(demo, {
      title: 'प्रवेश फ़ॉर्म 2026-27',
      slug: 'pravesh',
      details: [
        { component_type: 'ADMISSION_FEE', amount: 1500 },
        { component_type: 'EXAM_FEE', amount: 250 },
      ],
      fields: [{ key: 'student_name', is_required: true }],
    })
    const page = await open({ javaScriptEnabled: false, locale: 'hi-IN' })
    await page.goto(made.url)
    await expectWords(page, /₹1,750\.00/, /प्रवेश शुल्क\s+₹1,500\.00/, /आपकी जानकारी/)
    await page.locator('footer').scrollIntoViewIfNeeded()
    await keep(page, 'payment-page-hindi')
    await page.getByRole('button').click()
    await expectWords(page, /कृपया यह जाँच लें[\s\S]*अपना नाम लिखें/, /यह भरें: विद्यार्थी का नाम/)
    await page.getByLabel('आपका नाम').fill('आशा राव')
    await page.getByLabel('फ़ोन नंबर').fill('9876543210')
    await page.getByLabel('ईमेल पता').fill('asha@example.in')
    await page.getByLabel('विद्यार्थी का नाम').fill('कबीर राव')
    await page.getByRole('button').click()
    await page.waitForURL(/\/pay\/demo-school\/order_/)
    await page.getByRole('button', { name: /भुगतान करें/ }).click()
    await page.waitForURL(/\/sandbox\/bank\//)
    await press(page, 'Approve')
    await page.waitForURL(/\/pay\/demo-school\/order_/)
    await expectWords(page, /भुगतान हो गया/)
    await page.context().close()
  })

  part('sends it twice by the back button and has one order', async () => {
    const made = await createPage(demo, { title: 'Once' })
    const page = await open()
    await page.goto(made.url)
    await page.getByLabel('Your name').fill('Asha Rao')
    await page.getByLabel('Phone number').fill('98765 43210')
    await page.getByLabel('E-mail address').fill('asha@example.in')
    const token = await page.locator('[name=token]').inputValue()
    await page.getByRole('button').dblclick()
    await page.waitForURL(/\/pay\/demo-school\/order_/)
    assert.equal(await countOrders(made), 1)
    const again = new URLSearchParams({
      name: 'Asha Rao',
      phone: '98765 43210',
      email: 'asha@example.in',
      token,
    })
    const answer = await fetch(made.url, { method: 'POST', body: again, redirect: 'manual' })
    assert.equal(answer.headers.get('location'), new URL(page.url()).pathname)
    assert.equal(await countOrders(made), 1)
    await page.context().close()
  })

  part('that is full, closed or not published, or whose time to pay has passed, and reads so', async () => {
    const full = await createPage(demo, { ...FAIR, title: 'Full', max_payments: 1 })
    const choices = { 'line.TICKET': '1', 'field.student_name': 'Kabir', 'field.grade': '5' }
    await pay(demo, await submit(full.url, choices))
    const unpublished = await createPage(demo, { title: 'Not yet', is_published: false })
    const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
    const closes_at = new Date(Date.parse(now) + 60_000).toISOString()
    const closed = await createPage(demo, { title: 'Closed', closes_at })
    const late = await createPage(demo, { title: 'Late' })
    const order = await submit(late.url)
    await bursar.sql(`update orders set expires_at = now() - interval '1 minute' where id = $1`, [order])
    await bursar.sql(`update payment_pages set closes_at = now() - interval '1 minute' where id = $1`, [
      closed.id,
    ])
    const page = await open()
    const cases: [string, string, RegExp][] = [
      ['full', full.url, /All places are taken[\s\S]*No money has been taken/],
      ['closed', closed.url, /Closed[\s\S]*took payments until[\s\S]*No money has been taken/],
      ['unpublished', unpublished.url, /does not take payments on this page/],
      ['late', `${bursar.url}/pay/demo-school/${order}`, /time to pay has passed[\s\S]*Back to “Late”/],
    ]
    for (const [name, url, says] of cases) {
      await page.goto(url)
      await expectWords(page, says)
      await expectSound(page, name)
      await keep(page, `payment-page-${name}`)
    }
    assert.equal((await demo.get(`${PAGES}/${full.id}`)).body.data.status, 'full')
    await page.context().close()
  })

  part('whose words cannot become markup', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>"\'>'
    const { url } = await createPage(demo, {
      title: evil,
      slug: 'evil',
      description: evil,
      details: [{ component_type: evil.slice(0, 64), label: evil, is_optional: false }],
      fields: [{ key: 'x', label: evil, options: [evil.slice(0, 64)] }],
    })
    const page = await open()
    await page.goto(url)
    assert.equal(await page.locator('main img, main script').count(), 0)
    await press(page, 'Continue to payment')
    await expectWords(page, /Enter your name/)
    assert.equal(await page.locator('main img, main script').count(), 0)
    await expectSound(page, 'evil')
    await page.context().close()
  })

  await ended()
})
