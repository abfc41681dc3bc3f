import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { assertAnswer } from '../../console/support.ts'
import { SCHOOL } from '../../console/students/support.ts'
import type { Json } from '../../harness/client.ts'
import { findUnfinished } from '../../harness/payments.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { linesOf, SplitDesk } from './support.ts'

const school = await SplitDesk.open(after)
const { demo } = school.desk.bursar
await school.split()

async function assertBooks(): Promise<void> {
  assert.deepEqual(await findUnfinished(sql => school.sql(sql)), [])
  const { ctx } = school.desk.bursar.app
  const { differences } = await reconcile(ctx, await getInstitute(ctx, 'demo-school'))
  assert.deepEqual(differences, [])
}

const FEES = { TUITION_FEE: 50_000, HOSTEL_FEE: 30_000.55, BUS_FEE: 9_000 }

test('one payment is settled in as many bank accounts as its lines name, each line with its own UTR, told once', async () => {
  const orderId = await school.order(FEES)
  await school.pay(orderId, 'card')
  await school.settle()
  const order = await school.read(orderId)
  const utrs = order.details.map((line: Json) => line.settlement_utr)
  assert.equal(new Set(utrs).size, 3, 'each account has a transfer of its own')
  assert.ok(order.details.every((line: Json) => line.settled_at !== undefined))
  const settled = await school.settlements()
  const of = (utr: string): Json => settled.find(one => one.utr === utr) ?? {}
  // Of ₹89,000.55 by card the bank keeps one per cent, and all of it where the tuition fee is settled.
  const fee = Math.round(8_900_055 / 100) / 100
  assert.deepEqual(
    utrs.map((utr: string) => [of(utr).bank_account, of(utr).gross, of(utr).charges]),
    [
      [undefined, 50_000, fee],
      ['Hostel 7781', 30_000.55, 0],
      ['Buses 9902', 9_000, 0],
    ],
  )
  const [, hostel] = utrs
  const detail = (await demo.get(`${PAY}/settlements/${hostel}`)).body.data
  assert.equal(detail.bank_account_id, school.hostel)
  assert.deepEqual(
    detail.items.map((item: Json) => [item.order_id, item.amount, item.details]),
    [[orderId, 30_000.55, linesOf({ HOSTEL_FEE: 30_000.55 })]],
  )
  assert.deepEqual(
    detail.components.map((one: Json) => [one.component_type, one.amount, one.payment_count]),
    [['HOSTEL_FEE', 30_000.55, 1]],
  )
  const events = await school.sql<{ code: string; payload: Json }>(
    `select event_code as code, payload from events where resource_id = $1 and event_code like '%settled' order by 1`,
    [orderId],
  )
  assert.deepEqual(
    events.map(({ code }) => code),
    ['order.payment.settled', 'pay.payment.settled'],
  )
  const [{ payload } = { payload: null }] = events
  assert.deepEqual(
    payload.payment.details.map((line: Json) => line.settlement_utr),
    utrs,
  )
  assert.equal(payload.payment.settlement_utr, undefined, 'its lines have none in common')
  await assertBooks()
})

test('a payment that goes whole to another account leaves nothing but the fee where the provider account is settled', async () => {
  const orderId = await school.order({ HOSTEL_FEE: 20_000 })
  await school.pay(orderId, 'netbanking')
  await school.settle()
  const [line] = (await school.read(orderId)).details
  const settled = await school.settlements()
  assert.deepEqual(
    settled
      .slice(0, 2)
      .map(one => [one.bank_account ?? 'own', one.gross, one.charges, one.net].join(' '))
      .toSorted((one, other) => one.localeCompare(other)),
    ['Hostel 7781 20000 0 20000', 'own 0 15 -15'],
  )
  assert.equal(line.settlement_utr, settled.find(one => one.bank_account === 'Hostel 7781')?.utr)
  await school.settle()
  await assertBooks()
})

test('a refund comes from the accounts of the lines that it gives back', async () => {
  const orderId = await school.order(FEES)
  await school.pay(orderId)
  const refund = await demo.post(`${PAY}/orders/${orderId}/refunds`, {
    details: linesOf({ HOSTEL_FEE: 10_000, TUITION_FEE: 500 }),
  })
  assert.equal(refund.status, 201, refund.text)
  assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'PT5M' })).status, 200)
  await school.settle()
  const utrs = (await school.read(orderId)).details.map((line: Json) => line.settlement_utr)
  const settled = await school.settlements()
  assert.deepEqual(
    utrs.map((utr: string) => settled.find(one => one.utr === utr)?.refunds),
    [500, 10_000, 0],
  )
  const detail = (await demo.get(`${PAY}/settlements/${utrs[1]}`)).body.data
  assert.deepEqual(
    detail.items.map((item: Json) => [item.type, item.amount, item.details]),
    [
      ['refund', 10_000, linesOf({ HOSTEL_FEE: 10_000 })],
      ['payment', 30_000.55, linesOf({ HOSTEL_FEE: 30_000.55 })],
    ],
  )
  // The rest of it, from all three.
  assert.equal((await demo.post(`${PAY}/orders/${orderId}/refunds`)).status, 201)
  await school.pay(await school.order({ HOSTEL_FEE: 1, BUS_FEE: 1, TUITION_FEE: 1 }))
  assert.equal((await demo.post('/api/v1/sandbox/clock', { advance: 'P3D' })).status, 200)
  await assertBooks()
})

