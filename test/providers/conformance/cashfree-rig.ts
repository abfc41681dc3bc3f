import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type Habits, KEYS } from '../../../emulators/cashfree/books.ts'
import { endExecution } from '../../../emulators/cashfree/controlled.ts'
import { loseDispute } from '../../../emulators/cashfree/disputes.ts'
import { type CashfreeEmulator, startCashfree } from '../../../emulators/cashfree/emulator.ts'
import { endRefund, payOrder, refundInDashboard } from '../../../emulators/cashfree/orders.ts'
import { settle } from '../../../emulators/cashfree/settlements.ts'
import {
  authorise,
  chargeOf,
  confirm,
  decline,
  endCharge,
  endChargeRefund,
  moveSubscription,
} from '../../../emulators/cashfree/subscriptions.ts'
import { transfer } from '../../../emulators/cashfree/virtual-accounts.ts'
import { lose, neverAnswer, status } from '../../../emulators/faults.ts'
import type { Fault } from '../../../emulators/server.ts'
import type { ReturnCategory } from '../../../src/flex/rules/returns.rules.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { createCashfree } from '../../../src/providers/cashfree/cashfree.client.ts'
import { type Call, type FaultKind, FAULTS, type Rig, type Vendor } from './rig.ts'

const CALLS: Record<Call, string> = {
  start: 'POST /pg/orders',
  refund: 'POST /pg/orders/',
  register: 'POST /pg/subscriptions',
  announce: 'POST /pg/subscriptions/pay/controlled/notify-mandate',
  present: 'POST /pg/subscriptions/pay',
  open: 'POST /pg/vba',
}
const LIMIT = { message: 'Too many requests', code: 'request_failed', type: 'rate_limit_error' }
const FAULT: Record<FaultKind, Fault> = {
  lost: lose,
  busy: status(429, JSON.stringify(LIMIT), { 'x-ratelimit-retry': '30' }),
  broken: status(502, '<html>Bad gateway</html>'),
  silent: neverAnswer,
}
const REASONS: Partial<Record<ReturnCategory, string>> = {
  funds: 'DEBIT FAILED | Insufficient Funds In Customer (Remitter) Account',
  bank: 'Remitter bank is unavailable',
  mandate: 'Mandate has been revoked by the customer',
  limit: 'Amount exceeds the limit of the mandate',
  account: 'Account is closed',
}

/** What payers and banks do at Cashfree's emulator, where our ids stand behind the number of their institute. */
export function playCashfree({ books }: CashfreeEmulator): Vendor {
  const ids = {
    payment: books.orders,
    refund: { keys: () => [...books.refunds.keys(), ...books.chargeRefunds.keys()] },
    mandate: books.subscriptions,
    debit: { keys: () => [...books.charges.keys(), ...books.executions.keys()] },
    account: books.virtualAccounts,
  }
  const named = (what: keyof typeof ids, id: string): string[] =>
    [...ids[what].keys()].filter(one => one.endsWith(`-${id}`) || (what === 'account' && one === id))
  const idOf = (what: keyof typeof ids, id: string): string =>
    named(what, id)[0] ?? assert.fail('the vendor does not have it')
  const order = (id: string): string => idOf('payment', id)
  const mandate = (id: string): string => idOf('mandate', id)
  const debit = (id: string): string => idOf('debit', id)
  const end = (id: string, outcome: { isPaid: boolean; reason?: string }): void =>
    books.executions.has(debit(id))
      ? endExecution(books, debit(id), outcome)
      : endCharge(books, debit(id), outcome)
  return {
    payer: {
      pay: async id => void payOrder(books, order(id)),
      fail: async id => void payOrder(books, order(id), { payment_status: 'FAILED' }),
      approve: async id => authorise(books, mandate(id)),
      decline: async id => decline(books, mandate(id), 'Mandate was declined by the customer'),
      pause: async id => moveSubscription(books, mandate(id), 'CUSTOMER_PAUSED'),
      resume: async id => moveSubscription(books, mandate(id), 'ACTIVE'),
      revoke: async id => moveSubscription(books, mandate(id), 'CUSTOMER_CANCELLED'),
    },
    bank: {
      confirm: async id => confirm(books, mandate(id)),
      refuse: async id => decline(books, mandate(id)),
      debit: async id => end(id, { isPaid: true }),
      bounce: async (id, why) => end(id, { isPaid: false, reason: REASONS[why] ?? '' }),
      async takeBack(id) {
        const at = debit(id)
        const { cf_txn_id: paymentId = '', payment_amount: amount } =
          books.executions.get(at) ?? chargeOf(books, at)
        loseDispute(books, { orderId: 'SUBV2ODR1', paymentId, amount })
      },
      async processRefund(id) {
        const at = idOf('refund', id)
        if (books.refunds.has(at)) endRefund(books, at, 'SUCCESS')
        else endChargeRefund(books, at, 'SUCCESS')
      },
      refundInDashboard: async (id, paise) => refundInDashboard(books, order(id), paise / 100),
      transfer: async (ref, { paise, ...sent }) => transfer(books, ref, { ...sent, rupees: paise / 100 }),
      async settle() {
        settle(books)
        return dayOf(books.now())
      },
    },
    callbacks: () => books.outbox.splice(0),
    times: async (what, id) => named(what, id).length,
    bounces: ['funds', 'bank', 'mandate', 'limit', 'account'],
  }
}

/** Cashfree's emulator under the guarantees. */
export async function startCashfreeRig(
  owner: { after(done: () => Promise<void> | void): void },
  habits: Partial<Habits> = {},
): Promise<Rig> {
  let hours = 0
  const now = (): Date => new Date(Date.parse('2026-06-10T06:30:00Z') + hours * 3_600_000)
  const emulator = await startCashfree({ now, habits })
  owner.after(() => emulator.close())
  return {
    ...playCashfree(emulator),
    provider: createCashfree({
      ...KEYS,
      environment: 'sandbox',
      baseUrl: emulator.apiUrl,
      timeoutMs: 1_500,
      now,
    }),
    instituteId: 41,
    collectorCode: 'MAIN',
    forge: ({ headers, rawBody }) => {
      const timestamp = headers['x-webhook-timestamp'] ?? assert.fail('without a time')
      const foreign = createHmac('sha256', 'another account')
        .update(timestamp)
        .update(rawBody)
        .digest('base64')
      return [
        { headers: {}, rawBody },
        { headers: { ...headers, 'x-webhook-signature': foreign }, rawBody },
        { headers: { ...headers, 'x-webhook-timestamp': String(Number(timestamp) - 1) }, rawBody },
        { headers, rawBody: Buffer.from(rawBody.toString().replace('SUCCESS', 'FAILED')) },
      ]
    },
    now,
    pass: passed => void (hours += passed),
    faults: FAULTS,
    spoil: (call, fault) => emulator.spoil(CALLS[call], FAULT[fault]),
  }
}
