import type { TimelineEntryAnswer } from '../../../../src/console/students/students.output.ts'
import { formatRupees } from '../../ui/money.tsx'
import type { Tone } from '../../ui/status-badge.tsx'
import { readable, sentence } from '../../ui/words.ts'

type Word = { label: string; tone: Tone }

export const STATUS_LABELS: Record<'active' | 'dropped', Word> = {
  active: { label: 'Active', tone: 'good' },
  dropped: { label: 'Dropped', tone: 'plain' },
}

export const ORIGIN_LABELS: Record<'erp' | 'office' | 'file', string> = {
  erp: 'The ERP',
  office: 'The office',
  file: 'The office, from a file',
}

export const PAYMENT_LABELS: Record<string, Word> = {
  pending: { label: 'On its way', tone: 'waiting' },
  captured: { label: 'Paid', tone: 'good' },
  settled: { label: 'Settled to bank', tone: 'good' },
  reversed: { label: 'Taken back', tone: 'bad' },
  recorded: { label: 'Recorded', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
  moved: { label: 'Moved', tone: 'plain' },
}

export const PRODUCT_LABELS = { pay: 'Online', flex: 'Instalments', cred: 'Loan' } as const

const EVENTS: Record<string, Word> = {
  'masterdata.student.registered': { label: 'Registered', tone: 'plain' },
  'masterdata.student.dropped': { label: 'Marked as dropped', tone: 'waiting' },
  'masterdata.student.activated': { label: 'Marked as active', tone: 'good' },
  'direct.payment.added': { label: 'Payment recorded', tone: 'good' },
  'direct.payment.updated': { label: 'Payment corrected', tone: 'plain' },
  'direct.payment.cancelled': { label: 'Payment cancelled', tone: 'bad' },
  'pay.payment.debited': { label: 'Paid online', tone: 'good' },
  'pay.payment.settled': { label: 'Payment settled to bank', tone: 'good' },
  'virtual_account.created': { label: 'Account number given', tone: 'plain' },
  'virtual_account.closed': { label: 'Account number closed', tone: 'plain' },
  'refund.processed': { label: 'Refund made', tone: 'plain' },
  'refund.failed': { label: 'Refund failed', tone: 'bad' },
  'flex.subscription.setup': { label: 'Instalments authorised by the payer', tone: 'waiting' },
  'flex.subscription.active': { label: 'Instalments began', tone: 'good' },
  'flex.subscription.updated': { label: 'Instalments changed', tone: 'plain' },
  'flex.subscription.cancelled': { label: 'Instalments stopped', tone: 'bad' },
  'flex.subscription.closed': { label: 'Instalments paid up', tone: 'good' },
  'flex.mandate.cancelled': { label: 'Mandate ended', tone: 'bad' },
  'flex.mandate.expired': { label: 'Mandate expired', tone: 'bad' },
  'flex.downpayment.debited': { label: 'Down payment paid', tone: 'good' },
  'flex.downpayment.settled': { label: 'Down payment settled to bank', tone: 'good' },
  'flex.instalment.debited': { label: 'Instalment debited', tone: 'good' },
  'flex.instalment.settled': { label: 'Instalment settled to bank', tone: 'good' },
  'flex.instalment.bounced': { label: 'Instalment bounced', tone: 'bad' },
  'flex.instalment.skipped': { label: 'Instalment skipped', tone: 'waiting' },
  'cred.loan.application_started': { label: 'Loan application started', tone: 'plain' },
  'cred.loan.application_filled': { label: 'Applied for a loan', tone: 'waiting' },
  'cred.loan.application_expired': { label: 'Loan application lapsed', tone: 'plain' },
  'cred.loan.final_approved': { label: 'Loan approved by the lender', tone: 'waiting' },
  'cred.loan.agreement_signed': { label: 'Loan agreement signed', tone: 'good' },
  'cred.loan.canceled': { label: 'Loan application withdrawn', tone: 'plain' },
  'cred.emi.debited': { label: 'EMI paid to the lender', tone: 'plain' },
  'cred.loan.rejected': { label: 'Loan refused', tone: 'bad' },
  'cred.loan.disbursed': { label: 'Loan paid out', tone: 'good' },
}

const ACTION_LABELS: Record<string, string> = {
  'payment.recorded': 'Payment recorded',
  'payment.cancelled': 'Payment cancelled',
  'payment.refunded': 'Refund paid out at the counter',
  'cheque.cleared': 'Cheque cleared',
  'cheque.bounced': 'Cheque bounced',
  'concession.changed': 'Concession changed',
  'late_fee.waived': 'Late fee waived',
  'advance.used': 'Advance used for other fees',
  'advance.refunded': 'Advance given back',
  'approval.asked': 'Approval asked for',
  'approval.approved': 'Approved',
  'approval.declined': 'Request declined',
  'approval.withdrawn': 'Request withdrawn',
  'loan.offer_made': 'Loan offer recorded by the lender',
  'loan.rejected': 'Loan rejection recorded by the lender',
  'loan.sanctioned': 'Loan sanction recorded by the lender',
  'loan.letter_attached': 'Sanction letter attached by the lender',
  'loan.transfer_recorded': 'Loan transfer recorded by the lender',
  'loan.withdrawn': 'Loan withdrawn by the lender',
  'loan.canceled': 'Loan application cancelled',
  'loan.transfer_received': 'Loan transfer found on the statement',
  'loan.transfer_missing': 'Loan transfer not found on the statement',
  'loan.transfer_returned': 'Loan money paid back to the lender',
  'loan.confirmation_withdrawn': 'Confirmation of a loan transfer taken back',
  'student.changed': 'Profile changed',
  'student.fetched': 'Fetched from the ERP',
  'student.account_number_given': 'Account number given',
  'student.account_number_asked_for': 'Account number asked for',
  'student.dropped': 'Dropped',
  'student.left': 'Left the school',
  'student.added': 'Registered by the office',
  'student.activated': 'Activated',
  'order.made': 'Payment link made',
}

const FETCHES: Record<string, Word> = {
  found: { label: 'The ERP was asked', tone: 'plain' },
  refused: { label: 'The ERP refused', tone: 'waiting' },
  unavailable: { label: 'The ERP did not answer', tone: 'bad' },
}

export function headline({ kind, what, raw }: TimelineEntryAnswer): Word {
  switch (kind) {
    case 'event':
      return EVENTS[what] ?? { label: sentence(what), tone: 'plain' }
    case 'act':
      return { label: ACTION_LABELS[what] ?? sentence(what), tone: 'plain' }
    case 'fetch':
      return FETCHES[what] ?? { label: sentence(what), tone: 'plain' }
    case 'profile':
      return { label: profileLine(raw as ProfileRaw), tone: 'plain' }
    case 'fee':
      return { label: feeLine(what, raw as FeeRaw), tone: 'plain' }
    case 'message':
      return messageLine(what, raw as MessageRaw)
    default:
      return {
        label: `Late fee of ${formatRupees((raw as { amount: number }).amount)} waived`,
        tone: 'plain',
      }
  }
}

type MessageRaw = { state: string; to: string; text: string }
const CHANNEL_LABELS: Record<string, string> = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' }

function messageLine(channel: string, { state, to, text }: MessageRaw): Word {
  const how = CHANNEL_LABELS[channel] ?? channel
  if (state === 'failed') return { label: `${how} to ${to} failed: ${text}`, tone: 'bad' }
  return { label: `${how} to ${to}${state === 'queued' ? ' waits' : ''}: ${text}`, tone: 'plain' }
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

/** Paise, because halves of a rupee do not add up exactly. */
function priceOf({ fee_amount: fee, discounts }: FeePrice): number {
  const off = discounts.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)
  return (Math.round(fee * 100) - off) / 100
}

/** How money is handed over at the counter. */
export const COUNTER_MODES = [
  { value: 'cash', label: 'Cash' },
  { value: 'cheque', label: 'Cheque' },
  { value: 'demand_draft', label: 'Demand draft' },
  { value: 'card', label: 'Card machine' },
  { value: 'upi', label: 'UPI' },
  { value: 'bank_transfer', label: 'Bank transfer' },
  { value: 'others', label: 'Other' },
]

const INDIAN_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' })

export function dayInIndia(now: string | undefined): string {
  return INDIAN_DAY.format(now === undefined ? new Date() : new Date(now))
}
