import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDebits, openOrder } from '../../src/payments/debits/debits.service.ts'
import type { Transaction } from '../../src/platform/db/database.ts'
import type { Json } from '../harness/client.ts'
import { PAY } from '../harness/samples.ts'
import {
  activeMandate,
  advance,
  bank,
  bursar,
  demo,
  expectSoundBooks,
  makeDebit,
  makeOrder,
  open,
  paymentNow,
  port,
  postCallback,
  present,
  school,
  send,
  sql,
  studentId,
  ctx,
  toldOf,
} from './debits-support.ts'

const SANDBOX = '/api/v1/sandbox'
const enach = await activeMandate('enach')
const upi = await activeMandate('upi_autopay')

test('a thousand debits are opened by three statements in two round trips, each with its lines', async () => {
  const debits = Array.from({ length: 1_000 }, (_, index) => makeDebit(10_000 + index * 100))
  let statements = 0
  const payments = await ctx.db.transaction(async tx => {
    const counting: Transaction = {
      ...tx,
      query: (text, values) => {
        statements++
        return tx.query(text, values)
      },
    }
    return openDebits(counting, debits)
  })
  // Orders and their lines leave together, then the payments.
  assert.equal(statements, 3)
  const [row] = await sql<Json>(
    `select count(*) as count, sum(p.amount_paise) as paid, sum((select sum(amount_paise) from order_lines l
       where l.institute_id = o.institute_id and l.order_id = o.id)) as lines
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     where p.id = any($1) and p.state = 'created' and o.kind = 'instalment' and o.student_id = $2`,
    [payments.map(payment => payment.id), studentId],
  )
  assert.equal(row.count, 1_000)
  assert.equal(Number(row.paid), Number(row.lines))
  await sql('delete from payments where id = any($1)', [payments.map(payment => payment.id)])
})

test('a debit that is presented again, and at once, is one debit at the bank', async () => {
  const payment = await open(500_00)
  await Promise.all([send(payment, enach), send(payment, enach), send(payment, enach)])
  const before = await paymentNow(payment)
  assert.equal(before.state, 'pending')
  const [count] = await sql<Json>('select count(*) as n from bank_payments where payment_id = $1', [
    payment.id,
  ])
  assert.equal(count.n, 1)
  const again = await port.present({
    instituteId: school.id,
    collectorCode: 'MAIN',
    paymentId: payment.id,
    mandateRef: enach,
    amountPaise: payment.amountPaise,
    rail: 'enach',
    announcedRef: null,
    payer: { name: 'Asha Rao', phone: '9876543210', email: '' },
    description: 'again',
  })
  assert.equal(again.providerRef, before.provider_ref)
})

test('UPI is debited after minutes and eNACH by the evening of a working day; each is told once', async () => {
  const quick = await present(600_00, upi, 'upi_autopay')
  const slow = await present(700_00, enach)
  await advance('PT4M')
  assert.deepEqual(toldOf(quick), [])
  await advance('PT2M')
  assert.deepEqual(toldOf(quick), ['captured'])
  const paid = await paymentNow(quick)
  assert.equal(paid.order_state, 'paid')
  assert.ok(paid.transaction_id)
  await advance('P5D')
  const evening = new Date((await paymentNow(slow)).captured_at)
  assert.match(evening.toISOString(), /T12:30:00/, '18:00 in India')
  assert.deepEqual(toldOf(slow).slice(0, 1), ['captured'])
  await expectSoundBooks()
})

test('a purpose hears once of what the bank tells twice, tells nothing of, or is told again and again', async () => {
  const twice = await present(800_93, upi, 'upi_autopay')
  const silent = await present(800_94, upi, 'upi_autopay')
  await advance('PT6M')
  assert.deepEqual(toldOf(twice), ['captured'])
  await advance('PT2H')
  assert.deepEqual(toldOf(silent), ['captured'], 'found by asking')
  const report = await bank.status({ instituteId: school.id, paymentId: twice.id, providerRef: null })
  const statuses = await Promise.all(Array.from({ length: 8 }, () => postCallback(report)))
  assert.deepEqual([...new Set(statuses)], [200])
  assert.deepEqual(toldOf(twice), ['captured'])
})

test('a bounce carries the return code of its rail, and the order stays unpaid', async () => {
  const cases = [
    [present(100_81, enach), '04'],
    [present(100_82, enach), '59'],
    [present(100_83, enach), '08'],
    [present(100_81, upi, 'upi_autopay'), 'Z9'],
    [present(100_82, upi, 'upi_autopay'), 'U30'],
    [present(100_83, upi, 'upi_autopay'), 'QA'],
    [present(30_000_00, enach), '15'],
    [present(30_000_00, upi, 'upi_autopay'), 'U54'],
    [present(100_00, 'bank_nobody'), '08'],
  ] as const
  const payments = await Promise.all(cases.map(([payment]) => payment))
  await advance('P5D')
  for (const [index, payment] of payments.entries()) {
    const code = cases[index]?.[1]
    assert.deepEqual(toldOf(payment), [`failed ${code}`])
    const now = await paymentNow(payment)
    assert.deepEqual([now.state, now.failure_code, now.order_state], ['failed', code, 'unpaid'])
  }
  await expectSoundBooks()
})

