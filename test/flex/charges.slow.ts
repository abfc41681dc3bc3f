import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Json } from '../harness/client.ts'
import { FLEX, openWorld, type World } from './support.ts'
import { ERP } from '../harness/samples.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'

/** A single charge on the mandate: consent by kind, the whole way of a debit, a stop by one tap, and books that agree. */
const PICNIC = { component_type: 'PICNIC_FEE', amount: 500.5, reason: 'Picnic of class V' }

async function openCharged(t: TestContext, rail: 'enach' | 'upi_autopay' = 'upi_autopay'): Promise<World> {
  const world = await openWorld(t, { setUp: false })
  const agreed = { rail, charge_components: ['PICNIC_FEE', 'EXAM_FEE'] }
  const path = `/api/v1/sandbox/flex/plans/${world.planId}/authorise`
  const answer = await world.bursar.demo.post(path, agreed)
  assert.equal(answer.status, 200, answer.text)
  if (rail === 'enach') await world.advance('P2D')
  return world
}

const chargesOf = (plan: Json): Json[] => plan.payment_schedule.filter((one: Json) => one.is_charge === true)

async function today(world: World, plus = 0): Promise<string> {
  const { body } = await world.bursar.demo.get('/api/v1/sandbox/clock')
  const now = Temporal.Instant.from(body.data.now).toZonedDateTimeISO('Asia/Kolkata').toPlainDate()
  return now.add({ days: plus }).toString()
}

const charge = (world: World, body: Json, headers?: Record<string, string>) =>
  world.bursar.demo.post(`${FLEX}/plans/${world.planId}/charges`, body, headers)

