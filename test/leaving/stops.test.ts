import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeOptionalFee, monthlyBus } from '../console/students/optional-fee.ts'
import { SCHOOL, StudentDesk, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { FLEX } from '../flex/support.ts'
import { dataOf, type Answer, type Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'

/** Whatever would go on asking a family for money, or taking it, ends with the leaving. */
const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const PAY = '/api/v1/integrations/pay'
const REGISTER = `${SCHOOL}/counter/post-dated-cheques`
const LEFT = { left_on: '2027-02-14', reason: 'Moves to Pune' }
const BUS = monthlyBus(
  ['2027-02', '2027-03'],
  [
    { name: 'Route 4', amount: 1_500, places: 1 },
    { name: 'Route 5', amount: 1_500 },
  ],
)

const moveTo = async (to: string): Promise<void> =>
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { to }), '200')

const made = async (answer: Promise<Answer>): Promise<Json> => dataOf(await answer)

const { at: bus, options } = await makeOptionalFee(finance, BUS)
const [route4, route5] = options

const ride = (id: string, { route = route4, first_day = '2027-02-01' } = {}) =>
  made(finance.post(`${bus}/children`, { student_ids: [id], option_id: route, first_day }))
const hand = (id: string, ...numbers: string[]) =>
  made(
    finance.post(REGISTER, {
      service_student_id: id,
      cheques: numbers.map(number => ({ number, date: '2027-03-05', amount: 6_000 })),
    }),
  )
const preview = (id: string, body: Json = {}) =>
  made(finance.post(`${STUDENTS}/${id}/leaving/preview`, { left_on: LEFT.left_on, ...body }))
const settle = (id: string, body: Json = {}) =>
  made(finance.post(`${STUDENTS}/${id}/leaving`, { ...LEFT, ...body }))
const statesOf = async (id: string): Promise<string[]> =>
  (await made(viewer.get(`${REGISTER}?service_student_id=${id}`))).map((one: Json) => one.state)
const march = (charge: string): Json => ({
  charges: [{ component_type: 'TRANSPORT_FEE_MARCH', charge }],
})
const busLines = ({ lines }: Json): Json[] =>
  lines
    .filter((one: Json) => one.component_type.startsWith('TRANSPORT'))
    .map((one: Json) => [one.component_type, one.charge, one.before_amount, one.after_amount])

await moveTo('2027-02-01T21:30:00+05:30')

test('bus, plan, order, cheques and reminders end with the leaving, and the preview names each', async () => {
  const id = await desk.register()
  await ride(id)
  await hand(id, '000201', '000202')
  const { order_id: order } = await made(demo.post(`${PAY}/students/${id}/orders`, { amount: 61_500 }))
  const { plan_id: plan } = await made(demo.post(`${FLEX}/students/${id}/plans`, {}))
  const run = await made(
    finance.post(`${SCHOOL}/reminder-runs`, {
      student_ids: [id],
      subject: 'Fees are due',
      body: '{details}',
      channels: ['email'],
      scope: 'all',
    }),
  )
  const { settlement: seen } = await preview(id)
  assert.deepEqual(seen.ended, [
    { name: 'School bus', last_day: '2027-02-14', before_amount: 3_000, after_amount: 750 },
  ])
  assert.deepEqual(busLines(seen), [
    ['TRANSPORT_FEE_FEBRUARY', 'ended', 1_500, 750],
    ['TRANSPORT_FEE_MARCH', 'ended', 1_500, 0],
  ])
  assert.deepEqual([seen.plan_ids, seen.reminders], [[plan], 1])
  assert.deepEqual(
    seen.cheques.map((one: Json) => [one.number, one.amount, one.day]),
    [
      ['000201', 6_000, '2027-03-05'],
      ['000202', 6_000, '2027-03-05'],
    ],
  )
  assert.ok(seen.closed_orders.some((one: Json) => one.order_id === order && one.amount === 61_500))
  assert.deepEqual(await statesOf(id), ['held', 'held'], 'a preview changes nothing')

  const { settlement } = await settle(id)
  const given = seen.cheques.map((one: Json) => ({ ...one, is_given_back: true }))
  assert.deepEqual(settlement, { ...seen, cheques: given })
  assert.deepEqual(await statesOf(id), ['to_give_back', 'to_give_back'])
  assert.equal((await made(demo.get(`${FLEX}/plans/${plan}`))).status, 'cancelled')
  const standing = await bursar.sql(`select state from orders where student_id = $1 and state = 'unpaid'`, [
    id,
  ])
  assert.deepEqual(standing, [])
  assert.equal((await made(viewer.get(bus))).options[0].children, 0)
  const [mail] = await bursar.sql(`select body from messages where about = $1 and channel = 'email'`, [id])
  assert.match(String(mail?.['body']), /collect them from the school office: 000201 \(₹6,000\.00\), 000202/)

  await moveTo('2027-02-02T10:00:00+05:30')
  const [family] = await made(viewer.get(`${SCHOOL}/reminder-runs/${run.id}/families`))
  assert.deepEqual([family.state, family.reason], ['withheld', 'dropped'])
})

