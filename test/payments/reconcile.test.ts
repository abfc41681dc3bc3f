import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'

const bursar = await startBursar({ after })
const { demo, app } = bursar
const sql = (text: string, values?: unknown[]) => bursar.sql<{ id: string }>(text, values)
const ctx = app.ctx
const institute = await getInstitute(app.ctx, 'demo-school')

async function makePaid(): Promise<string> {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, {
    outcome: 'success',
    mode: 'card',
  })
  return body.data.order_id
}

const differences = async (): Promise<string[]> =>
  (await reconcile(ctx, institute)).differences.map(({ check, subject }) => `${check}: ${subject}`)

const orderId = await makePaid()
await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 100 })
await demo.post(`${PAY}/orders`, sampleOrder())
await app.worker.runAllDue()
await demo.post('/api/v1/sandbox/settlements/run')
await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 50 })
await makePaid()

test('after payments, refunds and a settlement everything agrees', async () => {
  assert.deepEqual(await differences(), [])
})

test('a payment due at the bank and in no report is expected, not wrong', async () => {
  await sql(`update payments set settle_due_on = '2020-01-01' where settlement_id is null`)
  const { differences: found, expected } = await reconcile(ctx, institute)
  assert.deepEqual(found, [])
  assert.equal(expected.length, 1)
})

test('every kind of disagreement is found and named', async () => {
  const [payment] = await sql(`select id from payments where order_id = $1`, [orderId])
  assert.ok(payment)
  const planted: [string, string, RegExp][] = [
    [
      `update orders set state = 'unpaid', paid_at = null where id = '${orderId}'`,
      `update orders set state = 'paid', paid_at = now() where id = '${orderId}'`,
      /paying payment/,
    ],
    [
      `update payments set is_duplicate = true where id = '${payment.id}'`,
      `update payments set is_duplicate = false where id = '${payment.id}'`,
      /being given back/,
    ],
    [
      `update order_lines set amount_paise = amount_paise + 1 where order_id = '${orderId}'`,
      `update order_lines set amount_paise = amount_paise - 1 where order_id = '${orderId}'`,
      /as large as its order/,
    ],
    [
      `update receipts set number = number + 5 where number = 2`,
      `update receipts set number = 2 where number = 7`,
      /no gaps/,
    ],
    [
      `update refunds set amount_paise = amount_paise + 10000000 where order_id = '${orderId}'`,
      `update refunds set amount_paise = amount_paise - 10000000 where order_id = '${orderId}'`,
      /within their payment/,
    ],
    [
      `update bank_payments set state = 'failed' where payment_id = '${payment.id}'`,
      `update bank_payments set state = 'captured' where payment_id = '${payment.id}'`,
      /the provider says/,
    ],
    [
      `insert into refunds (institute_id, id, payment_id, order_id, kind, state, amount_paise, requested_at, processed_at)
       values (1, 'rfd_planted', '${payment.id}', '${orderId}', 'returned', 'processed', 1, now(), now())`,
      `delete from refunds where id = 'rfd_planted'`,
      /took back/,
    ],
    [
      `update orders set state = 'reversed' where id = '${orderId}'`,
      `update orders set state = 'paid' where id = '${orderId}'`,
      /took back/,
    ],
    [
      `update settlements set gross_paise = gross_paise + 1, net_paise = net_paise + 1`,
      `update settlements set gross_paise = gross_paise - 1, net_paise = net_paise - 1`,
      /every account of the ledger.*: institute_payable/,
    ],
  ]
  for (const [spoil, mend, named] of planted) {
    await sql(spoil)
    assert.match((await differences()).join('\n'), named, spoil)
    await sql(mend)
    assert.deepEqual(await differences(), [], mend)
  }
})

