import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { visitAs, textOf } from '../../portal/parents-support.ts'
import { assertAnswer } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS, TUITION } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const { demo } = bursar
const RECEIPTS = `${SCHOOL}/money/receipts`

const cash = (amount: number, changes: Json = {}): Json => ({
  amount,
  paid_at: '2026-11-16T10:00:00Z',
  mode: 'cash',
  fee_components: [{ component_type: 'TUITION_FEE', amount }],
  ...changes,
})

async function take(studentId: string, amount: number, changes: Json = {}): Promise<Json> {
  const answer = await finance.post(`${STUDENTS}/${studentId}/payments`, cash(amount, changes))
  assertAnswer(answer, '201')
  return answer.body.data
}

async function payOnline(): Promise<string> {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  return (await demo.get(`${PAY}/orders/${body.data.order_id}`)).body.data.receipt_number
}

async function listed(number: string): Promise<Json> {
  return (await viewer.get(`${RECEIPTS}?number=${encodeURIComponent(number)}`)).body.data[0]
}

const numberOf = (receipt: string): number => Number(receipt.split('/')[1])
const sizeOf = ({ text }: Answer): string | undefined => /\/MediaBox \[0 0 ([\d. ]+)\]/.exec(text)?.[1]

test('money taken at the counter gets the next number of the series of online receipts, without a reason', async () => {
  const first = numberOf(await payOnline())
  const taken = await take(await desk.register(), 1_500)
  assert.equal(numberOf(taken.receipt_number), first + 1)
  assert.equal(numberOf(await payOnline()), first + 2)
  const { body } = await viewer.get(`${RECEIPTS}?number=${first + 1}`)
  const [receipt] = body.data
  assert.deepEqual(
    [receipt.number, receipt.source, receipt.amount, receipt.mode, receipt.payment_id, receipt.order_id],
    [taken.receipt_number, 'direct', 1_500, 'cash', taken.id, undefined],
  )
  assert.equal(receipt.student_name, 'Kabir Rao')
})

test('a receipt prints on A4, A5 and a roll of 80 mm, and once more as a duplicate', async () => {
  const id = await desk.register()
  const { receipt_number: number } = await take(id, 2_000)
  const path = `${RECEIPTS}/${number.replace('/', '-')}/pdf`
  assert.equal(sizeOf(await viewer.get(path)), '595 842')
  assert.equal(sizeOf(await viewer.get(`${path}?paper=a5`)), '420 595')
  const [width, height] = (sizeOf(await viewer.get(`${path}?paper=80mm`)) ?? '').split(' ').map(Number)
  assert.equal(width, 227)
  assert.ok(height !== undefined && height > 250 && height < 600, `the roll is ${height} long`)
  const duplicate = await viewer.get(`${path}?copy=duplicate`)
  assert.equal(duplicate.text.slice(0, 5), '%PDF-')
  assert.notEqual(duplicate.text, (await viewer.get(path)).text)
  assertAnswer(await viewer.get(`${path}?paper=a3`), '400 HUE00000')
})

test('a corrected payment has a new receipt and the old one is cancelled; a cancelled payment has none', async () => {
  const id = await desk.register()
  const { transaction_id: transaction, receipt_number: first } = await take(id, 3_000)
  const one = `${ERP}/students/${id}/payments/${transaction}`
  const { body } = await demo.patch(one, {
    amount: 2_500,
    fee_components: [{ component_type: 'TUITION_FEE', amount: 2_500 }],
  })
  const second: string = body.data.receipt_number
  assert.equal(numberOf(second), numberOf(first) + 1)
  assert.equal((await demo.get(`${one}/receipt`)).text.slice(0, 5), '%PDF-')
  const gone = await finance.send('DELETE', `${STUDENTS}/${id}/payments/${transaction}`, {
    reason: 'Cheque bounced',
  })
  assertAnswer(gone, '200')
  assert.match((await listed(first)).cancel_reason, /corrected/)
  assert.equal((await listed(second)).cancel_reason, 'Cheque bounced')
  const { direct } = (await viewer.get(`${STUDENTS}/${id}/payments`)).body.data
  assert.deepEqual(
    direct[0].cancelled_receipts.map((one: Json) => [one.receipt_number, one.is_moved, one.reason]),
    [
      [first, false, 'The payment was corrected; a new receipt was issued'],
      [second, false, 'Cheque bounced'],
    ],
    'its row keeps both',
  )
  assert.equal((await demo.get(one)).body.data.receipt_number, undefined)
})

