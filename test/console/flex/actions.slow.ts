import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { waitFor } from '../../harness/wait.ts'
import { must, openFlexSchool } from './support.ts'
import { API, assertAnswer, createPerson, demoVisitor } from '../support.ts'

const { bursar, plans, day } = await openFlexSchool({ after })
const AT = `${API}/institutes/demo-school/flex`

const owner = await demoVisitor(bursar.url)
const finance = await createPerson(bursar, {
  email: 'money@school.example',
  name: 'Meera Finance',
  institute: 'demo-school',
  role: 'finance',
})
const viewer = await createPerson(bursar, {
  email: 'looks@school.example',
  institute: 'demo-school',
  role: 'viewer',
})
const stranger = await demoVisitor(bursar.url, 'bursar@demo-group.example')

const read = async (path: string): Promise<Json> => (await must(viewer.get(`${AT}${path}`))).body.data

test('hold, resume, move and cancel take a reason, and the log has before and after', async () => {
  const path = `${AT}/plans/${plans.Kabir}`
  assertAnswer(await finance.post(`${path}/hold`, {}), '400 HUE00000')
  const held = await must(finance.post(`${path}/hold`, { reason: 'The parents asked to wait' }))
  assert.equal(held.body.data.is_held, true)
  assertAnswer(await finance.post(`${path}/hold`, { reason: 'Again' }), '409 HUE00002')
  await must(finance.post(`${path}/resume`, { reason: 'They are back' }))
  const { payment_schedule: instalments } = await read(`/plans/${plans.Kabir}`)
  const last = instalments.at(-1)
  const later = `${Number(last.due_date.slice(0, 4))}-${last.due_date.slice(5, 7)}-20`
  const moved = await must(
    finance.post(`${path}/instalments/${last.id}/reschedule`, {
      new_due_date: later,
      reason: 'Salary comes on the 18th',
    }),
  )
  assert.equal(moved.body.data.payment_schedule.at(-1).due_date, later)
  assertAnswer(
    await finance.post(`${path}/instalments/${last.id}/reschedule`, {
      new_due_date: '2020-01-01',
      reason: 'x',
    }),
    '400 HUE00000',
  )
  assertAnswer(
    await finance.post(`${path}/instalments/${instalments[0].id}/reschedule`, {
      new_due_date: later,
      reason: 'x',
    }),
    '409 HUE00002',
  )
  const { body } = await must(owner.get(`${API}/institutes/demo-school/audit?about=${plans.Kabir}`))
  const log = body.data.map((one: Json) => [one.what, one.why, one.before, one.after])
  assert.deepEqual(
    log.map(([what, why]: Json) => `${what}: ${why}`),
    [
      'flex.instalment.rescheduled: Salary comes on the 18th',
      'flex.plan.resumed: They are back',
      'flex.plan.held: The parents asked to wait',
    ],
  )
  assert.deepEqual(log[2].slice(2), [
    { status: 'active', is_held: false, mandate: 'active' },
    { status: 'active', is_held: true, mandate: 'active' },
  ])
  assert.equal(`${log[0][2].due_date} ${log[0][3].due_date}`, `${last.due_date} ${later}`)
  const { timeline } = await read(`/plans/${plans.Kabir}`)
  const act = timeline.find((one: Json) => one.what === 'flex.instalment.rescheduled')
  assert.equal(
    `${act.by} ${act.why} ${act.instalment}`,
    `money@school.example Salary comes on the 18th ${last.number}`,
  )

  const cancelled = await must(
    finance.post(
      `${AT}/plans/${plans.Om}/cancel`,
      { reason: 'Leaves the school' },
      { 'idempotency-key': 'c-1' },
    ),
  )
  assert.equal(cancelled.body.data.status, 'cancelled')
  const again = await finance.post(
    `${AT}/plans/${plans.Om}/cancel`,
    { reason: 'Leaves the school' },
    { 'idempotency-key': 'c-1' },
  )
  assert.equal(again.text, cancelled.text)
  const [entry] = (await must(owner.get(`${API}/institutes/demo-school/audit?about=${plans.Om}`))).body.data
  assert.deepEqual(entry.after, { status: 'cancelled', is_held: false, mandate: 'cancelled' })
})