test('the place on the bus is free for another child from then on', async () => {
  const next = await desk.register()
  const { students } = await ride(next, { first_day: '2027-02-15' })
  assert.deepEqual([students[0].outcome, students[0].reason], ['changed', undefined])
  await settle(next)
})

test('the papers of a leaver stay on a list until they are handed over, and go to no bank', async () => {
  const id = await desk.register()
  const [cheque] = await hand(id, '000301')
  await settle(id, { write_off: true })
  assert.equal((await made(viewer.get(`${SCHOOL}/leavers?state=to_hand_back`))).length, 1)
  assertAnswer(await finance.post(`${REGISTER}/bank`, { ids: [cheque.id] }), '409 HUE00002')
  const other = { number: '000302', date: '2027-03-05', amount: 6_000, reason: 'Another' }
  assertAnswer(await finance.post(`${REGISTER}/${cheque.id}/replace`, other), '409 HUE00002')
  const over = { reason: 'Handed to the mother' }
  assertAnswer(await finance.post(`${REGISTER}/${cheque.id}/give-back`, over), '200')
  assertAnswer(await finance.post(`${REGISTER}/${cheque.id}/give-back`, over), '409 HUE00002')
  assert.deepEqual(await statesOf(id), ['given_back'])
  const [row] = await made(viewer.get(`${SCHOOL}/leavers?state=settled`))
  assert.equal(row.service_student_id, id)
})

test('a cheque that is with the bank is named, and owed again when it comes back', async () => {
  const id = await desk.register()
  const paid = await made(
    finance.post(`${STUDENTS}/${id}/payments`, {
      amount: 60_000,
      paid_at: '2026-11-10',
      mode: 'cheque',
      fee_components: [{ component_type: 'TUITION_FEE', amount: 60_000 }],
      instrument: { number: '000401', bank: 'Canara Bank', date: '2026-11-10' },
    }),
  )
  const { settlement } = await preview(id)
  assert.deepEqual(
    settlement.cheques_at_bank.map((one: Json) => [one.number, one.amount]),
    [['000401', 60_000]],
  )
  await settle(id)
  const rowOf = async (state: string): Promise<Json[]> =>
    (await made(viewer.get(`${SCHOOL}/leavers?state=${state}`))).filter(
      (row: Json) => row.service_student_id === id,
    )
  assert.equal((await rowOf('settled')).length, 1)
  const bounce = `${SCHOOL}/counter/cheques/${paid.id}/bounce`
  await made(finance.post(bounce, { reason: 'Funds insufficient', charge_amount: 350 }))
  assert.equal((await rowOf('to_collect'))[0]?.['owed'], 60_350)
})

test('the office may ask for the whole of an optional fee, or for nothing of it; a fee of the class has no end of its own', async () => {
  const id = await desk.register()
  await ride(id, { route: route5 })
  assert.deepEqual(busLines((await preview(id, march('full'))).settlement)[1], [
    'TRANSPORT_FEE_MARCH',
    'full',
    1_500,
    1_500,
  ])
  const wrong = { charges: [{ component_type: 'TUITION_FEE', charge: 'ended' }] }
  const refused = await finance.post(`${STUDENTS}/${id}/leaving/preview`, { left_on: LEFT.left_on, ...wrong })
  assertAnswer(refused, '400 HUE00000')
  await settle(id, march('full'))
  const dues = await made(demo.get(`${ERP}/students/${id}/dues`))
  const lineOf = (type: string): Json => dues.components.find((one: Json) => one.component_type === type)
  assert.deepEqual(
    ['FEBRUARY', 'MARCH'].map(month => lineOf(`TRANSPORT_FEE_${month}`).outstanding_amount),
    [750, 1_500],
  )
})

test('whoever left stands on the list, whether by the act, by the ERP or by the office', async () => {
  const [act, erp, office] = [
    await desk.register(),
    await desk.register({}, { fees: [] }),
    await desk.register(),
  ]
  await settle(act, { write_off: true })
  await made(demo.post(`${ERP}/students/${erp}/drop`))
  await made(finance.post(`${STUDENTS}/${office}/status`, { status: 'dropped', reason: 'Registered twice' }))
  const rows: Json[] = await made(viewer.get(`${SCHOOL}/leavers?limit=200`))
  const stateOf = (id: string): string => rows.find(row => row.service_student_id === id)?.state
  assert.deepEqual([act, erp, office].map(stateOf), ['settled', 'settled', 'to_settle'])
  // Nobody has decided about its cheques, so the register says who it is.
  const [cheque] = await hand(office, '000501')
  const [held] = await made(viewer.get(`${REGISTER}?state=held&service_student_id=${office}`))
  assert.deepEqual([held.id, held.has_left], [cheque.id, true])
})
