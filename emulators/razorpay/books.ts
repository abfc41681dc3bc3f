import { createHmac, randomUUID } from 'node:crypto'
import type { EmulatorAnswer, Fields } from '../server.ts'
import type {
  Dispute,
  Invoice,
  Link,
  Order,
  Payment,
  ReconItem,
  Refund,
  Reversal,
  RouteTransfer,
  Token,
  Transfer,
  VirtualAccount,
} from './entities.ts'

export const KEYS = {
  keyId: 'rzp_test_Key0000000001',
  keySecret: 'kS-very-secret-1',
  webhookSecret: 'wS-very-secret-2',
}
export type Keys = typeof KEYS

export type SignedEvent = { rawBody: Buffer; headers: Record<string, string> }

/** Whatever the documentation leaves open, to be tried both ways. */
export type Habits = {
  /** Whether a second order with the same receipt is refused: the reference calls receipts unique, others met repeats. */
  hasUniqueReceipts: boolean
  /** How the payment that registers a UPI mandate ends: captured with ₹1, or `failed` as a dummy. Both are documented. */
  upiRegistration: 'captured' | 'dummy'
  /** Whether the payments of a link, or of an account number, show its notes. */
  attemptsInheritNotes: boolean
  /** What is kept for a dispute that was lost, in paise. */
  disputeFee: number
  /** Whether account numbers may have a UPI id. */
  givesUpiIds: boolean
}

/** One merchant's account at Razorpay. */
export type Books = {
  readonly keys: Keys
  readonly habits: Habits
  readonly now: () => number
  /** Where the payer's pages are. */
  pages: string
  readonly links: Map<string, Link>
  readonly payments: Map<string, Payment>
  readonly refunds: Refund[]
  readonly refundKeys: Map<string, { body: string; refund: Refund }>
  readonly orders: Map<string, Order>
  /** When a debit under an order may begin: the pre-debit notification says so. */
  readonly notifications: Map<string, { tokenId: string; paymentAfter: number }>
  readonly invoices: Map<string, Invoice>
  /** What a registration link asks for. */
  readonly registrations: Map<string, Fields>
  readonly customers: Map<string, { id: string; name: string; email: string; contact: string }>
  readonly tokens: Map<string, { token: Token; customerId: string; isDeleted: boolean }>
  readonly disputes: Map<string, Dispute>
  readonly virtualAccounts: Map<string, VirtualAccount>
  /** What came to them, by the payment that it is. */
  readonly transfers: Map<string, Transfer>
  /** Linked accounts of Route, by account and product, and what was transferred to them. */
  readonly linked: Map<string, { activation_status: string }>
  readonly routed: RouteTransfer[]
  readonly reversals: Reversal[]
  readonly recon: ReconItem[]
  /** Events in the order in which they happened; posting takes them out. */
  readonly outbox: SignedEvent[]
}

export function openBooks(options: {
  keys?: Keys | undefined
  now?: (() => Date) | undefined
  habits?: Partial<Habits> | undefined
}): Books {
  const now = options.now ?? (() => new Date(1_794_700_800_000))
  return {
    keys: options.keys ?? KEYS,
    habits: {
      hasUniqueReceipts: false,
      upiRegistration: 'captured',
      attemptsInheritNotes: false,
      disputeFee: 0,
      givesUpiIds: true,
      ...options.habits,
    },
    now: () => Math.floor(now().getTime() / 1_000),
    pages: '',
    links: new Map(),
    payments: new Map(),
    refunds: [],
    refundKeys: new Map(),
    orders: new Map(),
    notifications: new Map(),
    invoices: new Map(),
    registrations: new Map(),
    customers: new Map(),
    tokens: new Map(),
    disputes: new Map(),
    virtualAccounts: new Map(),
    transfers: new Map(),
    linked: new Map(),
    routed: [],
    reversals: [],
    recon: [],
    outbox: [],
  }
}

/** `created_at` of an event is when it was made; `x-razorpay-event-id` is the same however often it is posted. */
export function signEvent(books: Books, name: string, entities: Fields): SignedEvent {
  const event = {
    entity: 'event',
    account_id: 'acc_Emulator000001',
    event: name,
    contains: Object.keys(entities),
    payload: Object.fromEntries(Object.entries(entities).map(([kind, entity]) => [kind, { entity }])),
    created_at: books.now(),
  }
  const rawBody = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha256', books.keys.webhookSecret).update(rawBody).digest('hex')
  return { rawBody, headers: { 'x-razorpay-signature': signature, 'x-razorpay-event-id': newId('event') } }
}

export function emit(books: Books, name: string, entities: Fields): void {
  books.outbox.push(signEvent(books, name, entities))
}

export function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 14)}`
}

export function newPayment(books: Books, changes: Partial<Payment>): Payment {
  const payment: Payment = {
    id: newId('pay'),
    entity: 'payment',
    amount: 0,
    currency: 'INR',
    status: 'captured',
    order_id: null,
    invoice_id: null,
    international: false,
    method: 'upi',
    amount_refunded: 0,
    refund_status: null,
    captured: false,
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: null,
    email: 'void@razorpay.com',
    contact: '+919876543210',
    customer_id: null,
    token_id: null,
    notes: [],
    fee: null,
    tax: null,
    error_code: null,
    error_description: null,
    error_source: null,
    error_step: null,
    error_reason: null,
    acquirer_data: {},
    created_at: books.now(),
    ...changes,
  }
  payment.captured = payment.status === 'captured'
  books.payments.set(payment.id, payment)
  return payment
}

export function found(entity: Fields | undefined): EmulatorAnswer {
  return entity === undefined ? refuse('The id provided does not exist') : { status: 200, body: entity }
}

export function page(items: readonly Fields[], query: URLSearchParams): EmulatorAnswer {
  const skip = Number(query.get('skip') ?? 0)
  const slice = items.slice(skip, skip + Number(query.get('count') ?? 10))
  return { status: 200, body: { entity: 'collection', count: slice.length, items: slice } }
}

export function refuse(description: string, status = 400, reason: string | null = null): EmulatorAnswer {
  const error = {
    code: 'BAD_REQUEST_ERROR',
    description,
    source: reason === null ? null : 'business',
    step: reason === null ? null : 'payment_initiation',
    reason,
    field: null,
  }
  return { status, body: { error } }
}
