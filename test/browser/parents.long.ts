import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DESKTOP, expectCount, keep, PHONE, setParentStage } from '../harness/browser.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { entranceFor, newFamily, ROOMY_YEAR } from '../portal/parents-support.ts'
import { expectSound, expectWords, press } from './support.ts'

const LIMIT_BYTES = 60 * 1024
const SANDBOX = '/api/v1/sandbox'

/** The whole page, with the button where it stands at its end. */
async function shoot(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await keep(page, name)
}

async function shootBoth(page: Page, name: string): Promise<void> {
  await shoot(page, `parents-${name}-phone`)
  await page.setViewportSize(DESKTOP)
  await keep(page, `parents-${name}-desktop`)
  await page.setViewportSize(PHONE)
}

/** What a thumb has to hit is large enough. */
async function expectTargets(page: Page): Promise<void> {
  for (const target of await page
    .locator('a:visible, button:visible, input:visible:not([type=hidden]), summary:visible')
    .all()) {
    const box = await target.boundingBox()
    assert.ok(box !== null && box.height >= 44, `${await target.innerText()} is ${box?.height} high`)
  }
}

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

test('a parent at the pages of the school', { concurrency: 3 }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open, part, ended } = stage
  const { demo, group, url } = bursar

  part('sees all children, pays a part and the rest, and finds the receipts', async () => {
    await must(
      demo.send('PUT', `${ERP}/payment-rules`, {
        min_amount: 500,
        late_fees: [
          {
            component_type: 'TUITION_FEE',
            due_date: '2026-01-10',
            kind: 'per_day',
            amount_per_day: 10,
            max_amount: 900,
          },
          { component_type: 'TRANSPORT_FEE', due_date: '2090-01-10', kind: 'none' },
        ],
      }),
    )
    const cash = { amount: 4000, paid_at: '2025-06-01', mode: 'cash', transaction_id: 'COUNTER-17' }
    const { user, students } = await newFamily(demo, {
      students: [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao', grade: 'Nursery' }],
      payments: [{ ...cash, fee_components: [{ component_type: 'TUITION_FEE', amount: 4000 }] }],
    })
    const page = await open()
    const session = await page.context().newCDPSession(page)
    let bytes = 0
    await session.send('Network.enable')
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    const query = `&callback_url=${encodeURIComponent('https://erp.example.in/parent')}`
    await page.goto(url + (await entranceFor(demo, user, query)))
    assert.equal(page.url(), `${url}/parents`, 'nothing stays in the address')
    assert.ok(bytes > 1_000 && bytes < LIMIT_BYTES, `${bytes} bytes`)
    await expectWords(
      page,
      /₹1,25,801\.00\s+still to pay in all/,
      /Anaya Rao\s+Nursery · 2026-27\s+₹62,900\.50 to pay for the year/,
    )
    await expectTargets(page)
    await shootBoth(page, 'home')

    await page.getByRole('link', { name: 'Kabir Rao' }).click()
    await page.waitForURL(`${url}/parents/students/${students[0]}`)
    await expectWords(
      page,
      /₹62,900\.50\s+still to pay/,
      /Sibling concession: ₹6,000\.00/,
      /Late fee\s+Tuition fee: due on 10\sJanuary\s2026, \d+ days late/,
    )
    await expectTargets(page)
    await shootBoth(page, 'student')
    await page.getByText('Pay a part of it').click()
    await page.getByLabel('Amount in rupees').fill('99')
    await press(page, 'Pay this part')
    await expectWords(page, /The least that can be paid at once is ₹500\.00\. Nothing was paid\./)
    assert.equal(await page.getByLabel('Amount in rupees').inputValue(), '99')
    await shoot(page, 'parents-part-refused')
    await page.getByLabel('Amount in rupees').fill('')
    await page.getByLabel('Amount in rupees').pressSequentially('1900')
    assert.equal(await page.getByLabel('Amount in rupees').inputValue(), '1,900')
    await press(page, 'Pay this part')
    await page.waitForURL(/\/pay\/demo-school\//)
    await expectWords(page, /₹1,900\.00/, /Tuition fee\s+₹1,000\.00\s+Late fee\s+₹900\.00/)
    await shoot(page, 'parents-checkout')
    await press(page, 'Pay ₹1,900.00')
    await press(page, 'Leave it pending')
    await page.getByRole('link', { name: 'Back to the fees of Kabir Rao' }).click()
    await expectWords(
      page,
      /A payment of ₹1,900\.00 is on its way/,
      /Do not pay again/,
      /some take up to 3 working days/,
    )
    assert.equal(await page.getByRole('button', { name: /^Pay/ }).count(), 0)
    await shoot(page, 'parents-pending')

    const [{ id } = { id: '' }] = await bursar.sql<{ id: string }>(
      `select id from payments where state = 'pending'`,
    )
    await must(demo.post(`${SANDBOX}/payments/${id}/capture`))
    await page.reload()
    await expectWords(page, /₹61,000\.50\s+still to pay/)
    await press(page, 'Pay everything, ₹61,000.50')
    await press(page, 'Pay ₹61,000.50')
    await press(page, 'Approve')
    await page.waitForURL(
      at => at.pathname === `/parents/students/${students[0]}` && at.search.includes('paid='),
    )
    await expectWords(page, /Nothing is due\./)
    await shoot(page, 'parents-nothing-due')
    await page.getByRole('link', { name: 'Payments and receipts' }).click()
    await expectWords(
      page,
      /April 2025 to March 2026\s+[\s\S]*at the school\s+Kabir Rao\s+Tuition fee\s+Reference COUNTER-17/,
    )
    await expectTargets(page)
    await shootBoth(page, 'history')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('link', { name: /^Receipt/ })
        .first()
        .click(),
    ])
    assert.match(download.suggestedFilename(), /^receipt-order_\w+\.pdf$/)
    assert.equal(
      await page.getByRole('link', { name: 'Back to erp.example.in' }).getAttribute('href'),
      'https://erp.example.in/parent',
    )
    await press(page, 'Sign out')
    await expectWords(page, /You are signed out/)
    await shoot(page, 'parents-signed-out')
    await page.goto(`${url}/parents`)
    await expectWords(page, /Please open this page from your school/)
    await shoot(page, 'parents-closed')
    await page.context().close()
  })

  part('sets instalments up, pauses and stops them, in Hindi and without JavaScript', async () => {
    const { user, students } = await newFamily(group, {
      students: [{ fullname: 'काव्या शर्मा', collector_code: 'SOUTH', ...ROOMY_YEAR }],
    })
    const page = await open({ locale: 'hi-IN', javaScriptEnabled: false })
    const looker = await open({ locale: 'hi-IN' })
    const look = async (name: string): Promise<void> => {
      await looker.goto(page.url())
      await shoot(looker, `parents-${name}-hindi`)
    }
    await page.goto(url + (await entranceFor(group, user, `&service_student_id=${students[0]}`)))
    await looker.context().addCookies(await page.context().cookies())
    await expectWords(
      page,
      /काव्या शर्मा की फ़ीस\s+कक्षा 5 · 2027-28 · \S+/,
      /ट्यूशन फ़ीस/,
      /भाई-बहन की छूट: ₹6,000\.00 कम/,
    )
    assert.equal(await page.locator('script[src], main script').count(), 0)
    await look('student')
    await page.getByText('कुछ हिस्सा जमा करें').click()
    await page.getByLabel('राशि, रुपयों में').fill('बीस')
    await press(page, 'यह हिस्सा जमा करें')
    await expectWords(page, /राशि रुपयों में लिखें/)
    await page.goto(`${url}/parents/students/${students[0]}`)
    await page.getByRole('link', { name: 'किस्तों में जमा करें' }).click()
    await expectWords(page, /कोई किस्त नहीं/)
    await look('plan-none')
    await press(page, 'किस्तें देखें')
    await page.waitForURL(/\/flex\/demo-group\//)
    await page.getByRole('radio', { name: 'UPI ऑटोपे' }).check()
    await page.getByRole('checkbox').check()
    await press(page, 'अपने बैंक के पेज पर जाएँ')
    await press(page, 'Approve')
    await page.goto(`${url}/parents/students/${students[0]}/plan`)
    await expectWords(page, /शुरू हो गया/, /अगली किस्त: ₹6,600\.05/, /आगे की किस्तें/)
    await expectCount(page.locator('.schedule tbody tr'), 10)
    await look('plan')
    await page.getByRole('link', { name: 'किस्तें फ़िलहाल रोकें' }).click()
    await expectWords(page, /किस्तें फ़िलहाल रोकें\?/)
    await look('confirm')
    await press(page, 'हाँ, रोकें')
    await expectWords(page, /आपने किस्तें रोक रखी हैं/)
    await page.getByRole('link', { name: 'किस्तें बंद करें' }).click()
    await expectWords(page, /₹66,000\.50 बाकी रहेंगे/)
    await press(page, 'हाँ, बंद करें')
    await expectWords(page, /रद्द किया गया[\s\S]*नई किस्तें देखें|रद्द किया गया/)
    await page.getByRole('link', { name: 'English' }).click()
    await expectWords(page, /Cancelled\s+These instalments were stopped/)
    await page.context().close()
    await looker.context().close()
  })

  // Alone: it moves the clock that all share.
  await ended()
  await t.test(
    'sees in a calendar what was debited and what was not, and reads when a link is of no use',
    async () => {
      const { user, students } = await newFamily(demo, {
        students: [ROOMY_YEAR],
        fees: [{ component_type: 'HOSTEL_FEE', fee_amount: 9000 }],
      })
      const link =
        url + (await entranceFor(demo, user, `&service_student_id=${students[0]}&product_type=flex`))
      const page = await open()
      await page.goto(link)
      assert.equal(page.url(), `${url}/parents/students/${students[0]}/plan`)
      await shoot(page, 'parents-plan-none')
      await press(page, 'See the instalments')
      await page.getByRole('radio', { name: 'UPI Autopay' }).check()
      await page.getByRole('checkbox').check()
      await press(page, 'Continue to your bank')
      await press(page, 'Approve')
      await page.getByRole('link', { name: 'Back to the instalments' }).click()
      await must(demo.post(`${SANDBOX}/clock`, { advance: 'P75D' }))
      await page.reload()
      await expectWords(page, /To come[\s\S]*Past\s+[\s\S]*paid\s+₹900\.00/)
      await expectTargets(page)
      await shootBoth(page, 'plan')
      await page.getByRole('link', { name: 'Stop the instalments' }).click()
      await shootBoth(page, 'confirm')

      const stranger = await open()
      await stranger.goto(link)
      await expectWords(stranger, /This link has been used or is too old/, /Nothing was opened/)
      await shoot(stranger, 'parents-link-used')
      const wrong = await page.goto(`${url}/parents/students/student_nobody`)
      assert.equal(wrong?.status(), 404)
      await expectWords(page, /We do not know this page/)
      await expectSound(page, 'not found')
      await page.context().close()
      await stranger.context().close()
    },
  )
})
