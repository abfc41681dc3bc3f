import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { PAY } from '../harness/samples.ts'
import {
  activeMandate,
  advance,
  bank,
  demo,
  expectSoundBooks,
  paymentNow,
  port,
  postCallback,
  present,
  school,
  sql,
  toldOf,
} from '../providers/debits-support.ts'

const SANDBOX = '/api/v1/sandbox'
const upi = await activeMandate('upi_autopay')

test('a late return reverses the order, takes the receipt back, is netted by the next pay-out, and leaves the books sound', async () => {
  const payment = await present(400_85, upi, 'upi_autopay')
  await advance('PT6M')
  assert.deepEqual(toldOf(payment), ['captured'])
  await demo.post(`${SANDBOX}/settlements/run`)
  assert.deepEqual(toldOf(payment), ['captured', 'settled'])
  await advance('P4D')
  assert.deepEqual(toldOf(payment), ['captured', 'settled', 'reversed Z9'])
  const now = await paymentNow(payment)
  assert.deepEqual([now.state, now.order_state], ['captured', 'reversed'])
  assert.ok(now.cancelled_at)
  assert.match(now.cancel_reason, /took the debit back \(Z9\)/)
  await expectSoundBooks()
  const report = await port.returned({ instituteId: school.id, paymentId: payment.id, providerRef: null })
  const statuses = await Promise.all(Array.from({ length: 6 }, () => postCallback(report)))
  assert.deepEqual([...new Set(statuses)], [200])
  assert.equal(toldOf(payment).length, 3)
  await present(900_00, upi, 'upi_autopay')
  await advance('PT6M')
  await demo.post(`${SANDBOX}/settlements/run`)
  const [refund] = await sql<Json>('select kind, state, settlement_id from refunds where payment_id = $1', [
    payment.id,
  ])
  assert.deepEqual([refund.kind, refund.state], ['returned', 'processed'])
  const [settlement] = await sql<Json>('select refund_paise from settlements where id = $1', [
    refund.settlement_id,
  ])
  assert.equal(settlement.refund_paise, payment.amountPaise)
  await expectSoundBooks()
})

test('the order of a debit that was returned reads as one that was never paid', async () => {
  const payment = await present(405_85, upi, 'upi_autopay')
  await advance('PT6M')
  await demo.post(`${SANDBOX}/settlements/run`)
  const order = `${PAY}/orders/${payment.orderId}`
  const paid = (await demo.get(order)).body.data
  assert.deepEqual([paid.status, typeof paid.receipt_number], ['paid', 'string'])
  assert.equal((await demo.get(`${order}/receipt`)).status, 200)
  await advance('P4D')
  const { data } = (await demo.get(order)).body
  assert.equal(data.status, 'unpaid')
  for (const name of ['paid_at', 'transaction_id', 'receipt_number', 'receipt_url', 'refunded_amount'])
    assert.ok(!(name in data), name)
  assert.deepEqual(Object.keys(data.details[0]), ['component_type', 'amount'])
  assert.equal((await demo.get(`${order}/receipt`)).status, 404)
  assert.deepEqual((await demo.get(`${order}/refunds`)).body.data, [], 'a return is no refund')
})

test('one that is taken back before it was paid out is not told as settled', async () => {
  const payment = await present(410_00, upi, 'upi_autopay')
  await advance('PT6M')
  const { provider_ref: ref } = await paymentNow(payment)
  for (const callback of await bank.decide({ instituteId: school.id, ref }, { kind: 'bounced', code: '61' }))
    await bank.tell(callback)
  await demo.post(`${SANDBOX}/settlements/run`)
  assert.deepEqual(toldOf(payment), ['captured', 'reversed 61'])
  assert.ok((await paymentNow(payment)).settlement_id)
  await expectSoundBooks()
})

test('a return of which we heard nothing, nor of its debit, is found when a pay-out is less by it', async () => {
  const payment = await present(420_94, upi, 'upi_autopay')
  const [{ ref } = { ref: '' }] = await sql<{ ref: string }>(
    'select ref from bank_payments where payment_id = $1',
    [payment.id],
  )
  assert.deepEqual(await bank.decide({ instituteId: school.id, ref }, { kind: 'debited' }), [])
  assert.deepEqual(await bank.decide({ instituteId: school.id, ref }, { kind: 'bounced' }), [])
  assert.equal((await paymentNow(payment)).state, 'pending')
  await demo.post(`${SANDBOX}/settlements/run`)
  assert.deepEqual(toldOf(payment), ['captured', 'reversed Z9'])
  await expectSoundBooks()
})

test('a return that overtakes the update of its debit is applied after it', async () => {
  const payment = await present(430_94, upi, 'upi_autopay')
  const { provider_ref: ref } = await paymentNow(payment)
  await bank.decide({ instituteId: school.id, ref }, { kind: 'debited' })
  await bank.decide({ instituteId: school.id, ref }, { kind: 'bounced' })
  const report = await port.returned({ instituteId: school.id, paymentId: payment.id, providerRef: ref })
  assert.equal(await postCallback(report), 200)
  assert.deepEqual(toldOf(payment), ['captured', 'reversed Z9'])
})

test('a forged word of a debit, a return or a mandate is refused and does nothing', async () => {
  const payment = await present(440_00, upi, 'upi_autopay')
  await advance('PT6M')
  const about = { instituteId: school.id, paymentId: payment.id }
  const reports = [
    {
      about: 'return',
      ...about,
      amountPaise: payment.amountPaise,
      code: '04',
      message: '',
      returnedAt: new Date(),
    },
    { about: 'payment', ...about, providerRef: '', outcome: { kind: 'failed', code: '04', message: '' } },
    { about: 'mandate', ...about, mandateId: 'mdt_1', providerRef: '', outcome: { kind: 'cancelled' } },
  ]
  for (const report of reports) assert.equal(await postCallback(report, 'f'.repeat(64)), 400)
  assert.deepEqual(toldOf(payment), ['captured'])
  // A true word of another amount is not believed either; a person sees it when it is paid out.
  assert.equal(await postCallback({ ...reports[0], amountPaise: 1 }), 200)
  assert.deepEqual(toldOf(payment), ['captured'])
})
