import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { lose, neverAnswer, status } from '../../../emulators/faults.ts'
import { type Habits, KEYS } from '../../../emulators/razorpay/books.ts'
import { type RazorpayEmulator, startRazorpay } from '../../../emulators/razorpay/emulator.ts'
import { endRefund, refundInDashboard } from '../../../emulators/razorpay/links.ts'
import { authorise, declineRegistration, moveToken } from '../../../emulators/razorpay/mandates.ts'
import { endDebit } from '../../../emulators/razorpay/orders.ts'
import { disputePayment, moveDispute, payOut } from '../../../emulators/razorpay/settlements.ts'
import { transfer } from '../../../emulators/razorpay/virtual-accounts.ts'
import type { Fault } from '../../../emulators/server.ts'
import type { ReturnCategory } from '../../../src/flex/rules/returns.rules.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { type Call, type FaultKind, FAULTS, type Rig, type Vendor } from './rig.ts'

const CALLS: Record<Call, string> = {
  start: 'POST /v1/payment_links',
  refund: 'POST /v1/payments/pay_',
  register: 'POST /v1/subscription_registration',
  announce: 'POST /v1/orders',
  present: 'POST /v1/payments/create/recurring',
  open: 'POST /v1/virtual_accounts',
}
const FAULT: Record<FaultKind, Fault> = {
  lost: lose,
  busy: status(
    429,
    JSON.stringify({ error: { code: 'BAD_REQUEST_ERROR', description: 'Too many requests' } }),
  ),
  broken: status(502, '<html>Bad gateway</html>'),
  silent: neverAnswer,
}
const REASONS: Partial<Record<ReturnCategory, string>> = {
  funds: 'insufficient_funds',
  bank: 'bank_technical_error',
  mandate: 'mandate_not_active',
  limit: 'transaction_limit_exceeded',
}

function find<T>(all: Iterable<T>, isIt: (one: T) => boolean): T {
  return [...all].find(isIt) ?? assert.fail('the vendor does not have it')
}

/** What payers and banks do at Razorpay's emulator. */
export function playRazorpay(emulator: RazorpayEmulator): Vendor {
  const { books } = emulator
  const linkId = (paymentId: string) => find(books.links.values(), one => one.reference_id === paymentId).id
  const invoiceId = (mandateId: string) => find(books.invoices.values(), one => one.receipt === mandateId).id
  const tokenId = (mandateId: string): string =>
    find(books.payments.values(), one => one.invoice_id === invoiceId(mandateId) && one.token_id !== null)
      .token_id ?? ''
  const debits = (paymentId: string) =>
    [...books.payments.values()].filter(
      ({ notes }) => 'payment_id' in notes && notes['payment_id'] === paymentId,
    )
  const debitOf = (paymentId: string) => find(debits(paymentId), () => true)
  /** Those that were made under the same id of ours. */
  const accountsLike = (ref: string) => {
    const [wanted, ...all] = [books.virtualAccounts.get(ref), ...books.virtualAccounts.values()]
    return all.filter(one => JSON.stringify(one?.notes) === JSON.stringify(wanted?.notes))
  }
  return {
    payer: {
      pay: async id => void emulator.pay(linkId(id)),
      fail: async id =>
        void emulator.pay(linkId(id), { status: 'failed', error_reason: 'payment_cancelled' }),
      approve: async id => void authorise(books, invoiceId(id)),
      decline: async id => declineRegistration(books, invoiceId(id)),
      pause: async id => moveToken(books, tokenId(id), 'paused'),
      resume: async id => moveToken(books, tokenId(id), 'confirmed'),
      revoke: async id => moveToken(books, tokenId(id), 'cancelled'),
    },
    bank: {
      confirm: async id => moveToken(books, tokenId(id), 'confirmed'),
      refuse: async id => moveToken(books, tokenId(id), 'rejected', 'Rejected by bank'),
      debit: async id => endDebit(books, debitOf(id), 'captured'),
      bounce: async (id, why) => endDebit(books, debitOf(id), { reason: REASONS[why] ?? '' }),
      takeBack: async id => moveDispute(books, disputePayment(books, debitOf(id)), 'lost'),
      processRefund: async id =>
        endRefund(
          books,
          find(books.refunds, one => one.receipt === id),
          'processed',
        ),
      refundInDashboard: async (id, paise) =>
        refundInDashboard(
          books,
          find(books.links.get(linkId(id))?.payments ?? [], () => true).payment_id,
          paise,
        ),
      transfer: async (ref, sent) => transfer(books, ref, sent) !== null,
      async settle() {
        payOut(books)
        return dayOf(new Date(books.now() * 1_000))
      },
    },
    callbacks: () => books.outbox.splice(0),
    async times(what, id) {
      const held = {
        payment: () => [...books.links.values()].filter(one => one.reference_id === id),
        refund: () => books.refunds.filter(one => one.receipt === id),
        mandate: () => [...books.invoices.values()].filter(one => one.receipt === id),
        debit: () => debits(id),
        account: () => accountsLike(id),
      }
      return held[what]().length
    },
    bounces: ['funds', 'bank', 'mandate', 'limit'],
  }
}

/** Razorpay's emulator under the guarantees; its habits are what the documentation leaves open. */
export async function startRazorpayRig(
  owner: { after(done: () => Promise<void> | void): void },
  { habits = {}, faults = FAULTS }: { habits?: Partial<Habits>; faults?: readonly FaultKind[] } = {},
): Promise<Rig> {
  const emulator = await startRazorpay({ habits })
  owner.after(() => emulator.close())
  return {
    ...playRazorpay(emulator),
    provider: createRazorpay({ ...KEYS, baseUrl: emulator.url, timeoutMs: 2_000 }),
    instituteId: 41,
    collectorCode: 'MAIN',
    forge: ({ headers, rawBody }) => {
      const foreign = createHmac('sha256', 'another account').update(rawBody).digest('hex')
      return [
        { headers: {}, rawBody },
        { headers: { 'x-razorpay-signature': foreign }, rawBody },
        { headers, rawBody: Buffer.from(rawBody.toString().replace('captured', 'capturee')) },
      ]
    },
    now: () => new Date(emulator.books.now() * 1_000),
    faults,
    spoil: (call, fault) => emulator.spoil(CALLS[call], FAULT[fault]),
  }
}
