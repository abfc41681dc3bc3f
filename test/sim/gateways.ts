import { KEYS as CASHFREE_KEYS } from '../../emulators/cashfree/books.ts'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { endRefund as endCashfreeRefund, payOrder } from '../../emulators/cashfree/orders.ts'
import { settle } from '../../emulators/cashfree/settlements.ts'
import type { SignedEvent } from '../../emulators/post-events.ts'
import { KEYS as RAZORPAY_KEYS } from '../../emulators/razorpay/books.ts'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { endRefund as endRazorpayRefund } from '../../emulators/razorpay/links.ts'
import { payOut } from '../../emulators/razorpay/settlements.ts'
import type { Server } from '../../emulators/server.ts'

/** An emulated vendor as the storm plays it: what payers and banks do there, and what its books have. */
export type Gateway = {
  name: GatewayName
  /** The settings of Bursar that open its account. */
  env: Record<string, string>
  outbox: SignedEvent[]
  spoil: Server['spoil']
  /** What a payer could still pay. */
  open(): string[]
  pay(id: string, isPaid: boolean): void
  pendingRefunds(): string[]
  processRefund(id: string): void
  payOut(): void
  /** Ids of ours: what was paid there, and every refund that was made there, as often as it was made. */
  paid(): string[]
  refunds(): string[]
  close(): Promise<void>
}

export type GatewayName = 'razorpay' | 'cashfree'
type Open = (now: () => Date) => Promise<Gateway>

const openRazorpay: Open = async now => {
  const emulator = await startRazorpay({ now })
  const { url, books, links, refunds } = emulator
  return {
    name: 'razorpay',
    env: {
      RAZORPAY_KEY_ID: RAZORPAY_KEYS.keyId,
      RAZORPAY_KEY_SECRET: RAZORPAY_KEYS.keySecret,
      RAZORPAY_WEBHOOK_SECRET: RAZORPAY_KEYS.webhookSecret,
      RAZORPAY_API_URL: url,
    },
    outbox: books.outbox,
    spoil: (start, fault) => emulator.spoil(start, fault),
    open: () => [...links.values()].filter(one => one.status === 'created').map(one => one.id),
    pay: (id, isPaid) => void emulator.pay(id, isPaid ? {} : { status: 'failed' }),
    pendingRefunds: () => refunds.filter(one => one.status === 'pending').map(one => one.id),
    processRefund(id) {
      const refund = refunds.find(one => one.id === id)
      if (refund !== undefined) endRazorpayRefund(books, refund, 'processed')
    },
    payOut: () => void payOut(books),
    paid: () => [...links.values()].filter(one => one.status === 'paid').map(one => one.reference_id),
    refunds: () => refunds.map(one => one.receipt ?? one.id),
    close: () => emulator.close(),
  }
}

/** Our ids stand there behind the number of their institute. */
const ours = (id: string): string => id.slice(id.indexOf('-') + 1)

const openCashfree: Open = async now => {
  const emulator = await startCashfree({ now })
  const { apiUrl, books } = emulator
  const orders = (status: string) => [...books.orders.values()].filter(one => one.order_status === status)
  return {
    name: 'cashfree',
    env: {
      CASHFREE_CLIENT_ID: CASHFREE_KEYS.clientId,
      CASHFREE_CLIENT_SECRET: CASHFREE_KEYS.clientSecret,
      CASHFREE_API_URL: apiUrl,
    },
    outbox: books.outbox,
    spoil: (start, fault) => emulator.spoil(start, fault),
    open: () => orders('ACTIVE').map(one => one.order_id),
    pay: (id, isPaid) => void payOrder(books, id, isPaid ? {} : { payment_status: 'FAILED' }),
    pendingRefunds: () =>
      [...books.refunds.values()].filter(one => one.refund_status === 'PENDING').map(one => one.refund_id),
    processRefund: id => endCashfreeRefund(books, id, 'SUCCESS'),
    payOut: () => void settle(books),
    paid: () => orders('PAID').map(one => ours(one.order_id)),
    refunds: () => [...books.refunds.keys()].map(ours),
    close: () => emulator.close(),
  }
}

export const GATEWAYS: Record<GatewayName, Open> = { razorpay: openRazorpay, cashfree: openCashfree }
