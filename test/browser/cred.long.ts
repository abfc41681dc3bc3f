import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DESKTOP, keep, PHONE, setStage } from '../harness/browser.ts'
import { entranceFor, newFamily } from '../portal/parents-support.ts'
import { expectSound, expectWords, press } from './support.ts'

const LENDER = /\/sandbox\/lender\//
const LIMIT_BYTES = 60 * 1024
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 50_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 10_000 },
]

async function shoot(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await keep(page, `cred-${name}`)
}

test('a parent takes a loan, knowing what it costs, and sees how it stands', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar, browser } = stage
  const { demo, url } = bursar
  const { user, students } = await newFamily(demo, { fees: FEES })
  const [studentId = ''] = students
  const loan = `${url}/parents/students/${studentId}/cred`
  const context = await browser.newContext({ viewport: PHONE })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const query = `&service_student_id=${studentId}&create_application=true`
  await page.goto(url + (await entranceFor(demo, user, query)))
  assert.equal(page.url(), loan)
  assert.ok((await page.content()).length < LIMIT_BYTES)
  await expectWords(
    page,
    /Fee loan for Kabir Rao\s+₹60,000\.00/,
    /Applying costs nothing/,
    /Without a loan there is no interest/,
    /Interest a year\s+12 %/,
    /Each month\s+₹5,330\.93/,
    /Other charges\s+none/,
    /You pay back in all\s+₹63,971\.16/,
    /Nothing is started yet/,
  )
  assert.equal(await page.getByRole('checkbox').isChecked(), false)
  await shoot(page, 'offer-phone')
  await page.setViewportSize(DESKTOP)
  await keep(page, 'cred-offer-desktop')
  await page.setViewportSize(PHONE)

  await page.getByLabel('How much').fill('75,000')
  await page.getByRole('checkbox').check()
  await press(page, 'Go on to Sandbox Lender')
  await expectWords(page, /That is more than ₹60,000\.00\. Nothing was started/)
  assert.equal(await page.getByLabel('How much').inputValue(), '75,000')
  await shoot(page, 'too-much')
  await page.getByLabel('How much').fill('₹45,000')
  await page.getByRole('checkbox').check()
  await press(page, 'Go on to Sandbox Lender')
  await page.waitForURL(LENDER)
  await expectWords(page, /₹45,000\.00\s+Fees for Kabir Rao, paid to Demo School/)
  await shoot(page, 'lender-form')
  await page.getByRole('link', { name: 'Go back without sending' }).click()
  await page.waitForURL(loan)
  await expectWords(page, /Not finished yet[\s\S]*No money has moved/, /Form sent to the lender\s+next/)
  await shoot(page, 'open')
  await press(page, 'Go on at Sandbox Lender')
  await page.waitForURL(LENDER)
  await press(page, 'Send the form')
  await page.getByRole('link', { name: 'Go back to your fees' }).click()
  await page.waitForURL(loan)
  await expectWords(page, /Waiting for the lender/, /Approved by the lender\s+next/)
  await shoot(page, 'filled')

  const { body } = await demo.get(`/api/v1/integrations/cred/students/${studentId}/applications`)
  const [{ application_id: id, redirect_url: redirectUrl }] = body.data
  const perform = async (verb: string, sent?: object): Promise<void> =>
    assert.equal((await demo.post(`/api/v1/sandbox/loans/${id}/${verb}`, sent)).status, 200)
  await perform('approve')
  await page.reload()
  await expectWords(page, /Approved[\s\S]*Sandbox Lender lends you ₹45,000\.00/)
  await shoot(page, 'approved')
  await press(page, 'See the offer of Sandbox Lender')
  await page.waitForURL(LENDER)
  await expectWords(page, /Your offer[\s\S]*EMI\s+₹3,998\.20/)
  await shoot(page, 'lender-offer')
  await press(page, 'Sign the agreement')
  await page.waitForURL(loan)
  await perform('disburse', { amount: 20_000 })
  await demo.post('/api/v1/sandbox/settlements/run')
  await page.reload()
  await expectWords(page, /Loan taken/, /at the school\s+₹20,000\.00/, /planned\s+₹25,000\.00/)
  assert.equal(await page.getByRole('button', { name: /lender/i }).count(), 0)
  await shoot(page, 'taken')
  await page.getByRole('link', { name: 'हिन्दी' }).click()
  await expectWords(page, /लोन ले लिया गया/, /स्कूल को मिल गया/)
  await shoot(page, 'taken-hindi')

  await page.getByRole('link', { name: /Kabir Rao/ }).click()
  await expectWords(page, /₹40,000\.00/)
  const wrong = await page.goto(redirectUrl.replace('demo-school', 'demo-group'))
  assert.equal(wrong?.status(), 404)
  await page.goto(redirectUrl)
  await expectWords(page, /Kabir Rao की फ़ीस के लिए लोन\s+₹45,000\.00/)
  await context.close()
})

