import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endExecution } from '../../../emulators/cashfree/controlled.ts'
import { settle } from '../../../emulators/cashfree/settlements.ts'
import { endCharge, endChargeRefund } from '../../../emulators/cashfree/subscriptions.ts'
import { lose } from '../../../emulators/faults.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { requestRefund } from '../../../src/payments/refunds/refunds.service.ts'
import { FLEX, stateOf } from '../../flex/support.ts'
import type { Json } from '../../harness/client.ts'
import { lastDebit, openSchool } from './school.ts'

test('a plan that is held rests at Cashfree too, and is debited after it goes on', async t => {
  const { world, cashfree, subscriptionId, deliver } = await openSchool(t, 'enach')
  const { books } = cashfree
  const state = () => books.subscriptions.get(subscriptionId)?.subscription_status
  const act = async (what: 'hold' | 'resume') => {
    const answer = await world.bursar.demo.post(`${FLEX}/plans/${world.planId}/${what}`)
    assert.equal(answer.status, 200, answer.text)
  }
  cashfree.spoil('POST /pg/subscriptions/', lose)
  await act('hold')
  await world.advance('PT15M')
  assert.equal(state(), 'PAUSED', 'told again, because the first answer was lost')
  await deliver()
  await world.advance('P30D')
  assert.equal(books.charges.size, 0)
  await act('resume')
  await world.advance('PT5M')
  assert.equal(state(), 'ACTIVE')
  await deliver()
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the debit after the hold')
  await act('hold')
  await world.advance('PT5M')
  assert.equal(state(), 'ACTIVE', 'what is out at the bank comes to its end first')
  endCharge(books, lastDebit(cashfree).payment_id, { isPaid: true })
  await deliver()
  assert.equal(stateOf(await world.plan()), 'debited')
  await world.advance('P1D')
  assert.equal(state(), 'PAUSED')
  const notes = await world.bursar.sql<Json>(
    `select what from flex_decisions where what like 'mandate %' order by id`,
  )
  assert.deepEqual(
    notes.map(({ what }) => what),
    ['mandate authorised', 'mandate active', 'mandate paused', 'mandate resumed', 'mandate paused'],
  )
})

test('a UPI debit is announced by Cashfree and made on its day, tried again by us alone, refunded and settled', async t => {
  const { world, cashfree, institute, deliver } = await openSchool(t, 'upi_autopay')
  const { books } = cashfree
  const waiting = () =>
    [...books.executions.values()].find(one => one.execution_status === 'INITIALIZED') ??
    assert.fail('no debit waits')
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the presentation')
  const { present_on: day, due_date: due } = (await world.plan()).payment_schedule[0]
  assert.equal(books.charges.size, 0)
  assert.equal(books.notifications.size, 1)
  assert.equal(waiting().execution_initiated_time.slice(0, 10), day ?? due)
  books.outbox.splice(0)
  endExecution(books, waiting().execution_id, { isPaid: false })
  await deliver()
  assert.equal((await world.eventsOf('flex.instalment.bounced')).length, 1)
  await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the next window of the same notice')
  assert.equal(books.notifications.size, 1)
  assert.equal(waiting().execution_initiated_time.slice(0, 10), day ?? due, 'on the same day')
  const paid = waiting()
  endExecution(books, paid.execution_id, { isPaid: true })
  // No event came of it.
  books.outbox.splice(0)
  await world.advance('PT2H')
  assert.equal(stateOf(await world.plan()), 'debited')
  settle(books)
  await world.advance('P1D')
  assert.equal(stateOf(await world.plan()), 'settled')
  assert.deepEqual(await world.bursar.sql('select problem from settlement_exceptions'), [])
  const [payment] = await world.bursar.sql<Json>(`select order_id from payments where state = 'captured'`)
  const target = { institute, orderId: String(payment.order_id) }
  const asked = { amountPaise: null, lines: null, reason: null }
  await requestRefund(world.bursar.app.ctx, { instituteId: institute.id }, target, asked)
  await world.advance('PT1H')
  const [refundId = ''] = books.chargeRefunds.keys()
  endChargeRefund(books, refundId, 'SUCCESS')
  await deliver()
  settle(books)
  await world.advance('P1D')
  assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])
})

for (const isPaid of [true, false])
  test(`a plan cancelled while a debit is at the bank ends at Cashfree once the debit is ${isPaid ? 'paid' : 'returned'}`, async t => {
    const { world, cashfree, subscriptionId, institute, deliver } = await openSchool(t, 'enach')
    const { books } = cashfree
    const state = () => books.subscriptions.get(subscriptionId)?.subscription_status
    await world.advanceUntil(plan => stateOf(plan) === 'presented', 'the presentation')
    const cancelled = await world.bursar.demo.post(`${FLEX}/plans/${world.planId}/cancel`)
    assert.equal(cancelled.body.data.status, 'cancelling', cancelled.text)
    await world.advance('PT15M')
    assert.equal(state(), 'ACTIVE', 'what is out at the bank comes to its end first')
    endCharge(books, lastDebit(cashfree).payment_id, { isPaid })
    cashfree.spoil('POST /pg/subscriptions/', lose)
    await deliver()
    const plan = await world.plan()
    assert.deepEqual(
      [plan.status, plan.mandate.status, stateOf(plan)],
      ['cancelled', 'cancelled', isPaid ? 'debited' : 'bounced'],
    )
    await world.advance('PT15M')
    assert.equal(state(), 'CANCELLED', 'told again, because the first answer was lost')
    await deliver()
    await world.advance('P1M')
    assert.equal(books.charges.size, 1)
    assert.equal((await world.eventsOf('flex.mandate.cancelled')).length, 1)
    settle(books)
    await world.advance('P1D')
    assert.deepEqual((await reconcile(world.bursar.app.ctx, institute)).differences, [])
  })
