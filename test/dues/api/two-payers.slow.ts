import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import type { Visitor } from '../../harness/visitor.ts'
import { addSibling } from '../siblings.ts'
import { startPaying, submit, visitAs } from '../../portal/parents-support.ts'

/** Two parents of one child, who pay the same dues at the same time. */
const bursar = await startBursar({ after })
const { demo, app } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const SANDBOX = '/api/v1/sandbox'
let count = 0

type Parents = { id: string; asha: Visitor; ravi: Visitor }

async function newParents(): Promise<Parents> {
  const no = ++count
  const register = async (user: string, name: string): Promise<string> => {
    const student = sampleStudent({ identifier: `TWO-${no}`, primary_contact_name: name })
    const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]
    const answer = await demo.post(`${ERP}/users/${user}/students`, { student, fee_components })
    assert.ok(answer.status < 300, answer.text)
    return answer.body.data.service_student_id
  }
  const id = await register(`asha-${no}`, 'Asha Rao')
  await register(`ravi-${no}`, 'Ravi Kumar Rao')
  return { id, asha: await visitAs(bursar, `asha-${no}`), ravi: await visitAs(bursar, `ravi-${no}`) }
}

/** Presses pay and goes to the bank's page; returns the order. */
async function goToBank(visitor: Visitor, id: string): Promise<string> {
  const orderId = await startPaying(visitor, id)
  await start(visitor, orderId)
  return orderId
}

const start = (visitor: Visitor, orderId: string) =>
  visitor.post(`/pay/demo-school/${orderId}/start`, { mode: 'upi' })

const pressPay = (visitor: Visitor, id: string, fields: Record<string, string> = {}) =>
  submit(visitor, `/parents/students/${id}`, `/parents/students/${id}/pay`, fields)

async function takeOver(visitor: Visitor, id: string): Promise<string> {
  const { status, location, text } = await pressPay(visitor, id, { take_over: '1' })
  assert.equal(status, 303, text)
  const orderId = location?.split('/').at(-1) ?? ''
  await start(visitor, orderId)
  return orderId
}

async function paymentOf(orderId: string): Promise<Json> {
  const [payment] = await sql<Json>('select id, state, failure_code from payments where order_id = $1', [
    orderId,
  ])
  assert.ok(payment)
  return payment
}

async function capture(orderId: string): Promise<Answer> {
  const answer = await demo.post(`${SANDBOX}/payments/${(await paymentOf(orderId))['id']}/capture`)
  assert.equal(answer.status, 200, answer.text)
  return answer
}

/** The bank reports it again, and everything that is due is done. */
async function askTheBank(orderId: string): Promise<void> {
  await sql(`update payments set next_check_at = now() - interval '1 day' where order_id = $1`, [orderId])
  await app.worker.runAllDue()
}

const refundsOf = (orderId: string) =>
  sql<Json>('select kind, state, amount_paise from refunds where order_id = $1', [orderId])

async function duesOf(id: string): Promise<[number, number]> {
  const { data } = (await demo.get(`${ERP}/students/${id}/dues`)).body
  return [data.total_amount, data.advance_amount]
}

async function advance(duration: string): Promise<void> {
  assert.equal((await demo.post(`${SANDBOX}/clock`, { advance: duration })).status, 200)
}

beforeEach(async () => {
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, {})).status, 200)
})

