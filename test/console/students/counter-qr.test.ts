import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { Visitor } from '../../harness/visitor.ts'
import { newFamily, visitAs } from '../../portal/parents-support.ts'
import { assertAnswer, createPerson } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from './support.ts'

/** What a family's phone pays by the code on the clerk's screen. */
const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const QR = `${SCHOOL}/counter/qr`

const fees = [
  { component_type: 'TUITION_FEE', fee_amount: 12_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 3_000 },
]
async function brothers(): Promise<string[]> {
  const parent = desk.nextParent()
  const first = await desk.register({ fullname: 'Kabir Rao' }, { parent, fees })
  return [first, await desk.register({ fullname: 'Meera Rao' }, { parent, fees })]
}
const tuition = (service_student_id: string | undefined, amount: number): Json => ({
  service_student_id,
  fee_components: [{ component_type: 'TUITION_FEE', amount }],
})
const show = (...children: Json[]): Promise<Answer> => finance.post(QR, { children })
const read = async (id: string): Promise<Json> => (await viewer.get(`${QR}/${id}`)).body.data
const owed = async (id = ''): Promise<number> =>
  (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount
const ordersOf = (id = ''): Promise<Json[]> =>
  bursar.sql<Json>('select id, state from orders where student_id = $1 order by id', [id])
const pay = async (id = ''): Promise<void> => {
  const open = (await ordersOf(id)).at(-1)
  const url = `/api/v1/sandbox/pay/orders/${open?.id}/pay`
  assertAnswer(await demo.post(url, { outcome: 'success', mode: 'upi' }), '200')
}

test('a code asks for exactly what was agreed, of one child or several, and says when it is paid, with the receipts', async () => {
  const [first, second] = await brothers()
  const shown = await show(tuition(first, 5_000), tuition(second, 2_500.5))
  assertAnswer(shown, '201')
  const { checkout_id: id, url, amount, state } = shown.body.data
  assert.deepEqual([amount, state], [7_500.5, 'waiting'])
  const page = await fetch(url)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /7,500\.50/)
  await pay(first)
  assert.equal((await read(id)).state, 'waiting')
  await pay(second)
  const paid = await read(id)
  assert.equal(paid.state, 'paid')
  assert.equal(paid.receipt_numbers.length, 2)
  assert.deepEqual([await owed(first), await owed(second)], [10_000, 12_499.5])
})

test('what was paid by a code leads back to all children only where their own parent is signed in', async () => {
  const students = [{ fullname: 'Kabir Rao' }, { fullname: 'Meera Rao' }]
  const {
    user,
    students: [first, second],
  } = await newFamily(demo, { students, fees })
  const { url } = (await show(tuition(first, 5_000), tuition(second, 2_500))).body.data
  await pay(first)
  await pay(second)
  const path = new URL(url).pathname
  const stranger = await newFamily(demo)
  for (const [visitor, leadsBack] of [
    [new Visitor(bursar.url), false],
    [await visitAs(bursar, stranger.user), false],
    [await visitAs(bursar, user), true],
  ] as const) {
    const { text } = await visitor.open(path)
    assert.match(text, /receipt\.pdf/)
    assert.equal(text.includes('href="/parents"'), leadsBack)
  }
})

test('a code that is taken back is paid by nobody, and the money can be taken in another way', async () => {
  const [first] = await brothers()
  const { checkout_id: id } = (await show(tuition(first, 5_000))).body.data
  const closed = await finance.send('DELETE', `${QR}/${id}`)
  assertAnswer(closed, '200')
  assert.equal(closed.body.data.state, 'closed')
  const order = `/api/v1/sandbox/pay/orders/${id}/pay`
  assertAnswer(await demo.post(order, { outcome: 'success', mode: 'upi' }), '409 HUE00002')
  const paid = { amount: 5_000, paid_at: '2026-11-16', mode: 'cash', ...tuition(first, 5_000) }
  assertAnswer(await finance.post(`${STUDENTS}/${first}/payments`, paid), '201')
  assert.equal(await owed(first), 10_000)
})

test('a late fee falls away by no code: it is taken with what it is for, or waived first', async t => {
  t.after(() => demo.send('PUT', `${ERP}/payment-rules`, {}))
  const charge = { kind: 'slab', slabs: [{ from_day: 1, amount: 500 }] }
  const late = { component_type: 'TUITION_FEE', due_date: '2026-01-10', ...charge }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [late] }), '200')
  const [first] = await brothers()
  const refused = await show(tuition(first, 12_000))
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.body.message, /^₹500.00 of late fee is due and would fall away/)
  assert.deepEqual(await ordersOf(first), [])
  assertAnswer(await show(tuition(first, 5_000)), '201')
  const whole = tuition(first, 12_000)
  whole.fee_components.push({ component_type: 'LATE_FEE', amount: 500 })
  const shown = await show(whole)
  assertAnswer(shown, '201')
  assert.equal(shown.body.data.amount, 12_500)
  await pay(first)
  assert.equal(await owed(first), 3_000)
})

test('a code is never for more than is owed, nor for a child twice, nor for another school', async () => {
  const [first] = await brothers()
  assertAnswer(await show(tuition(first, 12_000.01)), '409 HUE00002')
  assertAnswer(await show(tuition(first, 5), tuition(first, 5)), '400 HUE00000')
  assertAnswer(await show(tuition('student_gone', 5)), '404 HUE00001')
  assert.deepEqual(await ordersOf(first), [])
  const { checkout_id: id } = (await show(tuition(first, 5_000))).body.data
  const who = { email: 'qr@other.example', institute: 'demo-group', role: 'finance' as const }
  const stranger = await createPerson(bursar, who)
  const elsewhere = QR.replace('demo-school', 'demo-group')
  assertAnswer(await stranger.get(`${elsewhere}/${id}`), '404 HUE00001')
  assertAnswer(await stranger.send('DELETE', `${elsewhere}/${id}`), '404 HUE00001')
  assertAnswer(await stranger.post(elsewhere, { children: [tuition(first, 5)] }), '404 HUE00001')
  assert.equal((await read(id)).state, 'waiting')
})
