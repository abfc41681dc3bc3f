import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import { addBranch, getInstitute } from '../../src/institutes/institutes.service.ts'
import { createPerson } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { FEES, openWorld, stateOf, type World } from './support.ts'

const authorise = ({ bursar, planId }: World, body: object = {}) =>
  bursar.demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`, body)

test('a plan that nobody has opened is set up by one call, and its first instalment debited', async t => {
  const world = await openWorld(t, { setUp: false })
  const answer = await authorise(world)
  assert.deepEqual([answer.status, answer.body.data.status], [200, 'active'], answer.text)
  assert.equal(world.erp.requests.length, 1, 'the ERP was asked, as on the page')
  assert.deepEqual(
    [(await world.plan()).status, (await world.plan()).mandate.rail],
    ['active', 'upi_autopay'],
  )
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the first debit')
})

test('the rail can be chosen, and above the limit of UPI it is eNACH', async t => {
  const world = await openWorld(t, { setUp: false })
  const answer = await authorise(world, { rail: 'enach' })
  assert.equal(answer.body.data.status, 'authorised', answer.text)
  await world.advance('P3D')
  const { status, mandate } = await world.plan()
  assert.deepEqual([status, mandate.rail, mandate.umrn.length], ['active', 'enach', 20])
})

test('a down payment is paid on the way', async t => {
  const details = [
    { component_type: 'TUITION_FEE', amount: 50000 },
    { component_type: 'TRANSPORT_FEE', amount: 12000.5 },
  ]
  const schedule = [
    {
      due_date: '2027-01-05',
      is_downpayment: true,
      details: [{ component_type: 'TUITION_FEE', amount: 10000 }],
    },
    { due_date: '2027-02-05', details },
  ]
  const world = await openWorld(t, { setUp: false, schedule })
  assert.equal((await authorise(world)).status, 200)
  assert.equal((await world.eventsOf('flex.downpayment.debited')).length, 1)
  assert.equal((await world.plan()).mandate.rail, 'enach')
})

test('nothing is set up against the word of the ERP, nor twice', async t => {
  const world = await openWorld(t, { setUp: false })
  world.erp.refuse('ADM-1042', 'student_not_found', 'Please ask the office.')
  const refused = await authorise(world)
  assert.deepEqual([refused.status, refused.body.message], [409, 'Please ask the office.'])
  world.erp.disturb(() => ({ status: 503 }))
  assert.equal((await authorise(world)).status, 409)
  assert.equal((await world.plan()).status, 'draft')
  world.erp.disturb(null)
  world.erp.put(sampleRecord({}, { fee_components: FEES }))
  assert.equal((await authorise(world)).status, 200)
  assert.equal((await authorise(world)).status, 409)
})

test('a student who moves to another branch is debited through the old one’s account, and the plan says so each time', async t => {
  const world = await openWorld(t)
  const { app, demo } = world.bursar
  await addBranch(app.ctx, 'demo-school', { collectorCode: 'SOUTH', name: 'South', isDefault: false })
  world.erp.put(sampleRecord({ collector_code: 'SOUTH' }, { fee_components: FEES }))
  const move = () => demo.send('PATCH', `${ERP}/students/${world.studentId}`, { collector_code: 'SOUTH' })
  // A branch is known to every process within seconds.
  await waitFor(async () => (await move()).status === 200, 'the branch')
  const plan = await world.advanceUntil(one => stateOf(one) === 'presented', 'the presentation')
  const noted = plan.decisions.filter((one: Json) => one.what === 'mandate of another branch')
  assert.equal(noted.length, 1)
  assert.match(noted[0].why, /in SOUTH now, and the mandate was given to MAIN/)
  const finance = await createPerson(world.bursar, {
    email: 'finance@school.example',
    institute: 'demo-school',
    role: 'finance',
  })
  const shown = async () =>
    (await finance.get(`/console/api/institutes/demo-school/flex/plans/${world.planId}`)).body.data
  const { collector_code, student } = await shown()
  assert.deepEqual([collector_code, student.branch, student.mandate_branch], ['MAIN', 'South', 'Main branch'])
  // Nothing will be debited through it any more.
  await world.bursar.sql(`update flex_plans set state = 'closed'`)
  assert.equal('mandate_branch' in (await shown()).student, false)
  assert.equal((await shown()).student.branch, 'South')
  await world.bursar.sql(`update flex_plans set state = 'active'`)

  // A mandate in the place of one that ended is given to the branch that the student is in by then.
  await world.bursar.sql(`update flex_mandates set state = 'cancelled', next_check_at = null`)
  const { ctx } = app
  const key = { instituteId: (await getInstitute(ctx, 'demo-school')).id, planId: world.planId }
  await startMandate(ctx, key, { rail: 'enach', language: 'en', returnUrl: `${world.bursar.url}/` })
  assert.equal((await shown()).collector_code, 'SOUTH')
  assert.equal('mandate_branch' in (await shown()).student, false)
})
