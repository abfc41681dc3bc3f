import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchedBill, SetuUnit } from '../../emulators/setu/unit.ts'
import { LIMITS } from '../../src/platform/rate-limits.rules.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { sandboxNow } from '../harness/sandbox-now.ts'
import { assertStatus, openContract, register, unique } from '../http/support.ts'
import { openUnit } from './support.ts'

const contract = await openContract()
const { demo, sql } = contract
const unit = await openUnit(contract)
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 1000 },
  { component_type: 'BUS_FEE', fee_amount: 500.5 },
]

type Child = { id: string; identifiers: { admission_number: string; date_of_birth: string } }

async function newChild(fees: Json[] = FEES, student: Json = {}): Promise<Child> {
  const identifier = unique('BC')
  const answer = await register(demo, unique('parent'), { identifier, ...student }, { fee_components: fees })
  assertStatus(answer, 201)
  const { service_student_id: id } = answer.body.data
  return { id, identifiers: { admission_number: identifier, date_of_birth: '20-06-2015' } }
}

async function billOf({ identifiers }: Child, from: SetuUnit = unit): Promise<FetchedBill> {
  const bill = await from.fetchBill(identifiers)
  assert.ok(typeof bill === 'object', `a bill and not ${JSON.stringify(bill)}`)
  return bill
}

