import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  createLink,
  createOrder,
  eventsOf,
  newStudent,
  openContract,
  register,
  samplePayment,
  unique,
} from './support.ts'

/** The forms of values: money, years, moments, days, phones, e-mails, lengths. */
const contract = await openContract()
const { demo } = contract
const ORDERS = `${PAY}/orders`

async function readBack(changes: Record<string, unknown>): Promise<Json> {
  return (await demo.get(`${ORDERS}/${await createOrder(demo, changes)}`)).body.data
}

async function refusesOrder(changes: Record<string, unknown>, key: string): Promise<void> {
  assertRefused(await demo.post(ORDERS, sampleOrder(changes)), 'HUE00000', key)
}

for (const [sent, shown] of [
  [0.1 + 0.2, 0.3],
  [1.005 * 100, 100.5],
  [45000.0000005, 45000],
  [19.9999995, 20],
  ['45000', 45000],
  ['45000.5', 45000.5],
  ['007.25', 7.25],
  ['000000000000000000045.50', 45.5],
  [0.01, 0.01],
  [1e11, 1e11],
  ['100000000000.00', 1e11],
] as const) {
  test(`the amount ${JSON.stringify(sent)} is read as ${shown} and answered as a number`, async () => {
    const { details } = await readBack({ details: [{ component_type: 'A', amount: sent }] })
    assert.deepEqual(details, [{ component_type: 'A', amount: shown }])
  })
}

const BAD_TEXTS = [
  '1e3',
  ' 5',
  '5 ',
  '5.',
  '.5',
  '5.123',
  '-5',
  '+5',
  '1,000',
  '0x10',
  '५',
  '100000000000.01',
]
for (const amount of [0.005, 10.001, 45000.000002, 1e11 + 0.01, 1e300, true, [], {}, ...BAD_TEXTS]) {
  test(`the amount ${JSON.stringify(amount)} is 400`, async () =>
    refusesOrder({ details: [{ component_type: 'A', amount }] }, 'details.0.amount'))
}

test('an amount that overflows a number is 400', async () => {
  const body = JSON.stringify(sampleOrder()).replace('45000', '1e400')
  assertRefused(await demo.post(ORDERS, body), 'HUE00000', 'details.0.amount')
})

test('years are integers or 4-digit strings in, integers out, and may be equal', async () => {
  const order = await readBack({ academic_year_start: '2026', academic_year_end: 2026 })
  assert.deepEqual([order.academic_year_start, order.academic_year_end], [2026, 2026])
})

test('an academic year that ends before it starts is 400', async () => {
  await refusesOrder({ academic_year_start: 2027, academic_year_end: '2026' }, 'academic_year_end')
  const student = { academic_year_start: '2027', academic_year_end: '2026' }
  assertRefused(await register(demo, 'p', student), 'HUE00000', 'student.academic_year_end')
})

for (const year of ['26', '20266', '2026.0', ' 2026', 2026.5, true, '२०२६']) {
  test(`the year ${JSON.stringify(year)} is 400`, async () =>
    refusesOrder({ academic_year_start: year }, 'academic_year_start'))
}

for (const [sent, shown] of [
  ['2099-01-31T18:30:00Z', '2099-01-31T18:30:00.000Z'],
  ['2099-01-31T18:30:00+05:30', '2099-01-31T13:00:00.000Z'],
  ['2099-01-31T18:30:00.250-08:00', '2099-02-01T02:30:00.250Z'],
  ['2099-01-31T18:30:00.123456Z', '2099-01-31T18:30:00.123Z'],
  ['2099-01-31T18:30:00', '2099-01-31T13:00:00.000Z'],
  ['2099-01-31T18:30:00.5', '2099-01-31T13:00:00.500Z'],
] as const) {
  test(`the date-time ${sent} is ${shown}`, async () => {
    const id = await createLink(demo, { expires_at: sent })
    assert.equal((await demo.get(`${PAY}/payment_links/${id}`)).body.data.expires_at, shown)
  })
}

for (const text of ['2099-02-30T10:00:00Z', '2099-01-31T25:00:00Z', '31/01/2099', 'tomorrow', '2099-01-31']) {
  test(`the date-time ${text} is 400`, async () => refusesOrder({ expires_at: text }, 'expires_at'))
}

