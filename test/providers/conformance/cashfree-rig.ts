import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { KEYS } from '../../../emulators/cashfree/books.ts'
import { loseDispute } from '../../../emulators/cashfree/disputes.ts'
import { startCashfree } from '../../../emulators/cashfree/emulator.ts'
import { endRefund, payOrder } from '../../../emulators/cashfree/orders.ts'
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
import { lose, neverAnswer, status } from '../../../emulators/faults.ts'
import type { Fault } from '../../../emulators/server.ts'
import type { ReturnCategory } from '../../../src/flex/rules/returns.rules.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { createCashfree } from '../../../src/providers/cashfree/cashfree.client.ts'
import { type Call, type FaultKind, FAULTS, type Rig } from './rig.ts'

const CALLS: Record<Call, string> = {
  start: 'POST /pg/orders',
  refund: 'POST /pg/orders/',
  register: 'POST /pg/subscriptions',
  // A charge carries its notice itself.
  announce: 'POST /pg/subscriptions/pay',
  present: 'POST /pg/subscriptions/pay',
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

const ours = (id: string): string => `41-${id}`
const now = (): Date => new Date('2026-06-10T06:30:00Z')

/** Cashfree's emulator under the guarantees. */
export async function startCashfreeRig(owner: {
  after(done: () => Promise<void> | void): void
}): Promise<Rig> {
  const emulator = await startCashfree({ now })
  owner.after(() => emulator.close())
  const { books } = emulator

  const held = {
    payment: books.orders,
    refund: { has: (id: string) => books.refunds.has(id) || books.chargeRefunds.has(id) },
    mandate: books.subscriptions,
    debit: books.charges,
  }
  return {
    provider: createCashfree({
      ...KEYS,
      environment: 'sandbox',
      baseUrl: emulator.apiUrl,
      timeoutMs: 1_500,
      now,
    }),
    instituteId: 41,
    collectorCode: 'MAIN',
    payer: {
      pay: async id => void payOrder(books, ours(id)),
      fail: async id => void payOrder(books, ours(id), { payment_status: 'FAILED' }),
      approve: async id => authorise(books, ours(id)),
      decline: async id => decline(books, ours(id), 'Mandate was declined by the customer'),
      revoke: async id => moveSubscription(books, ours(id), 'CUSTOMER_CANCELLED'),
    },
    bank: {
      confirm: async id => confirm(books, ours(id)),
      refuse: async id => decline(books, ours(id)),
      debit: async id => endCharge(books, ours(id), { isPaid: true }),
      bounce: async (id, why) => endCharge(books, ours(id), { isPaid: false, reason: REASONS[why] ?? '' }),
      async takeBack(id) {
        const { cf_txn_id: paymentId = '', payment_amount: amount } = chargeOf(books, ours(id))
        loseDispute(books, { orderId: 'SUBV2ODR1', paymentId, amount })
      },
      processRefund: async id =>
        books.refunds.has(ours(id))
          ? endRefund(books, ours(id), 'SUCCESS')
          : endChargeRefund(books, ours(id), 'SUCCESS'),
      async settle() {
        settle(books)
        return dayOf(books.now())
      },
    },
    callbacks: () => books.outbox.splice(0),
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
    times: async (what, id) => (held[what].has(ours(id)) ? 1 : 0),
    bounces: ['funds', 'bank', 'mandate', 'limit', 'account'],
    now,
    faults: FAULTS,
    spoil: (call, fault) => emulator.spoil(CALLS[call], FAULT[fault]),
  }
}