async function duesOf({ id }: Child): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}/dues`)).body.data
}

async function paymentsOf({ id }: Child): Promise<Json[]> {
  return (await demo.get(`${PAY}/students/${id}/payments`)).body.data
}

async function eventsOf({ id }: Child): Promise<Json[]> {
  return sql<Json>('select event_code, payload from events where resource_id = $1 order by sequence', [id])
}

async function problemsAbout(providerRef: string): Promise<string[]> {
  const rows = await sql<Json>('select problem from settlement_exceptions where provider_ref = $1', [
    providerRef,
  ])
  return rows.map(row => row['problem'])
}

const daysAgo = (days: number): string =>
  new Date(sandboxNow() + 5.5 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)

async function setRules(rules: Json): Promise<void> {
  assertStatus(await demo.send('PUT', `${ERP}/payment-rules`, rules), 200)
}

async function assertBooksFit(): Promise<void> {
  assert.deepEqual(await findBroken(sql), [])
}

test('an app shows what is due with its fees, and the payment is booked under the reference of the network with a receipt', async () => {
  const child = await newChild()
  const bill = await billOf(child)
  assert.deepEqual([bill.amount, bill.exactness, bill.customer], [150_050, 'ANY', 'Kabir Rao'])
  assert.deepEqual(
    bill.items.map(item => item.amount),
    [100_000, 50_050],
  )
  const paid = unit.pay(bill)
  const receipt = await unit.post(paid)
  assert.match(receipt, /^\d{4}-\d{2}\/\d{6}$/)
  const [payment, ...others] = await paymentsOf(child)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [
      payment?.['mode'],
      payment?.['transaction_id'],
      payment?.['receipt_number'],
      payment?.['product'],
      payment?.['status'],
    ],
    ['bharat_connect', paid.reference, receipt, 'pay', 'captured'],
  )
  assert.equal((await duesOf(child))['total_due'] ?? 0, 0)
  const told = (await eventsOf(child)).filter(event => event['event_code'] === 'pay.payment.debited')
  assert.deepEqual(
    told.map(({ payload }) => [payload.payment.mode, payload.payment.amount, payload.payment.transaction_id]),
    [['bharat_connect', 1500.5, paid.reference]],
  )
  assert.equal(await unit.fetchBill(child.identifiers), 'NO_OUTSTANDING')
  await assertBooksFit()
})

test('a payment that is posted twice, and by two at once, counts once and has one receipt', async () => {
  const child = await newChild()
  const paid = unit.pay(await billOf(child))
  const [first, ...rest] = await Promise.all(Array.from({ length: 4 }, () => unit.post(paid)))
  for (const receipt of [...rest, await unit.post(paid)]) assert.equal(receipt, first)
  assert.equal((await paymentsOf(child)).length, 1)
  await assertBooksFit()
})

test('a reference that comes again with another amount or bill changes nothing and is shown to a person', async () => {
  const child = await newChild()
  const paid = unit.pay(await billOf(child))
  await unit.post(paid)
  const details = paid.body['paymentDetails'] as Json
  const other = {
    ...paid,
    body: { ...paid.body, paymentDetails: { ...details, amountPaid: { value: 100 } } },
  }
  assert.equal(await unit.post(other), 'incorrect-amount')
  assert.equal((await paymentsOf(child)).length, 1)
  assert.equal((await problemsAbout(paid.platformBillID)).length, 1)
})

test('wrong identifiers are answered alike, whichever is wrong, and nothing is told of a child', async () => {
  const child = await newChild()
  const { admission_number, date_of_birth } = child.identifiers
  for (const wrong of [
    { admission_number: 'NOBODY', date_of_birth },
    { admission_number, date_of_birth: '21-06-2015' },
    { admission_number },
    { date_of_birth },
    { admission_number: ' ', date_of_birth: '' },
  ] as Record<string, string>[])
    assert.equal(await unit.fetchBill(wrong), 'customer-not-found')
})

test('dates of birth are taken as people type them, and a phone with and without its country code', async () => {
  const child = await newChild()
  const { admission_number } = child.identifiers
  for (const date_of_birth of ['20062015', '20/06/2015', '2015-06-20', '20.06.2015'])
    assert.equal(
      typeof (await unit.fetchBill({ admission_number: admission_number.toLowerCase(), date_of_birth })),
      'object',
    )
  const byPhone = await openUnit(contract, { secondIdentifier: 'phone' })
  for (const phone of ['9876543210', '+91 98765 43210', '09876543210'])
    assert.equal(typeof (await byPhone.fetchBill({ admission_number, phone })), 'object')
  assert.equal(await byPhone.fetchBill({ admission_number, phone: '9876543211' }), 'customer-not-found')
  await openUnit(contract)
})

test('who goes on guessing for one admission number waits, and so does the right answer; other children are shown', async () => {
  const [child, other] = [await newChild(), await newChild()]
  const { admission_number, date_of_birth } = child.identifiers
  for (let day = 1; day <= LIMITS.billIdentifier.waits.free; day++)
    assert.equal(
      await unit.fetchBill({ admission_number, date_of_birth: `${10 + day}-01-2015` }),
      'customer-not-found',
    )
  assert.equal(await unit.fetchBill({ admission_number, date_of_birth }), 'customer-not-found')
  await billOf(other)
  await sql(`update bill_guesses set blocked_until = blocked_until - interval '15 minutes'`)
  await billOf(child)
})

test('only calls that the school’s own credentials have signed within two minutes are answered', async () => {
  const { identifiers } = await newChild()
  const body = {
    customerIdentifiers: Object.entries(identifiers).map(([attributeName, attributeValue]) => ({
      attributeName,
      attributeValue,
    })),
  }
  const now = Math.floor(Date.now() / 1_000)
  const group = await openUnit(contract, { code: 'demo-group' })
  const tokens = {
    none: '',
    'not a token': 'Bearer x',
    'another secret': `Bearer ${unit.token({}, { secret: 'x'.repeat(43) })}`,
    'another algorithm': `Bearer ${unit.token({}, { alg: 'none' })}`,
    'another scheme': `Bearer ${unit.token({ aud: 'other' })}`,
    'no time': `Bearer ${unit.token({ iat: undefined })}`,
    old: `Bearer ${unit.token({ iat: now - 130 })}`,
    'of the future': `Bearer ${unit.token({ iat: now + 120 })}`,
    'of another school': `Bearer ${group.token()}`,
  }
  for (const [what, token] of Object.entries(tokens)) {
    const said = await unit.call('/bills/fetch', body, token)
    assert.equal(
      `${said.status} ${(said.body['error'] as Json)['code']}`,
      '401 jwt-verification-failed',
      what,
    )
  }
  assert.equal((await unit.call('/bills/fetch/', body)).status, 200)
})

test('bodies that are not what the unit’s documents say are refused by their field, never as our mistake', async () => {
  const bill = await billOf(await newChild())
  const { body } = unit.pay(bill)
  const details = body['paymentDetails'] as Json
  for (const [path, wrong] of [
    ['/bills/fetch', ''],
    ['/bills/fetch', '[]'],
    ['/bills/fetch', { customerIdentifiers: [] }],
    ['/bills/fetch', { customerIdentifiers: [{ attributeName: 'x', attributeValue: 'y\u0000' }] }],
    ['/bills/fetchReceipt', {}],
    ['/bills/fetchReceipt', { ...body, billerBillID: 7 }],
    ['/bills/fetchReceipt', { ...body, paymentDetails: { ...details, amountPaid: { value: 10.5 } } }],
    ['/bills/fetchReceipt', { ...body, paymentDetails: { ...details, amountPaid: { value: -1 } } }],
    ['/bills/fetchReceipt', { ...body, paymentDetails: { ...details, uniquePaymentRefID: 'x'.repeat(200) } }],
    ['/notifications', { events: 1 }],
    [
      '/notifications',
      { events: [{ type: 'BILL_SETTLEMENT_STATUS', data: { status: 'SETTLEMENT_SUCCESSFUL' } }] },
    ],
  ] as const) {
    const said = await unit.call(path, wrong)
    assert.equal(
      `${said.status} ${(said.body['error'] as Json)['code']}`,
      '400 malformed-request',
      `${path} ${JSON.stringify(wrong)}`,
    )
  }
})

test('the amount is exact where no parts are taken, at least the least part where there is one, and any otherwise', async t => {
  t.after(async () => setRules({}))
  const child = await newChild()
  await setRules({ part_payments: false })
  assert.deepEqual(pick(await billOf(child)), ['EXACT', 150_050])
  await setRules({ part_payments: true, min_amount: 400 })
  assert.deepEqual(pick(await billOf(child)), ['EXACT_UP', 40_000])
  await setRules({ part_payments: true })
  assert.deepEqual(pick(await billOf(child)), ['ANY', 150_050])
  const exact = await openUnit(contract, { amountRule: 'exact' })
  assert.deepEqual(pick(await billOf(child, exact)), ['EXACT', 150_050])
  const atLeast = await openUnit(contract, { amountRule: 'at_least' })
  assert.deepEqual(pick(await billOf(child, atLeast)), ['EXACT_UP', 150_050])
  await openUnit(contract)
})

const pick = ({ exactness, amount }: FetchedBill): unknown[] => [exactness, amount]

test('what is overdue is billed with its late fee, what falls due later is not, and a part pays late fees first', async t => {
  t.after(async () => setRules({}))
  await setRules({
    late_fees: [
      { component_type: 'TUITION_FEE', due_date: daysAgo(-40), kind: 'none' },
      { component_type: 'BUS_FEE', due_date: daysAgo(3), kind: 'per_day', amount_per_day: 10 },
    ],
  })
  const child = await newChild()
  const bill = await billOf(child)
  assert.deepEqual(
    bill.items.map(item => item.amount),
    [50_050, 3_000],
  )
  await unit.post(unit.pay(bill, 13_000))
  const [payment] = await paymentsOf(child)
  assert.deepEqual(payment?.['details'], [
    { component_type: 'BUS_FEE', amount: 100 },
    { component_type: 'LATE_FEE', amount: 30 },
  ])
  assert.equal((await billOf(child)).amount, 40_050)
  await assertBooksFit()
})

test('what is on the way is not billed, and is not paid a second time when its bill was open already', async () => {
  const child = await newChild([{ component_type: 'TUITION_FEE', fee_amount: 1000 }])
  const open = await billOf(child)
  const order = await demo.post(`${PAY}/students/${child.id}/orders`, { amount: 400 })
  assertStatus(order, 201)
  const started = await demo.post(`/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`, {
    outcome: 'pending',
  })
  assertStatus(started, 200)
  assert.equal((await billOf(child)).amount, 60_000)
  await unit.post(unit.pay(open))
  const payment = (await paymentsOf(child)).find(one => one['mode'] === 'bharat_connect')
  assert.deepEqual(payment?.['details'], [
    { component_type: 'TUITION_FEE', amount: 600 },
    { component_type: 'ADVANCE', amount: 400 },
  ])
  await assertBooksFit()
})

test('a bill that was paid otherwise meanwhile is booked all the same: nobody’s money is lost, and it is an advance', async () => {
  const child = await newChild()
  const bill = await billOf(child)
  const [one, two] = [unit.pay(bill), unit.pay(bill)]
  await unit.post(two)
  await unit.post(one)
  assert.equal((await paymentsOf(child)).length, 2)
  const [student] = await sql<Json>(
    `select coalesce(sum(amount_paise), 0)::int as advance from student_paid_lines where student_id = $1 and component_type = 'ADVANCE'`,
    [child.id],
  )
  assert.equal(student?.['advance'], 150_050)
  assert.equal(await unit.fetchBill(child.identifiers), 'NO_OUTSTANDING')
  await assertBooksFit()
})

test('a bill that is unknown is refused and shown to a person, as is another school’s', async () => {
  const bill = await billOf(await newChild())
  const group = await openUnit(contract, { code: 'demo-group' })
  const paid = group.pay(bill)
  assert.equal(await group.post(paid), 'bill-not-found')
  assert.deepEqual(await problemsAbout(paid.reference), [
    'paid a bill of Bharat Connect that is unknown here, and was refused',
  ])
})

test('a school that stops shows no bills, and takes what is still posted', async () => {
  const child = await newChild()
  const paid = unit.pay(await billOf(child))
  const off = await openUnit(contract, { isOn: false })
  assert.equal(await off.fetchBill(child.identifiers), 'customer-not-found')
  // Credentials that were replaced are good for two weeks.
  assert.match(await unit.post(paid), /\/\d{6}$/)
  await openUnit(contract)
})

test('a leaver pays what is owed; more than that waits for a person', async () => {
  const [owing, other] = [await newChild(), await newChild()]
  const [bill, more] = [await billOf(owing), await billOf(other)]
  for (const { id } of [owing, other]) assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
  assert.match(await unit.post(unit.pay(bill)), /\/\d{6}$/)
  const paid = unit.pay(more, 200_000)
  assert.match(await unit.post(paid), /^pay_/)
  assert.deepEqual(await problemsAbout(paid.platformBillID), [
    'came by Bharat Connect for a student who has left and owes less',
  ])
  await assertBooksFit()
})