async function made(world: World, more: Json = {}): Promise<Json> {
  const answer = await charge(world, { ...PICNIC, due_date: await today(world, 5), ...more })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

async function feeOf(world: World, type = 'PICNIC_FEE'): Promise<Json> {
  const { body } = await world.bursar.demo.get(`${ERP}/students/${world.studentId}/fee`)
  return body.data.fee_components.find((one: Json) => one.component_type === type)
}

async function booksAgree(world: World): Promise<void> {
  const { ctx } = world.bursar.app
  const institute = await getInstitute(ctx, 'demo-school')
  assert.deepEqual((await reconcile(ctx, institute)).differences, [])
}

test('a charge adds its fee, goes the whole way of a debit beside the schedule, and the books agree', async t => {
  const world = await openCharged(t)
  const before = await world.plan()
  const { charge: one, present_on: presentOn } = await made(world)
  assert.equal(one.is_charge, true)
  assert.equal(one.amount, 500.5)
  assert.ok(presentOn >= (await today(world, 5)))
  const plan = await world.plan()
  assert.equal(plan.total_amount, before.total_amount + 500.5)
  const rest = plan.payment_schedule.filter((row: Json) => row.is_charge === undefined)
  assert.deepEqual(
    rest.map((row: Json) => row.amount),
    before.payment_schedule.map((row: Json) => row.amount),
    'no instalment takes a part of it',
  )
  assert.equal((await feeOf(world)).fee_amount, 500.5)
  // The ERP does not know the fee, and its answer does not take it away.
  const paid = await world.advanceUntil(now => chargesOf(now)[0]?.status === 'settled', 'the charge', 15)
  assert.equal(chargesOf(paid)[0]?.amount, 500.5)
  assert.equal(paid.paid_amount, 500.5)
  const [debited] = await world.eventsOf('flex.instalment.debited')
  assert.equal(debited?.instalment.is_charge, true)
  assert.deepEqual(
    debited?.payment.details.map((line: Json) => [line.component_type, line.amount]),
    [['PICNIC_FEE', 500.5]],
  )
  const notice = (await world.mailbox()).find((mail: Json) =>
    /will be debited on/.test(mail['subject'] ?? ''),
  )
  assert.match(notice?.['text'], /Picnic of class V[^]*stop it here with one tap[^]*\/flex\//)
  await booksAgree(world)
})

test('what the payer has not agreed to, or the mandate does not allow, is refused with the reason', async t => {
  const world = await openCharged(t)
  const dueOn = await today(world, 5)
  const refused = async (more: Json, status: number, why: RegExp): Promise<void> => {
    const answer = await charge(world, { ...PICNIC, due_date: dueOn, ...more })
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, why)
  }
  await refused({ component_type: 'BUS_FEE' }, 409, /not agreed to single charges of BUS_FEE/)
  await refused({ amount: 15000.01 }, 409, /at most ₹/)
  await refused({ due_date: await today(world, -1) }, 400, /in the past/)
  await refused({ due_date: '2036-01-01' }, 400, /after the end of the mandate/)
  await refused({ amount: 0 }, 400, /amount/)
  await refused({ reason: '' }, 400, /reason/)
  const { demo, group } = world.bursar
  const elsewhere = await group.post(`${FLEX}/plans/${world.planId}/charges`, { ...PICNIC, due_date: dueOn })
  assert.equal(elsewhere.status, 404)
  await demo.patch(`${ERP}/students/${world.studentId}/fee`, {
    fee_components: [{ component_type: 'EXAM_FEE', fee_amount: 300 }],
  })
  await refused({ component_type: 'EXAM_FEE' }, 409, /fee structure charges EXAM_FEE/)
  assert.equal(chargesOf(await world.plan()).length, 0)
})

test('the same charge sent again, by key or by reference, is made once', async t => {
  const world = await openCharged(t)
  const body = { ...PICNIC, due_date: await today(world, 5), reference_id: 'PICNIC-5A' }
  const answers = [
    await charge(world, body, { 'idempotency-key': 'one' }),
    await charge(world, body, { 'idempotency-key': 'one' }),
    await charge(world, body),
  ]
  assert.equal(new Set(answers.map(one => one.body.data.charge.id)).size, 1)
  assert.equal((await charge(world, { ...body, amount: 400 })).status, 409)
  assert.equal((await feeOf(world)).fee_amount, 500.5)
})

test('a family stops a charge by one tap until it is presented; it stays due and is not debited', async t => {
  const world = await openCharged(t)
  const { charge: one, redirect_url: page } = await made(world)
  const shown = await (await fetch(page)).text()
  assert.match(shown, /Stop this debit/)
  await world.advanceUntil(plan => chargesOf(plan)[0]?.status === 'confirmed', 'its notice', 10)
  for (let tap = 0; tap < 2; tap++) {
    const stopped = await fetch(`${page}/stop`, {
      method: 'POST',
      body: new URLSearchParams({ charge: one.id }),
    })
    assert.equal(stopped.status, 200)
  }
  const plan = await world.plan()
  assert.equal(chargesOf(plan)[0]?.status, 'due')
  assert.ok(chargesOf(plan)[0]?.stopped_at)
  await world.advance('P10D')
  assert.equal(chargesOf(await world.plan())[0]?.status, 'due')
  assert.equal((await feeOf(world)).fee_amount, 500.5)
  const told = (await world.mailbox()).filter((mail: Json) =>
    /will not be debited/.test(mail['subject'] ?? ''),
  )
  assert.equal(told.length, 1)
  // Paid at the counter and taken back: owed again, and still not debited.
  const { demo } = world.bursar
  const money = {
    amount: 500.5,
    paid_at: '2026-11-20',
    mode: 'cash',
    transaction_id: 'C-1',
    fee_components: [{ component_type: 'PICNIC_FEE', amount: 500.5 }],
  }
  const taken = await demo.post(`${ERP}/students/${world.studentId}/payments`, money)
  assert.equal(taken.status, 201, taken.text)
  assert.equal(chargesOf(await world.plan())[0]?.status, 'covered')
  await demo.send('DELETE', `${ERP}/students/${world.studentId}/payments/C-1`)
  assert.equal(chargesOf(await world.plan())[0]?.status, 'due')
  await booksAgree(world)
})

test('a charge that is called off gives its fee back, until it is at the bank', async t => {
  const world = await openCharged(t)
  const { charge: one } = await made(world)
  const { charge: other } = await made(world, { component_type: 'EXAM_FEE', amount: 700 })
  assert.notEqual(one.id, other.id)
  const path = (id: string) => `${FLEX}/plans/${world.planId}/charges/${id}/cancel`
  const { demo } = world.bursar
  const off = await demo.post(path(one.id))
  assert.equal(off.status, 200, off.text)
  assert.equal(off.body.data.charge.status, 'cancelled')
  assert.equal((await feeOf(world)).fee_amount, 0)
  assert.equal((await demo.post(path(one.id))).status, 409)
  const [first] = (await world.plan()).payment_schedule
  assert.equal((await demo.post(path(first.id))).status, 400)
  const debited = await world.advanceUntil(
    plan => ['debited', 'settled'].includes(chargesOf(plan).find(row => row.id === other.id)?.['status']),
    'the other charge',
    15,
  )
  assert.match((await demo.post(path(other.id))).text, /Refund it instead/)
  assert.equal(debited.total_amount, 72000.5 + 700)
  await booksAgree(world)
})

test('a charge that comes back is presented again, and what is refunded of it is due as a charge', async t => {
  const world = await openCharged(t, 'enach')
  const { charge: one } = await made(world, { amount: 500.81 })
  await world.advanceUntil(plan => (chargesOf(plan)[0]?.attempt ?? 0) > 1, 'its second presentation', 40)
  const { demo } = world.bursar
  await demo.post(`/api/v1/sandbox/flex/instalments/${one.id}/outcome`, { outcome: 'debited' })
  const [bounced] = await world.eventsOf('flex.instalment.bounced')
  assert.equal(bounced?.instalment.is_charge, true)
  assert.ok(bounced?.next_presentation_on)
  const paid = await world.advanceUntil(plan => chargesOf(plan)[0]?.status === 'settled', 'its money', 10)
  assert.equal(chargesOf(paid).length, 1)
  const [event] = await world.eventsOf('flex.instalment.debited')
  const refund = await demo.post(`/api/v1/integrations/pay/orders/${event?.order_id}/refunds`, {
    amount: 200,
  })
  assert.equal(refund.status, 201, refund.text)
  const due = chargesOf(await world.plan()).find(row => row['status'] === 'due')
  assert.equal(due?.['amount'], 200)
  const off = await demo.post(`${FLEX}/plans/${world.planId}/charges/${due?.['id']}/cancel`)
  assert.equal(off.status, 200, off.text)
  assert.equal((await feeOf(world)).fee_amount, 300.81)
  await booksAgree(world)
})
