import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { readPdf } from '../../receipts/read-pdf.ts'
import { assertAnswer, createPerson } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS, TUITION } from './support.ts'

/** What the office takes itself it can pay out again: in cash, by cheque, by transfer; wholly or in part. */
const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const { demo } = bursar
const BUS = { component_type: 'BUS_FEE', fee_amount: 6_000 }
const WHY = { reason: 'Left in the second term' }

async function take(studentId: string, changes: Json = {}): Promise<Json> {
  const answer = await finance.post(`${STUDENTS}/${studentId}/payments`, {
    amount: 9_000,
    paid_at: '2026-11-16T10:00:00Z',
    mode: 'cash',
    fee_components: [
      { component_type: 'TUITION_FEE', amount: 6_000 },
      { component_type: 'BUS_FEE', amount: 3_000 },
    ],
    ...changes,
  })
  assertAnswer(answer, '201')
  return answer.body.data
}

const refund = (studentId: string, payment: Json, body: Json = {}): Promise<Answer> =>
  finance.post(`${STUDENTS}/${studentId}/payments/${payment.transaction_id}/refunds`, {
    way: 'cash',
    ...WHY,
    ...body,
  })

async function taken(changes: Json = {}): Promise<{ id: string; payment: Json }> {
  const id = await desk.register({}, { fees: [TUITION, BUS] })
  return { id, payment: await take(id, changes) }
}

const duesOf = async (id: string): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data
const cashInHand = async (): Promise<number> =>
  (await viewer.get(`${SCHOOL}/counter/cash-in-hand`)).body.data.amount
const bookToday = async (): Promise<Json> => (await viewer.get(`${SCHOOL}/counter/day`)).body.data
const numberOf = (voucher: string): number => Number(voucher.split('/')[1])

async function textOfPdf(path: string): Promise<string> {
  const response = await fetch(bursar.url + path, { headers: { cookie: viewer.cookie ?? '' } })
  assert.equal(response.status, 200)
  return readPdf(Buffer.from(await response.arrayBuffer())).text
}

test('cash is refunded in part: its fees are due again, the drawer, the cash book and the reports are less by it', async () => {
  const { id, payment } = await taken()
  const [owed, inHand] = [(await duesOf(id)).total_amount, await cashInHand()]
  const { body } = await refund(id, payment, { details: [{ component_type: 'BUS_FEE', amount: 2_000 }] })
  const made = body.data
  assert.deepEqual(
    [made.amount, made.way, made.reference, made.refunded_by],
    [2_000, 'cash', undefined, 'finance@school.example'],
  )
  assert.match(made.voucher_number, /^\d{4}-\d{2}\/\d{6}$/)
  assert.equal((await duesOf(id)).total_amount, owed + 2_000)
  assert.equal(await cashInHand(), inHand - 2_000)
  const rows = (await bookToday()).payments
  const paid = rows.find((row: Json) => row.id === payment.id)
  assert.deepEqual([paid.receipt_number, paid.refunded_amount], [payment.receipt_number, 2_000])
  const out = rows.find((row: Json) => row.id === made.id)
  assert.deepEqual(
    [out.kind, out.amount, out.receipt_number, out.cashier],
    ['refund', -2_000, made.voucher_number, 'finance@school.example'],
  )
  const shown = (await viewer.get(`${STUDENTS}/${id}/payments`)).body.data.direct[0]
  assert.deepEqual([shown.refunded_amount, shown.refunds[0].id], [2_000, made.id])
  const [listed] = (await viewer.get(`${SCHOOL}/money/payments?kind=refund&source=direct`)).body.data
  assert.deepEqual(
    [listed.id, listed.amount, listed.mode, listed.receipt_number, listed.components],
    [
      made.id,
      -2_000,
      'cash',
      made.voucher_number,
      [{ component_type: 'BUS_FEE', label: 'Bus fee', amount: 2_000 }],
    ],
  )
  const tally = (await owner.get(`${SCHOOL}/money/payments/export?format=tally`)).text
  const voucher = tally.split('<VOUCHER ').find(one => one.includes(`bursar-${made.id}`)) ?? ''
  assert.match(voucher, /VCHTYPE="Payment"/)
  assert.match(voucher, new RegExp(`<VOUCHERNUMBER>${made.voucher_number}</VOUCHERNUMBER>`))
  assert.match(voucher, /<LEDGERNAME>Cash<\/LEDGERNAME>\s*<ISDEEMEDPOSITIVE>No/)
  assert.equal((await desk.lastAct(id)).what, 'payment.refunded')
  const [event] = await bursar.sql<{ payload: Json }>(
    `select payload from events where resource_id = $1 and event_code = 'refund.processed'`,
    [id],
  )
  assert.deepEqual(
    [
      event?.payload.service_student_id,
      event?.payload.payment.id,
      event?.payload.refund.amount,
      event?.payload.order_id,
    ],
    [id, payment.id, 2_000, undefined],
  )
})

