import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { assertAnswer } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from './support.ts'

/** What a family was told of money at the counter is taken back, corrected or added to, once, in its language. */
const desk = await StudentDesk.open(after)
const { bursar, finance } = desk
const { demo } = bursar
let count = 0

type Family = { id: string; email: string; phone: string }

async function family(): Promise<Family> {
  count++
  const contact = { email: `told-${count}@example.in`, phone: `98765432${String(count).padStart(2, '0')}` }
  const id = await desk.register({
    primary_contact_email: contact.email,
    primary_contact_number: contact.phone,
  })
  return { id, ...contact }
}

async function take({ id }: Family, changes: Json = {}): Promise<Json> {
  const answer = await finance.post(`${STUDENTS}/${id}/payments`, {
    amount: 3_000,
    paid_at: '2026-11-16T10:00:00Z',
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 3_000 }],
    ...changes,
  })
  assertAnswer(answer, '201')
  return answer.body.data
}

async function told({ email, phone }: Family, expected: number): Promise<{ mail: Json; sms: Json }> {
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' }), '200')
  const messages = await bursar.sql<Json>(
    'select channel, subject, body, attachment, template from messages where recipient = any($1) order by created_at, id',
    [[email, phone]],
  )
  const mails = messages.filter(one => one.channel === 'email')
  const lines = messages.filter(one => one.channel === 'sms')
  assert.deepEqual([mails.length, lines.length], [expected, expected])
  return { mail: mails.at(-1), sms: lines.at(-1) }
}

const cancel = async ({ id }: Family, payment: Json): Promise<void> =>
  assertAnswer(
    await finance.send('DELETE', `${STUDENTS}/${id}/payments/${payment.transaction_id}`, {
      reason: 'Typed twice',
    }),
    '200',
  )

test('who was told of a payment is told when it is cancelled, and why; the receipt that comes along says so', async () => {
  const own = await family()
  const payment = await take(own)
  await told(own, 1)
  await cancel(own, payment)
  const { mail, sms } = await told(own, 2)
  assert.equal(mail.subject, 'Demo School: the payment of ₹3,000.00 for Kabir Rao was cancelled')
  assert.match(mail.body, /Please note a correction/)
  assert.ok(mail.body.includes(payment.receipt_number))
  assert.match(mail.body, /Reason: Typed twice/)
  assert.equal(mail.attachment, payment.id)
  assert.equal(sms.template, 'payment_cancelled_en')
  await told(own, 2)
})

test('who was not told of a payment yet is not told of its cancellation either', async () => {
  const own = await family()
  await cancel(own, await take(own))
  await told(own, 0)
})

test('a payment that is corrected after it was told is told as a correction with both numbers', async () => {
  const own = await family()
  const payment = await take(own)
  await told(own, 1)
  const { body } = await demo.patch(`${ERP}/students/${own.id}/payments/${payment.transaction_id}`, {
    amount: 2_500,
    fee_components: [{ component_type: 'TUITION_FEE', amount: 2_500 }],
  })
  const { mail, sms } = await told(own, 2)
  assert.match(mail.subject, /corrected, ₹2,500\.00 received/)
  for (const number of [payment.receipt_number, body.data.receipt_number])
    assert.ok(mail.body.includes(number) && sms.body.includes(number), mail.body)
})

test('a cheque that bounces is told with its number and the bank’s reason, in the language of the family', async () => {
  const own = await family()
  assertAnswer(await finance.send('PUT', `${STUDENTS}/${own.id}/family-language`, { language: 'hi' }), '200')
  const instrument = { number: '004512', bank: 'HDFC Bank', date: '2026-11-15' }
  const payment = await take(own, { mode: 'cheque', instrument })
  await told(own, 1)
  assertAnswer(
    await finance.post(`${SCHOOL}/counter/cheques/${payment.id}/bounce`, { reason: 'Funds insufficient' }),
    '200',
  )
  const { mail, sms } = await told(own, 2)
  assert.match(mail.subject, /चेक लौट आया/)
  assert.match(mail.body, /004512/)
  assert.match(mail.body, /कारण: Funds insufficient/)
  assert.equal(sms.template, 'cheque_returned_hi')
})

