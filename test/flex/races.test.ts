import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERP } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { FLEX, openWorld, stateOf, type World } from './support.ts'

/** A presentation and somebody who stops it, at the same moment, each in a transaction of its own. */
const LIMIT = { limitMs: 5_000 }

type Moment = { presentOn: string }

async function announced(world: World): Promise<Moment> {
  const plan = await world.advanceUntil(now => stateOf(now) === 'confirmed', 'the notice')
  return { presentOn: plan.payment_schedule[0].present_on }
}

const present = (world: World, { presentOn }: Moment) =>
  world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${presentOn}T09:00:00+05:30` })

/** How many transactions wait for a lock of another. */
async function waiting(world: World): Promise<number> {
  const rows = await world.bursar.sql(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

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
    await waitFor(async () => (await waiting(world)) > 0, 'the presentation to wait for the drop', LIMIT)
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
  const { demo, app } = world.bursar
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // The presentation has looked at the student, and its order cannot be written yet.
  await world.bursar.sql(`create function wait_here() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return new; end $$`)
  await world.bursar.sql(
    `create trigger wait_here before insert on orders for each row execute function wait_here()`,
  )
  const blocking = app.ctx.db.transaction(async tx => {
    await tx.query('select pg_advisory_xact_lock(1)')
    locked.resolve()
    await release.promise
  })
  await Promise.race([locked.promise, blocking])
  const presenting = present(world, moment)
  const answers: Promise<{ status: number }>[] = []
  try {
    await waitFor(async () => (await waiting(world)) === 1, 'the presentation to be blocked', LIMIT)
    answers.push(demo.post(`${ERP}/students/${world.studentId}/drop`, {}))
    await waitFor(async () => (await waiting(world)) === 2, 'the drop to wait', LIMIT)
    answers.push(demo.post(`${FLEX}/plans/${world.planId}/hold`))
    await waitFor(async () => (await waiting(world)) === 3, 'the hold to wait', LIMIT)
  } finally {
    release.resolve()
    await Promise.all([blocking, presenting, ...answers])
  }
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [200, 200],
  )
  const [row] = (await world.plan()).payment_schedule
  assert.equal(row.attempts.length, 1)
})
