import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { demoVisitor } from '../../console/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { assertStatus, newStudent } from '../../http/support.ts'

const SANDBOX = '/api/v1/sandbox'
const bursar = await startBursar({ after })
const { demo, app } = bursar
const institute = await getInstitute(app.ctx, 'demo-school')

const differences = async () => (await reconcile(app.ctx, institute)).differences

async function expectSoundBooks(): Promise<void> {
  assert.deepEqual(await differences(), [])
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
}

async function pay(orderId: string): Promise<string> {
  const answer = await demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome: 'success', mode: 'card' })
  assertStatus(answer, 200)
  return answer.body.data.payment_id
}

async function dispute(paymentId: string, body: object): Promise<Json> {
  const answer = await demo.post(`${SANDBOX}/payments/${paymentId}/dispute`, body)
  assertStatus(answer, 200)
  return answer.body.data
}

const eventsOf = (paymentId: string): Promise<Json[]> =>
  bursar.sql<Json>(
    `select event_code as code, payload from events
     where event_code like 'pay.dispute.%' and payload -> 'payment' ->> 'id' = $1 order by sequence`,
    [paymentId],
  )

const balanceOf = async (account: string): Promise<number> => {
  const [row] = await bursar.sql<{ paise: number }>(
    `select coalesce(sum(case when source = $1 then amount_paise else -amount_paise end), 0)::int as paise
     from ledger_transfers where institute_id = $2 and $1 in (source, destination)`,
    [account, institute.id],
  )
  return row?.paise ?? 0
}

/** One of each kind that a payer can dispute: its order, its payment, and where it is read. */
const KINDS: Record<string, () => Promise<{ paymentId: string; url: string; studentId?: string }>> = {
  order: async () => {
    const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
    return { paymentId: await pay(body.data.order_id), url: `${PAY}/orders/${body.data.order_id}` }
  },
  link: async () => {
    const { body } = await demo.post(`${PAY}/payment_links`, sampleOrder())
    return { paymentId: await pay(body.data.order_id), url: `${PAY}/payment_links/${body.data.order_id}` }
  },
  'dues order': async () => {
    const fee_components = [
      { component_type: 'TUITION_FEE', fee_amount: 1_000 },
      { component_type: 'BUS_FEE', fee_amount: 500.01 },
    ]
    const studentId = await newStudent(demo, { fee_components })
    const { body } = await demo.post(`${PAY}/students/${studentId}/orders`, {})
    return { paymentId: await pay(body.data.order_id), url: `${PAY}/orders/${body.data.order_id}`, studentId }
  },
}

for (const [kind, make] of Object.entries(KINDS))
  test(`a dispute of a payment of a ${kind} holds its amount, and lost takes it back everywhere`, async () => {
    const { paymentId, url, studentId } = await make()
    await demo.post(`${SANDBOX}/settlements/run`)
    const paid = (await demo.get(url)).body.data
    const amount = paid.details.reduce((sum: number, line: Json) => sum + line.amount * 100, 0) / 100
    const held = await balanceOf('disputes')

    const opened = await dispute(paymentId, { outcome: 'open', reason: 'fraud' })
    assert.deepEqual([opened.status, opened.amount, opened.needs_answer], ['open', amount, true])
    assert.equal(await balanceOf('disputes'), held + Math.round(amount * 100), 'held')
    assertStatus(await demo.post(`${url}/refunds`, {}), 409)
    const one = await demo.get(`${PAY}/disputes/${opened.id}`)
    assert.deepEqual(one.body.data, opened)
    const listed = await demo.get(`${PAY}/disputes?status=open`)
    assert.ok(listed.body.data.some((row: Json) => row.id === opened.id))
    assert.equal((await demo.get(url)).body.data.refunded_amount, undefined)

    const lost = await dispute(paymentId, { outcome: 'lost' })
    assert.deepEqual([lost.status, lost.id], ['lost', opened.id])
    assert.equal(await balanceOf('disputes'), held)
    const now = (await demo.get(url)).body.data
    assert.deepEqual([now.status, now.refunded_amount], ['paid', amount])
    assertStatus(await demo.post(`${url}/refunds`, {}), 409)
    if (studentId !== undefined) {
      const dues = (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data
      assert.equal(dues.total_amount, amount, 'the dues are open again')
    }
    const [receipt] = await bursar.sql<Json>(
      'select cancelled_at, cancel_reason from receipts where payment_id = $1',
      [paymentId],
    )
    assert.ok(receipt?.cancelled_at)
    assert.match(receipt?.cancel_reason, /dispute/)

    await demo.post(`${SANDBOX}/settlements/run`)
    const { settlement_utr: utr, refund_id: refundId } = (await demo.get(`${PAY}/disputes/${opened.id}`)).body
      .data
    const settlement = (await demo.get(`${PAY}/settlements/${utr}`)).body.data
    assert.deepEqual([settlement.chargebacks, settlement.charges], [amount, 118])
    assert.deepEqual(
      settlement.items.map((item: Json) => [item.type, item.amount, item.refund_id]),
      [
        ['chargeback_fee', 118, refundId],
        ['chargeback', amount, refundId],
      ],
    )
    assert.equal(
      settlement.net,
      Math.round((settlement.gross - settlement.charges - settlement.refunds) * 100) / 100,
    )
    assert.deepEqual(
      (await eventsOf(paymentId)).map(event => [
        event.code,
        event.payload.dispute.status,
        event.payload.dispute.reason.code,
      ]),
      [
        ['pay.dispute.opened', 'open', 'fraud'],
        ['pay.dispute.lost', 'lost', 'fraud'],
      ],
    )
    assert.deepEqual(
      await bursar.sql(
        `select 1 from events where event_code like 'refund.%' and payload -> 'payment' ->> 'id' = $1`,
        [paymentId],
      ),
      [],
    )
    await expectSoundBooks()
  })

test('the console lists what is to be answered by when, and where', async () => {
  const { paymentId } = await KINDS['order']!()
  const opened = await dispute(paymentId, { outcome: 'open' })
  const visitor = await demoVisitor(bursar.url)
  const list = '/console/api/institutes/demo-school/money/disputes'
  const [row, ...more] = (await visitor.get(`${list}?needs_answer=yes`)).body.data
  assert.deepEqual(
    [row.id, row.provider, row.respond_by, more.length],
    [opened.id, 'sandbox', opened.respond_by, 0],
  )
  assert.equal(row.payer, sampleOrder().name)
  await dispute(paymentId, { outcome: 'won' })
  assert.deepEqual((await visitor.get(`${list}?needs_answer=yes`)).body.data, [])
  assert.ok((await visitor.get(`${list}?status=won`)).body.data.some((one: Json) => one.id === opened.id))
})

test('a dispute that is won leaves the payment as it was, and it can be refunded again', async () => {
  const { paymentId, url } = await KINDS['order']!()
  await dispute(paymentId, { outcome: 'open' })
  assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 409)
  const won = await dispute(paymentId, { outcome: 'won' })
  assert.deepEqual([won.status, typeof won.closed_at], ['won', 'string'])
  assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 201)
  assert.equal(await balanceOf('disputes'), 0)
  assert.deepEqual(
    (await eventsOf(paymentId)).map(event => event.code),
    ['pay.dispute.opened', 'pay.dispute.won'],
  )
  await app.worker.runAllDue()
  await expectSoundBooks()
})
