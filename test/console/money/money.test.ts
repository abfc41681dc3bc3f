import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { daysAgo, deskOf, ids, MONEY, payOrder, openMoney } from './support.ts'
import { assertAnswer, demoVisitor, type Visitor } from '../support.ts'

const bursar = await startBursar({ after })
const { url } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const { school, owner, viewer, finance } = await openMoney(bursar)
const { read, file, everyPage } = deskOf(owner)
const ELSEWHERE = '/console/api/institutes/demo-group/money'

test('a settlement shows its sums, what its payments were for and every payment and refund in it', async () => {
  const [settlement] = await read('/settlements')
  assert.deepEqual(
    [settlement.gross, settlement.charges, settlement.refunds, settlement.net, settlement.payment_count],
    [48000, 0, 500, 47500, 2],
  )
  assert.equal(settlement.account_name, 'Sandbox bank')
  const detail = await read(`/settlements/${settlement.id}`)
  assert.deepEqual(detail.components, [
    { component_type: 'TUITION_FEE', amount: 45000, payment_count: 1 },
    { component_type: 'TRANSPORT', amount: 3000, payment_count: 1 },
  ])
  const items = await read(`/settlements/${settlement.id}/items`)
  assert.equal(
    items.reduce((sum: number, { type, amount }: Json) => sum + (type === 'refund' ? -amount : amount), 0),
    settlement.net + settlement.charges,
  )
  assert.deepEqual(ids(await read(`/settlements?utr=${settlement.utr.slice(0, 6)}`)), [settlement.id])
  assert.deepEqual(await read('/settlements?utr=%25'), [])
  assert.deepEqual(await read(`/settlements?to=${daysAgo(1)}`), [])
})

test('what is on its way to the bank is expected on its day, and late after it', async () => {
  const [expected] = await read('/expected')
  assert.deepEqual([expected.payment_count, expected.amount, expected.is_overdue], [1, 1200.5, false])
  await sql(`update payments set settle_due_on = '2026-01-05' where id = $1`, [school.waiting.paymentId])
  assert.equal((await read('/expected'))[0].is_overdue, true)
  assert.deepEqual((await read('/reconciliation')).overdue, { count: 1, amount: 1200.5 })
  assert.deepEqual(ids(await read('/reconciliation/items?status=expected&due_on=2026-01-05')), [
    school.waiting.paymentId,
  ])
})

test('a report that does not match stands among the exceptions with both amounts, until it matches', async () => {
  await sql(
    `insert into settlement_exceptions (institute_id, provider, account_id, utr, provider_ref, problem, reported_paise, known_paise, noticed_at)
     values (1, 'sandbox', 'sandbox', 'UTR-1', 'bank_x', 'amount differs', 9900, 10000, now()), (1, 'sandbox', 'sandbox', 'UTR-1', 'bank_y', 'payment unknown here', 5000, null, now())`,
  )
  const found = await everyPage('/reconciliation/items?status=mismatched')
  assert.deepEqual(
    found.map(row => [row.provider_ref, row.problem, row.amount, row.reported]),
    [
      ['bank_y', 'payment unknown here', undefined, 50],
      ['bank_x', 'amount differs', 100, 99],
    ],
  )
  assert.deepEqual((await read('/reconciliation')).mismatched, { count: 2, amount: 149 })
  const checks = await read('/reconciliation/checks')
  assert.equal(checks.length, 21)
  assert.deepEqual(
    checks.filter((one: Json) => one.differences.length > 0).map((one: Json) => one.differences.length),
    [2],
  )
  await sql('delete from settlement_exceptions')
  assert.deepEqual(new Set(ids(await everyPage('/reconciliation/items?status=matched'))).size, 3)
  const wrong = await owner.get(`${MONEY}/reconciliation/items?status=mismatched&cursor=pay_x`)
  assertAnswer(wrong, '400 HUE00000')
})

