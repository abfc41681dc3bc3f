import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import { unavailable } from '../../src/platform/errors.ts'
import type { SandboxBank } from '../../src/sandbox/bank/simulator.service.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { submit, textOf, visitAs } from '../portal/parents-support.ts'
import { API, demoVisitor } from '../console/support.ts'
import { decide, FLEX, openWorld, setUpPlan, stateOf, untilPresented, type World } from './support.ts'

/** A plan that is cancelled while a debit of it is at the bank. */
const bankOf = ({ bursar }: World): SandboxBank =>
  bursar.app.ctx.accounts.installation.get('sandbox') as SandboxBank

/** The plan and its mandate as the API shows them, and the mandate at the bank. */
async function standing(world: World): Promise<string> {
  const plan = await world.plan()
  const [bank] = await world.bursar.sql<Json>(
    `select b.state from bank_mandates b join flex_mandates m on m.institute_id = b.institute_id and m.id = b.mandate_id
     where m.plan_id = $1`,
    [world.planId],
  )
  return [plan.status, plan.mandate.status, bank.state].join(' ')
}

async function cancel(world: World): Promise<Json> {
  const answer = await world.bursar.demo.post(`${FLEX}/plans/${world.planId}/cancel`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const statesOf = (plan: Json): string[] => [
  ...new Set<string>(plan.payment_schedule.slice(1).map((one: Json) => one.status)),
]

const mandateEvents = async (world: World): Promise<string[]> =>
  (await world.eventsOf('flex.mandate.cancelled')).map(
    one => `${one.subscription.status} ${one.mandate.status} ${one.reason?.code ?? 'no reason'}`,
  )

const KEPT = 'cancelling active active'
const ENDED = 'cancelled cancelled cancelled'

for (const rail of ['enach', 'upi_autopay'] as const)
  test(`a debit of ${rail} at the bank is collected though its plan is cancelled, and then the mandate ends`, async t => {
    const world = await openWorld(t, { rail, withErp: false })
    await untilPresented(world)
    const cancelled = await cancel(world)
    assert.deepEqual(
      [cancelled.status, stateOf(cancelled), statesOf(cancelled)],
      ['cancelling', 'presented', ['cancelled']],
    )
    assert.equal(await standing(world), KEPT)
    const [told] = await world.eventsOf('flex.subscription.cancelled')
    assert.equal(told.subscription.status, 'cancelled', 'the events know no other word for it')
    assert.deepEqual(await mandateEvents(world), [])
    const planned = async (): Promise<number> =>
      (await world.bursar.demo.get(`${ERP}/students/${world.studentId}/dues`)).body.data.instalments_amount
    assert.equal(await planned(), cancelled.payment_schedule[0].amount, 'what is at the bank is not late')
    const again = await world.bursar.demo.post(`${FLEX}/plans/${world.planId}/cancel`)
    assert.equal(again.status, 409, again.text)

    await world.advance('P1D')
    const plan = await world.plan()
    assert.ok(['debited', 'settled'].includes(stateOf(plan)), stateOf(plan))
    assert.equal(await standing(world), ENDED)
    assert.deepEqual(await mandateEvents(world), ['cancelled cancelled no reason'])
    assert.equal(await planned(), 0)
    const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}`)
    assert.equal(body.data.fee_summary.paid, plan.payment_schedule[0].amount)
    await world.advance('P2M')
    const attempts = (await world.plan()).payment_schedule.flatMap((one: Json) => one.attempts)
    assert.equal(attempts.length, 1, 'nothing else is presented')

    // The bank takes it back: the money is owed again, and the plan stays over.
    await decide(world, plan, { outcome: 'bounced', code: rail === 'enach' ? '04' : 'Z9' })
    await world.advance('P1M')
    const returned = await world.plan()
    assert.deepEqual(
      [returned.status, stateOf(returned), statesOf(returned)],
      ['cancelled', 'reversed', ['cancelled']],
    )
    assert.equal(await standing(world), ENDED)
    assert.equal((await mandateEvents(world)).length, 1)
  })

test('a debit that comes back after its plan was cancelled is not presented again, and the mandate ends', async t => {
  const world = await openWorld(t, { withErp: false })
  const plan = await untilPresented(world)
  await cancel(world)
  await decide(world, plan, { outcome: 'bounced', code: '04' })
  const bounced = await world.plan()
  assert.deepEqual(
    [bounced.status, bounced.mandate.status, stateOf(bounced)],
    ['cancelled', 'cancelled', 'bounced'],
  )
  await world.advance('PT5M')
  assert.equal(await standing(world), ENDED)
  const [event] = await world.eventsOf('flex.instalment.bounced')
  assert.deepEqual([event.subscription.status, event.next_presentation_on], ['cancelled', undefined])
  await world.advance('P1M')
  const after = await world.plan()
  assert.deepEqual([after.payment_schedule[0].attempts.length, stateOf(after)], [1, 'bounced'])
  assert.deepEqual(await mandateEvents(world), ['cancelled cancelled no reason'])
})

test('a debit that never reached the bank is given up, and then the mandate of its cancelled plan ends', async t => {
  const world = await openWorld(t, { withErp: false })
  const { mandates } = bankOf(world)
  mandates.present = async () => {
    throw unavailable('The bank is away.')
  }
  await untilPresented(world)
  await cancel(world)
  assert.equal(await standing(world), KEPT)
  await world.advance('P1D')
  assert.equal(stateOf(await world.plan()), 'bounced')
  assert.equal(await standing(world), ENDED)
})

test('the provider hears of the end of a mandate however often telling it fails', async t => {
  const world = await openWorld(t, { withErp: false })
  const plan = await untilPresented(world)
  await cancel(world)
  const { mandates } = bankOf(world)
  const asIs = mandates.cancel.bind(mandates)
  let calls = 0
  mandates.cancel = async () => {
    calls++
    throw unavailable('The bank is away.')
  }
  await decide(world, plan, { outcome: 'debited' })
  await world.advance('PT15M')
  assert.ok(calls > 1, 'tried again and again')
  assert.equal(await standing(world), 'cancelled cancelled active')
  mandates.cancel = asIs
  await world.advance('P1D')
  assert.equal(await standing(world), ENDED)
})

test('a payer who revokes the mandate of a cancelled plan ends it at once, and the plan when the debit has come back', async t => {
  const world = await openWorld(t, { withErp: false })
  const { mandate } = await untilPresented(world)
  await cancel(world)
  const revoked = await world.bursar.demo.post(`/api/v1/sandbox/flex/mandates/${mandate.id}/revoke`)
  assert.equal(revoked.status, 200, revoked.text)
  assert.equal(await standing(world), 'cancelling cancelled cancelled')
  assert.deepEqual(await mandateEvents(world), ['cancelled cancelled 29'])
  await world.advance('P1D')
  assert.equal(stateOf(await world.plan()), 'bounced')
  assert.equal(await standing(world), ENDED)
  assert.equal((await mandateEvents(world)).length, 1)
  assert.deepEqual(await world.eventsOf('flex.subscription.locked'), [])
  const subjects = (await world.mailbox()).map(mail => mail.subject ?? '')
  assert.ok(
    !subjects.some(subject => /mandate for .* has ended/.test(subject)),
    'nobody needs another mandate',
  )
})

test('console, search and the family’s pages say that a plan is being cancelled, until its result', async t => {
  const world = await openWorld(t, { withErp: false })
  await untilPresented(world)
  const parent = await visitAs(world.bursar, 'parent-1')
  const path = `/parents/students/${world.studentId}/plan`
  await submit(parent, `${path}/cancel`, `${path}/cancel`, { plan_id: world.planId })
  const staff = await demoVisitor(world.bursar.url)
  const school = `${API}/institutes/demo-school`
  const read = async (at: string): Promise<Json> => (await staff.get(`${school}${at}`)).body.data
  const listed = async (status: string): Promise<string[]> =>
    (await read(`/flex/plans?status=${status}`)).map((one: Json) => `${one.plan_id} ${one.status}`)
  const seen = async (): Promise<string[]> => [
    (await read(`/flex/plans/${world.planId}`)).status,
    (await read(`/search?q=${world.planId}`)).plans[0].status,
  ]
  const { redirect_url: setUp } = await world.plan()
  const pages = async (): Promise<string[]> =>
    [(await parent.get(path)).text, await (await fetch(setUp)).text()].map(textOf)

  assert.deepEqual(await seen(), ['cancelling', 'cancelling'])
  assert.deepEqual(await listed('cancelling'), [`${world.planId} cancelling`])
  assert.deepEqual(await listed('cancelled'), [])
  for (const page of await pages())
    assert.match(page, /Being cancelled These instalments were cancelled and no new debit is made/)
  await world.advance('P1D')
  assert.deepEqual(await seen(), ['cancelled', 'cancelled'])
  assert.deepEqual(await listed('cancelling'), [])
  assert.deepEqual(await listed('cancelled'), [`${world.planId} cancelled`])
  for (const page of await pages()) assert.match(page, /Cancelled These instalments were (stopped|cancelled)/)
})

/** The bank keeps the first waiting for two days, in which the second comes up. */
const SLOW_FIRST: readonly Json[] = [
  ['2027-01-05', 5000.84],
  ['2027-01-07', 54999.16],
].map(([due_date, amount]) => ({ due_date, details: [{ component_type: 'TUITION_FEE', amount }] }))
const REST = { due_date: '2027-06-07', details: [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }] }

for (const [who, leave] of [
  [
    'the ERP',
    async (world: World) => world.erp.refuse('ADM-1042', 'student_discontinued', 'Left the school.'),
  ],
  [
    'the school',
    async (world: World) => {
      const dropped = await world.bursar.demo.post(`${ERP}/students/${world.studentId}/drop`, {})
      assert.equal(dropped.status, 200, dropped.text)
    },
  ],
] as const)
  test(`a plan that ends because ${who} says that the student left waits for the debit at the bank`, async t => {
    const world = await openWorld(t, { schedule: [...SLOW_FIRST, REST] })
    await untilPresented(world)
    await leave(world)
    const ending = await world.advanceUntil(plan => plan.status !== 'active', 'the end', 3)
    assert.equal(stateOf(ending), 'presented')
    assert.equal(await standing(world), KEPT)
    await world.advance('P3D')
    const plan = await world.plan()
    assert.ok(['debited', 'settled'].includes(stateOf(plan)), stateOf(plan))
    assert.equal(await standing(world), ENDED)
  })

test('a student whose plan is being cancelled can have a new one when the debit has its result', async t => {
  const world = await openWorld(t, { withErp: false })
  const plan = await untilPresented(world)
  await cancel(world)
  const { demo } = world.bursar
  const plans = `${FLEX}/students/${world.studentId}/plans`
  const early = await demo.post(plans, {})
  assert.equal(early.status, 409, 'what the bank takes cannot be planned a second time')
  assert.equal(await standing(world), KEPT)
  await decide(world, plan, { outcome: 'debited' })
  await world.advance('PT5M')
  assert.equal(await standing(world), ENDED)
  const made = await demo.post(plans, {})
  assert.equal(made.status, 201, made.text)
  const planId: string = made.body.data.plan_id
  await setUpPlan({ ...world, planId }, 'upi_autopay')
  const next = (await demo.get(`${FLEX}/plans/${planId}`)).body.data
  assert.deepEqual([next.status, next.mandate.status], ['active', 'active'])
  const paid = plan.payment_schedule[0].amount
  assert.equal(next.total_amount, (7_200_050 - paid * 100) / 100, 'the new plan takes the rest')
})

test('a mandate that the payer has not given yet ends with its plan at once, whatever is at the bank', async t => {
  const world = await openWorld(t, { withErp: false })
  const { mandate } = await untilPresented(world)
  await world.bursar.demo.post(`/api/v1/sandbox/flex/mandates/${mandate.id}/revoke`)
  assert.equal((await world.plan()).status, 'locked')
  const { ctx } = world.bursar.app
  const [school] = await world.bursar.sql<Json>(`select institute_id as id from flex_plans where id = $1`, [
    world.planId,
  ])
  const key = { instituteId: school.id, planId: world.planId }
  await startMandate(ctx, key, { rail: 'enach', language: 'en', returnUrl: `${world.bursar.url}/` })
  const cancelled = await cancel(world)
  assert.deepEqual([cancelled.status, (await world.plan()).mandate.status], ['cancelling', 'cancelled'])
  await assert.rejects(
    startMandate(ctx, key, { rail: 'enach', language: 'en', returnUrl: `${world.bursar.url}/` }),
    /This plan is cancelled/,
  )
})
