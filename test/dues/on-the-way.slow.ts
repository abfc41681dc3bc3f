import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { addDays, dayOf } from '../../src/platform/calendar.ts'
import { startBursar } from '../harness/bursar.ts'
import { dataOf, type Answer, type Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'

/** One fee of 1,000, to be debited in one instalment, that is paid in another way as well. */
const bursar = await startBursar({ after })
const { demo } = bursar
const FLEX = '/api/v1/integrations/flex'
const SANDBOX = '/api/v1/sandbox'
const RAILS = ['enach', 'upi_autopay'] as const
let count = 0

const advance = async (duration: string): Promise<Json> =>
  dataOf(await demo.post(`${SANDBOX}/clock`, { advance: duration }))
const today = async (): Promise<string> => dayOf(new Date(dataOf(await demo.get(`${SANDBOX}/clock`)).now))

type Pupil = { id: string; planId: string; instalmentId: string; instalment: () => Promise<Json> }

async function newPupil(): Promise<string> {
  const student = sampleStudent({ identifier: `WAY-${++count}` })
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]
  return dataOf(await demo.post(`${ERP}/users/way-${count}/students`, { student, fee_components }))
    .service_student_id
}

async function newPlan(rail: (typeof RAILS)[number]): Promise<Pupil> {
  const id = await newPupil()
  const details = [{ component_type: 'TUITION_FEE', amount: 1000 }]
  const payment_schedule = [{ due_date: addDays(await today(), 14), details }]
  const { plan_id: planId } = dataOf(await demo.post(`${FLEX}/students/${id}/plans`, { payment_schedule }))
  dataOf(await demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`, { rail }))
  const instalment = async (): Promise<Json> =>
    dataOf(await demo.get(`${FLEX}/plans/${planId}`)).payment_schedule[0]
  return { id, planId, instalmentId: (await instalment()).id, instalment }
}

async function untilStatus({ instalment }: Pupil, wanted: readonly string[]): Promise<Json> {
  for (let left = 60; left > 0; left--) {
    const now = await instalment()
    if (wanted.includes(now.status)) return now
    const days = Temporal.PlainDate.from(await today()).until(now.present_on).days
    await advance(days > 3 ? `P${days - 3}D` : 'PT6H')
  }
  throw new Error(`never ${wanted.join(' or ')}: ${JSON.stringify(await instalment())}`)
}

const decide = async ({ instalmentId, instalment }: Pupil, outcome: 'debited' | 'bounced'): Promise<void> => {
  dataOf(await demo.post(`${SANDBOX}/flex/instalments/${instalmentId}/outcome`, { outcome }))
  for (let left = 20; left > 0 && (await instalment()).status === 'presented'; left--) await advance('PT6H')
}

const duesOrder = (id: string): Promise<Answer> => demo.post(`${PAY}/students/${id}/orders`, {})
const pay = (orderId: string, outcome: string): Promise<Answer> =>
  demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome })

/** The school takes the fee itself. */
async function payCash(id: string): Promise<void> {
  const payment = {
    amount: 1000,
    paid_at: new Date(dataOf(await demo.get(`${SANDBOX}/clock`)).now).toISOString(),
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1000 }],
  }
  dataOf(await demo.post(`${ERP}/students/${id}/payments`, payment))
}

/** What came for the student less what went back, in rupees; everything that goes back has gone. */
async function keptOf(id: string): Promise<number> {
  await advance('P2D')
  const [row] = await bursar.sql<{ kept: number }>(
    `select (coalesce((select sum(p.amount_paise) from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
         where o.student_id = $1 and p.state = 'captured'), 0)
       + coalesce((select sum(d.amount_paise) from direct_payments d where d.student_id = $1 and d.cancelled_at is null), 0)
       - coalesce((select sum(r.amount_paise) from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
         where o.student_id = $1 and r.state = 'processed'), 0))::int / 100 as kept`,
    [id],
  )
  return row?.kept ?? 0
}

const dues = async (id: string): Promise<Json> => dataOf(await demo.get(`${ERP}/students/${id}/dues`))

function refused(answer: Answer): void {
  assert.equal(answer.status, 409, answer.text)
  assert.equal(answer.body.code, 'HUE00002')
  assert.match(answer.body.message, /₹1,000\.00 .*on the way already: .*expected by \d/)
}

const ask = <Row extends Record<string, unknown>>(text: string): Promise<Row[]> => bursar.sql<Row>(text)

suite('one fee is collected once', () => {
  for (const rail of RAILS) {
    test(`${rail}: a debit is not presented over a payment that is pending at the bank`, async () => {
      const pupil = await newPlan(rail)
      await untilStatus(pupil, ['confirmed'])
      const { order_id: orderId } = dataOf(await duesOrder(pupil.id))
      const { payment_id: paymentId } = dataOf(await pay(orderId, 'pending'))
      assert.equal((await dues(pupil.id)).on_the_way_amount, 1000)
      const before = (await pupil.instalment()).present_on
      await advance('P2D')
      const waiting = await pupil.instalment()
      assert.ok(['scheduled', 'confirmed'].includes(waiting.status), waiting.status)
      assert.ok(waiting.present_on > before, `${waiting.present_on} is after ${before}`)
      dataOf(await demo.post(`${SANDBOX}/payments/${paymentId}/capture`))
      await advance('P6D')
      assert.equal((await pupil.instalment()).status, 'covered')
      assert.equal(await keptOf(pupil.id), 1000)
    })

    test(`${rail}: if the pending payment fails, the debit is announced anew and presented`, async () => {
      const pupil = await newPlan(rail)
      await untilStatus(pupil, ['confirmed'])
      const { payment_id: paymentId } = dataOf(
        await pay(dataOf(await duesOrder(pupil.id)).order_id, 'pending'),
      )
      await advance('P2D')
      dataOf(await demo.post(`${SANDBOX}/payments/${paymentId}/fail`))
      await untilStatus(pupil, ['presented', 'debited', 'settled'])
      const notices = await bursar.sql<{ body: string }>(
        `select body from messages where about = $1 and subject like '%will be debited on%'`,
        [pupil.planId],
      )
      assert.equal(notices.length, 2, 'a notice for each announced day')
      await advance('P4D')
      assert.equal(await keptOf(pupil.id), 1000)
    })

    test(`${rail}: who approves at the bank's page after the debit was presented gets the money back`, async () => {
      const pupil = await newPlan(rail)
      await untilStatus(pupil, ['confirmed'])
      const { order_id: orderId } = dataOf(await duesOrder(pupil.id))
      const started = await fetch(`${bursar.url}/pay/demo-school/${orderId}/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'mode=upi',
        redirect: 'manual',
      })
      assert.equal(started.status, 303)
      const [payment] = await bursar.sql<{ id: string }>('select id from payments where order_id = $1', [
        orderId,
      ])
      await untilStatus(pupil, ['presented', 'debited', 'settled'])
      dataOf(await demo.post(`${SANDBOX}/payments/${payment?.id}/capture`))
      await advance('P5D')
      assert.equal(await keptOf(pupil.id), 1000)
      assert.deepEqual([(await dues(pupil.id)).total_amount, (await dues(pupil.id)).advance_amount], [0, 0])
    })
  }

  test('nothing asks for what a debit at the bank takes: dues order, order, link, plan and loan say what and until when', async () => {
    const pupil = await newPlan('enach')
    const line = { component_type: 'TUITION_FEE', amount: 1000 }
    const early = dataOf(
      await demo.post(`${PAY}/payment_links`, sampleOrder({ service_student_id: pupil.id, details: [line] })),
    ).order_id
    await untilStatus(pupil, ['presented'])
    assert.equal((await dues(pupil.id)).on_the_way_amount, 1000)
    refused(await duesOrder(pupil.id))
    for (const kind of ['orders', 'payment_links'])
      refused(
        await demo.post(`${PAY}/${kind}`, sampleOrder({ service_student_id: pupil.id, details: [line] })),
      )
    const identifier = dataOf(await demo.get(`${ERP}/students/${pupil.id}`)).identifier
    const named = { identifier, settle_dues: true, academic_year_start: 2026, academic_year_end: 2027 }
    refused(await demo.post(`${PAY}/orders`, sampleOrder({ ...named, details: [line] })))
    refused(await pay(early, 'success'))
    refused(await demo.post(`${FLEX}/students/${pupil.id}/plans`, {}))
    refused(await demo.post(`/api/v1/integrations/cred/students/${pupil.id}/applications`, {}))
    // A component that nothing is on the way to can be asked for as ever.
    const other = { component_type: 'LAB_COAT', amount: 250 }
    dataOf(await demo.post(`${PAY}/orders`, sampleOrder({ service_student_id: pupil.id, details: [other] })))
    await decide(pupil, 'debited')
    assert.equal(await keptOf(pupil.id), 1000)
  })

  test('a debit that bounces frees what it covered', async () => {
    const pupil = await newPlan('enach')
    await untilStatus(pupil, ['presented'])
    await decide(pupil, 'bounced')
    const { order_id: orderId } = dataOf(await duesOrder(pupil.id))
    dataOf(await pay(orderId, 'success'))
    await advance('P10D')
    assert.equal(await keptOf(pupil.id), 1000)
  })

  test('money that the school took while the debit was at the bank sends the debit back', async () => {
    const pupil = await newPlan('enach')
    await untilStatus(pupil, ['presented'])
    await payCash(pupil.id)
    await decide(pupil, 'debited')
    assert.equal(await keptOf(pupil.id), 1000)
  })

  test('a signed loan is on the way: no dues order and no plan over it', async () => {
    const id = await newPupil()
    const cred = `/api/v1/integrations/cred/students/${id}/applications`
    const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]
    dataOf(await demo.send('PATCH', `${ERP}/students/${id}/fee`, { fee_components: fees }))
    const { application_id: loan } = dataOf(await demo.post(cred, { amount: 60_000 }))
    const act = async (what: string, body: object = {}): Promise<Json> =>
      dataOf(await demo.post(`${SANDBOX}/loans/${loan}/${what}`, body))
    await act('fill')
    await act('approve', { amount: 60_000 })
    await act('sign', { tranches: [{ date: addDays(await today(), 5), amount: 60_000 }] })
    assert.equal((await dues(id)).on_the_way_amount, 60_000)
    for (const answer of [await duesOrder(id), await demo.post(`${FLEX}/students/${id}/plans`, {})]) {
      assert.equal(answer.status, 409, answer.text)
      assert.match(answer.body.message, /₹60,000\.00 .*on the way already: a loan from .*expected by \d/)
    }
    await act('disburse')
    await advance('P3D')
    assert.deepEqual([(await dues(id)).total_amount, (await dues(id)).on_the_way_amount], [0, 0])
  })

  test('surplus is kept as an advance only while something of the family will still fall due', async () => {
    dataOf(await demo.send('PUT', `${ERP}/payment-rules`, { surplus: 'advance' }))
    const collide = async (pupil: Pupil): Promise<void> => {
      await untilStatus(pupil, ['presented'])
      await payCash(pupil.id)
      await decide(pupil, 'debited')
    }
    const alone = await newPlan('enach')
    await collide(alone)
    assert.equal(await keptOf(alone.id), 1000, 'nothing will fall due: it goes back')
    const withMore = await newPlan('enach')
    const fees = [{ component_type: 'TRANSPORT_FEE', fee_amount: 500 }]
    await untilStatus(withMore, ['presented'])
    dataOf(await demo.send('PATCH', `${ERP}/students/${withMore.id}/fee`, { fee_components: fees }))
    await collide(withMore)
    assert.equal(await keptOf(withMore.id), 2000, 'it stands for the bus')
    assert.equal((await dues(withMore.id)).advance_amount, 1000)
  })

  test('the books agree after all of it', async () => {
    assert.deepEqual(await findBroken(ask), [])
  })
})
