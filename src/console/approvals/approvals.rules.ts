import { conflict } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import { DAY_MS } from '../../platform/calendar.ts'

/** Acts that a second person approves when they give away more than the institute lets one person give. */
export const APPROVAL_ACTS = [
  'refund',
  'advance_refund',
  'refund_of_other_amount',
  'concession',
  'late_fee_waiver',
  'payment_cancellation',
  'counter_refund',
  'payment_move',
  'payment_rules',
  'structure_change',
  'structure_drop',
  'fee_structure',
  'student_file',
  'rollover',
  'class_change',
  'optional_fee',
  'plan_reschedule',
  'plan_resumption',
  'plan_charge_cancellation',
  'leaving',
] as const
export type ApprovalAct = (typeof APPROVAL_ACTS)[number]

export const APPROVAL_STATES = ['waiting', 'approved', 'declined', 'withdrawn', 'expired'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

/** What it means for families, as it was when it was asked for; sums of what they have to pay where they are known. */
export type Effect = { students: number; beforePaise?: Paise; afterPaise?: Paise }

export type Approval = {
  instituteId: number
  id: string
  act: ApprovalAct
  /** The order or student. */
  about: string
  /** What may wait only once at a time, such as one concession of one student. */
  subject: string
  /** Tells the person who decides what is asked for. */
  title: string
  amountPaise: Paise
  effect: Effect | null
  /** What the act is given once it is approved. */
  request: object
  reason: string
  state: ApprovalState
  makerId: string
  makerEmail: string
  madeAt: Date
  expiresAt: Date
  deciderId: string | null
  deciderEmail: string | null
  decidedAt: Date | null
  note: string | null
}

const EXPIRES_AFTER_MS = 7 * DAY_MS
export const MOST_WAITING = 500

export function expiryOf(madeAt: Date): Date {
  return new Date(madeAt.getTime() + EXPIRES_AFTER_MS)
}

type Decision = 'approved' | 'declined' | 'withdrawn'

/** Who asked cannot decide, and nobody else can withdraw. */
export function assertDecidable(
  { state, expiresAt, makerId }: Approval,
  decision: Decision,
  { userId, now }: { userId: string; now: Date },
): void {
  if (state !== 'waiting') throw conflict(`This request is ${state} already.`)
  if (expiresAt <= now) throw conflict('This request has expired. Ask for it again.')
  const isMaker = userId === makerId
  if (decision === 'withdrawn' && !isMaker) throw conflict('Only the person who asked can withdraw it.')
  if (decision !== 'withdrawn' && isMaker)
    throw conflict('You asked for this yourself, so somebody else has to decide.')
}
