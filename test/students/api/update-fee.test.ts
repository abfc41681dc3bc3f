import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  eventsOf,
  newStudent,
  openContract,
  samplePayment,
  strictSchool,
  withoutRequestId,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group } = contract

const SIBLING = { discount_type: 'SIBLING', value: 5000 }
const MERIT = { discount_type: 'MERIT', value: 2000 }

function pupil(): Promise<string> {
  return newStudent(demo, {
    fee_components: [
      { component_type: 'TUITION_FEE', fee_amount: 60000, discounts: [SIBLING, MERIT] },
      { component_type: 'TRANSPORT_FEE', fee_amount: 8000 },
    ],
    payments: [samplePayment()],
  })
}

function update(id: string, ...components: Json[]): Promise<Answer> {
  return demo.patch(`${ERP}/students/${id}/fee`, { fee_components: components })
}

async function updated(id: string, ...components: Json[]): Promise<void> {
  assertStatus(await update(id, ...components), 200)
}

async function fees(id: string): Promise<Json> {
  const answer = await demo.get(`${ERP}/students/${id}/fee`)
  assertStatus(answer, 200)
  return answer.body.data
}

async function component(id: string, type = 'TUITION_FEE'): Promise<Json> {
  return (await fees(id)).fee_components.find((one: Json) => one.component_type === type)
}

test('Update Fee answers 200 with status alone', async () => {
  const answer = await update(await pupil(), { component_type: 'TUITION_FEE', fee_amount: 1 })
  assertStatus(answer, 200)
  assert.deepEqual(answer.body, { status: 'success' })
})

test('a component sent is set and one not sent stays', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TRANSPORT_FEE', fee_amount: 9000 })
  const stored = (await fees(id)).fee_components
  assert.deepEqual(
    stored.map((one: Json) => [one.component_type, one.fee_amount, one.discounts]),
    [
      ['TUITION_FEE', 60000, [SIBLING, MERIT]],
      ['TRANSPORT_FEE', 9000, []],
    ],
  )
})

test('a component never seen is added behind the others', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'LAB_FEE', fee_amount: 700 })
  const types = (await fees(id)).fee_components.map((one: Json) => one.component_type)
  assert.deepEqual(types, ['TUITION_FEE', 'TRANSPORT_FEE', 'LAB_FEE'])
})

test('fee_amount and value are accepted as integers, numbers and quoted digits, and answered as numbers', async () => {
  const id = await pupil()
  const discounts = [
    { discount_type: 'A', value: '10' },
    { discount_type: 'B', value: 10.5 },
  ]
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: '55000', discounts })
  const stored = await component(id)
  assert.equal(stored.fee_amount, 55000)
  assert.deepEqual(
    stored.discounts.map((one: Json) => one.value),
    [10, 10.5],
  )
})

test("discounts sent replace that component's", async () => {
  const id = await pupil()
  const discounts = [{ discount_type: 'STAFF', value: 100 }]
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 60000, discounts })
  assert.deepEqual((await component(id)).discounts, discounts)
})

for (const cleared of [[], null, '']) {
  test(`discounts sent as ${JSON.stringify(cleared)} are replaced by none`, async () => {
    const id = await pupil()
    await updated(id, { component_type: 'TUITION_FEE', fee_amount: 60000, discounts: cleared })
    assert.deepEqual((await component(id)).discounts, [])
  })
}

test('discounts omitted stay', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 70000 })
  assert.deepEqual((await component(id)).discounts, [SIBLING, MERIT])
})

test('discounts omitted are capped at a lower fee and the history says so', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 6000 })
  const stored = await component(id)
  const total = stored.discounts.reduce((sum: number, one: Json) => sum + one.value, 0)
  assert.equal(total, 6000)
  assert.match(stored.history[0].note, /cap/i)
  assert.deepEqual(stored.history[0].before.discounts, [SIBLING, MERIT])
})

test('a discount that fits needs no cap and leaves no note', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 7000 })
  assert.equal((await component(id)).history[0].note, undefined)
})

test('fee_amount 0 keeps the component at 0 and ends its discounts', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 0 })
  const stored = await component(id)
  assert.deepEqual([stored.fee_amount, stored.discounts, stored.outstanding], [0, [], 0])
})

test('fee_amount 0 ends its discounts, also those sent with it', async () => {
  const id = await pupil()
  const discounts = [{ discount_type: 'SIBLING', value: 0 }]
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 0, discounts })
  assert.deepEqual((await component(id)).discounts, [])
})

test('a fee below what is paid leaves outstanding 0 and the rest as advance', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 12000, discounts: [] })
  const stored = await component(id)
  assert.deepEqual([stored.paid, stored.outstanding, stored.advance], [20000, 0, 8000])
  assert.deepEqual((await fees(id)).fee_summary, {
    total_fee: 20000,
    discount: 0,
    paid: 20000,
    outstanding: 8000,
    on_the_way_amount: 0,
    advance: 8000,
  })
})

