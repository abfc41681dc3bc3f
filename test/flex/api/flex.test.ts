import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlexSettings } from '../../../src/flex/settings/settings.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import type { Json } from '../../harness/client.ts'
import { FlexContract, plansOf, TRANSPORT } from './support.ts'
import { assertRefused, assertStatus, newStudent, unique } from '../../http/support.ts'

/** Making a plan. */
const flex = await FlexContract.open()
const { demo, group, app } = flex.contract

/** In paise, by component. */
function totals(rows: Json[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const line of rows.flatMap(one => one.details))
    sums[line.component_type] = (sums[line.component_type] ?? 0) + Math.round(line.amount * 100)
  return sums
}

test('without a schedule the default plan takes exactly what is outstanding, in ten monthly parts', async () => {
  const id = await flex.student()
  const plan = await flex.newPlan(id)
  const { payment_schedule: rows, ...head } = plan
  assert.deepEqual(totals(rows), { TUITION_FEE: 1000001, TRANSPORT_FEE: 33333 })
  assert.equal(rows.length, 10)
  assert.deepEqual(
    rows.map((one: Json) => [one.due_date.slice(8), one.status, one.is_downpayment]),
    Array.from({ length: 10 }, () => ['05', 'scheduled', false]),
  )
  assert.deepEqual([rows[0].amount, rows[9].amount], [1033.33, 1033.37])
  assert.match(head.plan_id, /^plan_/)
  assert.deepEqual(head, {
    plan_id: head.plan_id,
    service_student_id: id,
    status: 'draft',
    is_held: false,
    product_name: 'Fee instalments',
    total_amount: 10333.34,
    paid_amount: 0,
    redirect_url: `${app.config.publicUrl}/flex/demo-school/${head.plan_id}`,
  })
  assert.deepEqual((await demo.get(plansOf(id))).body.data, plan)
})

test("the institute's settings shape its default plan, down payment first and due today", async () => {
  const institute = await getInstitute(app.ctx, 'demo-group')
  const wanted = { productName: 'Pay monthly', instalments: 3, dayOfMonth: 28, downpaymentPercent: 10 }
  await setFlexSettings(app.ctx, institute, wanted)
  const id = await newStudent(group, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1000.01 }],
  })
  const { body } = await group.post(plansOf(id), {})
  assert.equal(body.data.product_name, 'Pay monthly')
  const [down, ...rest] = body.data.payment_schedule
  assert.deepEqual([down.is_downpayment, down.due_date, down.amount], [true, flex.dayIn(0), 100])
  assert.deepEqual(
    rest.map((one: Json) => [one.due_date.slice(8), one.amount]),
    [
      ['28', 300],
      ['28', 300],
      ['28', 300.01],
    ],
  )
})

test('a schedule is taken as it was sent, a down payment that is due today included', async () => {
  const down = flex.row(0, '1000', { is_downpayment: true, identifier: 'DOWN' })
  const second = {
    ...flex.row(45, 4000.01),
    details: [{ component_type: 'TUITION_FEE', amount: 4000.01 }, TRANSPORT],
  }
  const plan = await flex.newPlan(await flex.student(), [
    down,
    flex.row(15, 5000, { reference_id: 'R-1' }),
    second,
  ])
  assert.deepEqual(
    plan.payment_schedule.map((one: Json) => ({ ...one, id: undefined })),
    [
      {
        id: undefined,
        due_date: flex.dayIn(0),
        amount: 1000,
        is_downpayment: true,
        status: 'scheduled',
        details: [{ component_type: 'TUITION_FEE', amount: 1000 }],
      },
      {
        id: undefined,
        due_date: flex.dayIn(15),
        amount: 5000,
        is_downpayment: false,
        status: 'scheduled',
        reference_id: 'R-1',
        details: [{ component_type: 'TUITION_FEE', amount: 5000 }],
      },
      {
        id: undefined,
        due_date: flex.dayIn(45),
        amount: 4333.34,
        is_downpayment: false,
        status: 'scheduled',
        details: [{ component_type: 'TUITION_FEE', amount: 4000.01 }, TRANSPORT],
      },
    ],
  )
  assert.equal((await flex.wholePlan(plan.plan_id)).payment_schedule[0].identifier, 'DOWN')
})

