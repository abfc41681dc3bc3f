import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DESKTOP, expectCount, keep, PHONE, setParentStage } from '../harness/browser.ts'
import type { Client, Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { registerStudent, setErp } from '../students/support.ts'
import { expectSound, expectWords, press } from './support.ts'

const FLEX = '/api/v1/integrations/flex'
const LIMIT_BYTES = 60 * 1024
const BANK = /\/sandbox\/bank\/mandates\//

type Plan = { id: string; url: string; studentId: string }
let students = 0

/** A student with fees and a plan; ten instalments by default. */
async function createPlan(
  client: Client,
  { fees = { TUITION_FEE: 60_000 }, rows }: PlanOptions = {},
): Promise<Plan> {
  const components = Object.entries(fees).map(([type, fee]) => ({ component_type: type, fee_amount: fee }))
  const identifier = `FLEX-${++students}`
  const studentId = await registerStudent(client, { identifier }, { fee_components: components })
  const asked = rows === undefined ? {} : { payment_schedule: rows }
  const { body, text } = await client.post(`${FLEX}/students/${studentId}/plans`, asked)
  assert.equal(body?.status, 'success', text)
  return { id: body.data.plan_id, url: body.data.redirect_url, studentId }
}

type PlanOptions = { fees?: Record<string, number>; rows?: Json[] }

function row(due_date: string, amount: number, rest: object = {}): Json {
  return { due_date, details: [{ component_type: 'TUITION_FEE', amount }], ...rest }
}

/** Ticks the box and goes to the bank. */
async function agree(page: Page, rail: string): Promise<void> {
  await page.getByRole('radio', { name: rail }).check()
  await page.getByRole('checkbox').check()
  await press(page, 'Continue to your bank')
  await page.waitForURL(BANK)
}

/** The whole page, with the button where it stands at its end. */
async function shoot(page: Page, name: string): Promise<void> {
  await expectSound(page, name)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await keep(page, name)
}

async function shootBoth(page: Page, name: string): Promise<void> {
  await shoot(page, `flex-${name}-phone`)
  await page.setViewportSize(DESKTOP)
  await keep(page, `flex-${name}-desktop`)
  await page.setViewportSize(PHONE)
}

async function post(url: string, fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(fields)
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  assert.equal(answer.status, 303)
  return answer.headers.get('location') ?? ''
}

test('a parent sets instalments up', { concurrency: 3 }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, open, part, ended } = stage
  const { demo } = bursar
  const mandatesOf = (plan: Plan): Promise<{ rail: string; state: string }[]> =>
    bursar.sql('select rail, state from flex_mandates where plan_id = $1 order by created_at', [plan.id])

  part('by eNACH, knowing every date and amount before the consent', async () => {
    const plan = await createPlan(demo, { fees: { TUITION_FEE: 110_000, TRANSPORT_FEE: 13_456.5 } })
    const page = await open()
    const session = await page.context().newCDPSession(page)
    let bytes = 0
    await session.send('Network.enable')
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(plan.url)
    assert.ok(bytes > 1_000 && bytes < LIMIT_BYTES, `${bytes} bytes`)
    await expectWords(
      page,
      /Demo School\s+Fees for Kabir Rao in instalments\s+₹1,23,456\.50\s+in 10 instalments/,
      /Nothing is set up yet and no money has been taken/,
      /5\s\w+\s\d{4}\s+Tuition fee ₹11,000\.00\s+Transport fee ₹1,345\.65\s+₹12,345\.65/,
      /Never more than ₹15,500\.00 in one debit/,
      /at least 24 hours before/,
      /How to stop/,
    )
    await expectCount(page.locator('.schedule tbody tr'), 10)
    const box = await page.getByRole('button').boundingBox()
    assert.ok(box !== null && box.y + box.height <= PHONE.height, 'the button is in reach')
    await shootBoth(page, 'agree')

    assert.equal(await page.getByRole('checkbox').isChecked(), false)
    await page.getByRole('radio', { name: 'eNACH' }).check()
    await press(page, 'Continue to your bank')
    assert.equal(page.url(), plan.url, 'the browser asks for the tick')
    const seen = await page.locator('[name=seen]').inputValue()
    const problem = await post(`${plan.url}/mandate`, { rail: 'enach', seen })
    await page.goto(new URL(problem, plan.url).href)
    await expectWords(page, /Please tick this box if you agree\. Nothing has been set up/)
    assert.equal(await page.getByRole('radio', { name: 'eNACH' }).isChecked(), true)
    await shoot(page, 'flex-no-consent')
    assert.deepEqual(await mandatesOf(plan), [])

    await agree(page, 'eNACH')
    await expectWords(page, /each time up to\s+₹15,500\.00/)
    await page.goBack()
    await page.reload()
    await expectWords(page, /Not finished yet[\s\S]*No money has moved/)
    await shootBoth(page, 'open')
    const again = await post(`${plan.url}/mandate`, { go_on: 'yes' })
    await press(page, 'Finish at your bank')
    await page.waitForURL(again)
    await page.getByRole('radio', { name: 'Aadhaar' }).check()
    await press(page, 'Approve')
    await page.waitForURL(plan.url)
    await expectWords(page, /Waiting for the bank[\s\S]*about one working day/, new RegExp(plan.id))
    await shootBoth(page, 'confirming')
    assert.equal(
      await post(`${plan.url}/mandate`, { rail: 'enach', seen, consent: 'yes' }),
      new URL(plan.url).pathname,
    )
    assert.deepEqual(await mandatesOf(plan), [{ rail: 'enach', state: 'pending' }])

    await demo.post('/api/v1/sandbox/clock', { advance: 'P5D' })
    await page.reload()
    await expectWords(page, /Set up[\s\S]*Next debit: ₹12,345\.65 on \d+\s\w+\s\d{4}\./, /SBXB\w{16}/)
    assert.equal(await page.title(), 'Set up: Fee instalments, Demo School')
    await shootBoth(page, 'active')
    await page.context().close()
  })

  part('by UPI, in Hindi, without JavaScript', async () => {
    const plan = await createPlan(demo)
    const looker = await open({ locale: 'hi-IN' })
    const page = await open({ locale: 'hi-IN', javaScriptEnabled: false })
    await page.goto(plan.url)
    await expectWords(
      page,
      /Kabir Rao की फ़ीस, किस्तों में\s+₹60,000\.00/,
      /एक बार में ₹7,500\.00 से ज़्यादा कभी नहीं कटेगा/,
    )
    await looker.goto(plan.url)
    await shoot(looker, 'flex-agree-hindi')
    assert.equal(await page.locator('script').count(), 0)
    await page.getByRole('radio', { name: 'UPI ऑटोपे' }).check()
    await page.getByRole('checkbox').check()
    await press(page, 'अपने बैंक के पेज पर जाएँ')
    await page.waitForURL(BANK)
    await press(page, 'Approve')
    await page.waitForURL(plan.url)
    await expectWords(page, /शुरू हो गया[\s\S]*अगली किस्त: ₹6,000\.00/, /@sandbox/)
    await looker.reload()
    await shoot(looker, 'flex-active-hindi')
    assert.equal(await page.locator('html').getAttribute('lang'), 'hi')
    await page.getByRole('link', { name: 'English' }).click()
    await expectWords(page, /Set up/)
    await page.context().close()
    await looker.context().close()
  })

  part('after a down payment, a refusal and a change of mind', async () => {
    const rows = [
      row('2027-04-01', 20_000, { is_downpayment: true }),
      row('2027-05-05', 14_000),
      row('2027-06-06', 13_000),
      row('2027-07-07', 13_000),
    ]
    const plan = await createPlan(demo, { rows })
    const page = await open()
    await page.goto(plan.url)
    await expectWords(page, /₹20,000\.00 now, the rest in 3 instalments/, /debited on 7\sJune\s2027/)
    assert.equal(await page.getByRole('checkbox').count(), 0, 'one thing at a time')
    await shootBoth(page, 'downpayment')
    const { pathname } = new URL(plan.url)
    assert.equal(await post(`${plan.url}/mandate`, { rail: 'enach', consent: 'yes' }), pathname)
    await press(page, 'Pay ₹20,000.00 now')
    await page.waitForURL(/\/pay\//)
    assert.equal(await post(`${plan.url}/downpayment`, {}), new URL(page.url()).pathname, 'a double click')
    await press(page, 'Pay ₹20,000.00')
    await press(page, 'Approve')
    await page.waitForURL(plan.url)
    await expectWords(
      page,
      /₹40,000\.00\s+still to be debited, in 3/,
      /We have received your ₹20,000\.00/,
      /Down payment, online\s+paid/,
    )
    await expectWords(page, /At most ₹15,000\.00 in one debit/, /At most ₹17,500\.00 in one debit/)
    await shootBoth(page, 'downpayment-paid')
    await agree(page, 'UPI Autopay')
    await press(page, 'Decline')
    await page.waitForURL(plan.url)
    await expectWords(page, /Not approved[\s\S]*No money has moved in this step/)
    await shoot(page, 'flex-declined')
    await agree(page, 'UPI Autopay')
    await page.goto(plan.url)
    await page.getByRole('link', { name: 'Choose another way' }).click()
    await agree(page, 'eNACH')
    await press(page, 'Approve')
    await page.waitForURL(plan.url)
    assert.deepEqual(await mandatesOf(plan), [
      { rail: 'upi_autopay', state: 'rejected' },
      { rail: 'upi_autopay', state: 'cancelled' },
      { rail: 'enach', state: 'pending' },
    ])
    await page.context().close()
  })

  part('only as the ERP has it now', async t => {
    const erp = await startFakeErp(t)
    await setErp(bursar.group, erp)
    const plan = await createPlan(bursar.group)
    const [{ identifier } = { identifier: '' }] = await bursar.sql<{ identifier: string }>(
      'select identifier from students where id = $1',
      [plan.studentId],
    )
    erp.refuse(identifier, 'student_discontinued', 'Kabir has left <b>the school</b>.')
    const page = await open()
    await page.goto(plan.url)
    await expectWords(page, /Kabir has left <b>the school<\/b>\./, /Nothing has been set up and no money/)
    assert.equal(await page.getByRole('button').count(), 0)
    await shootBoth(page, 'refused')
    erp.disturb(() => ({ status: 500 }))
    await page.reload()
    await expectWords(page, /We cannot reach the system of Demo Group/, /no money has been taken/)
    await shoot(page, 'flex-try-later')
    erp.disturb(null)
    const student = { identifier, collector_code: 'NORTH' }
    erp.put(sampleRecord(student))
    await page.getByRole('link', { name: 'Try again' }).click()
    await expectWords(page, /Demo Group, \w+/, /₹60,000\.00/)
    erp.put(
      sampleRecord(student, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 90_000 }] }),
    )
    await page.getByRole('checkbox').check()
    await press(page, 'Continue to your bank')
    await expectWords(page, /have changed since you opened this page/, /₹90,000\.00/)
    assert.equal(await page.getByRole('checkbox').isChecked(), false)
    await shoot(page, 'flex-changed')
    erp.refuse(identifier, 'data_error', 'Not found any more.')
    await page.getByRole('checkbox').check()
    await press(page, 'Continue to your bank')
    await expectWords(page, /Not found any more\./)
    assert.deepEqual(await mandatesOf(plan), [])
    await page.context().close()
  })

  part('again when the mandate has ended, and reads when there is nothing to set up', async () => {
    const plan = await createPlan(demo, { rows: [row('2027-08-05', 60_000)] })
    const page = await open()
    await page.goto(plan.url)
    await expectWords(page, /UPI Autopay is not offered: it takes at most ₹15,000\.00/)
    await agree(page, 'eNACH')
    const bank = page.url()
    await press(page, 'Approve')
    await page.goto(bank)
    await press(page, 'Withdraw the mandate')
    await page.waitForURL(plan.url)
    await expectWords(page, /Mandate ended[\s\S]*What is paid stays paid/)
    await shoot(page, 'flex-ended')
    await agree(page, 'eNACH')
    await press(page, 'Approve, but the bank refuses it later')
    await demo.post('/api/v1/sandbox/clock', { advance: 'P5D' })
    await page.goto(plan.url)
    await expectWords(page, /Not accepted by the bank/)
    await demo.post(`${FLEX}/plans/${plan.id}/cancel`, {})
    await page.reload()
    await expectWords(page, /Cancelled[\s\S]*nothing more is debited/)
    assert.equal(await page.getByRole('button').count(), 0)
    await shoot(page, 'flex-cancelled')
    const wrong = await page.goto(`${bursar.url}/flex/demo-group/${plan.id}`)
    assert.equal(wrong?.status(), 404)
    await expectWords(page, /We do not know this link/)
    await page.context().close()
  })

  await ended()
})
