import assert from 'node:assert/strict'
import { type Habits, KEYS } from '../../../emulators/cashfree/books.ts'
import { type CashfreeEmulator, startCashfree } from '../../../emulators/cashfree/emulator.ts'
import type { Charge } from '../../../emulators/cashfree/entities.ts'
import { authorise, confirm } from '../../../emulators/cashfree/subscriptions.ts'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { openWorld, type World } from '../../flex/support.ts'

/** A school whose money goes through Cashfree, on its emulator and the school's own clock. */
export async function openSchool(
  t: Parameters<typeof openWorld>[0],
  rail: 'enach' | 'upi_autopay',
  habits: Partial<Habits> = {},
) {
  let clock: { now(): Date } | null = null
  const cashfree = await startCashfree({ now: () => clock?.now() ?? new Date(), habits })
  t.after(() => cashfree.close())
  const world = await openWorld(t, {
    rail,
    setUp: false,
    env: {
      CASHFREE_CLIENT_ID: KEYS.clientId,
      CASHFREE_CLIENT_SECRET: KEYS.clientSecret,
      CASHFREE_API_URL: cashfree.apiUrl,
    },
  })
  const { ctx } = world.bursar.app
  clock = ctx.clock
  const institute = await getInstitute(ctx, 'demo-school')
  const key = { instituteId: institute.id, planId: world.planId }
  await startMandate(ctx, key, { rail, language: 'en', returnUrl: `${world.bursar.url}/` })
  const [subscriptionId = ''] = cashfree.books.subscriptions.keys()
  authorise(cashfree.books, subscriptionId)
  if (rail === 'enach') confirm(cashfree.books, subscriptionId)
  const deliver = () => deliverEvents(world, cashfree)
  await deliver()
  assert.equal((await world.plan()).status, 'active')
  return { world, cashfree, subscriptionId, institute, deliver }
}

async function deliverEvents({ bursar }: World, { books }: CashfreeEmulator): Promise<void> {
  for (const { rawBody, headers } of books.outbox.splice(0)) {
    const answer = await bursar.demo.post('/callbacks/cashfree', rawBody.toString(), {
      ...headers,
      authorization: '',
    })
    assert.equal(answer.status, 200, answer.text)
  }
}

export const lastDebit = ({ books }: CashfreeEmulator): Charge =>
  [...books.charges.values()].findLast(one => ['PENDING', 'INITIALIZED'].includes(one.payment_status)) ??
  assert.fail('no debit waits')
