import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { readCatalogued, type CataloguedEvent } from '../../harness/events.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import { createPage, pay, submit } from '../../payment-pages/support.ts'
import {
  assertStatus,
  createLink,
  createOrder,
  newStudent,
  openContract,
  samplePayment,
} from '../../http/support.ts'

/** What really happens is told exactly as the catalogue has it. Plans and loans have tests of their own. */
const contract = await openContract()
const { demo, app } = contract
const SANDBOX = '/api/v1/sandbox'

const told = (): Promise<CataloguedEvent[]> => readCatalogued(contract)
const toldOf = async (id: string): Promise<CataloguedEvent[]> =>
  (await told()).filter(({ resourceId }) => resourceId === id)

async function read(path: string): Promise<Json> {
  const answer = await demo.get(path)
  assertStatus(answer, 200)
  return answer.body.data
}

async function settle(): Promise<void> {
  assertStatus(await demo.post(`${SANDBOX}/settlements/run`), 200)
}

test('orders, links and pages have two events per payment step, debited and settled, each whole as it is read', async () => {
  const order = await createOrder(demo, { identifier: 'X-1', notes: [{ key: 'term', value: '1' }] })
  const link = await createLink(demo, { details: [{ component_type: 'BUS_FEE', amount: 99.5 }] })
  const page = await createPage(demo)
  const paged = await submit(page.url)
  for (const [id, path, kind] of [
    [order, `${PAY}/orders/${order}`, 'order'],
    [link, `${PAY}/payment_links/${link}`, 'payment_link'],
    [paged, null, 'page'],
  ] as const) {
    for (const happened of ['debited', 'settled']) {
      if (happened === 'debited') await pay(demo, id)
      else await settle()
      const view = path === null ? null : await read(path)
      const [first, second, ...more] = (await toldOf(id)).slice(happened === 'debited' ? 0 : 2)
      assert.deepEqual(more, [])
      assert.deepEqual(
        [first?.code, second?.code],
        [`pay.payment.${happened}`, `${kind}.payment.${happened}`],
      )
      assert.ok(first && second)
      const { page_id: pageId, ...payload } = second.payload
      assert.deepEqual(payload, first.payload)
      assert.equal(pageId, kind === 'page' ? page.id : undefined)
      assert.equal(payload.order_id, id)
      // A receipt's number is drawn last, after the event of its payment.
      const { receipt_number, ...known } = view ?? {}
      if (view !== null) assert.deepEqual(payload.order, happened === 'debited' ? known : view)
      assert.ok(view === null || receipt_number)
      assert.equal(payload.payment.details[0].settlement_utr === undefined, happened === 'debited')
    }
  }
})

test('a student, its direct payments and what is paid of its dues have events of one sequence', async () => {
  const id = await newStudent(demo, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
    payments: [samplePayment()],
  })
  const payments = `${ERP}/students/${id}/payments`
  const cash = await demo.post(payments, samplePayment({ notes: 'at the counter' }))
  assertStatus(cash, 201)
  const one = `${payments}/${cash.body.data.transaction_id}`
  assertStatus(await demo.patch(one, { mode: 'cheque' }), 200)
  assertStatus(await demo.delete(one), 200)
  for (const act of ['drop', 'activate']) assertStatus(await demo.post(`${ERP}/students/${id}/${act}`), 200)
  const made = await demo.post(`${PAY}/students/${id}/orders`, {})
  assertStatus(made, 201)
  await pay(demo, made.body.data.order_id)
  await settle()
  const events = await toldOf(id)
  assert.deepEqual(
    events.map(({ code, payload }) => [code, payload.payment?.product]),
    [
      ['masterdata.student.registered', undefined],
      ['direct.payment.added', 'direct'],
      ['direct.payment.added', 'direct'],
      ['direct.payment.updated', 'direct'],
      ['direct.payment.cancelled', 'direct'],
      ['masterdata.student.dropped', undefined],
      ['masterdata.student.activated', undefined],
      ['pay.payment.debited', 'pay'],
      ['pay.payment.settled', 'pay'],
    ],
  )
  const dues = events.at(-1)?.payload
  const { order_id: orderId } = made.body.data
  assert.deepEqual([dues.service_student_id, dues.order_id, dues.order.id], [id, orderId, orderId])
})

test('the event of a refund holds the payment that it takes from', async () => {
  const id = await createOrder(demo, { details: [{ component_type: 'TUITION_FEE', amount: 150.01 }] })
  const { payment_id: paymentId } = await pay(demo, id)
  await settle()
  assertStatus(await demo.post(`${PAY}/orders/${id}/refunds`, { amount: 100, reason: 'left' }), 201)
  await app.worker.runAllDue()
  const [event, ...more] = (await toldOf(id)).filter(({ code }) => code.startsWith('refund.'))
  assert.deepEqual([event?.code, more], ['refund.processed', []])
  assert.ok(event)
  const { order_id: orderId, payment, refund } = event.payload
  assert.deepEqual([orderId, payment.id, payment.amount], [id, paymentId, 150.01])
  assert.deepEqual([refund.amount, refund.status, refund.reason], [100, 'processed', 'left'])
  assert.ok(payment.settlement_utr && refund.utr && refund.processed_at)
})