test('a report that a person has looked at is kept with the reason, and is a difference no more', async () => {
  await sql(
    `insert into settlement_exceptions (institute_id, provider, account_id, utr, provider_ref, problem, reported_paise, known_paise, noticed_at)
     values (1, 'sandbox', 'sandbox', 'UTR-2', 'bank_x', 'amount differs', 9900, 10000, now()), (1, 'sandbox', 'sandbox', '', 'bank_y', 'captured, and unknown here', 5000, null, now())`,
  )
  const found = await everyPage('/reconciliation/items?status=mismatched')
  const [canteen] = found
  const resolve = `${MONEY}/reconciliation/items/${canteen?.['id']}/resolve`
  assertAnswer(await viewer.post(resolve, { reason: 'no' }), '403 AUE00001')
  assertAnswer(await owner.post(resolve, { reason: 'a sale of the canteen' }), '200')
  assertAnswer(await owner.post(resolve, { reason: 'again' }), '404 HUE00001')
  assertAnswer(
    await owner.post(`${MONEY}/reconciliation/items/pay_1/resolve`, { reason: 'no' }),
    '404 HUE00001',
  )
  assert.deepEqual((await read('/reconciliation')).mismatched, { count: 1, amount: 99 })
  const checks: Json[] = await read('/reconciliation/checks')
  const looked = checks.find(({ check }) => check.endsWith('has been looked at'))
  assert.deepEqual(looked?.['differences'], [
    { subject: 'UTR-2 bank_x', detail: 'amount differs, ₹99.00 reported through the account sandbox' },
  ])
  const [row] = await sql(
    'select resolved_by, resolution from settlement_exceptions where resolved_at is not null',
  )
  assert.deepEqual(row, { resolved_by: 'bursar@demo-school.example', resolution: 'a sale of the canteen' })
  await sql('delete from settlement_exceptions')
})

test('the ledger’s balances are what their names say, and its transfers are found by account, reference and day', async () => {
  const accounts: Json[] = await read('/ledger/accounts')
  const balance = Object.fromEntries(accounts.map(one => [one.account, one.balance]))
  const settlements: Json[] = await read('/settlements')
  const sumOf = (key: string): number => settlements.reduce((sum, one) => sum + one[key], 0)
  assert.ok(sumOf('net') > 0)
  assert.equal(balance['settlement_bank'], sumOf('net'))
  assert.equal(balance['fees'], sumOf('charges'))
  assert.equal(balance['institute_settled'], sumOf('net') + sumOf('charges'))
  assert.equal(
    balance['provider_receivable'],
    balance['institute_payable'] + balance['payer_clearing'] + balance['refunds'],
  )
  const paged = await everyPage('/ledger/transfers')
  const whole = await read('/ledger/transfers?limit=200')
  assert.deepEqual(ids(paged), ids(whole))
  const refunds = await read('/ledger/transfers?account=refunds')
  assert.deepEqual(
    refunds.map((one: Json) => [one.kind, one.source, one.destination, one.amount]),
    [
      ['refund_processed', 'provider_receivable', 'refunds', 500],
      ['refund_requested', 'refunds', 'institute_payable', 500],
    ],
  )
  assert.deepEqual(
    ids(await everyPage('/ledger/transfers?account=institute_payable')),
    ids(whole.filter((one: Json) => [one.source, one.destination].includes('institute_payable'))),
  )
  const [settlement] = settlements
  assert.equal((await read(`/ledger/transfers?reference=${settlement.id}`)).length, 2)
  assert.equal((await read(`/ledger/transfers?reference=${school.plan.paymentId}`)).length, 1)
  assert.deepEqual(ids(await read(`/ledger/transfers?from=${daysAgo(0)}&limit=200`)), ids(whole))
  assert.deepEqual(await read(`/ledger/transfers?to=${daysAgo(1)}`), [])
})

test('every payment and refund is in the register once, whatever way it came', async () => {
  const paged = await everyPage('/payments')
  const whole = await read('/payments')
  assert.deepEqual(ids(paged), ids(whole))
  assert.deepEqual(
    whole.map((row: Json) => `${row.kind} ${row.source} ${row.amount}`),
    [
      'payment online 1200.5',
      'refund online -500',
      'payment flex 3000',
      'payment online 45000',
      'payment direct 10000',
    ],
  )
  assert.equal((await read('/payments?source=direct'))[0].components[0].component_type, 'TUITION_FEE')
  assert.deepEqual(ids(await read('/payments?settled=no')), [school.waiting.paymentId])
  assert.deepEqual(ids(await read('/payments?component_type=TRANSPORT')), [school.plan.paymentId])
  assert.deepEqual(await read('/payments?source=direct&kind=refund'), [])
  assert.equal((await read(`/payments?captured_from=${daysAgo(0)}`)).length, 4)
})

