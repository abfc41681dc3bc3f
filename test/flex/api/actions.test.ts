import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { readHolidays } from '../../../src/payments/holidays.service.ts'
import { isWorkingDay } from '../../../src/platform/calendar.ts'
import { FLEX, FlexContract, plansOf, SANDBOX, TRANSPORT } from './support.ts'
import {
  assertRefused,
  assertStatus,
  eventsOf,
  newStudent,
  unique,
  withoutRequestId,
} from '../../http/support.ts'

/** What can be done with a plan that is set up, and what is read of it. */
const flex = await FlexContract.open()
const { contract } = flex
const { demo, group } = contract

test('after set-up a plan is not replaced: 409 that names it', async () => {
  const plan = await flex.activePlan()
  const answer = await demo.post(plansOf(plan.service_student_id), { payment_schedule: flex.wholeSchedule() })
  assertRefused(answer, 'HUE00002')
  assert.deepEqual(answer.body.data, { plan_id: plan.plan_id })
  assert.deepEqual(await flex.wholePlan(plan.plan_id), plan)
})

test('a student who owes nothing gets no plan, and one without a plan has none to show', async () => {
  const id = await newStudent(demo)
  assertRefused(await demo.post(plansOf(id), {}), 'HUE00002')
  assertRefused(await demo.get(plansOf(id)), 'HUE00001')
})

test('a plan that is set up shows its mandate, its days and what was decided and why', async () => {
  const plan = await flex.activePlan()
  assert.equal(plan.status, 'active')
  const { mandate } = plan
  assert.deepEqual(
    [mandate.rail, mandate.status, mandate.start_date],
    ['upi_autopay', 'active', flex.dayIn(0)],
  )
  assert.ok(mandate.max_amount >= 5333.34)
  for (const one of plan.payment_schedule) {
    assert.deepEqual([one.attempt, one.attempts], [0, []])
    assert.ok(one.present_on >= one.due_date)
  }
  assert.ok(plan.decisions.length > 0)
  for (const { at, what, why } of plan.decisions)
    assert.ok(at.endsWith('Z') && what.length > 0 && why.length > 0)
})

test('present_on names a working day from the first, a day for each instalment, and set-up keeps it', async () => {
  const holidays = await readHolidays(contract.app.ctx.db)
  const id = await flex.student()
  const days = Array.from({ length: 9 }, (_, n) => flex.row(30 + n, 1_000))
  const last = flex.row(39, 1_000.01)
  const draft = await flex.newPlan(id, [...days, { ...last, details: [...last.details, TRANSPORT] }])
  const presented = async (): Promise<string[]> =>
    (await flex.wholePlan(draft.plan_id)).payment_schedule.map((one: Json) => one.present_on)
  const before = await presented()
  for (const [n, day] of before.entries())
    assert.ok(isWorkingDay(day, holidays) && day >= flex.dayIn(30 + n), `${day} of ${flex.dayIn(30 + n)}`)
  assert.equal(new Set(before).size, before.length)
  assertStatus(await demo.post(`${SANDBOX}/flex/plans/${draft.plan_id}/authorise`), 200)
  assert.deepEqual(await presented(), before)
})

test('an instalment moves to another day, and the reason can be read', async () => {
  const plan = await flex.activePlan()
  const path = `${FLEX}/students/${plan.service_student_id}/reschedule`
  const answer = await demo.patch(path, { due_date: flex.dayIn(30), new_due_date: flex.dayIn(40) })
  assertStatus(answer, 200)
  assert.deepEqual(
    answer.body.data.payment_schedule.map((one: Json) => one.due_date),
    [flex.dayIn(40), flex.dayIn(60)],
  )
  const after = await flex.wholePlan(plan.plan_id)
  const [moved] = after.payment_schedule
  assert.ok(moved.present_on >= flex.dayIn(40))
  const [decision] = after.decisions
  assert.deepEqual([decision.instalment_id, decision.what], [moved.id, 'rescheduled'])
  assert.match(decision.why, new RegExp(`${flex.dayIn(30)}.*${flex.dayIn(40)}`))
  const updated = (await eventsOf(contract, plan.plan_id)).at(-1)
  assert.equal(updated?.event_code, 'flex.subscription.updated')
})

test('reschedule refuses days that cannot be, and names them', async () => {
  const plan = await flex.activePlan()
  const path = `${FLEX}/students/${plan.service_student_id}/reschedule`
  const move = (due_date: unknown, new_due_date: unknown) => demo.patch(path, { due_date, new_due_date })
  assertRefused(await move(flex.dayIn(31), flex.dayIn(40)), 'HUE00000', 'due_date')
  assertRefused(await move(flex.dayIn(30), flex.dayIn(-1)), 'HUE00000', 'new_due_date')
  assertRefused(await move(flex.dayIn(30), flex.dayIn(60)), 'HUE00000', 'new_due_date')
  assertRefused(await move(flex.dayIn(30), undefined), 'HUE00000', 'new_due_date')
  assertRefused(await move(undefined, flex.dayIn(40)), 'HUE00000', 'due_date')
  assertRefused(await move(flex.dayIn(30), '05-01-2027'), 'HUE00000', 'new_due_date')
  assert.deepEqual(await flex.wholePlan(plan.plan_id), plan)
})

