import type { TimelineEntryAnswer } from '../../../../src/console/students/students.schemas.ts'
import { formatRupees } from '../../ui/money.tsx'
import type { Tone } from '../../ui/status-badge.tsx'

/** What happens to a student, as people say it. */
type Word = { word: string; tone: Tone }

/** TUITION_FEE reads as Tuition fee; anything else is shown as the institute wrote it. */
export function readable(code: string): string {
  return /^[A-Z0-9_]+$/.test(code) ? sentence(code.toLowerCase()) : code
}

/** "student.dropped" as a person would say it. */
export function sentence(what: string): string {
  const words = what.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const STATUS_WORDS: Record<'active' | 'dropped', Word> = {
  active: { word: 'Active', tone: 'good' },
  dropped: { word: 'Dropped', tone: 'plain' },
}

export const PAYMENT_WORDS: Record<string, Word> = {
  pending: { word: 'On its way', tone: 'waiting' },
  captured: { word: 'Paid', tone: 'good' },
  settled: { word: 'Settled to bank', tone: 'good' },
  reversed: { word: 'Taken back', tone: 'bad' },
  recorded: { word: 'Recorded', tone: 'good' },
  cancelled: { word: 'Cancelled', tone: 'plain' },
}

export const PRODUCT_WORDS = { pay: 'Online', flex: 'Instalments', cred: 'Loan' } as const

const EVENTS: Record<string, Word> = {
  'masterdata.student.registered': { word: 'Registered', tone: 'plain' },
  'masterdata.student.dropped': { word: 'Marked as dropped', tone: 'waiting' },
  'masterdata.student.activated': { word: 'Marked as active', tone: 'good' },
  'direct.payment.added': { word: 'Direct payment recorded', tone: 'good' },
  'direct.payment.updated': { word: 'Direct payment corrected', tone: 'plain' },
  'direct.payment.cancelled': { word: 'Direct payment cancelled', tone: 'bad' },
  'pay.payment.debited': { word: 'Paid online', tone: 'good' },
  'pay.payment.settled': { word: 'Payment settled to bank', tone: 'good' },
  'refund.processed': { word: 'Refund made', tone: 'plain' },
  'refund.failed': { word: 'Refund failed', tone: 'bad' },
  'flex.subscription.setup': { word: 'Instalments authorised by the payer', tone: 'waiting' },
  'flex.subscription.active': { word: 'Instalments began', tone: 'good' },
  'flex.subscription.updated': { word: 'Instalments changed', tone: 'plain' },
  'flex.subscription.cancelled': { word: 'Instalments stopped', tone: 'bad' },
  'flex.subscription.closed': { word: 'Instalments paid up', tone: 'good' },
  'flex.mandate.cancelled': { word: 'Mandate ended', tone: 'bad' },
  'flex.mandate.expired': { word: 'Mandate expired', tone: 'bad' },
  'flex.downpayment.debited': { word: 'Down payment paid', tone: 'good' },
  'flex.downpayment.settled': { word: 'Down payment settled to bank', tone: 'good' },
  'flex.instalment.debited': { word: 'Instalment debited', tone: 'good' },
  'flex.instalment.settled': { word: 'Instalment settled to bank', tone: 'good' },
  'flex.instalment.bounced': { word: 'Instalment bounced', tone: 'bad' },
  'flex.instalment.skipped': { word: 'Instalment skipped', tone: 'waiting' },
  'cred.loan.rejected': { word: 'Loan refused', tone: 'bad' },
  'cred.loan.disbursed': { word: 'Loan paid out', tone: 'good' },
}

const ACTS: Record<string, string> = {
  'payment.recorded': 'Direct payment recorded',
  'payment.cancelled': 'Direct payment cancelled',
  'concession.changed': 'Concession changed',
  'late_fee.waived': 'Late fee waived',
  'student.fetched': 'Fetched from the ERP',
  'student.dropped': 'Dropped',
  'student.activated': 'Activated',
  'order.made': 'Payment link made',
}

const FETCHES: Record<string, Word> = {
  found: { word: 'The ERP was asked', tone: 'plain' },
  refused: { word: 'The ERP refused', tone: 'waiting' },
  unavailable: { word: 'The ERP did not answer', tone: 'bad' },
}

/** An entry of the timeline as its headline. */
export function headline({ kind, what, raw }: TimelineEntryAnswer): Word {
  switch (kind) {
    case 'event':
      return EVENTS[what] ?? { word: sentence(what), tone: 'plain' }
    case 'act':
      return { word: ACTS[what] ?? sentence(what), tone: 'plain' }
    case 'fetch':
      return FETCHES[what] ?? { word: sentence(what), tone: 'plain' }
    case 'profile':
      return { word: profileLine(raw as ProfileRaw), tone: 'plain' }
    case 'fee':
      return { word: feeLine(what, raw as FeeRaw), tone: 'plain' }
    default:
      return { word: `Late fee of ${formatRupees((raw as { amount: number }).amount)} waived`, tone: 'plain' }
  }
}

type ProfileRaw = { changes: readonly { field: string }[] }

function profileLine({ changes }: ProfileRaw): string {
  return `Profile changed: ${changes.map(({ field }) => field.replaceAll('_', ' ')).join(', ')}`
}

type FeePrice = { fee_amount: number; discounts: readonly { amount: number }[] }
type FeeRaw = { before?: FeePrice; after: FeePrice }

function feeLine(component: string, { before, after }: FeeRaw): string {
  const now = formatRupees(priceOf(after))
  return before === undefined
    ? `${readable(component)} set to ${now}`
    : `${readable(component)} changed from ${formatRupees(priceOf(before))} to ${now}`
}

/** "1,23,456.50" and "₹ 500" are what people type; the API takes the bare number. */
export function plainAmount(typed: string): string {
  return typed.replaceAll(/[₹,\s]/g, '')
}

/** Paise, because halves of a rupee do not add up exactly. */
function priceOf({ fee_amount: fee, discounts }: FeePrice): number {
  const off = discounts.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)
  return (Math.round(fee * 100) - off) / 100
}
