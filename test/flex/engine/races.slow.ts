import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERP } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { FLEX, openWorld, stateOf, type World } from '../support.ts'

/** A presentation and somebody who stops it, at the same moment, each in a transaction of its own. */
const LIMIT = { limitMs: 5_000 }

type Moment = { presentOn: string }

async function announced(world: World): Promise<Moment> {
  const plan = await world.advanceUntil(now => stateOf(now) === 'confirmed', 'the notice')
  return { presentOn: plan.payment_schedule[0].present_on }
}

const present = (world: World, { presentOn }: Moment) =>
  world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${presentOn}T09:00:00+05:30` })

test('a drop that is under way when an instalment is presented is waited for, and nothing is debited', async t => {
  const world = await openWorld(t, { withErp: false })
  const moment = await announced(world)
  const written = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const dropping = world.bursar.app.ctx.db.transaction(async tx => {
    await tx.query(`update students set status = 'dropped' where id = $1`, [world.studentId])
    written.resolve()
    await commit.promise
  })
  await Promise.race([written.promise, dropping])
  const presenting = present(world, moment)
  try {
    await waitFor(
      async () => (await world.bursar.countWaiting()) > 0,
      'the presentation to wait for the drop',
      LIMIT,
    )
  } finally {
    commit.resolve()
    await Promise.all([dropping, presenting])
  }
  const plan = await world.plan()
  assert.equal(plan.status, 'cancelled')
  assert.deepEqual(plan.payment_schedule[0].attempts, [])
})

test('what stops a plan while a presentation is being written comes after it', async t => {
  const world = await openWorld(t, { withErp: false })
  const moment = await announced(world)
  const { demo } = world.bursar
  // The presentation has looked at the student, and its order cannot be written yet.
  const release = await world.bursar.holdWrites('orders')
  const presenting = present(world, moment)
  const answers: Promise<{ status: number }>[] = []
  try {
    await waitFor(
      async () => (await world.bursar.countWaiting()) === 1,
      'the presentation to be blocked',
      LIMIT,
    )
    answers.push(demo.post(`${FLEX}/plans/${world.planId}/hold`))
    await waitFor(async () => (await world.bursar.countWaiting()) === 2, 'the hold to wait', LIMIT)
    answers.push(demo.post(`${ERP}/students/${world.studentId}/drop`, {}))
    await waitFor(async () => (await world.bursar.countWaiting()) === 3, 'the drop to wait', LIMIT)
  } finally {
    await release()
    await Promise.all([presenting, ...answers])
  }
  const [hold, drop] = await Promise.all(answers)
  assert.equal(drop?.status, 200)
  // A drop that comes first has cancelled the plan, which cannot be held then.
  assert.ok([200, 409].includes(hold?.status ?? 0), `the hold answered ${hold?.status}`)
  const [row] = (await world.plan()).payment_schedule
  assert.equal(row.attempts.length, 1)
})
