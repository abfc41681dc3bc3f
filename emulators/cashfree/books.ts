import { createHash, createHmac, randomInt, randomUUID } from 'node:crypto'
import type { EmulatorAnswer, Fields } from '../server.ts'
import type {
  Charge,
  ChargeRefund,
  Dispute,
  Execution,
  Notification,
  Order,
  Payment,
  ReconEvent,
  Refund,
  Subscription,
  Transfer,
  VendorRow,
  VirtualAccount,
} from './entities.ts'

export const KEYS = { clientId: 'TEST10000000000000000001', clientSecret: 'cfsk_ma_test_very-secret-1' }
export type Keys = typeof KEYS

/** What differs from account to account. */
export type Habits = {
  /** The controlled flow of UPI debits was switched on. */
  isControlled: boolean
  /** What is kept for a dispute that was lost, in rupees, with the tax on it. */
  chargebackFee: number
}

export type SignedEvent = { rawBody: Buffer; headers: Record<string, string> }

/** One merchant's account at Cashfree. */
export type Books = {
  readonly keys: Keys
  readonly now: () => Date
  readonly habits: Habits
  readonly orders: Map<string, Order>
  readonly payments: Payment[]
  readonly refunds: Map<string, Refund>
  readonly subscriptions: Map<string, Subscription>
  readonly methods: Map<string, string>
  readonly charges: Map<string, Charge>
  readonly notifications: Map<string, Notification>
  readonly executions: Map<string, Execution>
  readonly chargeRefunds: Map<string, ChargeRefund>
  readonly disputes: Dispute[]
  readonly virtualAccounts: Map<string, VirtualAccount>
  readonly transfers: Transfer[]
  readonly recon: ReconEvent[]
  /** Other bank accounts of the merchant, by their ids. */
  readonly vendors: Map<string, { status: string }>
  /** What belongs to them. */
  readonly vendorRows: VendorRow[]
  /** What moved since the last pay-out. */
  readonly unsettled: (Omit<ReconEvent, 'settlement_details'> & { vendorShare: number })[]
  readonly answers: Map<string, { request: string; answer: EmulatorAnswer }>
  /** Events in the order in which they happened; the poster takes them out. */
  readonly outbox: SignedEvent[]
}

export function openBooks(options: {
  keys?: Keys | undefined
  now?: (() => Date) | undefined
  habits?: Partial<Habits> | undefined
}): Books {
  return {
    keys: options.keys ?? KEYS,
    now: options.now ?? (() => new Date()),
    habits: { isControlled: true, chargebackFee: 0, ...options.habits },
    orders: new Map(),
    payments: [],
    refunds: new Map(),
    subscriptions: new Map(),
    methods: new Map(),
    charges: new Map(),
    notifications: new Map(),
    executions: new Map(),
    chargeRefunds: new Map(),
    disputes: [],
    virtualAccounts: new Map(),
    transfers: [],
    recon: [],
    vendors: new Map(),
    vendorRows: [],
    unsettled: [],
    answers: new Map(),
    outbox: [],
  }
}

/** Signed over the time of sending and the raw body, with the client secret. */
export function signEvent(books: Books, type: string, data: Fields): SignedEvent {
  const rawBody = Buffer.from(JSON.stringify({ data, event_time: timeOf(books), type }))
  const timestamp = String(books.now().getTime())
  const signature = createHmac('sha256', books.keys.clientSecret)
    .update(timestamp)
    .update(rawBody)
    .digest('base64')
  const headers = {
    'x-webhook-version': '2025-01-01',
    'x-webhook-attempt': '1',
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': signature,
    'x-idempotency-key': createHash('sha256').update(rawBody).digest('base64'),
  }
  return { rawBody, headers }
}

export function emit(books: Books, type: string, data: Fields): void {
  books.outbox.push(signEvent(books, type, data))
}

/** As Cashfree writes it: in India, to the second. */
export function timeOf(books: Books): string {
  const inIndia = new Date(books.now().getTime() + 330 * 60_000)
  return `${inIndia.toISOString().slice(0, 19)}+05:30`
}

export function newNumber(): string {
  return String(randomInt(1_000_000_000, 9_999_999_999))
}

export function newSession(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}

export function refuse(
  status: number,
  code: string,
  message: string,
  type = 'invalid_request_error',
): EmulatorAnswer {
  return { status, body: { message, code, type, help: 'Check latest errors at the documentation' } }
}

export function found(entity: unknown, kind: string): EmulatorAnswer {
  return entity === undefined
    ? refuse(404, `${kind}_not_found`, `${kind} Reference Id does not exist`)
    : { status: 200, body: entity }
}
