import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endExecution, endNotification } from '../../../emulators/cashfree/controlled.ts'
import { servePages } from '../../../emulators/cashfree/pages.ts'
import { authorise, endCharge } from '../../../emulators/cashfree/subscriptions.ts'
import { lose, status } from '../../../emulators/faults.ts'
import { ProviderRefused, type DebitRequest } from '../../../src/providers/port.ts'
import { assertUnavailable, failureOf } from '../failures.ts'
import {
  debit,
  fake,
  heard,
  hoursFromNow,
  instituteId,
  mandate,
  mandates,
  orderId,
  outcomeOf,
  pass,
  subscriptionId,
} from './support.ts'

const NOTICE = 'inst_0f3k9z000004abcdefghjkmnpq-t3x1'

async function announced(): Promise<DebitRequest> {
  const rail = 'upi_autopay'
  await mandates().register({ ...mandate, rail })
  authorise(fake.books, subscriptionId)
  await heard()
  const { mandateRef, amountPaise } = debit
  const notice = { instituteId, noticeId: NOTICE, mandateRef, rail, amountPaise } as const
  const { providerRef } =
    (await mandates().announce?.({ ...notice, debitAt: hoursFromNow(24) })) ?? assert.fail()
  return { ...debit, rail, announcedRef: providerRef }
}

test('a debit that was announced is executed under our id, and told and asked alike', async () => {
  const debit = await announced()
  await heard()
  pass(25)
  const { providerRef } = await mandates().present(debit)
  assert.equal(providerRef, debit.announcedRef)
  assert.equal(mandates().referenceOf?.(debit), providerRef, 'known before it is sent')
  assert.equal((await outcomeOf(providerRef)).kind, 'pending')
  await heard()
  endExecution(fake.books, orderId, { isPaid: true })
  const told = (await heard()).flatMap(one => (one.about === 'payment' ? one.outcome : []))
  assert.deepEqual(told, [await outcomeOf(providerRef)])
  assert.equal(told[0]?.kind, 'captured')
  assert.deepEqual([fake.books.charges.size, fake.books.executions.size], [0, 1])
})

test('a failed execution has failed at once, with the bank’s own words: nobody but us tries it again', async () => {
  const debit = await announced()
  pass(25)
  const { providerRef } = await mandates().present(debit)
  endExecution(fake.books, orderId, { isPaid: false, reason: 'Account is closed' })
  assert.deepEqual(await outcomeOf(providerRef), { kind: 'failed', code: '01', message: 'Account is closed' })
})

test('a debit whose notice is not a day old is not sent by any way, and can be later', async () => {
  const debit = await announced()
  await assertUnavailable(mandates().present(debit), /told the payer/)
  assert.deepEqual(await outcomeOf(debit.announcedRef), { kind: 'open' })
  pass(25)
  await mandates().present(debit)
  assert.deepEqual([fake.books.charges.size, fake.books.executions.size], [0, 1])
})

test('a debit whose notice never reached the payer is charged for the day after, once, whatever answers are lost', async () => {
  const debit = await announced()
  endNotification(fake.books, `41-${NOTICE}`, 'FAILED')
  pass(25)
  // The answer to the charge is lost: it is found, though what was kept names the notice.
  const refused = {
    message: 'the notification has not succeeded',
    code: 'execution_not_allowed',
  }
  fake.spoil('POST /pg/subscriptions/pay/controlled', status(400, JSON.stringify(refused)))
  fake.spoil('POST /pg/subscriptions/pay', lose)
  await assertUnavailable(mandates().present(debit), /./)
  assert.equal((await outcomeOf(debit.announcedRef)).kind, 'pending')
  const { providerRef } = await mandates().present(debit)
  assert.deepEqual([fake.books.charges.size, fake.books.executions.size], [1, 0])
  endCharge(fake.books, orderId, { isPaid: true })
  assert.equal((await outcomeOf(providerRef)).kind, 'captured')
  assert.equal((await outcomeOf(debit.announcedRef)).kind, 'captured')
})

test('an account without the controlled flow refuses the notice', async () => {
  fake.books.habits.isControlled = false
  const error = await failureOf(announced())
  assert.ok(error instanceof ProviderRefused)
  assert.match(error.message, /not enabled/)
})

test('a mandate that has ended refuses the execution with a code that ends the plan’s debits', async () => {
  const debit = await announced()
  pass(25)
  await mandates().cancel({ instituteId, mandateId: mandate.mandateId, providerRef: subscriptionId })
  const error = await failureOf(mandates().present(debit))
  assert.ok(error instanceof ProviderRefused)
  assert.equal(error.code, 'QA')
  assert.equal(fake.books.executions.size, 0)
})

test('a person plays the bank of an executed debit at the emulator’s desk', async () => {
  const debit = await announced()
  pass(25)
  const { providerRef } = await mandates().present(debit)
  const visit = { method: 'GET', path: '/', query: new URLSearchParams(), headers: {}, body: {} }
  assert.match(String(servePages(fake.books, visit).body), new RegExp(`Debits that wait.*${orderId}`, 's'))
  servePages(fake.books, { ...visit, method: 'POST', path: '/act', body: { on: orderId, do: 'no money' } })
  assert.equal((await outcomeOf(providerRef)).kind, 'failed')
})