test('a lost dispute that is not booked, not in the ledger, not off its receipt, not due or not in its pay-out is found', async () => {
  const made = await demo.post(`${ERP}/users/parent-9/students`, {
    student: sampleStudent(),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 900 }],
  })
  const studentId: string = made.body.data.service_student_id
  const { body } = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  const dispute = `/api/v1/sandbox/payments/${paid.body.data.payment_id}/dispute`
  await demo.post(dispute, { outcome: 'open' })
  const held = 'update payment_disputes set held_paise = held_paise'
  await sql(`${held} + 1`)
  assert.match((await differences()).join('\n'), /every account of the ledger.*: disputes/)
  await sql(`${held} - 1`)
  await demo.post(dispute, { outcome: 'lost' })
  await demo.post('/api/v1/sandbox/settlements/run')
  assert.deepEqual(await differences(), [])
  const [{ id: refundId } = { id: '' }] = await sql(
    `select refund_id as id from payment_disputes where state = 'lost'`,
  )
  const ofRefund = `from refunds where id = '${refundId}'`
  const planted: [string, string, RegExp][] = [
    [
      `update payment_disputes set refund_id = null`,
      `update payment_disputes set refund_id = '${refundId}'`,
      /what a lost dispute took is booked once/,
    ],
    [
      `update payment_disputes set deducted_paise = deducted_paise + 1`,
      `update payment_disputes set deducted_paise = deducted_paise - 1`,
      /what a lost dispute took is booked once/,
    ],
    [
      `update receipts set cancelled_at = null, cancel_reason = null where payment_id = (select payment_id ${ofRefund})`,
      `update receipts set cancelled_at = now(), cancel_reason = 'disputed' where payment_id = (select payment_id ${ofRefund})`,
      /what a lost dispute took is booked once/,
    ],
    [
      `update student_balances set paid_paise = 90000 where student_id = '${studentId}'`,
      `update student_balances set paid_paise = 0 where student_id = '${studentId}'`,
      /what every student owes/,
    ],
    [
      `update refunds set charged_paise = 100 where id = '${refundId}'`,
      `update refunds set charged_paise = 0 where id = '${refundId}'`,
      /charged to the family/,
    ],
    [
      `update refunds set settlement_id = null where id = '${refundId}'`,
      `update refunds set settlement_id = (select id from settlements where refund_paise = 90000) where id = '${refundId}'`,
      /a settlement is what its payments, refunds and chargebacks add up to/,
    ],
    [
      `update refunds set state = 'failed' where id = '${refundId}'`,
      `update refunds set state = 'processed' where id = '${refundId}'`,
      /every account of the ledger.*: provider_receivable/,
    ],
  ]
  for (const [spoil, mend, named] of planted) {
    await sql(spoil)
    assert.match((await differences()).join('\n'), named, spoil)
    await sql(mend)
    assert.deepEqual(await differences(), [], mend)
  }
})

const transfer = (amount: number, destination = 'fees'): string =>
  `insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
   select 1, max(id), 9, 'provider_receivable', '${destination}', ${amount} from ledger_postings where institute_id = 1`

test('the books cannot be spoiled: empty, one-sided, late, changed or deleted postings are refused by the database', async () => {
  const header = `insert into ledger_postings (institute_id, kind, reference, occurred_at) values (1, 'settled', 'x', now())`
  const post = (...statements: string[]): Promise<void> =>
    app.ctx.db.transaction(async tx => {
      for (const statement of [header, ...statements]) await tx.query(statement)
    })
  await assert.rejects(post(), /has no transfer/)
  await assert.rejects(post(transfer(0)), /amount_paise_check/)
  await assert.rejects(post(transfer(-5)), /amount_paise_check/)
  await assert.rejects(post(transfer(5, 'provider_receivable')), /ledger_transfers_check/)
  await assert.rejects(post(transfer(5, 'pocket')), /ledger_account/)
  await assert.rejects(sql(transfer(5)), /is closed/)
  for (const statement of [
    'update ledger_transfers set amount_paise = 1',
    'delete from ledger_transfers',
    'truncate ledger_postings cascade',
  ]) {
    await assert.rejects(sql(statement), /append-only/)
  }
})

test('a provider that cannot be asked is one difference of its account, and everything else is still compared', async () => {
  const [first] = await sql('select id from payments order by id')
  await sql(`update payments set account_id = 'razorpay' where id = $1`, [first?.id])
  assert.deepEqual(await differences(), ['the provider says of every payment what we say: account razorpay'])
  await sql(`update payments set account_id = 'sandbox'`)
})