test('an ERP that issues its own receipts gets none here, unless it asks for one', async () => {
  const id = await desk.register()
  const record = (changes: Json) =>
    demo.post(`${ERP}/students/${id}/payments`, {
      amount: 100,
      paid_at: '2026-11-01',
      fee_components: [{ component_type: 'TUITION_FEE', amount: 100 }],
      ...changes,
    })
  const without = (await record({ transaction_id: 'A' })).body.data
  assert.equal(without.receipt_number, undefined)
  assertAnswer(await demo.get(`${ERP}/students/${id}/payments/A/receipt`), '404 HUE00001')
  const asked = (await record({ transaction_id: 'B', issue_receipt: true })).body.data
  assert.match(asked.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
})

test("a counter payment's receipt stands in the parents' history, in Tally, in Payments and in the search", async () => {
  const parent = desk.nextParent()
  const id = await desk.register({}, { parent })
  const { id: payment, receipt_number: number } = await take(id, 4_321)
  const visitor = await visitAs(bursar, parent)
  const history = await visitor.get('/parents/history')
  assert.match(textOf(history.text), new RegExp(`Receipt ${number} \\(PDF\\)`))
  assert.match(textOf(history.text), /Tuition fee/)
  assert.equal((await visitor.get(`/parents/history/${payment}`)).text.slice(0, 5), '%PDF-')
  const stranger = desk.nextParent()
  await desk.register({}, { parent: stranger })
  assert.equal((await (await visitAs(bursar, stranger)).get(`/parents/history/${payment}`)).status, 404)
  const tally = await owner.get(`${SCHOOL}/money/payments/export?format=tally`)
  assert.ok(tally.text.includes(`<VOUCHERNUMBER>${number}</VOUCHERNUMBER>`), tally.text.slice(0, 500))
  const { body } = await owner.get(`${SCHOOL}/search?q=${encodeURIComponent(number)}`)
  assert.ok(JSON.stringify(body.data).includes(payment))
})

test('Students and Orders are exported whole, with the filters that are set and numbers as numbers', async () => {
  for (let count = 0; count < 3; count++) await desk.register({ grade: 'EXPORT' })
  const lines = async (path: string): Promise<string[]> => (await viewer.get(path)).text.trim().split('\r\n')
  const shown = (await viewer.get(`${STUDENTS}?grade=EXPORT&limit=1`)).body
  assert.deepEqual([shown.data.length, shown.has_more], [1, true])
  const students = await lines(`${STUDENTS}/export?grade=EXPORT&format=csv`)
  assert.equal(students.length, 4)
  assert.match(
    students[0] ?? '',
    /Student,Admission no\..*,Paid,Carried to a later year,Left to pay,On the way$/,
  )
  assert.match(students[1] ?? '', /,0\.00,0\.00,60000\.00,0\.00$/)
  const xlsx = await viewer.get(`${STUDENTS}/export?grade=EXPORT&format=xlsx`)
  assert.match(xlsx.headers.get('content-disposition') ?? '', /students-.*\.xlsx/)
  await payOnline()
  const orders = await lines(`${SCHOOL}/orders/export?status=paid&format=csv`)
  const paid = (await viewer.get(`${SCHOOL}/orders?status=paid&limit=200`)).body.data
  assert.equal(orders.length, paid.length + 1)
  assert.match(orders[1] ?? '', /,45000\.00,0\.00,/)
})

async function mailTo(address: string): Promise<Json[]> {
  return (await demo.get(`/api/v1/sandbox/mailbox?to=${encodeURIComponent(address)}`)).body.data
}

async function mailsTo(address: string, count: number): Promise<Json[]> {
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' }), '200')
  const mails = await mailTo(address)
  assert.equal(mails.length, count)
  return mails
}

test('a family is told once of money that came in, at the counter or online, and of a refund', async () => {
  const email = 'told@example.in'
  const id = await desk.register({ primary_contact_email: email })
  const { receipt_number: number } = await take(id, 1_234)
  const [first] = await mailsTo(email, 1)
  assert.match(first.subject, new RegExp(`₹1,234\\.00 received for Kabir Rao, receipt ${number}`))
  assert.match(
    first.text,
    /^Dear .*,[\s\S]*Demo School has received[\s\S]*is attached[\s\S]*please ask Demo School/,
  )
  const [kept] = await bursar.sql<{ attachment: string }>(
    `select attachment from messages where recipient = $1 and channel = 'email'`,
    [email],
  )
  assert.match(kept?.attachment ?? '', /^pay_/)
  const { body } = await demo.post(`${PAY}/payment_links`, sampleOrder({ email }))
  const order: string = body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })
  const [paid] = await mailsTo(email, 2)
  assert.ok(paid.text.includes(`/pay/demo-school/${order}`), paid.text)
  await demo.post(`${PAY}/payment_links/${order}/refunds`, { amount: 500 })
  const [refund] = await mailsTo(email, 3)
  assert.match(refund.subject, /₹500\.00 refunded/)
})

