import type { Paise } from '../../platform/money.ts'
import type { DisputeReport, DisputeState } from '../../providers/port.ts'

/** A person has to answer these at the provider. */
export type DisputesToAnswer = {
  count: number
  amountPaise: Paise
  /** The order whose day comes first. */
  orderId: string | null
  respondBy: Date | null
}

/** A payer's dispute of a payment, as the provider last told it. People answer it at the provider. */
export type Dispute = {
  instituteId: number
  id: string
  paymentId: string
  /** When a payment was for several orders, each of their disputes has the same. */
  providerRef: string
  state: DisputeState
  amountPaise: Paise
  /** The amount that the ledger keeps apart while the dispute is open. */
  heldPaise: Paise
  deductedPaise: Paise
  reasonCode: string
  reason: string
  phase: string
  respondBy: Date | null
  openedAt: Date
  changedAt: Date
  closedAt: Date | null
  /** What went back, if it was lost. */
  refundId: string | null
}

export const DISPUTE_STATUSES = ['open', 'won', 'lost'] as const
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number]

/** One that was closed without a word who is right took nothing from the institute. */
const STATUSES: Record<DisputeState, DisputeStatus> = {
  open: 'open',
  under_review: 'open',
  action_required: 'open',
  won: 'won',
  closed: 'won',
  lost: 'lost',
}

export function statusOf({ state }: Pick<Dispute, 'state'>): DisputeStatus {
  return STATUSES[state]
}

export function statesOf(status: DisputeStatus): DisputeState[] {
  const all = Object.keys(STATUSES) as DisputeState[]
  return all.filter(state => STATUSES[state] === status)
}

/** Whether somebody still has to answer it at the provider: one under review has its answer. */
export function waitsForAnswer({ state }: Pick<Dispute, 'state'>): boolean {
  return state === 'open' || state === 'action_required'
}

export type DisputeChange = 'nothing' | 'opened' | 'changed' | 'won' | 'lost'

/** What a report does to a dispute: events come late and in any order, so the later one wins, and an end stays. */
export function decideDispute(
  known: Pick<Dispute, 'state' | 'changedAt'> | null,
  report: Pick<DisputeReport, 'state' | 'at'>,
): DisputeChange {
  const told = statusOf(report)
  if (known !== null && statusOf(known) !== 'open') return 'nothing'
  if (told !== 'open') return told
  if (known === null) return 'opened'
  return report.at >= known.changedAt ? 'changed' : 'nothing'
}
