import type { DebitAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import type { PlanAnswer } from '../../../../src/console/flex/plans.schemas.ts'
import { formatCount } from '../../ui/money.tsx'
import type { Tone } from '../../ui/status-badge.tsx'

/** Flex as people say it: states as words with a tone. */
export type DebitStatus = DebitAnswer['status']
type Word = { word: string; tone: Tone }

export const DEBIT_WORDS: Record<DebitStatus, Word> = {
  scheduled: { word: 'To present', tone: 'plain' },
  announced: { word: 'Announced', tone: 'plain' },
  presented: { word: 'At the bank', tone: 'waiting' },
  debited: { word: 'Debited', tone: 'good' },
  bounced: { word: 'Bounced', tone: 'bad' },
  reversed: { word: 'Taken back', tone: 'bad' },
  skipped: { word: 'Skipped', tone: 'waiting' },
  stopped: { word: 'Waiting', tone: 'waiting' },
  due_online: { word: 'Due online', tone: 'waiting' },
  covered: { word: 'Paid otherwise', tone: 'good' },
  waived: { word: 'Waived', tone: 'plain' },
}

/** In the order in which a debit goes through them. */
export const DEBIT_ORDER = Object.keys(DEBIT_WORDS) as DebitStatus[]

export const DEBIT_OPTIONS = [
  { value: 'coming', label: 'To come' },
  ...DEBIT_ORDER.map(value => ({ value, label: DEBIT_WORDS[value].word })),
]

export function isDebitStatus(text: string | undefined): text is DebitStatus {
  return text !== undefined && text in DEBIT_WORDS
}

type PlanStatus = PlanAnswer['status']

const PLAN_WORDS: Record<PlanStatus, Word> = {
  draft: { word: 'Not set up', tone: 'plain' },
  setup: { word: 'Being confirmed', tone: 'waiting' },
  active: { word: 'Active', tone: 'good' },
  locked: { word: 'Locked', tone: 'bad' },
  cancelled: { word: 'Cancelled', tone: 'plain' },
  closed: { word: 'Paid up', tone: 'good' },
}

/** A hold is what a person wants to see first. */
export function planWord({ status, is_held: isHeld }: { status: PlanStatus; is_held: boolean }): Word {
  const isOver = status === 'cancelled' || status === 'closed'
  return isHeld && !isOver ? { word: 'Held', tone: 'waiting' } : PLAN_WORDS[status]
}

export const PLAN_OPTIONS = Object.entries(PLAN_WORDS).map(([value, { word }]) => ({ value, label: word }))

type InstalmentStatus = PlanAnswer['instalments'][number]['status']

export const INSTALMENT_WORDS: Record<InstalmentStatus, Word> = {
  scheduled: { word: 'To present', tone: 'plain' },
  confirmed: { word: 'Announced', tone: 'plain' },
  presented: { word: 'At the bank', tone: 'waiting' },
  debited: { word: 'Debited', tone: 'good' },
  settled: { word: 'Settled to bank', tone: 'good' },
  bounced: { word: 'Bounced', tone: 'bad' },
  skipped: { word: 'Skipped', tone: 'waiting' },
  reversed: { word: 'Taken back', tone: 'bad' },
  covered: { word: 'Paid otherwise', tone: 'good' },
  waived: { word: 'Waived', tone: 'plain' },
  cancelled: { word: 'Cancelled', tone: 'plain' },
}

type MandateStatus = NonNullable<PlanAnswer['mandate']>['status']

export const MANDATE_WORDS: Record<MandateStatus, Word> = {
  pending: { word: 'Being confirmed', tone: 'waiting' },
  active: { word: 'Active', tone: 'good' },
  cancelled: { word: 'Ended', tone: 'bad' },
  expired: { word: 'Expired', tone: 'bad' },
  rejected: { word: 'Refused by the bank', tone: 'bad' },
}

export const RAIL_WORDS = { enach: 'eNACH', upi_autopay: 'UPI Autopay' } as const

export const ENDED_WORDS: Record<string, string> = {
  account_not_active: 'The account is closed or blocked',
  bank_kyc_pending: 'The bank wants the account holder’s documents (KYC)',
  customer_revoked: 'The payer revoked it',
  mandate_error: 'The bank no longer has it',
}

export const REASON_WORDS: Record<string, string> = {
  flex_setup: 'Setting up a plan',
  presentation: 'Before a debit',
  reminder: 'Before a reminder',
  init: 'First look at a student',
  test: 'Test',
  console: 'Asked in the console',
}

export const OUTCOME_WORDS: Record<'found' | 'refused' | 'unavailable', Word> = {
  found: { word: 'Answered', tone: 'good' },
  refused: { word: 'Refused', tone: 'waiting' },
  unavailable: { word: 'No answer', tone: 'bad' },
}

export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