const [first, second] = flex.wholeSchedule()
const without = (name: string): Json => ({ ...first, [name]: undefined })
const REFUSED: [string, Json, string][] = [
  [
    'an amount of 0',
    [first, { ...second, details: [...second.details, { ...TRANSPORT, amount: 0 }] }],
    '1.details.2.amount',
  ],
  ['a fraction of a paisa', [{ ...first, details: [{ ...TRANSPORT, amount: 1.005 }] }], '0.details.0.amount'],
  ['no due_date', [without('due_date'), second], '0.due_date'],
  ['no details', [without('details'), second], '0.details'],
  ['empty details', [first, { ...second, details: [] }], '1.details'],
  [
    'a detail without component_type',
    [{ ...first, details: [{ amount: 5000 }] }],
    '0.details.0.component_type',
  ],
  ['a day that does not exist', [{ ...first, due_date: '2027-02-30' }, second], '0.due_date'],
  ['a due date in the past', [{ ...first, due_date: flex.dayIn(-1) }, second], '0.due_date'],
  ['two instalments on one day', [first, { ...second, due_date: first.due_date }], '1.due_date'],
  ['is_downpayment that is no boolean', [{ ...first, is_downpayment: 'yes' }, second], '0.is_downpayment'],
  ['two down payments', [first, second].map(one => ({ ...one, is_downpayment: true })), ''],
  ['less than is outstanding', [first], ''],
  [
    'a component that is not owed',
    [...flex.wholeSchedule(), flex.row(90, 1, { details: [{ component_type: 'LAB', amount: 1 }] })],
    '',
  ],
  ['no rows', [], ''],
  ['more than 60 rows', Array.from({ length: 61 }, () => first), ''],
  ['something that is no array', { due_date: flex.dayIn(1) }, ''],
]

for (const [what, payment_schedule, key] of REFUSED) {
  test(`a schedule with ${what} is 400 and names the field`, async () => {
    const id = await flex.student()
    const field = key === '' ? 'payment_schedule' : `payment_schedule.${key}`
    assertRefused(await demo.post(plansOf(id), { payment_schedule }), 'HUE00000', field)
    assertRefused(await demo.get(plansOf(id)), 'HUE00001')
  })
}

test('sent again before set-up it replaces the draft under the same id', async () => {
  const id = await flex.student()
  const { plan_id } = await flex.newPlan(id)
  const again = await flex.newPlan(id, flex.wholeSchedule())
  assert.deepEqual([again.plan_id, again.payment_schedule.length], [plan_id, 2])
  assert.deepEqual((await demo.get(plansOf(id))).body.data, again)
  assertStatus(await demo.post(plansOf(id), { payment_schedule: null }), 201)
  assert.equal((await flex.wholePlan(plan_id)).payment_schedule.length, 10)
})

test('of a plan that was made once by its key the first answer is repeated', async () => {
  const path = plansOf(await flex.student())
  const key = { 'idempotency-key': unique('plan') }
  const first = await demo.post(path, { payment_schedule: flex.wholeSchedule() }, key)
  const again = await demo.post(path, { payment_schedule: flex.wholeSchedule() }, key)
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
  assert.equal(again.text, first.text)
  assertRefused(await demo.post(path, {}, key), 'IDE00000')
})

test('plans made for one student at the same moment are one plan', async () => {
  const id = await flex.student()
  const answers = await Promise.all(Array.from({ length: 16 }, () => demo.post(plansOf(id), {})))
  for (const answer of answers) assertStatus(answer, 201)
  assert.equal(new Set(answers.map(({ body }) => body.data.plan_id)).size, 1)
  const { payment_schedule: rows } = (await demo.get(plansOf(id))).body.data
  assert.deepEqual(totals(rows), { TUITION_FEE: 1000001, TRANSPORT_FEE: 33333 })
})