async function pay(id: string, fee_components: Json[], changes: Json = {}): Promise<Answer> {
  return finance.post(`${STUDENTS}/${id}/payments`, {
    amount: fee_components.reduce((sum, line) => sum + line.amount, 0),
    paid_at: '2026-11-16',
    mode: 'cash',
    fee_components,
    ...changes,
  })
}

test('a late fee is taken at the counter as a line of its own, or waived with a reason; it never vanishes', async t => {
  t.after(() => demo.send('PUT', `${ERP}/payment-rules`, {}))
  const late = {
    component_type: 'TUITION_FEE',
    due_date: '2026-01-10',
    kind: 'slab',
    slabs: [{ from_day: 1, amount: 500 }],
  }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [late] }), '200')
  const duesOf = async (id: string): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data
  const tuition = { component_type: 'TUITION_FEE', amount: 60_000 }
  const taken = await desk.register()
  assertAnswer(await pay(taken, [tuition, { component_type: 'LATE_FEE', amount: 500 }]), '201')
  assert.deepEqual([(await duesOf(taken)).total_amount, (await duesOf(taken)).advance_amount], [0, 0])
  const left = await desk.register()
  const refused = await pay(left, [tuition])
  assertAnswer(refused, '400 HUE00000')
  assert.equal(refused.body.errors[0].key, 'waive_late_fee_reason')
  assert.equal((await duesOf(left)).total_amount, 60_500)
  assertAnswer(await pay(left, [tuition], { waive_late_fee_reason: 'The bank was closed' }), '201')
  const entries = (await demo.get(`${ERP}/students/${left}/late-fees`)).body.data
  assert.deepEqual(
    [entries[0].kind, entries[0].amount, entries[0].reason],
    ['waived', 500, 'The bank was closed'],
  )
  const part = await desk.register()
  assertAnswer(await pay(part, [{ ...tuition, amount: 1_000 }]), '201')
  assert.equal((await duesOf(part)).late_fee_amount, 500)
  for (const paid_at of ['2099-01-01', '1899-01-01'])
    assertAnswer(await pay(part, [{ ...tuition, amount: 1 }], { paid_at }), '400 HUE00000')
})

test('the counter spreads an amount by rule, keeps a cash book, and counts a cashier’s cash once', async () => {
  const id = await desk.register({}, { fees: [TUITION, { component_type: 'BUS_FEE', fee_amount: 500 }] })
  const { body: spread } = await finance.get(`${STUDENTS}/${id}/spread?amount=60700`)
  assert.deepEqual(spread.data, {
    fee_components: [
      { component_type: 'TUITION_FEE', amount: 60_000 },
      { component_type: 'BUS_FEE', amount: 500 },
    ],
    excess: 200,
    late_fee_amount: 0,
    left_amount: 60_500,
    on_the_way_amount: 0,
  })
  const instrument = { number: '004512', bank: 'HDFC Bank', date: '2026-11-15' }
  await pay(id, [{ component_type: 'BUS_FEE', amount: 500 }], { mode: 'cheque', instrument })
  const book = (await viewer.get(`${SCHOOL}/counter/day`)).body.data
  const cheque = book.payments.at(-1)
  assert.deepEqual([cheque.cashier, cheque.instrument], ['finance@school.example', instrument])
  const cash = book.payments
    .filter((one: Json) => one.mode === 'cash' && !one.is_cancelled)
    .reduce((sum: number, one: Json) => sum + one.amount, 0)
  const close = (changes: Json = {}) =>
    finance.post(`${SCHOOL}/counter/closings`, {
      day: book.day,
      cashier: 'finance@school.example',
      denominations: [{ value: 1, count: cash }],
      ...changes,
    })
  assertAnswer(await viewer.post(`${SCHOOL}/counter/closings`, {}), '403 AUE00001')
  assertAnswer(await close({ denominations: [{ value: 500, count: 1 }] }), '400 HUE00000')
  const closed = await close()
  assertAnswer(closed, '201')
  assert.deepEqual([closed.body.data.expected_amount, closed.body.data.counted_amount], [cash, cash])
  assertAnswer(await close(), '409 HUE00002')

  await take(id, 1_000)
  const one = { denominations: [{ value: 500, count: 2 }] }
  const both = await Promise.all([close(one), close(one)])
  assert.deepEqual(
    both.map(answer => answer.status).toSorted((one, other) => one - other),
    [201, 409],
  )
  const { closings } = (await viewer.get(`${SCHOOL}/counter/day`)).body.data
  assert.deepEqual(
    closings.map((each: Json) => [each.expected_amount, each.counted_amount]),
    [
      [cash, cash],
      [1_000, 1_000],
    ],
  )
  assertAnswer(await close(one), '409 HUE00002')
})