test('the voucher names who is paid what, of which receipt and why; the receipt says that it is refunded', async () => {
  const { id, payment } = await taken()
  const first = (await refund(id, payment, { amount: 1_000 })).body.data
  const voucher = await textOfPdf(`${SCHOOL}/counter/refunds/${first.id}/pdf`)
  for (const part of [
    first.voucher_number,
    payment.receipt_number,
    '₹1,000.00',
    WHY.reason,
    'Kabir Rao',
    'Cash',
  ])
    assert.ok(voucher.includes(part), `${part} is not in:\n${voucher}`)
  const receipt = `${SCHOOL}/money/receipts/${payment.receipt_number.replace('/', '-')}/pdf`
  const part = await textOfPdf(receipt)
  assert.match(part, /PART REFUNDED/)
  assert.ok(part.includes(`voucher ${first.voucher_number}`), part)
  assert.ok(part.includes('₹8,000.00'), part)
  const rest = (await refund(id, payment)).body.data
  assert.equal(rest.amount, 8_000)
  assert.equal(numberOf(rest.voucher_number), numberOf(first.voucher_number) + 1)
  assert.match((await textOfPdf(receipt)).replaceAll('PART REFUNDED', ''), /REFUNDED/)
  assert.doesNotMatch(await textOfPdf(receipt), /PART REFUNDED/)
  assertAnswer(await refund(id, payment), '409 HUE00002')
  assertAnswer(await viewer.get(`${SCHOOL}/counter/refunds/rfd_nothing/pdf`), '404 HUE00001')
})

test('no more goes back than came, nor more cash than is in the office; a cheque or transfer names itself', async () => {
  const { id, payment } = await taken()
  assertAnswer(await refund(id, payment, { amount: 9_000.01 }), '409 HUE00002')
  assertAnswer(await refund(id, payment, { way: 'cheque' }), '400 HUE00000')
  assertAnswer(await refund(id, payment, { reference: '004512' }), '400 HUE00000')
  assertAnswer(
    await viewer.post(`${STUDENTS}/${id}/payments/${payment.transaction_id}/refunds`, {}),
    '403 AUE00001',
  )
  const account = (await finance.post(`${SCHOOL}/bank-accounts`, { name: 'Main' })).body.data.id
  const inHand = await cashInHand()
  const denominations = [{ value: 1, count: inHand - 500 }]
  assertAnswer(
    await finance.post(`${SCHOOL}/counter/deposits`, { account_id: account, denominations }),
    '201',
  )
  const refused = await refund(id, payment, { amount: 1_000 })
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.body.message, /₹500\.00 of cash is in the office/)
  const both = await Promise.all([refund(id, payment, { amount: 400 }), refund(id, payment, { amount: 401 })])
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409],
  )
  const utr = { way: 'bank_transfer', reference: 'UTR0099887' }
  assertAnswer(await refund(id, payment, { ...utr, amount: 1_000 }), '201')
  const expected = await bursar.sql<{ amount: number; label: string }>(
    `select amount_paise::int as amount, label from bank_expected where kind = 'refund' and reference = 'UTR0099887'`,
  )
  assert.equal(expected[0]?.amount, -100_000)
})

