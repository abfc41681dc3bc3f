import { readable } from '../../ui/words.ts'

export const SOURCES = [
  { value: 'online', label: 'Online' },
  { value: 'flex', label: 'Flex' },
  { value: 'direct', label: 'At the school' },
  { value: 'cred', label: 'Cred' },
] as const

const MODES: Record<string, string> = {
  upi: 'UPI',
  netbanking: 'Net banking',
  enach: 'eNACH',
  upi_autopay: 'UPI Autopay',
  bharat_connect: 'Bharat Connect',
  neft: 'NEFT',
  rtgs: 'RTGS',
  dd: 'DD',
}

export function modeLabel(mode: string): string {
  return MODES[mode] ?? mode.charAt(0).toUpperCase() + mode.slice(1).replaceAll('_', ' ')
}

const POSTINGS: Record<string, string> = {
  payment_captured: 'Payment received',
  duplicate_captured: 'Duplicate payment received',
  refund_requested: 'Refund asked for',
  refund_processed: 'Refund made',
  refund_failed: 'Refund failed',
  dispute_opened: 'Held for a dispute',
  dispute_closed: 'Dispute decided',
  duplicate_refunded: 'Duplicate payment refunded',
  payment_returned: 'Debit taken back by the bank',
  settled: 'Settled to bank',
}

export function postingWord(kind: string): string {
  return POSTINGS[kind] ?? readable(kind)
}

const DAY = new Intl.DateTimeFormat('en-IN', {
  timeZone: 'Asia/Kolkata',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** 15 Nov 2026, in India at that moment. */
export function dayOfMoment(iso: string): string {
  return DAY.format(new Date(iso))
}