test('of two who take the same fees the second is told what was taken meanwhile, and may take them all the same', async () => {
  const id = await desk.register()
  const owed = (await viewer.get(`${STUDENTS}/${id}`)).body.data.dues.outstanding_amount
  const shown = { shown_owed_amount: owed, transaction_id: 'BOOK-1' }
  await take(id, 1_000.5, shown)
  const again = await finance.post(`${STUDENTS}/${id}/payments`, cash(1_000.5, { shown_owed_amount: owed }))
  assertAnswer(again, '409 HUE00002')
  assert.match(again.text, /₹1,000\.50 was taken or taken off meanwhile/)
  assertAnswer(await finance.post(`${STUDENTS}/${id}/payments`, cash(1_000.5, shown)), '201')
  await take(id, 1_000.5, { shown_owed_amount: owed - 1_000.5 })
  assert.equal((await viewer.get(`${STUDENTS}/${id}`)).body.data.dues.outstanding_amount, owed - 2_001)
})

test('the counter takes nothing that is on the way, offers the rest, and takes the whole knowingly as an advance', async () => {
  const id = await desk.register({}, { fees: [TUITION, { component_type: 'BUS_FEE', fee_amount: 500 }] })
  const tuition = { component_type: 'TUITION_FEE', amount: 60_000 }
  const named = sampleOrder({ service_student_id: id, details: [tuition] })
  const { order_id: order } = (await demo.post(`${PAY}/orders`, named)).body.data
  const start = `/api/v1/sandbox/pay/orders/${order}/pay`
  const { payment_id: payment } = (await demo.post(start, { outcome: 'pending' })).body.data

  const refused = await pay(id, [tuition])
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.body.message, /₹60,000\.00 of these fees is on the way already: .*expected by/)
  const { body: spread } = await finance.get(`${STUDENTS}/${id}/spread?amount=60700`)
  const { on_the_way_until: until, ...offered } = spread.data
  assert.deepEqual(offered, {
    fee_components: [{ component_type: 'BUS_FEE', amount: 500 }],
    excess: 60_200,
    late_fee_amount: 0,
    left_amount: 500,
    on_the_way_amount: 60_000,
  })
  assert.match(until, /^\d{4}-\d{2}-\d{2}$/)

  const bus = { component_type: 'BUS_FEE', amount: 500 }
  assertAnswer(await pay(id, [bus, { component_type: 'ADVANCE', amount: 60_200 }]), '201')
  assertAnswer(await demo.post(`/api/v1/sandbox/payments/${payment}/capture`), '200')
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' }), '200')
  const { dues } = (await viewer.get(`${STUDENTS}/${id}`)).body.data
  // The family chose the advance, so what was on the way pays its fee and does not go back.
  assert.deepEqual([dues.outstanding_amount, dues.advance_amount, dues.on_the_way_amount], [0, 60_200, 0])
  const { body } = await demo.get(`${PAY}/orders/${order}`)
  assert.equal(body.data.refunded_amount, undefined)
})

test('a school with a fixed catalogue takes an advance at the counter, and no other unknown fee', async t => {
  const id = await desk.register()
  await bursar.sql(`update institutes set strict_catalogue = true where code = 'demo-school'`)
  t.after(() => bursar.sql(`update institutes set strict_catalogue = false where code = 'demo-school'`))
  assertAnswer(await pay(id, [{ component_type: 'ADVANCE', amount: 100 }]), '201')
  assertAnswer(await pay(id, [{ component_type: 'NEVER_SEEN', amount: 100 }]), '400 HUE00000')
})
