import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWorld } from '../../flex/support.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { pay } from '../../payment-pages/support.ts'
import { assertAnswer, demoVisitor } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS, TUITION } from './support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const TRANSPORT = { component_type: 'TRANSPORT_FEE', fee_amount: 12_000 }
const rules = {
  late_fees: [
    {
      component_type: 'TUITION_FEE',
      due_date: '2026-01-10',
      kind: 'slab',
      slabs: [{ from_day: 1, amount: 100 }],
    },
    { component_type: 'TRANSPORT_FEE', due_date: '2099-03-01', kind: 'none' },
  ],
}
assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, rules), '200')

const make = (student_ids: string[], more: Json = { scope: 'year' }) =>
  finance.post(`${STUDENTS}/payment-links`, { student_ids, ...more })
const whys = ({ body }: { body: Json }): Json =>
  Object.fromEntries(body.data.left_out.map((one: Json) => [one.id, one.why]))
/** What is open, by its student: each order with its amount. */
async function openOf(id: string): Promise<{ id: string; amount: number }[]> {
  return bursar.sql(
    `select o.id, (select sum(l.amount_paise)::int / 100 from order_lines l where l.order_id = o.id) as amount
     from orders o where o.student_id = $1 and o.state = 'unpaid'`,
    [id],
  )
}
const told = (about: string) =>
  bursar.sql<{ channel: string }>(`select channel from messages where about = $1 order by channel`, [about])

test('links ask for what is overdue, due by a day or owed of the year, late fees with their fee', async () => {
  const fees = [TUITION, TRANSPORT]
  for (const [more, amount] of [
    [{ scope: 'overdue' }, 60_100],
    [{ scope: 'due_by', until: '2099-02-28' }, 60_100],
    [{ scope: 'due_by', until: '2099-03-01' }, 72_100],
    [{ scope: 'year' }, 72_100],
  ] as const) {
    const id = await desk.register({}, { fees })
    const made = await make([id], more)
    assertAnswer(made, '200')
    assert.deepEqual([made.body.data.done, made.body.data.left_out], [1, []])
    const [link, ...others] = await openOf(id)
    assert.deepEqual([link?.amount, others], [amount, []])
    assert.deepEqual(await told(link?.id ?? ''), [], 'nobody is told unless it is asked for')
    const act = await desk.lastAct(id)
    assert.deepEqual(
      [act.what, act.after.order_id, act.after.amount, act.after.scope],
      ['order.made', link?.id, amount, more.scope],
    )
    await pay(demo, link?.id ?? '')
    const { data } = (await demo.get(`${ERP}/students/${id}/dues`)).body
    assert.equal(data.total_amount, 72_100 - amount, 'it is set off against the dues')
  }
})

test('who owes nothing of it, has left, is not there or has an open link of the same fees is left out and named', async () => {
  const fees = [TRANSPORT]
  const nothing = await desk.register({ fullname: 'Nila Nothing' }, { fees })
  const dropped = await desk.register({}, { fees: [TUITION] })
  assertAnswer(await demo.post(`${ERP}/students/${dropped}/drop`), '200')
  const linked = await desk.register()
  const link = sampleOrder({
    service_student_id: linked,
    details: [{ component_type: 'TUITION_FEE', amount: 500 }],
  })
  assertAnswer(await demo.post(`${PAY}/payment_links`, link), '201')
  const stranger = await desk.register({ collector_code: 'NORTH' }, { client: bursar.group })
  const answer = await make([nothing, dropped, linked, stranger], { scope: 'overdue' })
  assertAnswer(answer, '200')
  assert.equal(answer.body.data.done, 0)
  assert.deepEqual(whys(answer), {
    [nothing]: 'Nothing is overdue.',
    [dropped]: 'The student has left the school.',
    [linked]: 'An open link or pay order for the same fees was made before. Cancel it to make a new one.',
    [stranger]: 'It was not found.',
  })
  assert.equal(answer.body.data.left_out[0].name, 'Nila Nothing')
  assert.deepEqual(whys(await make([nothing], { scope: 'due_by', until: '2026-12-31' })), {
    [nothing]: 'Nothing is due by 31 December 2026.',
  })
})