test('while one parent is at the bank the other waits: a page says who and until when, the API answers 409', async () => {
  const { id, asha, ravi } = await newParents()
  const orderId = await goToBank(asha, id)
  const page = await pressPay(ravi, id)
  assert.equal(page.status, 409)
  assert.match(page.text, /A… R… started a payment of ₹1,000\.00/)
  assert.doesNotMatch(page.text, /Asha/)
  assert.match(page.text, /Pay instead/)
  assert.doesNotMatch(page.text, new RegExp(orderId))
  const own = await pressPay(asha, id)
  assert.equal(own.status, 409)
  assert.match(own.text, new RegExp(`/pay/demo-school/${orderId}"`))
  const refused = await demo.post(`${PAY}/students/${id}/orders`, {})
  assert.deepEqual([refused.status, refused.body.code], [409, 'HUE00002'])
  assert.match(refused.body.message, /^A… R… is at the bank's page to pay ₹1,000\.00 of these dues/)
  await capture(orderId)
  assert.deepEqual(await duesOf(id), [0, 0])
})

for (const kind of ['orders', 'payment_links']) {
  test(`${kind} that name the student and its dues wait for each other where they pay the same fees`, async () => {
    const { id, asha, ravi } = await newParents()
    const named = async (component_type: string): Promise<string> => {
      const details = [{ component_type, amount: 1000 }]
      const order = sampleOrder({ name: 'Lata Menon', service_student_id: id, details })
      return (await demo.post(`${PAY}/${kind}`, order)).body.data.order_id
    }
    const linked = await named('TUITION_FEE')
    const other = await named('BOOKS')
    // Somebody at the bank's page with the link keeps dues and a second link from starting, and other fees from nothing.
    assert.equal((await start(ravi, linked)).status, 303)
    assert.match((await pressPay(asha, id)).text, /L… M… started a payment of ₹1,000\.00/)
    const second = await named('TUITION_FEE')
    assert.equal((await start(asha, second)).status, 409)
    assert.equal((await start(asha, other)).status, 303)
    // The payer who takes over goes to the bank, and a link then waits for the dues.
    const paid = await takeOver(asha, id)
    assert.deepEqual(
      [(await paymentOf(linked))['state'], (await paymentOf(linked))['failure_code']],
      ['failed', 'taken_over'],
    )
    const waiting = await start(ravi, linked)
    assert.equal(waiting.status, 409)
    assert.match(waiting.text, /A… R… started a payment of ₹1,000\.00.*Pay instead/s)
    const api = await demo.post(`${SANDBOX}/pay/orders/${linked}/pay`, { outcome: 'success' })
    assert.deepEqual([api.status, api.body.code], [409, 'HUE00002'])
    const instead = await ravi.post(`/pay/demo-school/${linked}/start`, { mode: 'upi', take_over: '1' })
    assert.equal(instead.status, 303)
    assert.equal((await paymentOf(paid))['state'], 'failed')
    const [newest] = await sql<Json>(`select id from payments where order_id = $1 and state = 'created'`, [
      linked,
    ])
    await demo.post(`${SANDBOX}/payments/${newest?.['id']}/capture`)
    assert.deepEqual(await duesOf(id), [0, 0])
    assert.deepEqual(await findBroken(text => sql(text)), [])
  })
}

test('an order that names a student waits for a pending payment, and what it brings too much goes back once', async () => {
  const named = async (id: string, details: Json[]): Promise<string> => {
    const order = sampleOrder({ name: 'Lata Menon', service_student_id: id, details })
    return (await demo.post(`${PAY}/orders`, order)).body.data.order_id
  }
  const pay = (orderId: string, outcome: string) =>
    demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome })
  const tuition = { component_type: 'TUITION_FEE', amount: 1000 }
  const { id, ravi } = await newParents()
  const first = await named(id, [tuition])
  const second = await named(id, [tuition, { component_type: 'BOOKS', amount: 250 }])
  assert.equal((await pay(first, 'pending')).status, 200)
  assert.equal((await pay(second, 'success')).status, 409)
  assert.match((await start(ravi, second)).text, /A payment of ₹1,000\.00 is on its way/)
  await capture(first)
  // Nothing is owed of tuition any more; for books the school asks without a fee, and keeps them.
  assert.equal((await pay(second, 'success')).status, 200)
  assert.deepEqual(await duesOf(id), [0, 250])
  const refunds = await refundsOf(second)
  assert.deepEqual(
    refunds.map(one => [one['kind'], Number(one['amount_paise'])]),
    [['requested', 100_000]],
  )
  const events = await sql<{ payload: Json }>(
    `select payload from events where event_code = 'pay.payment.debited' and payload ->> 'order_id' = $1`,
    [second],
  )
  assert.equal(events.length, 1)
  assert.equal(events[0]?.payload.service_student_id, id)
  assert.match(events[0]?.payload.payment.notes, /₹1,000\.00 of this is more than was due and goes back/)
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, { surplus: 'advance' })).status, 200)
  await addSibling({ demo, sql }, id)
  const third = await named(id, [tuition])
  assert.equal((await pay(third, 'success')).status, 200)
  assert.deepEqual(await refundsOf(third), [])
  assert.deepEqual(await duesOf(id), [0, 1250])
  await demo.post(`${SANDBOX}/settlements/run`)
  assert.deepEqual(await findBroken(text => sql(text)), [])
})

test('a start of which the bank reports nothing is given up after ten minutes', async () => {
  const { id, asha, ravi } = await newParents()
  const first = await goToBank(asha, id)
  await advance('PT9M')
  assert.equal((await pressPay(ravi, id)).status, 409)
  await advance('PT1M')
  const second = await goToBank(ravi, id)
  assert.equal((await paymentOf(first))['state'], 'failed')
  await capture(second)
  assert.deepEqual(await duesOf(id), [0, 0])
})