for (const [sent, shown] of [
  ['2026-06-05', '2026-06-04T18:30:00.000Z'],
  ['2026-06-05T10:15:00', '2026-06-05T04:45:00.000Z'],
  ['2098-06-05T10:15:00Z', '2098-06-05T10:15:00.000Z'],
] as const) {
  test(`the paid_at ${sent} is ${shown}`, async () => {
    const id = await newStudent(demo, { payments: [samplePayment({ paid_at: sent })] })
    const event = (await eventsOf(contract, id)).find(row => row.event_code === 'direct.payment.added')
    assert.equal(event?.payload.payment.paid_at, shown)
  })
}

test('a date is a real calendar day as YYYY-MM-DD', async () => {
  assert.equal((await readBack({ date_of_birth: '2016-02-29' })).date_of_birth, '2016-02-29')
  for (const day of ['2015-02-29', '2015-6-20', '20-06-2015', '2015-06-20T00:00:00Z', '2015-13-01'])
    await refusesOrder({ date_of_birth: day }, 'date_of_birth')
})

const PHONES = [
  '1234567',
  '123456789012345',
  '+91 (98765) 43-210',
  '[022] 123 4567',
  '09876543210',
  ' 9876543210 ',
]
for (const phone of [...PHONES, '+123456789012345', '0123456789012345', '0000000000']) {
  test(`the phone ${JSON.stringify(phone)} is accepted and returned as sent`, async () => {
    assert.equal((await readBack({ phone })).phone, phone)
  })
}
for (const phone of [
  '123456',
  '0123456',
  '1234567890123456',
  '98765x43210',
  '98765+43210',
  '+',
  '9876543210 / 11',
]) {
  test(`the phone ${JSON.stringify(phone)} is 400`, async () => refusesOrder({ phone }, 'phone'))
}

for (const email of ['a@b.in', "o'brien+fees@sub.school.co.in", 'आशा@उदाहरण.भारत']) {
  test(`the e-mail ${email} is accepted`, async () => {
    assert.equal((await readBack({ email })).email, email)
  })
}
for (const email of ['a', 'a@b', 'a@@b.in', 'a@b@c.in', 'a b@c.in', 'a@b .in', ' a@b.in', 'b.in']) {
  test(`the e-mail ${JSON.stringify(email)} is 400`, async () => refusesOrder({ email }, 'email'))
}

test('names are any Unicode and come back unchanged', async () => {
  const name = 'राम O’Brien 🎓 ßẞ Ж 李'
  assert.equal((await readBack({ name })).name, name)
})

const line = (component_type: string) => ({ component_type, amount: 1 })
for (const [key, longest, make] of [
  ['identifier', 128, (text: string) => ({ identifier: text })],
  ['custom_identifier', 128, (text: string) => ({ custom_identifier: text })],
  ['grade', 64, (text: string) => ({ grade: text })],
  ['details.0.component_type', 64, (text: string) => ({ details: [line(text)] })],
  ['name', 500, (text: string) => ({ name: text })],
  ['student_name', 500, (text: string) => ({ student_name: text })],
  ['stream', 500, (text: string) => ({ stream: text })],
  ['notes.0.value', 500, (text: string) => ({ notes: [{ key: 'a', value: text }] })],
] as const) {
  test(`${key} has at most ${longest} characters, of whatever script`, async () => {
    assertStatus(await demo.post(ORDERS, sampleOrder(make('अ'.repeat(longest)))), 201)
    await refusesOrder(make('अ'.repeat(longest + 1)), key)
  })
}

test('a url has at most 2048 characters', async () => {
  const url = `https://erp.example.in/${'x'.repeat(2048 - 23)}`
  assertStatus(await demo.post(ORDERS, sampleOrder({ callback_url: url })), 201)
  await refusesOrder({ callback_url: `${url}x` }, 'callback_url')
})

test('an order has at most 50 notes and at most 50 lines', async () => {
  const notes = Array.from({ length: 51 }, (_, no) => ({ key: `k${no}`, value: 'v' }))
  const details = Array.from({ length: 51 }, () => line(unique('C')))
  const most = await readBack({ notes: notes.slice(1), details: details.slice(1) })
  assert.deepEqual([most.notes.length, most.details.length], [50, 50])
  await refusesOrder({ notes }, 'notes')
  await refusesOrder({ details }, 'details')
})