test('discounts sent that exceed the fee sent are 400 and nothing changes', async () => {
  const id = await pupil()
  const before = await fees(id)
  const tooMuch = { component_type: 'TUITION_FEE', fee_amount: 6999, discounts: [SIBLING, MERIT] }
  const answer = await update(id, { component_type: 'TRANSPORT_FEE', fee_amount: 1 }, tooMuch)
  assertRefused(answer, 'HUE00000', 'fee_components.1.discounts')
  assert.deepEqual(await fees(id), before)
})

test('discounts sent may equal the fee', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 7000, discounts: [SIBLING, MERIT] })
  assert.equal((await component(id)).fee_amount, 7000)
})

test('a component_type that stands twice is 400', async () => {
  const one = { component_type: 'TUITION_FEE', fee_amount: 1 }
  assertRefused(await update(await pupil(), one, one), 'HUE00000')
})

for (const [name, body] of Object.entries({
  missing: {},
  null: { fee_components: null },
  empty: { fee_components: [] },
})) {
  test(`fee_components ${name} is 400 and names it`, async () => {
    const answer = await demo.patch(`${ERP}/students/${await pupil()}/fee`, body)
    assertRefused(answer, 'HUE00000', 'fee_components')
  })
}

test('component_type, fee_amount, discount_type and value are required', async () => {
  const id = await pupil()
  const answer = await update(
    id,
    { fee_amount: 1 },
    { component_type: 'A' },
    { component_type: 'B', fee_amount: 9, discounts: [{ value: 1 }, { discount_type: 'D' }] },
  )
  for (const key of [
    '0.component_type',
    '1.fee_amount',
    '2.discounts.0.discount_type',
    '2.discounts.1.value',
  ]) {
    assertRefused(answer, 'HUE00000', `fee_components.${key}`)
  }
})

test('every change is in the history with what was before and after, newest first', async () => {
  const id = await pupil()
  await updated(id, { component_type: 'TRANSPORT_FEE', fee_amount: 9000 })
  await updated(id, { component_type: 'TRANSPORT_FEE', fee_amount: 9500, discounts: [SIBLING] })
  const { history } = await component(id, 'TRANSPORT_FEE')
  assert.deepEqual(
    history.map((change: Json) => [change.before, change.after]),
    [
      [
        { fee_amount: 9000, discounts: [] },
        { fee_amount: 9500, discounts: [SIBLING] },
      ],
      [
        { fee_amount: 8000, discounts: [] },
        { fee_amount: 9000, discounts: [] },
      ],
      [undefined, { fee_amount: 8000, discounts: [] }],
    ],
  )
})

test('an update that changes nothing leaves no history', async () => {
  const id = await pupil()
  const before = await fees(id)
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 60000, discounts: [SIBLING, MERIT] })
  assert.deepEqual(await fees(id), before)
})

test('Update Fee records no event', async () => {
  const id = await pupil()
  const before = await eventsOf(contract, id)
  await updated(id, { component_type: 'TUITION_FEE', fee_amount: 1 })
  assert.deepEqual(await eventsOf(contract, id), before)
})

test('an unknown student is 404', async () => {
  assertRefused(await update('student_unknown', { component_type: 'A', fee_amount: 1 }), 'HUE00001')
})

test("another institute's student is answered exactly as one that does not exist", async () => {
  const id = await pupil()
  const body = { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1 }] }
  const theirs = withoutRequestId(await group.patch(`${ERP}/students/${id}/fee`, body))
  assert.deepEqual(theirs, withoutRequestId(await group.patch(`${ERP}/students/student_unknown/fee`, body)))
  assert.equal((await component(id)).fee_amount, 60000)
})

test('two updates of different components at once are both kept', async () => {
  const id = await pupil()
  await Promise.all([
    updated(id, { component_type: 'TUITION_FEE', fee_amount: 61000 }),
    updated(id, { component_type: 'TRANSPORT_FEE', fee_amount: 8100 }),
    updated(id, { component_type: 'LAB_FEE', fee_amount: 1 }),
    updated(id, { component_type: 'BOOK_FEE', fee_amount: 2 }),
  ])
  const { fee_summary: summary } = await fees(id)
  assert.equal(summary.total_fee, 61000 + 8100 + 1 + 2)
})

test('a strict institute refuses an unknown component and discount type and lists the allowed ones', async () => {
  const strict = await strictSchool(contract)
  const id = await newStudent(strict)
  const discounts = [{ discount_type: 'WHIM', value: 1 }]
  const answer = await strict.patch(`${ERP}/students/${id}/fee`, {
    fee_components: [{ component_type: 'LAB_FEE', fee_amount: 5, discounts }],
  })
  assertRefused(answer, 'HUE00000', 'fee_components.0.component_type')
  assertRefused(answer, 'HUE00000', 'fee_components.0.discounts.0.discount_type')
  assert.match(answer.text, /TUITION_FEE.*SCHOLARSHIP/)
})