test('what is captured late after a takeover goes back exactly once, and the books agree', async () => {
  const { id, asha, ravi } = await newParents()
  const first = await goToBank(asha, id)
  const second = await takeOver(ravi, id)
  assert.deepEqual(
    [(await paymentOf(first))['state'], (await paymentOf(first))['failure_code']],
    ['failed', 'taken_over'],
  )
  await capture(second)
  await capture(first)
  await askTheBank(first)
  await askTheBank(first)
  assert.deepEqual(await refundsOf(second), [])
  assert.deepEqual(await refundsOf(first), [{ kind: 'requested', state: 'processed', amount_paise: 100_000 }])
  assert.deepEqual(await duesOf(id), [0, 0])
  const events = await sql<Json>(
    `select payload from events where resource_id = $1 and event_code = 'pay.payment.debited' order by sequence`,
    [id],
  )
  assert.equal(events.length, 2)
  assert.match(events[1]?.['payload'].payment.notes, /₹1,000\.00 of this is more than was due and goes back/)
  assert.deepEqual(await findBroken(text => sql(text)), [])
})

test('money of the one who was taken over counts when it comes first; then the second goes back', async () => {
  const { id, asha, ravi } = await newParents()
  const first = await goToBank(asha, id)
  const second = await takeOver(ravi, id)
  await capture(first)
  assert.deepEqual(await duesOf(id), [0, 0])
  await capture(second)
  assert.deepEqual(await refundsOf(first), [])
  assert.equal((await refundsOf(second)).length, 1)
  assert.deepEqual(await duesOf(id), [0, 0])
})

test('an institute that has chosen so keeps it as advance', async () => {
  const rules = await demo.send('PUT', `${ERP}/payment-rules`, { surplus: 'advance' })
  assert.equal(rules.body.data.surplus, 'advance')
  const { id, asha, ravi } = await newParents()
  await addSibling({ demo, sql }, id)
  const first = await goToBank(asha, id)
  await capture(await takeOver(ravi, id))
  await capture(first)
  assert.deepEqual(await refundsOf(first), [])
  assert.deepEqual(await duesOf(id), [0, 1000])
})

test('a capture that dies before its refund is written leaves neither, and is taken in whole when reported again', async t => {
  const { id, asha, ravi } = await newParents()
  const first = await goToBank(asha, id)
  await capture(await takeOver(ravi, id))
  await sql(`create function die() returns trigger language plpgsql as $$ begin raise 'dead'; end $$`)
  await sql('create trigger die before insert on refund_lines execute function die()')
  t.after(() => sql('drop function die() cascade'))
  const path = `${SANDBOX}/payments/${(await paymentOf(first))['id']}/capture`
  assert.equal((await demo.post(path)).status, 500)
  assert.equal((await paymentOf(first))['state'], 'failed')
  assert.deepEqual(await refundsOf(first), [])
  await sql('drop trigger die on refund_lines')
  await askTheBank(first)
  await askTheBank(first)
  assert.equal((await refundsOf(first)).length, 1)
  assert.deepEqual(await findBroken(text => sql(text)), [])
})

test('ten times both parents press pay at once: never two of them are at the bank for the same dues', async () => {
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { id, asha, ravi } = await newParents()
      await Promise.all(
        [asha, ravi].map(async visitor => {
          const { status, location } = await pressPay(visitor, id)
          if (status === 303 && location?.startsWith('/pay/'))
            await start(visitor, location.split('/').at(-1) ?? '')
        }),
      )
      const started = await sql<Json>(
        `select p.id from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
         where o.student_id = $1 and p.state = 'created'`,
        [id],
      )
      assert.ok(started.length <= 1, `${started.length} at the bank`)
    }),
  )
})

test('twenty orders for one due at once leave one to be paid, and the books agree', async () => {
  const { id, asha } = await newParents()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => demo.post(`${PAY}/students/${id}/orders`, {})),
  )
  for (const answer of answers) assert.equal(answer.status, 201, answer.text)
  const open = await sql<Json>(`select id from orders where student_id = $1 and state = 'unpaid'`, [id])
  assert.equal(open.length, 1)
  await start(asha, open[0]?.['id'])
  await capture(open[0]?.['id'])
  assert.deepEqual(await findBroken(text => sql(text)), [])
})