test('money that is paid out at the counter is told with the way and the voucher, which comes along', async () => {
  const own = await family()
  const payment = await take(own)
  await told(own, 1)
  const made = await finance.post(`${STUDENTS}/${own.id}/payments/${payment.transaction_id}/refunds`, {
    way: 'bank_transfer',
    reference: 'UTR0012345',
    amount: 1_000,
    reason: 'Left',
  })
  assertAnswer(made, '201')
  const { mail, sms } = await told(own, 2)
  assert.equal(mail.subject, 'Demo School: ₹1,000.00 refunded for Kabir Rao')
  assert.match(mail.body, /by bank transfer UTR0012345/)
  assert.ok(mail.body.includes(made.body.data.voucher_number))
  assert.equal(mail.attachment, made.body.data.id)
  assert.equal(sms.template, 'refund_paid_out_en')
})

test('a cheque that bounces while its phone waits for the morning is told as returned alone, with the charge for it', async () => {
  const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
  const night = new Date(`${String(now).slice(0, 10)}T17:00:00Z`).getTime() - new Date(now).getTime()
  const minutes = Math.ceil(night / 60_000) + (night < 0 ? 24 * 60 : 0)
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { advance: `PT${minutes}M` }), '200')
  const own = await family()
  const instrument = { number: '004513', bank: 'HDFC Bank', date: '2026-11-15' }
  const payment = await take(own, { mode: 'cheque', instrument })
  await told(own, 1)
  const bounced = { reason: 'Funds insufficient', charge_amount: 350 }
  assertAnswer(await finance.post(`${SCHOOL}/counter/cheques/${payment.id}/bounce`, bounced), '200')
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' }), '200')
  const lines = await bursar.sql<Json>(
    `select channel, body, template from messages where recipient = any($1) order by created_at, id`,
    [[own.email, own.phone]],
  )
  assert.deepEqual(
    lines.map(one => one.template ?? one.channel),
    ['email', 'email', 'cheque_returned_charged_en'],
  )
  assert.match(lines[1]?.body, /A charge of ₹350\.00 for the returned cheque was added/)
  assert.match(lines[2]?.body, /due again, with a charge of ₹350\.00/)
})

test('a cheque that bounces before the family heard of it is told once, as returned, with the charge', async () => {
  const own = await family()
  const instrument = { number: '004514', bank: 'HDFC Bank', date: '2026-11-15' }
  const payment = await take(own, { mode: 'cheque', instrument })
  const bounced = { reason: 'Funds insufficient', charge_amount: 350 }
  assertAnswer(await finance.post(`${SCHOOL}/counter/cheques/${payment.id}/bounce`, bounced), '200')
  const { mail, sms } = await told(own, 1)
  assert.match(mail.subject, /returned/)
  assert.match(mail.body, /A charge of ₹350\.00 for the returned cheque was added/)
  assert.equal(sms.template, 'cheque_returned_charged_en')
})

test('a cheque for two children that bounces is told once, with its whole amount, both names and the charge', async () => {
  const parent = desk.nextParent()
  const contact = { primary_contact_email: 'both@example.in', primary_contact_number: '9876543333' }
  const ids = [
    await desk.register({ ...contact, fullname: 'Asha' }, { parent }),
    await desk.register({ ...contact, fullname: 'Bela' }, { parent }),
  ]
  const taking = await finance.post(`${SCHOOL}/counter/takings`, {
    children: ids.map(service_student_id => ({
      service_student_id,
      fee_components: [{ component_type: 'TUITION_FEE', amount: 4_000 }],
    })),
    ways: [{ mode: 'cheque', amount: 8_000, instrument: { number: '004515', bank: 'HDFC Bank' } }],
  })
  assertAnswer(taking, '201')
  const id = taking.body.data.payments[1].id
  const bounced = { reason: 'Funds insufficient', charge_amount: 350 }
  assertAnswer(await finance.post(`${SCHOOL}/counter/cheques/${id}/bounce`, bounced), '200')
  const { mail, sms } = await told({ id: '', email: 'both@example.in', phone: '9876543333' }, 1)
  for (const part of ['₹8,000.00', 'Asha, Bela', '₹350.00', '004515'])
    assert.ok(mail.body.includes(part) && sms.body.includes(part), `${part}: ${mail.body} ${sms.body}`)
})