test('a payment keeps the accounts with which it was started, whatever is set up before it is settled', async () => {
  const orderId = await school.order({ TUITION_FEE: 100, BUS_FEE: 200 })
  await school.pay(orderId)
  assertAnswer(await school.name({ BUS_FEE: school.hostel, HOSTEL_FEE: school.hostel }), '200')
  assertAnswer(await school.link(school.buses, 'acc_buses_new'), '200')
  await school.settle()
  const [, bus] = (await school.read(orderId)).details
  const settled = await school.settlements()
  assert.equal(settled.find(one => one.utr === bus.settlement_utr)?.bank_account, 'Buses 9902')
  await school.split()
  await assertBooks()
})

test('what belongs to an account that is not verified is refused before anybody is asked to pay it', async () => {
  assertAnswer(await school.link(school.buses, 'acc_wait_buses'), '200')
  const lines = { details: linesOf({ TUITION_FEE: 100, BUS_FEE: 200 }) }
  for (const kind of ['orders', 'payment_links']) {
    const refused = await demo.post(`${PAY}/${kind}`, sampleOrder(lines))
    assert.equal(refused.status, 400, refused.text)
    assert.deepEqual(
      refused.body.errors.map((error: Json) => error.key),
      ['details.1.component_type'],
    )
    assert.match(refused.body.errors[0].message, /Buses 9902.*not verified/)
  }
  const { components, linked } = await school.setup()
  const bus = components.find((one: Json) => one.component_type === 'BUS_FEE')
  assert.match(bus.closed[0].why, /not verified/)
  assert.equal(linked.find((one: Json) => one.name === 'Buses 9902').state, 'unverified')
  const found = { linked_id: 'acc_wait_buses', verified: true }
  // Another institute's word counts for its own account of that id.
  assert.equal((await school.desk.bursar.group.post('/api/v1/sandbox/linked_accounts', found)).status, 200)
  assertAnswer(await school.link(school.buses, 'acc_wait_buses'), '200')
  assert.equal((await demo.post(`${PAY}/orders`, sampleOrder(lines))).status, 400)
  const verified = await demo.post('/api/v1/sandbox/linked_accounts', found)
  assert.equal(verified.status, 200, verified.text)
  assertAnswer(await school.link(school.buses, 'acc_wait_buses'), '200')
  assert.equal((await demo.post(`${PAY}/orders`, sampleOrder(lines))).status, 201)
  await school.split()
})

test('an order whose account is not verified any more is not offered to the payer', async () => {
  const orderId = await school.order({ BUS_FEE: 300 })
  assertAnswer(await school.link(school.buses, 'acc_wait_again'), '200')
  const page = await fetch(`${school.desk.bursar.url}/pay/demo-school/${orderId}`)
  assert.equal(page.status, 200)
  assert.doesNotMatch(await page.text(), /name="mode"/)
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  assert.equal(paid.status, 409, paid.text)
  assert.match(paid.body.message, /Buses 9902/)
  await school.split()
  await school.pay(orderId)
})

test('only what the account that takes payments knows can be named, by those who keep the money, and the log says who', async () => {
  const third = await school.desk.finance.post(`${SCHOOL}/bank-accounts`, { name: 'Canteen' })
  assertAnswer(await school.name({ CANTEEN_FEE: third.body.data.id }), '400 HUE00000')
  assertAnswer(await school.name({ CANTEEN_FEE: 'acct_none' }), '400 HUE00000')
  assertAnswer(await school.link('acct_none', 'acc_canteen'), '400 HUE00000')
  assertAnswer(await school.link(third.body.data.id, 'acc_canteen', 'pa_none'), '400 HUE00000')
  assertAnswer(await school.link(third.body.data.id, 'acc_hostel'), '400 HUE00000')
  assertAnswer(await school.link(third.body.data.id, 'not an id'), '400 HUE00000')
  const { viewer } = school.desk
  assert.equal((await viewer.get(`${SCHOOL}/settlement-accounts`)).status, 403)
  const audit = await school.desk.owner.get(`${SCHOOL}/audit?limit=50`)
  const acts = audit.body.data.map((one: Json) => one.what)
  assert.ok(acts.includes('settlement_account.added') && acts.includes('component_accounts.changed'))
})
