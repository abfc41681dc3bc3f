import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'
import { textOf } from './parents-support.ts'

/** Links and orders for dues that a rollover carries on to the next year. */
const bursar = await startBursar({ after })
const { demo, url } = bursar
const FEE = { component_type: 'TUITION_FEE', fee_amount: 5_000 }

const details = (component_type: string) => ({ details: [{ component_type, amount: 1_000 }] })

async function register(identifier: string): Promise<string> {
  const answer = await demo.post(`${ERP}/users/parent-of-${identifier}/students`, {
    student: sampleStudent({ identifier, grade: '5' }),
    fee_components: [FEE],
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id
}

async function make(path: string, body: Json): Promise<string> {
  const answer = await demo.post(path, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.order_id
}

async function rollOver(): Promise<void> {
  const started = await demo.post(`${ERP}/academic-years/rollover`, {
    from_academic_year_start: 2026,
    from_academic_year_end: 2027,
    to_academic_year_start: 2027,
    to_academic_year_end: 2028,
    grades: [{ grade: '5', next_grade: '6' }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
  })
  assert.equal(started.status, 201, started.text)
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
}

async function page(orderId: string, language = 'en'): Promise<{ html: string; text: string }> {
  const html = await (await fetch(`${url}/pay/demo-school/${orderId}?lang=${language}`)).text()
  return { html, text: textOf(html) }
}

test('what asks for dues that were carried is closed with its event, and its page leads to where they are owed', async () => {
  const studentId = await register('CARRIED-LINK')
  const named = (component_type: string): Json =>
    sampleOrder({ service_student_id: studentId, ...details(component_type) })
  const link = await make(`${PAY}/payment_links`, named('TUITION_FEE'))
  const order = await make(`${PAY}/orders`, named('TUITION_FEE'))
  const settling = await make(
    `${PAY}/orders`,
    sampleOrder({ identifier: 'CARRIED-LINK', settle_dues: true, ...details('TUITION_FEE') }),
  )
  const dues = await make(`${PAY}/students/${studentId}/orders`, {})
  const trip = await make(`${PAY}/payment_links`, named('SCHOOL_TRIP'))
  const apart = await make(`${PAY}/payment_links`, sampleOrder(details('TUITION_FEE')))
  await rollOver()

  const { data } = (await demo.get(`${PAY}/payment_links/${link}`)).body
  assert.equal(data.status, 'cancelled')
  for (const id of [order, settling, dues])
    assert.ok((await demo.get(`${PAY}/orders/${id}`)).body.data.closed_at, 'an order is closed')
  for (const id of [trip, apart])
    assert.equal((await demo.get(`${PAY}/payment_links/${id}`)).body.data.status, 'unpaid')
  const told = await bursar.sql(
    `select resource_id as id from events where event_code = 'payment_link.payment.cancelled'`,
  )
  assert.deepEqual(told, [{ id: link }])
  const refused = await demo.post(`/api/v1/sandbox/pay/orders/${link}/pay`, { outcome: 'success' })
  assert.equal(refused.status, 409, refused.text)

  for (const id of [link, order, settling, dues]) {
    const { text } = await page(id)
    assert.match(text, /now due with those of 2027-28, under “Previous year dues”/)
    assert.match(text, /Ask the institute for a new link/)
    assert.doesNotMatch(text, /withdrawn/)
  }
  await bursar.sql(`update institutes set has_parent_sign_in = true where code = 'demo-school'`)
  const led = await page(link)
  assert.match(led.html, /href="\/school\/demo-school"/)
  assert.match(led.text, /See and pay your fees/)
  assert.doesNotMatch(led.text, /Ask the institute for a new link/)
})

test('the page of a link for carried dues says so in every language', async () => {
  const studentId = await register('CARRIED-WORDS')
  const link = await make(
    `${PAY}/payment_links`,
    sampleOrder({ service_student_id: studentId, details: [{ component_type: 'TUITION_FEE', amount: 10 }] }),
  )
  await rollOver()
  const texts = await Promise.all(
    ['en', 'hi', 'kn', 'ta'].map(async language => (await page(link, language)).text),
  )
  assert.equal(new Set(texts).size, 4)
  for (const text of texts) assert.match(text, /2027-28/)
})

test('a link that somebody cancelled says so, whatever is carried later', async () => {
  const studentId = await register('CANCELLED-BEFORE')
  const link = await make(
    `${PAY}/payment_links`,
    sampleOrder({ service_student_id: studentId, details: [{ component_type: 'TUITION_FEE', amount: 10 }] }),
  )
  assert.equal((await demo.delete(`${PAY}/payment_links/${link}`)).status, 200)
  await rollOver()
  assert.match((await page(link)).text, /The institute has withdrawn this request/)
})
