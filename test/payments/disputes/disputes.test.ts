import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { demoVisitor } from '../../console/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { assertStatus } from '../../http/support.ts'
import { KINDS, type Disputable } from './kinds.ts'

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

const owedOf = async (studentId: string | undefined): Promise<number> =>
  studentId === undefined
    ? 0
    : Math.round((await demo.get(`${ERP}/students/${studentId}/dues`)).body.data.total_amount * 100)

async function paidBy(kind: string): Promise<Disputable & { paymentId: string }> {
  const made = await (KINDS[kind] ?? assert.fail(kind))(bursar)
  return { ...made, paymentId: await pay(made.orderId) }
}

for (const kind of Object.keys(KINDS))
  test(`a dispute of a payment of a ${kind} holds its amount, and lost takes it back everywhere`, async () => {
    const { paymentId, url, studentId } = await paidBy(kind)
    const owedBefore = await owedOf(studentId)
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
    if (studentId !== undefined)
      assert.equal(await owedOf(studentId), owedBefore + Math.round(amount * 100), 'the dues are open again')
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
  const { paymentId } = await paidBy('order')
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
  const { paymentId, url } = await paidBy('order')
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

for (const [when, share, charged] of [
  ['before its refund is sent', 1, 0],
  ['in part, before its refund is sent', 0.4, 0],
  ['after it has gone back', 1, 1],
] as const)
  test(`a dispute of a second payment that is lost ${when} changes no dues, and what goes out twice is charged`, async () => {
    const { orderId, url, studentId } = await (KINDS['dues order'] ?? assert.fail())(bursar)
    for (const body of ['mode=upi', 'mode=card&another=1'])
      await fetch(`${bursar.url}/pay/demo-school/${orderId}/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
        redirect: 'manual',
      })
    const ids = await bursar.sql<{ id: string }>('select id from payments where order_id = $1 order by id', [
      orderId,
    ])
    await app.worker.stop()
    for (const { id } of ids) assertStatus(await demo.post(`${SANDBOX}/payments/${id}/capture`), 200)
    const [second] = await bursar.sql<{ id: string; paise: number }>(
      'select id, amount_paise::int as paise from payments where order_id = $1 and is_duplicate',
      [orderId],
    )
    assert.ok(second)
    const settle = async (): Promise<void> => {
      await app.worker.runAllDue()
      await demo.post(`${SANDBOX}/settlements/run`)
    }
    if (charged > 0) await settle()
    const held = await balanceOf('disputes')
    for (const outcome of ['open', 'lost'])
      await dispute(second.id, { outcome, amount: Math.round(second.paise * share) / 100 })
    assert.equal(await balanceOf('disputes'), held, 'what goes back by itself is not the institute’s')
    await settle()
    assert.equal((await demo.get(url)).body.data.refunded_amount, undefined)
    assert.equal(await owedOf(studentId), charged * second.paise)
    assert.deepEqual(await eventsOf(second.id), [])
    assert.equal(await balanceOf('payer_clearing'), 0)
    await expectSoundBooks()
  })