test('a link of the institute leads to the lender only with the parent’s consent, in Hindi and without JavaScript', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { bursar, browser } = stage
  const { demo, url } = bursar
  const { user, students } = await newFamily(demo, { fees: FEES })
  const answer = await demo.post(`/api/v1/integrations/cred/students/${students[0]}/applications`, {
    amount: 30_000,
  })
  const { application_id: id, redirect_url: redirectUrl } = answer.body.data
  const context = await browser.newContext({ viewport: PHONE, locale: 'hi-IN', javaScriptEnabled: false })
  const looker = await (await browser.newContext({ viewport: PHONE, locale: 'hi-IN' })).newPage()
  const page = await context.newPage()
  await page.goto(redirectUrl)
  await expectWords(page, /₹30,000\.00 का आवेदन तैयार है/, /आवेदन करने का कोई पैसा नहीं लगता/, /सालाना ब्याज\s+12 %/)
  assert.equal(await page.locator('script').count(), 0)
  await looker.goto(redirectUrl)
  await shoot(looker, 'consent-hindi')
  const known = async (): Promise<number> =>
    (await bursar.sql('select 1 from lender_loans where application_id = $1', [id])).length
  const sent = await fetch(redirectUrl.replace('?', '/lender?'), { method: 'POST', redirect: 'manual' })
  await looker.goto(new URL(sent.headers.get('location') ?? '', url).href)
  await expectWords(looker, /कृपया इस बॉक्स पर सही का निशान लगाएँ/)
  await shoot(looker, 'no-consent-hindi')
  assert.equal(await known(), 0, 'the lender knows nothing of the family')
  await page.getByRole('checkbox').check()
  await press(page, 'Sandbox Lender के पेज पर जाएँ')
  await page.waitForURL(LENDER)
  assert.equal(await known(), 1)
  await press(page, 'Send the form')
  await press(page, 'Reject')
  await page.getByRole('link', { name: 'Go back to your fees' }).click()
  // The lender never has the key of the address; the browser keeps it.
  await page.waitForURL(redirectUrl.replace(/\?.*/, ''))
  await expectWords(page, /मंज़ूर नहीं हुआ/, /The lender did not approve the loan/)
  await looker.goto(redirectUrl)
  await shoot(looker, 'rejected-hindi')

  const home = `${url}/parents/students/${students[0]}/cred`
  await page.goto(url + (await entranceFor(demo, user)))
  await page.goto(home)
  await page.getByRole('link', { name: 'फिर से आवेदन करें' }).click()
  await page.getByRole('checkbox').check()
  await press(page, 'Sandbox Lender के पेज पर जाएँ')
  await page.waitForURL(LENDER)
  await page.goto(`${home}/withdraw`)
  await expectWords(page, /क्या आप यह आवेदन वापस लेना चाहते हैं/)
  await press(page, 'हाँ, वापस लें')
  await page.waitForURL(home)
  await expectWords(page, /वापस लिया गया[\s\S]*कोई पैसा नहीं कटा है/)
  await context.close()
  await looker.context().close()
})