test('a receipt says what of its money went back', async () => {
  const receipts: Json[] = await read('/receipts')
  const back = receipts.filter(one => one.refunded_amount !== undefined)
  assert.deepEqual(
    back.map(one => one.refunded_amount),
    [500],
  )
})

test('a receipt is found by its number, read as PDF, and cancelled once with a reason', async () => {
  const [receipt] = await read('/receipts?number=2026-27/000003'.replace('2026-27', await currentYear()))
  assert.equal(receipt.order_id, school.waiting.orderId)
  assert.deepEqual(ids(await read('/receipts?number=3')), [receipt.id])
  const pdf = await file(`/receipts/${receipt.id}/pdf`, viewer)
  assert.equal(pdf.text.slice(0, 5), '%PDF-')
  const cancel = (visitor: Visitor, body: Json = { reason: 'Wrong payer' }) =>
    visitor.post(`${MONEY}/receipts/${receipt.id}/cancel`, body)
  assertAnswer(await cancel(viewer), '403 AUE00001')
  assertAnswer(await cancel(finance, {}), '400 HUE00000')
  assertAnswer(await cancel(finance), '200')
  assertAnswer(await cancel(finance), '409 HUE00002')
  const [after] = await read('/receipts?status=cancelled')
  assert.deepEqual([after.id, after.cancel_reason], [receipt.id, 'Wrong payer'])
  const [entry] = await sql<{ actor_name: string; why: string; before: Json; after: Json }>(
    `select actor_name, why, before, after from console_audit where what = 'receipt.cancelled'`,
  )
  assert.deepEqual(
    [entry?.actor_name, entry?.why, entry?.before.status, entry?.after.status],
    ['finance@school.example', 'Wrong payer', 'issued', 'cancelled'],
  )
  assert.equal((await read('/reconciliation/checks')).flatMap((one: Json) => one.differences).length, 0)
})

async function currentYear(): Promise<string> {
  const [row] = await sql<{ year: string }>('select max(financial_year) as year from receipts')
  return row?.year ?? ''
}

test('another institute’s settlements, receipts and entries are not there', async () => {
  const stranger = await demoVisitor(url, 'bursar@demo-group.example')
  const [settlement] = await read('/settlements')
  const [receipt] = await read('/receipts')
  for (const path of [
    `/settlements/${settlement.id}`,
    `/settlements/${settlement.id}/items`,
    `/settlements/${settlement.id}/items/export?format=csv`,
    `/receipts/${receipt.id}/pdf`,
  ]) {
    assertAnswer(await stranger.get(ELSEWHERE + path), '404 HUE00001')
    assertAnswer(await stranger.get(MONEY + path), '404 HUE00001')
  }
  assertAnswer(
    await stranger.post(`${ELSEWHERE}/receipts/${receipt.id}/cancel`, { reason: 'Mine' }),
    '404 HUE00001',
  )
  for (const path of [
    '/payments',
    '/settlements',
    '/ledger/transfers',
    '/defaulters',
    '/receipts',
    '/expected',
  ]) {
    const { body } = await stranger.get(ELSEWHERE + path)
    assert.deepEqual(body.data, [], path)
  }
  const cursor = school.settled.paymentId
  assert.deepEqual((await stranger.get(`${ELSEWHERE}/payments?cursor=${cursor}`)).body.data, [])
})

test('a payment made while a page is read is neither lost nor shown twice on the next', async () => {
  const first = await owner.get(`${MONEY}/payments?limit=2`)
  await payOrder(bursar)
  const second = await owner.get(`${MONEY}/payments?limit=2&cursor=${first.body.next_cursor}`)
  assert.deepEqual(
    [...first.body.data, ...second.body.data].map((row: Json) => row.amount),
    [1200.5, -500, 3000, 45000],
  )
})