test('a viewer can stop nothing, and nothing happens', async () => {
  const path = `${AT}/plans/${plans.Meera}`
  const developer = await createPerson(bursar, {
    email: 'dev@school.example',
    institute: 'demo-school',
    role: 'developer',
  })
  for (const visitor of [viewer, developer]) {
    for (const act of ['hold', 'resume', 'cancel'])
      assertAnswer(await visitor.post(`${path}/${act}`, { reason: 'x' }), '403 AUE00001')
    assertAnswer(
      await visitor.send('PATCH', `${AT}/settings`, { instalments: 2, reason: 'x' }),
      '403 AUE00001',
    )
  }
  assert.equal((await read(`/plans/${plans.Meera}`)).status, 'active')
})

const essence = (text: string): string => text.replace(/"request_id":"\w+"/, '')

test("another institute's plan and instalment answer like ones that do not exist", async () => {
  const theirs = `${API}/institutes/demo-group/flex`
  const { payment_schedule: instalments } = await read(`/plans/${plans.Dev}`)
  const own = `${theirs}/plans/${plans.Dev}`
  const unknown = `${theirs}/plans/plan_00000000000000000000000000`
  for (const [path, other] of [
    [own, unknown],
    [`${own}/hold`, `${unknown}/hold`],
    [`${own}/instalments/${instalments[0].id}/reschedule`, `${unknown}/instalments/inst_0/reschedule`],
  ] as const) {
    const isAct = path !== own
    const body = { reason: 'x', new_due_date: '2030-01-01' }
    const answer = isAct ? await stranger.post(path, body) : await stranger.get(path)
    const same = isAct ? await stranger.post(other, body) : await stranger.get(other)
    assertAnswer(answer, '404 HUE00001')
    assert.equal(essence(answer.text), essence(same.text))
  }
  assertAnswer(await stranger.get(`${AT}/plans/${plans.Dev}`), '404 HUE00001')
  const group = async (path: string) => (await must(stranger.get(`${theirs}${path}`))).body.data
  assert.deepEqual(await group(`/debits?from=${day}&to=${day}`), [])
  assert.deepEqual(await group('/plans?search=Kabir'), [])
  assert.deepEqual((await group(`/returns?from=${day}&to=${day}`)).reasons, [])
  assert.deepEqual((await group('/coming')).waiting, [])
  assert.ok((await group(`/calendar?month=${day}`)).days.every((one: Json) => one.sums.length === 0))
  assert.deepEqual(await group('/erp/fetches'), [])
})

test('the default plan is changed with a reason, and its limits hold', async () => {
  assert.deepEqual(await read('/settings'), {
    product_name: 'Fee instalments',
    instalments: 10,
    day_of_month: 5,
    downpayment_percent: 0,
    offered: [],
    charge_components: [],
  })
  const change = { instalments: 12, product_name: 'Pay monthly', reason: 'New school year' }
  const changed = await must(finance.send('PATCH', `${AT}/settings`, change))
  assert.equal(changed.body.data.instalments, 12)
  assert.equal(changed.body.data.day_of_month, 5)
  const offering = await must(finance.send('PATCH', `${AT}/settings`, { offered: [6, 3, 6], reason: 'x' }))
  assert.deepEqual(offering.body.data.offered, [3, 6])
  for (const wrong of [{ day_of_month: 31 }, { offered: [0] }, { offered: [37] }, { offered: ['6'] }])
    assertAnswer(await finance.send('PATCH', `${AT}/settings`, { ...wrong, reason: 'x' }), '400 HUE00000')
  const [, entry] = (await must(owner.get(`${API}/institutes/demo-school/audit?what=flex.settings.changed`)))
    .body.data
  assert.equal(`${entry.why} ${entry.before.instalments} ${entry.after.instalments}`, 'New school year 10 12')
})

test('the log tells the plan as it was under its lock, not as it was when the request came', async () => {
  const { db } = bursar.app.ctx
  let cancelling: Promise<Json> | undefined
  await db.transaction(async tx => {
    // Another request ends the hold, and is not through yet when this one comes.
    await tx.query('update flex_plans set is_held = false where id = $1', [plans.Dev])
    cancelling = finance.post(`${AT}/plans/${plans.Dev}/cancel`, { reason: 'Moves away' })
    await waitFor(async () => (await bursar.countWaiting()) > 0, 'the lock')
  })
  assert.equal((await cancelling)?.status, 200)
  const { body } = await must(owner.get(`${API}/institutes/demo-school/audit?about=${plans.Dev}`))
  const [cancelled] = body.data
  assert.deepEqual([cancelled.what, cancelled.before.is_held], ['flex.plan.cancelled', false])
})
