import type { DebitAnswer } from '../../../../src/console/flex/debit.list.ts'
import type { PlanAnswer } from '../../../../src/console/flex/plan.schemas.ts'
import type { Tone } from '../../ui/status-badge.tsx'

export type DebitStatus = DebitAnswer['status']
type Word = { label: string; tone: Tone }

export const DEBIT_LABELS: Record<DebitStatus, Word> = {
  scheduled: { label: 'To present', tone: 'plain' },
  announced: { label: 'Announced', tone: 'plain' },
  presented: { label: 'At the bank', tone: 'waiting' },
  debited: { label: 'Debited', tone: 'good' },
  bounced: { label: 'Bounced', tone: 'bad' },
  reversed: { label: 'Taken back', tone: 'bad' },
  skipped: { label: 'Skipped', tone: 'waiting' },
  stopped: { label: 'Waiting', tone: 'waiting' },
  due: { label: 'To be paid online', tone: 'waiting' },
  covered: { label: 'Paid otherwise', tone: 'good' },
  waived: { label: 'Waived', tone: 'plain' },
}

/** States in the order in which a debit goes through them. */
export const DEBIT_ORDER = Object.keys(DEBIT_LABELS) as DebitStatus[]

export function isDebitStatus(text: string | undefined): text is DebitStatus {
  return text !== undefined && text in DEBIT_LABELS
}

type PlanStatus = PlanAnswer['status']

export const PLAN_LABELS: Record<PlanStatus, Word> = {
  draft: { label: 'Not set up', tone: 'plain' },
  setup: { label: 'Being confirmed', tone: 'waiting' },
  active: { label: 'Active', tone: 'good' },
  locked: { label: 'Locked', tone: 'bad' },
  cancelling: { label: 'Being cancelled', tone: 'waiting' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
  closed: { label: 'Paid up', tone: 'good' },
}

/** Nothing can be done with it any more. */
export function isOver(status: PlanStatus): boolean {
  return status === 'cancelling' || status === 'cancelled' || status === 'closed'
}

/** A hold is the most important status, so it is shown first. */
export function planLabel({ status, is_held: isHeld }: { status: PlanStatus; is_held: boolean }): Word {
  return isHeld && !isOver(status) ? { label: 'Held', tone: 'waiting' } : PLAN_LABELS[status]
}

type InstalmentStatus = PlanAnswer['payment_schedule'][number]['status']

export const INSTALMENT_LABELS: Record<InstalmentStatus, Word> = {
  scheduled: { label: 'To present', tone: 'plain' },
  confirmed: { label: 'Announced', tone: 'plain' },
  presented: { label: 'At the bank', tone: 'waiting' },
  debited: { label: 'Debited', tone: 'good' },
  settled: { label: 'Settled to bank', tone: 'good' },
  bounced: { label: 'Bounced', tone: 'bad' },
  skipped: { label: 'Skipped', tone: 'waiting' },
  reversed: { label: 'Taken back', tone: 'bad' },
  due: { label: 'To be paid online', tone: 'waiting' },
  covered: { label: 'Paid otherwise', tone: 'good' },
  waived: { label: 'Waived', tone: 'plain' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
}

type MandateStatus = NonNullable<PlanAnswer['mandate']>['status']

export const MANDATE_LABELS: Record<MandateStatus, Word> = {
  pending: { label: 'Being confirmed', tone: 'waiting' },
  active: { label: 'Active', tone: 'good' },
  cancelled: { label: 'Ended', tone: 'bad' },
  expired: { label: 'Expired', tone: 'bad' },
  rejected: { label: 'Refused by the bank', tone: 'bad' },
}

export const RAIL_LABELS = { enach: 'eNACH', upi_autopay: 'UPI Autopay' } as const

export const ENDED_LABELS: Record<string, string> = {
  account_not_active: 'The account is closed or blocked',
  bank_kyc_pending: 'The bank wants the account holder’s documents (KYC)',
  customer_revoked: 'The payer revoked it',
  mandate_error: 'The bank no longer has it',
}

export const REASON_LABELS: Record<string, string> = {
  flex_setup: 'Setting up a plan',
  presentation: 'Before a debit',
  reminder: 'Before a reminder',
  init: 'First fetch of a student',
  test: 'Test',
  console: 'Asked in the console',
}

export const OUTCOME_LABELS: Record<'found' | 'refused' | 'unavailable', Word> = {
  found: { label: 'Answered', tone: 'good' },
  refused: { label: 'Refused', tone: 'waiting' },
  unavailable: { label: 'No answer', tone: 'bad' },
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
