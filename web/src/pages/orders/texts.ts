import type { OrderRowAnswer } from '../../../../src/console/orders/order.list.ts'
import type { Tone } from '../../ui/status-badge.tsx'

export const KINDS: Record<OrderRowAnswer['kind'], { label: string }> = {
  order: { label: 'Pay order' },
  link: { label: 'Payment link' },
  page: { label: 'Payment page' },
  student: { label: 'Student dues' },
  downpayment: { label: 'Down payment' },
  instalment: { label: 'Instalment' },
  loan: { label: 'Loan disbursement' },
}

/** What can be chosen; a row says more (`statusWord`). */
export const STATUSES = {
  unpaid: { label: 'Unpaid' },
  paid: { label: 'Paid' },
  expired: { label: 'Expired' },
  cancelled: { label: 'Cancelled or closed' },
}

type Standing = Pick<OrderRowAnswer, 'kind' | 'status' | 'amount' | 'refunded_amount'>

export function statusWord({ kind, status, amount, refunded_amount: refunded = 0 }: Standing): {
  label: string
  tone: Tone
} {
  switch (status) {
    case 'paid':
      if (refunded === 0) return { label: 'Paid', tone: 'good' }
      return { label: refunded >= amount ? 'Refunded' : 'Partly refunded', tone: 'plain' }
    case 'unpaid':
      return { label: 'Unpaid', tone: 'waiting' }
    case 'expired':
      return { label: 'Expired', tone: 'plain' }
    case 'cancelled':
      return { label: kind === 'link' ? 'Cancelled' : 'Closed', tone: 'plain' }
    default:
      return { label: 'Taken back', tone: 'bad' }
  }
}

const MODES: Record<string, string> = {
  upi: 'UPI',
  card: 'Card',
  netbanking: 'Net banking',
  bharat_connect: 'Bharat Connect',
}

export function modeLabel(mode: string): string {
  return MODES[mode] ?? mode
}

export const PAYMENT_LABELS: Record<string, { label: string; tone: Tone }> = {
  created: { label: 'Begun', tone: 'waiting' },
  pending: { label: 'Waiting for the bank', tone: 'waiting' },
  captured: { label: 'Paid', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

export const REFUND_LABELS: Record<string, { label: string; tone: Tone }> = {
  pending: { label: 'On its way', tone: 'waiting' },
  processed: { label: 'Given back', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

export const PAGE_LABELS: Record<string, { label: string; tone: Tone }> = {
  open: { label: 'Open', tone: 'good' },
  published: { label: 'Published', tone: 'good' },
  full: { label: 'Full', tone: 'plain' },
  closed: { label: 'Closed', tone: 'plain' },
  unpublished: { label: 'Not published', tone: 'waiting' },
}

export const FILE_LABELS: Record<string, { label: string; tone: Tone }> = {
  checked: { label: 'Waiting for you', tone: 'waiting' },
  running: { label: 'Being made', tone: 'waiting' },
  done: { label: 'Done', tone: 'good' },
  stopped: { label: 'Stopped', tone: 'plain' },
  cancelled: { label: 'Called off', tone: 'plain' },
}