test('a debit under a mandate that was cancelled, is not confirmed or has lapsed is returned', async () => {
  const lapsed = await activeMandate('upi_autopay', { endOn: '2020-12-31' })
  const cancelled = await activeMandate('upi_autopay')
  const { mandateId } = (await bank.findMandate(school.id, { ref: cancelled })) ?? { mandateId: '' }
  const debits = [
    await present(100_00, lapsed, 'upi_autopay'),
    await present(100_00, cancelled, 'upi_autopay'),
  ]
  await port.cancel({ instituteId: school.id, mandateId, providerRef: cancelled })
  await advance('PT6M')
  for (const debit of debits) assert.deepEqual(toldOf(debit), ['failed QA'])
})

test('.84 leaves the bank undecided for two more days; nobody gives it up meanwhile', async () => {
  const payment = await present(100_84, upi, 'upi_autopay')
  await advance('P1D')
  assert.equal((await paymentNow(payment)).state, 'pending')
  await advance('P2D')
  assert.deepEqual(toldOf(payment).slice(0, 1), ['captured'])
})

test('a debit that the bank never heard of is given up once, and cannot be sent after that', async () => {
  const payment = await open(100_00)
  await advance('PT20M')
  assert.equal((await paymentNow(payment)).state, 'created')
  await advance('PT2H')
  await advance('PT2H')
  assert.deepEqual(toldOf(payment), ['failed abandoned'])
  assert.equal(await send(payment, enach), 'over')
  assert.deepEqual(await sql('select from bank_payments where payment_id = $1', [payment.id]), [])
})

test('a debit that is sent while a reconciler asks about it is not given up on its earlier answer', async () => {
  const payment = await open(100_00)
  const asIs = bank.status.bind(bank)
  bank.status = async asked => {
    const stale = await asIs(asked)
    if (asked.paymentId === payment.id) await send(payment, enach)
    return stale
  }
  await advance('PT2H')
  bank.status = asIs
  assert.deepEqual(toldOf(payment), [])
  assert.equal((await paymentNow(payment)).state, 'pending')
})

test('an instalment is the bank’s to debit: the API reads it, but no close, checkout or sandbox payment reaches it', async () => {
  const { orderId } = await open(450_00)
  assert.equal((await demo.get(`${PAY}/orders/${orderId}`)).body.data.kind, 'instalment')
  assert.equal((await demo.delete(`${PAY}/orders/${orderId}`)).status, 409)
  assert.equal((await demo.get(`${PAY}/orders/${orderId}/receipt`)).status, 404)
  assert.equal((await demo.get(`${PAY}/payment_links/${orderId}`)).status, 404)
  for (const kind of ['orders', 'payment_links'])
    assert.doesNotMatch((await demo.get(`${PAY}/${kind}?limit=200`)).text, new RegExp(orderId))
  assert.equal((await demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome: 'success' })).status, 404)
  assert.equal((await fetch(`${bursar.url}/pay/demo-school/${orderId}`)).status, 404)
})

test('a down payment is paid at the checkout, told to its purpose, and read and refunded by the API', async () => {
  const order = makeOrder('downpayment', 5_000_00)
  await ctx.db.transaction(tx => openOrder(tx, { instituteId: school.id, order }))
  assert.equal((await fetch(`${bursar.url}/pay/demo-school/${order.id}`)).status, 200)
  const paid = await demo.post(`${SANDBOX}/pay/orders/${order.id}/pay`, { outcome: 'success' })
  assert.equal(paid.body.data.status, 'captured', paid.text)
  const payment = { id: paid.body.data.payment_id }
  assert.deepEqual(toldOf(payment), ['captured'])
  await demo.post(`${SANDBOX}/settlements/run`)
  assert.deepEqual(toldOf(payment), ['captured', 'settled'])
  assert.deepEqual(await sql('select from events where resource_id = $1', [order.id]), [])
  const view = (await demo.get(`${PAY}/orders/${order.id}`)).body.data
  assert.deepEqual([view.kind, view.status, view.service_student_id], ['downpayment', 'paid', studentId])
  assert.match(view.details[0].settlement_utr, /\w+/)
  assert.equal((await demo.post(`${PAY}/orders/${order.id}/refunds`, { amount: 10 })).status, 201)
  assert.equal((await fetch(`${bursar.url}/pay/demo-school/${order.id}`)).status, 200)
})

test('the sandbox ends a debit by its payment too: capture, or fail for want of money', async () => {
  const good = await present(460_00, enach)
  assert.equal((await demo.post(`${SANDBOX}/payments/${good.id}/capture`)).body.data.status, 'captured')
  assert.equal((await demo.post(`${SANDBOX}/payments/${good.id}/fail`)).status, 409)
  const bad = await present(470_00, enach)
  assert.equal((await demo.post(`${SANDBOX}/payments/${bad.id}/fail`)).body.data.status, 'failed')
  assert.deepEqual([toldOf(good), toldOf(bad)], [['captured'], ['failed 04']])
})

test('at the end the books are sound', expectSoundBooks)
