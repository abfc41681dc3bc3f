import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client, Json } from '../harness/client.ts'
import { openBrowser, PHONE } from '../harness/browser.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { startReceiver, type Receiver } from '../harness/receiver.ts'
import { ERP } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { startDelivering, subscribe } from '../webhooks/support.ts'
import { expectSoundAndKeep, expectWords, press } from './support.ts'
import { ROOMY_YEAR } from '../portal/parents-support.ts'

const SANDBOX = '/api/v1/sandbox'
const FLEX = '/api/v1/integrations/flex'
const CODES = [
  'masterdata.student.registered',
  'pay.payment.debited',
  'direct.payment.added',
  'flex.subscription.setup',
  'flex.instalment.debited',
  'flex.instalment.bounced',
  'flex.subscription.closed',
]

/** The school's side: what its ERP reads by the API, and what webhooks brought. */
class School {
  readonly #client: Client
  readonly #receiver: Receiver

  constructor(client: Client, receiver: Receiver) {
    this.#client = client
    this.#receiver = receiver
  }

  async ask(path: string): Promise<Json> {
    const answer = await this.#client.get(path)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }

  async say(path: string, body: Json = {}): Promise<Json> {
    const answer = await this.#client.post(path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body.data
  }

  received(code: string): Json[] {
    const bodies = this.#receiver.requests.map(({ body }) => JSON.parse(body))
    const events = new Map(bodies.map(event => [event.event_id, event]))
    return [...events.values()].filter(event => event.event === code).map(event => event.payload)
  }

  async isTold(code: string, times: number): Promise<Json> {
    await waitFor(async () => this.received(code).length >= times, `${code} to arrive ${times} times`)
    assert.equal(this.received(code).length, times)
    return this.received(code).at(-1)
  }

  /** The books and the webhooks tell of the same money. */
  async agrees(studentId: string, outstanding: number): Promise<void> {
    const { fee_summary: summary } = await this.ask(`${ERP}/students/${studentId}`)
    assert.equal(summary.outstanding, outstanding)
    const payments = ['pay.payment.debited', 'direct.payment.added', 'flex.instalment.debited'].flatMap(
      code => this.received(code).map(({ payment }) => Math.round(payment.amount * 100)),
    )
    assert.equal(payments.reduce((sum, paise) => sum + paise, 0) / 100, summary.paid)
  }
}

test("a parent's whole year, and the ERP's view of it by API and webhooks agrees at each step", async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const bursar = await startDelivering(t)
  const { demo, url } = bursar
  const receiver = await startReceiver(t)
  const school = new School(demo, receiver)
  for (const event_code of CODES) await subscribe(demo, receiver.url, { event_code })
  const erp = await startFakeErp(t)
  const user = { name: 'Asha Rao', phone: '9876543210' }
  erp.put(sampleRecord(ROOMY_YEAR, { user }))
  await demo.send('PUT', `${SANDBOX}/erp`, { url: erp.url })

  // Entry: the ERP knows the student, Bursar does not yet.
  const { redirect_url: entrance } = await school.say(`${ERP}/init`, {
    student: { identifier: 'ADM-1042' },
    options: { product_type: 'pay' },
  })
  const page = await browser.newPage({ viewport: PHONE })
  await page.goto(entrance)
  const studentId = /students\/(\w+)$/.exec(page.url())?.[1] ?? assert.fail(page.url())
  assert.equal((await school.isTold('masterdata.student.registered', 1)).service_student_id, studentId)
  await expectWords(page, /₹60,000\.00\s+still to pay/)

  // A part payment.
  await page.getByText('Pay a part of it').click()
  await page.getByLabel('Amount in rupees').fill('10000')
  await press(page, 'Pay this part')
  await press(page, 'Pay ₹10,000.00')
  await press(page, 'Approve')
  await page.waitForURL(at => at.pathname === `/parents/students/${studentId}` && at.search.includes('paid='))
  await expectWords(page, /₹50,000\.00\s+still to pay/)
  assert.equal((await school.isTold('pay.payment.debited', 1)).service_student_id, studentId)
  await school.agrees(studentId, 50_000)

  // Flex for the rest, in ten instalments.
  await page.goto(`${url}/parents/students/${studentId}/plan`)
  await press(page, 'See the instalments')
  await page.getByRole('radio', { name: 'UPI Autopay' }).check()
  await page.getByRole('checkbox').check()
  await press(page, 'Continue to your bank')
  await press(page, 'Approve')
  const { subscription } = await school.isTold('flex.subscription.setup', 1)
  assert.equal(subscription.total_amount, 50_000)

  // The first is paid, the second bounces once.
  const plan = (): Promise<Json> => school.ask(`${FLEX}/plans/${subscription.id}`)
  const advanceUntil = async (isSo: (plan: Json) => boolean): Promise<Json> => {
    for (let half = 0; half < 200; half++) {
      const now = await plan()
      if (isSo(now)) return now
      await school.say(`${SANDBOX}/clock`, { advance: 'PT12H' })
    }
    throw new Error(`it did not come to pass: ${JSON.stringify(await plan())}`)
  }
  await advanceUntil(({ payment_schedule: rows }) => ['debited', 'settled'].includes(rows[0].status))
  await school.isTold('flex.instalment.debited', 1)
  await school.agrees(studentId, 45_000)
  const confirmed = await advanceUntil(({ payment_schedule: rows }) => rows[1].status === 'confirmed')
  await presentAndBounce(school, confirmed.payment_schedule[1])
  const bounced = await school.isTold('flex.instalment.bounced', 1)
  assert.equal(bounced.reason.category, 'funds')
  await school.agrees(studentId, 45_000)
  await enterAgain(page, url, school, studentId)
  await page.goto(`${url}/parents/students/${studentId}/plan`)
  await expectSoundAndKeep(page, 'parents-year-bounce')

  // The counter takes two instalments' worth; the plan lowers what it will debit.
  const cash = {
    amount: 10_000,
    paid_at: '2026-12-24',
    mode: 'cash',
    transaction_id: 'COUNTER-1',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 10_000 }],
  }
  await school.say(`${ERP}/students/${studentId}/payments`, cash)
  await school.isTold('direct.payment.added', 1)
  await school.agrees(studentId, 35_000)

  // The rest of the year.
  await school.say(`${SANDBOX}/clock`, { advance: 'P1Y' })
  await school.isTold('flex.subscription.closed', 1)
  await school.agrees(studentId, 0)
  const { payment_schedule: rows } = await plan()
  assert.ok(rows.every((row: Json) => ['settled', 'covered'].includes(row.status)))
  await enterAgain(page, url, school, studentId)
  await expectWords(page, /Nothing is due\./)
  await page.getByRole('link', { name: 'Payments and receipts' }).click()
  await expectWords(page, /COUNTER-1/)
  const receipts = await page.getByRole('link', { name: /^Receipt/ }).count()
  const paidHere =
    school.received('pay.payment.debited').length + school.received('flex.instalment.debited').length
  assert.equal(receipts, paidHere)
  await expectSoundAndKeep(page, 'parents-year-receipts')
})

/** The bank is asked at nine; a minute later the tester answers there that the account is short. */
async function presentAndBounce(school: School, { id, present_on: day }: Json): Promise<void> {
  await school.say(`${SANDBOX}/clock`, { to: `${day}T09:01:00+05:30` })
  await school.say(`${SANDBOX}/flex/instalments/${id}/outcome`, { outcome: 'bounced', code: 'Z9' })
}

/** A session is of real time, but months have passed for the parent. */
async function enterAgain(page: Page, url: string, school: School, studentId: string): Promise<void> {
  const { redirect_url: entrance } = await school.say(`${ERP}/init`, {
    student: { identifier: 'ADM-1042' },
    options: { product_type: 'pay' },
  })
  await page.goto(entrance)
  assert.equal(page.url(), `${url}/parents/students/${studentId}`)
}