test('a plan is held and resumed, each once, and webhooks hear of both', async () => {
  const { plan_id } = await flex.activePlan()
  const act = (name: string) => demo.post(`${FLEX}/plans/${plan_id}/${name}`)
  assertRefused(await act('resume'), 'HUE00002')
  const held = await act('hold')
  assert.deepEqual([held.status, held.body.data.is_held, held.body.data.status], [200, true, 'active'])
  assertRefused(await act('hold'), 'HUE00002')
  const resumed = await act('resume')
  assert.deepEqual([resumed.status, resumed.body.data.is_held], [200, false])
  const holds = (await eventsOf(contract, plan_id)).filter(
    one => one.event_code === 'flex.subscription.updated',
  )
  assert.deepEqual(
    holds.map(({ payload }) => payload.changes),
    [[{ field: 'hold', before: false, after: true }], [{ field: 'hold', before: true, after: false }]],
  )
})

test('a draft is not held', async () => {
  const { plan_id } = await flex.newPlan(await flex.student())
  assertRefused(await demo.post(`${FLEX}/plans/${plan_id}/hold`), 'HUE00002')
  assertRefused(await demo.post(`${FLEX}/plans/${plan_id}/resume`), 'HUE00002')
})

test('a cancelled plan stays readable until the student has a new one', async () => {
  const { plan_id, service_student_id: id } = await flex.activePlan()
  const cancelled = await demo.post(`${FLEX}/plans/${plan_id}/cancel`)
  assertStatus(cancelled, 200)
  assert.equal(cancelled.body.data.status, 'cancelled')
  assert.deepEqual(
    cancelled.body.data.payment_schedule.map((one: Json) => one.status),
    ['cancelled', 'cancelled'],
  )
  assertRefused(await demo.post(`${FLEX}/plans/${plan_id}/cancel`), 'HUE00002')
  assert.equal((await demo.get(plansOf(id))).body.data.plan_id, plan_id)
  const next = await flex.newPlan(id)
  assert.notEqual(next.plan_id, plan_id)
  assert.equal((await demo.get(plansOf(id))).body.data.plan_id, next.plan_id)
})

test('a plan that was cancelled while it was held cannot be resumed', async () => {
  const { plan_id } = await flex.activePlan()
  for (const name of ['hold', 'cancel'])
    assertStatus(await demo.post(`${FLEX}/plans/${plan_id}/${name}`), 200)
  assertRefused(await demo.post(`${FLEX}/plans/${plan_id}/resume`), 'HUE00002')
  assert.equal((await demo.get(`${FLEX}/plans/${plan_id}`)).body.data.status, 'cancelled')
})

test('an act that came twice with its key is done once and answered twice', async () => {
  const { plan_id } = await flex.activePlan()
  for (const name of ['hold', 'resume', 'cancel']) {
    const key = { 'idempotency-key': unique(name) }
    const first = await demo.post(`${FLEX}/plans/${plan_id}/${name}`, undefined, key)
    const again = await demo.post(`${FLEX}/plans/${plan_id}/${name}`, undefined, key)
    assertStatus(first, 200)
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
    assert.equal(again.text, first.text)
  }
})

test("another institute's plan is answered as one that does not exist", async () => {
  const plan = await flex.activePlan()
  const day = { due_date: flex.dayIn(30), new_due_date: flex.dayIn(40) }
  const attempts = (studentId: string, planId: string) => [
    group.get(`${FLEX}/plans/${planId}`),
    ...['cancel', 'hold', 'resume'].map(name => group.post(`${FLEX}/plans/${planId}/${name}`)),
    group.get(plansOf(studentId)),
    group.post(plansOf(studentId), {}),
    group.patch(`${FLEX}/students/${studentId}/reschedule`, day),
  ]
  const foreign = await Promise.all(attempts(plan.service_student_id, plan.plan_id))
  const nobodys = await Promise.all(attempts('student_none', 'plan_none'))
  for (const [index, answer] of foreign.entries()) {
    assertRefused(answer, 'HUE00001')
    const expected = nobodys[index]
    assert.ok(expected !== undefined)
    assert.deepEqual(withoutRequestId(answer), withoutRequestId(expected))
  }
  assert.deepEqual(await flex.wholePlan(plan.plan_id), plan)
})

test('every presentation is shown with its amount and what the bank made of it', async () => {
  const { plan_id, service_student_id: id } = await flex.activePlan()
  const due = flex.dayIn(30)
  assertStatus(await demo.post(`${SANDBOX}/clock`, { to: `${due}T23:00:00+05:30` }), 200)
  const [one, other] = (await flex.wholePlan(plan_id)).payment_schedule
  const [attempt] = one.attempts
  assert.deepEqual(
    [one.attempts.length, attempt.presentation, attempt.amount, attempt.status],
    [1, 1, 5000, 'debited'],
  )
  assert.deepEqual([one.status, one.attempt, one.presented_on], ['debited', 1, due])
  assert.ok(attempt.presented_at > one.notified_at)
  assert.deepEqual([other.status, other.attempts], ['scheduled', []])
  const { paid_amount, status } = (await demo.get(plansOf(id))).body.data
  assert.deepEqual([paid_amount, status], [5000, 'active'])
  const path = `${FLEX}/students/${id}/reschedule`
  assertRefused(await demo.patch(path, { due_date: due, new_due_date: flex.dayIn(10) }), 'HUE00002')
})
