import { KEYS as CASHFREE_KEYS } from '../../emulators/cashfree/books.ts'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { KEYS as RAZORPAY_KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { moveToken } from '../../emulators/razorpay/mandates.ts'
import type { Server } from '../../emulators/server.ts'
import { dayOf } from '../../src/platform/calendar.ts'
import type { Callback } from '../../src/providers/port.ts'
import { playCashfree } from '../providers/conformance/cashfree-rig.ts'
import { playRazorpay } from '../providers/conformance/razorpay-rig.ts'
import type { Vendor } from '../providers/conformance/rig.ts'

/** An emulated vendor as storms play it, with the settings of Bursar that open its account. */
export type Gateway = Vendor & {
  name: GatewayName
  /** Where its API is. */
  apiEnv: Record<string, string>
  /** Its credentials: as settings of the installation, and as those of a school's own account. */
  keysEnv: Record<string, string>
  keys: readonly { field: string; value: string }[]
  /** Where it posts to: the address of the account. */
  callbackPath: string
  spoil: Server['spoil']
  /** Ids of ours, each as often as the vendor has it. */
  books: {
    /** What a payer could still pay, and what was paid. */
    open(): string[]
    paid(): string[]
    refunds(): string[]
    pendingRefunds(): string[]
    /** Mandates that the payer approved and the bank has not confirmed. */
    unconfirmed(): string[]
    debits(): string[]
    /** Those that the bank can decide on now, and those that it ever paid. */
    presented(): string[]
    debited(): string[]
  }
  /** Too late to be believed, for a vendor that signs the time of sending. */
  isStale(callback: Callback): boolean
  /** What the vendor does by itself from one day to the next. */
  passNight(): void
  close(): Promise<void>
}

export type GatewayName = 'razorpay' | 'cashfree'
type OpenGateway = (now: () => Date) => Promise<Gateway>

const openRazorpay: OpenGateway = async now => {
  const emulator = await startRazorpay({ now })
  const { books, links, refunds } = emulator
  const linked = (status: string) =>
    [...links.values()].filter(one => one.status === status).map(one => one.reference_id)
  const debits = () =>
    [...books.payments.values()].flatMap(({ notes, status, token_id: token }) =>
      token !== null && 'payment_id' in notes ? { id: notes['payment_id'] ?? '', status } : [],
    )
  return {
    ...playRazorpay(emulator),
    name: 'razorpay',
    apiEnv: { RAZORPAY_API_URL: emulator.url },
    keysEnv: {
      RAZORPAY_KEY_ID: RAZORPAY_KEYS.keyId,
      RAZORPAY_KEY_SECRET: RAZORPAY_KEYS.keySecret,
      RAZORPAY_WEBHOOK_SECRET: RAZORPAY_KEYS.webhookSecret,
    },
    keys: [
      { field: 'key_id', value: RAZORPAY_KEYS.keyId },
      { field: 'key_secret', value: RAZORPAY_KEYS.keySecret },
      { field: 'webhook_secret', value: RAZORPAY_KEYS.webhookSecret },
    ],
    callbackPath: '/callbacks/razorpay',
    spoil: (start, fault) => emulator.spoil(start, fault),
    books: {
      open: () => linked('created'),
      paid: () => linked('paid'),
      refunds: () => refunds.map(one => one.receipt ?? one.id),
      pendingRefunds: () => refunds.filter(one => one.status === 'pending').map(one => one.receipt ?? one.id),
      unconfirmed: () =>
        [...books.invoices.values()]
          .filter(({ payment_id: id }) => {
            const { token_id: token = null } = books.payments.get(id ?? '') ?? {}
            return books.tokens.get(token ?? '')?.token.recurring_details.status === 'initiated'
          })
          .map(one => one.receipt ?? ''),
      debits: () => debits().map(one => one.id),
      presented: () =>
        debits()
          .filter(one => one.status === 'created')
          .map(one => one.id),
      debited: () =>
        debits()
          .filter(one => one.status === 'captured' || one.status === 'refunded')
          .map(one => one.id),
    },
    isStale: () => false,
    passNight() {
      for (const { token } of books.tokens.values())
        if (token.recurring_details.status === 'cancellation_initiated')
          moveToken(books, token.id, 'cancelled')
    },
    close: () => emulator.close(),
  }
}

const DAY_MS = 86_400_000

/** Our ids stand there behind the number of their institute. */
const ours = (id: string): string => id.slice(id.indexOf('-') + 1)

const openCashfree: OpenGateway = async now => {
  const emulator = await startCashfree({ now })
  const { books } = emulator
  const orders = (status: string) =>
    [...books.orders.values()].filter(one => one.order_status === status).map(one => ours(one.order_id))
  const debits = () => [
    ...[...books.charges.values()].map(one => ({ ...one, id: ours(one.payment_id) })),
    ...[...books.executions.values()].map(one => ({
      id: ours(one.execution_id),
      payment_status: one.payment_status,
      payment_schedule_date: undefined,
    })),
  ]
  const today = () => dayOf(books.now())
  return {
    ...playCashfree(emulator),
    name: 'cashfree',
    apiEnv: { CASHFREE_API_URL: emulator.apiUrl },
    keysEnv: {
      CASHFREE_CLIENT_ID: CASHFREE_KEYS.clientId,
      CASHFREE_CLIENT_SECRET: CASHFREE_KEYS.clientSecret,
    },
    keys: [
      { field: 'client_id', value: CASHFREE_KEYS.clientId },
      { field: 'client_secret', value: CASHFREE_KEYS.clientSecret },
    ],
    callbackPath: '/callbacks/cashfree',
    spoil: (start, fault) => emulator.spoil(start, fault),
    books: {
      open: () => orders('ACTIVE'),
      paid: () => orders('PAID'),
      refunds: () => [...books.refunds.keys(), ...books.chargeRefunds.keys()].map(ours),
      pendingRefunds: () =>
        [
          ...[...books.refunds.values()].filter(one => one.refund_status === 'PENDING'),
          ...[...books.chargeRefunds.values()].filter(one => one.refund_status === 'INITIALIZED'),
        ].map(one => ours(one.refund_id)),
      unconfirmed: () =>
        [...books.subscriptions.values()]
          .filter(one => one.subscription_status === 'BANK_APPROVAL_PENDING')
          .map(one => ours(one.subscription_id)),
      debits: () => debits().map(one => one.id),
      // A UPI debit that was not announced has a day.
      presented: () =>
        debits()
          .filter(({ payment_status: status }) => status === 'PENDING' || status === 'INITIALIZED')
          .filter(({ payment_schedule_date: at = '' }) => at.slice(0, 10) <= today())
          .map(one => one.id),
      debited: () =>
        debits()
          .filter(one => one.payment_status === 'SUCCESS')
          .map(one => one.id),
    },
    // A minute early: the clock goes on until it is read.
    isStale: ({ headers }) => now().getTime() - Number(headers['x-webhook-timestamp']) > DAY_MS - 60_000,
    passNight: () => {},
    close: () => emulator.close(),
  }
}

export const GATEWAYS: Record<GatewayName, OpenGateway> = { razorpay: openRazorpay, cashfree: openCashfree }