test('repeating it, also at the same moment, makes no second link; another amount takes the place of the first', async () => {
  const id = await desk.register({}, { fees: [TUITION, TRANSPORT] })
  const both = await Promise.all([make([id, id]), make([id])])
  assert.equal(both.filter(answer => answer.body.data.done === 1).length, 1)
  assert.equal(both.filter(answer => answer.body.data.done === 0).length, 1)
  const [first, ...none] = await openOf(id)
  assert.deepEqual(none, [])
  assert.deepEqual(whys(await make([id])), { [id]: 'It has an open link for the same dues.' })
  // Made before and sent now: the family gets the link that is there.
  const send = { scope: 'year', channels: ['email', 'sms'] }
  assert.equal((await make([id], send)).body.data.done, 1)
  assert.deepEqual(
    (await told(first?.id ?? '')).map(one => one.channel),
    ['email', 'sms'],
  )
  assert.deepEqual(whys(await make([id], send)), {
    [id]: 'The family was told of its link within the last day.',
  })
  assert.equal((await make([id], { scope: 'overdue' })).body.data.done, 1)
  const after1 = await openOf(id)
  assert.deepEqual(
    after1.map(one => [one.amount, one.id === first?.id]),
    [[60_100, false]],
  )
})

test('only owner and finance make links, of at most a hundred students of their own, and bad input changes nothing', async () => {
  const id = await desk.register()
  assertAnswer(
    await viewer.post(`${STUDENTS}/payment-links`, { student_ids: [id], scope: 'year' }),
    '403 AUE00001',
  )
  for (const [ids, more, key] of [
    [[id], { scope: 'due_by' }, 'until'],
    [[id], { scope: 'soon' }, 'scope'],
    [[id], { scope: 'due_by', until: '2026-02-31' }, 'until'],
    [[id], { scope: 'year', channels: ['pigeon'] }, 'channels'],
    [[], { scope: 'year' }, 'student_ids'],
    [Array.from({ length: 101 }, () => id), { scope: 'year' }, 'student_ids'],
  ] as const) {
    const answer = await make([...ids], more)
    assertAnswer(answer, '400 HUE00000')
    assert.ok(answer.text.includes(key), answer.text)
  }
  assert.deepEqual(await openOf(id), [])
})

test('the lists answer the keys of all that fit, for an act on each of them', async () => {
  const id = await desk.register({ grade: '11' })
  for (const list of [`${STUDENTS}/keys?grade=11`, `${SCHOOL}/money/defaulters/keys?grade=11`]) {
    const answer = await viewer.get(list)
    assertAnswer(answer, '200')
    assert.deepEqual(answer.body.data.keys, [id])
  }
})

test('what instalments take is never asked for by a link', async t => {
  const world = await openWorld(t, { withErp: false })
  const office = await demoVisitor(world.bursar.url)
  const sent = { student_ids: [world.studentId], scope: 'year' }
  const answer = await office.post(`${STUDENTS}/payment-links`, sent)
  assertAnswer(answer, '200')
  assert.deepEqual(whys(answer), { [world.studentId]: 'It is on a plan, whose instalments take this.' })
})

test('whose dues are on the way is left out, with what is on the way and until when', async () => {
  const fees = [TRANSPORT]
  const ids = [await desk.register({}, { fees }), await desk.register({}, { fees })]
  const [byDues = '', byOrder = ''] = ids
  const { order_id: dues } = (await demo.post(`${PAY}/students/${byDues}/orders`, {})).body.data
  const details = [{ component_type: 'TRANSPORT_FEE', amount: 12_000 }]
  const asked = sampleOrder({ service_student_id: byOrder, details })
  const { order_id: order } = (await demo.post(`${PAY}/orders`, asked)).body.data
  for (const id of [dues, order])
    assertAnswer(await demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'pending' }), '200')
  const said: string[] = Object.values(whys(await make(ids)))
  assert.equal(said.length, 2)
  for (const why of said)
    assert.match(why, /^₹12,000\.00 of these fees is on the way already: .*expected by \d/)
})