test('a payment of which a part was paid out is not cancelled or corrected any more', async () => {
  const { id, payment } = await taken()
  assertAnswer(await refund(id, payment, { way: 'cheque', reference: '77', amount: 100 }), '201')
  const one = `${ERP}/students/${id}/payments/${payment.transaction_id}`
  assertAnswer(await demo.delete(one), '409 HUE00002')
  assertAnswer(await demo.patch(one, { notes: 'Other' }), '409 HUE00002')
  assertAnswer(
    await finance.send('DELETE', `${STUDENTS}/${id}/payments/${payment.transaction_id}`, WHY),
    '409 HUE00002',
  )
})

test('a cheque is refunded once it is cleared; if it bounces after that, what was paid out is owed', async () => {
  const instrument = { number: '004512', bank: 'HDFC Bank', date: '2026-11-15' }
  const { id, payment } = await taken({ mode: 'cheque', instrument })
  const back = { way: 'cheque', reference: '990001', amount: 2_500 }
  const early = await refund(id, payment, back)
  assertAnswer(early, '409 HUE00002')
  assert.match(early.body.message, /cheque 004512 is still in the office/)
  assertAnswer(await finance.post(`${SCHOOL}/counter/cheques/${payment.id}/clear`, {}), '200')
  assertAnswer(await refund(id, payment, back), '201')
  const bounced = await finance.post(`${SCHOOL}/counter/cheques/${payment.id}/bounce`, {
    reason: 'Funds insufficient',
  })
  assertAnswer(bounced, '200')
  const dues = await duesOf(id)
  assert.equal(dues.total_amount, 66_000 + 2_500)
  assert.ok(dues.components.some((one: Json) => one.component_type === 'RETURNED_AFTER_REFUND'))
})

test('beyond the limits a refund at the counter waits, and not for the person who took the money', async t => {
  const taker = await createPerson(bursar, {
    email: 'taker@school.example',
    institute: 'demo-school',
    role: 'finance',
  })
  assertAnswer(await owner.send('PUT', `${SCHOOL}/approval-limit`, { above: 500, ...WHY }), '200')
  t.after(() => owner.send('PUT', `${SCHOOL}/approval-limit`, { above: null, ...WHY }))
  const { id, payment } = await taken({ mode: 'card' })
  for (const asking of [
    () =>
      taker.post(`${STUDENTS}/${id}/payments/${payment.transaction_id}/refunds`, {
        way: 'cheque',
        reference: '31',
        amount: 600,
        ...WHY,
      }),
    () => taker.send('DELETE', `${STUDENTS}/${id}/payments/${payment.transaction_id}`, WHY),
  ]) {
    const waits = await asking()
    assert.equal(waits.body.data?.status, 'waiting', waits.text)
    const decide = `${SCHOOL}/approvals/${waits.body.data.approval_id}/approve`
    const own = await finance.post(decide)
    assertAnswer(own, '409 HUE00002')
    assert.match(own.body.message, /took this money yourself/)
    assertAnswer(await taker.post(`${SCHOOL}/approvals/${waits.body.data.approval_id}/withdraw`), '200')
  }
  const waits = await refund(id, payment, { way: 'cheque', reference: '32', amount: 600 })
  const approved = await owner.post(`${SCHOOL}/approvals/${waits.body.data.approval_id}/approve`)
  assertAnswer(approved, '200')
  const [made] = (await viewer.get(`${STUDENTS}/${id}/payments`)).body.data.direct[0].refunds
  assert.deepEqual([made.amount, made.refunded_by], [600, 'finance@school.example'])
})

test('the books agree after all of it', async () => {
  const sums = await bursar.sql<{ n: number }>(
    `select (select count(*) from collected_differences(i.id)) + (select count(*) from dues_differences(i.id))
       + (select count(*) from student_balance_sums s full join student_balances b using (institute_id, student_id, component_type)
          where coalesce(s.paid_paise, 0) <> coalesce(b.paid_paise, 0) or s.paid_paise < 0)::int as n
     from institutes i where code = 'demo-school'`,
  )
  assert.equal(Number(sums[0]?.n), 0)
})
