import type { OrderRowAnswer } from '../../../../src/console/orders/orders.schemas.ts'
import type { Tone } from '../../ui/status-badge.tsx'

/** What orders are called and how they stand, as people say it. */
export const KINDS: Record<OrderRowAnswer['kind'], string> = {
  order: 'Pay order',
  link: 'Payment link',
  page: 'Payment page',
  student: 'Student dues',
  downpayment: 'Down payment',
  instalment: 'Instalment',
  disbursement: 'Loan disbursement',
}

export const KIND_CHOICES = (['order', 'link', 'page', 'student'] as const).map(value => ({
  value,
  label: KINDS[value],
}))

export const STATUS_CHOICES = [
  { value: 'unpaid', label: 'Unpaid' },
  { value: 'paid', label: 'Paid' },
  { value: 'expired', label: 'Expired' },
  { value: 'cancelled', label: 'Cancelled or closed' },
]

type Standing = Pick<OrderRowAnswer, 'kind' | 'status' | 'amount' | 'refunded'>

export function statusWord({ kind, status, amount, refunded }: Standing): { word: string; tone: Tone } {
  switch (status) {
    case 'paid':
      if (refunded === 0) return { word: 'Paid', tone: 'good' }
      return { word: refunded >= amount ? 'Refunded' : 'Partly refunded', tone: 'plain' }
    case 'unpaid':
      return { word: 'Unpaid', tone: 'waiting' }
    case 'expired':
      return { word: 'Expired', tone: 'plain' }
    case 'cancelled':
      return { word: kind === 'link' ? 'Cancelled' : 'Closed', tone: 'plain' }
    default:
      return { word: 'Taken back', tone: 'bad' }
  }
}

const MODES: Record<string, string> = { upi: 'UPI', card: 'Card', netbanking: 'Net banking' }

export function modeWord(mode: string): string {
  return MODES[mode] ?? mode
}

export const PAYMENT_WORDS: Record<string, { word: string; tone: Tone }> = {
  created: { word: 'Begun', tone: 'waiting' },
  pending: { word: 'Waiting for the bank', tone: 'waiting' },
  captured: { word: 'Paid', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
}

export const REFUND_WORDS: Record<string, { word: string; tone: Tone }> = {
  pending: { word: 'On its way', tone: 'waiting' },
  processed: { word: 'Given back', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
}

export const PAGE_WORDS: Record<string, { word: string; tone: Tone }> = {
  open: { word: 'Open', tone: 'good' },
  full: { word: 'Full', tone: 'plain' },
  closed: { word: 'Closed', tone: 'plain' },
  unpublished: { word: 'Not published', tone: 'waiting' },
}

export const FILE_WORDS: Record<string, { word: string; tone: Tone }> = {
  checked: { word: 'Waiting for you', tone: 'waiting' },
  running: { word: 'Being made', tone: 'waiting' },
  done: { word: 'Done', tone: 'good' },
  stopped: { word: 'Stopped', tone: 'plain' },
  cancelled: { word: 'Called off', tone: 'plain' },
}

/** "1,23,456.50" and "₹ 500" are what people type; the API takes the bare number. */
export function plainAmount(typed: string): string {
  return typed.replaceAll(/[₹,\s]/g, '')
}
