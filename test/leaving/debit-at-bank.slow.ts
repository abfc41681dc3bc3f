import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { SCHOOL, STUDENTS } from '../console/students/support.ts'
import { assertAnswer, createPerson, type Visitor } from '../console/support.ts'
import { decide, openWorld, untilPresented, type World } from '../flex/support.ts'
import type { Json } from '../harness/client.ts'

/** A debit that is at the bank when its child leaves: it is shown, and settled when the bank has said what came of it. */
const NOTHING_OWED = {
  left_on: '2026-11-30',
  charges: ['TUITION_FEE', 'TRANSPORT_FEE'].map(component_type => ({ component_type, charge: 'none' })),
}

type LeavingWithDebit = { world: World; finance: Visitor; amount: number; plan: Json }

async function leaveWithDebit(t: TestContext): Promise<LeavingWithDebit> {
  const world = await openWorld(t, { withErp: false })
  const finance = await createPerson(world.bursar, {
    email: 'finance@school.example',
    institute: 'demo-school',
    role: 'finance',
  })
  const plan = await untilPresented(world)
  const { amount } = plan.payment_schedule[0]
  const at = `${STUDENTS}/${world.studentId}/leaving`
  const preview = await finance.post(`${at}/preview`, NOTHING_OWED)
  assertAnswer(preview, '200')
  const { settlement, on_the_way: onTheWay } = preview.body.data
  assert.deepEqual(
    [settlement.plan_ids, onTheWay.map((one: Json) => one.amount), settlement.owed_amount],
    [[world.planId], [amount], 0],
  )
  assertAnswer(await finance.post(at, { ...NOTHING_OWED, reason: 'Moves to Pune' }), '201')
  assert.deepEqual(await rowOf({ world, finance }), ['on_the_way', amount, 0])
  return { world, finance, amount, plan }
}

async function rowOf({ world, finance }: Pick<LeavingWithDebit, 'world' | 'finance'>): Promise<Json[]> {
  const { body } = await finance.get(`${SCHOOL}/leavers`)
  const row = body.data.find((one: Json) => one.service_student_id === world.studentId)
  return [row.state, row.on_the_way_amount, row.advance]
}

test('a debit that the bank pays after the leaving goes back by itself, as the school has set, and the mandate ends', async t => {
  const { world, finance, amount, plan } = await leaveWithDebit(t)
  await decide(world, plan, { outcome: 'debited' })
  const refunds = await world.bursar.sql(
    `select r.amount_paise::int / 100.0 as amount from refunds r join orders o on o.institute_id = r.institute_id
       and o.id = r.order_id where o.student_id = $1`,
    [world.studentId],
  )
  assert.deepEqual(
    refunds.map(one => Number(one['amount'])),
    [amount],
  )
  assert.deepEqual(await rowOf({ world, finance }), ['settled', 0, 0])
  const ended = await world.plan()
  assert.deepEqual([ended.status, ended.mandate.status], ['cancelled', 'cancelled'])
})

test('a debit that comes back after the leaving is tried no more, and nothing is left to do', async t => {
  const { world, finance, plan } = await leaveWithDebit(t)
  await decide(world, plan, { outcome: 'bounced', code: '04' })
  assert.deepEqual(await rowOf({ world, finance }), ['settled', 0, 0])
  await world.advance('P10D')
  assert.deepEqual(await rowOf({ world, finance }), ['settled', 0, 0])
})
