import { ZERO } from '../../platform/money.ts'
import type { DisputeReport, DisputeState } from '../port.ts'
import { type Dispute, readDispute, readDisputed } from './dispute-shapes.ts'
import { readOurId } from './ids.ts'
import type * as shapes from './shapes.ts'

/** A debit's order has an id of Cashfree's own: it is known by the number that we got when it was paid. */
export function reportOfDispute({ data, at }: shapes.Event): DisputeReport | null {
  const { orderId, transactionId } = readDisputed(data['order_details'])
  const ours = readOurId(orderId, 'pay')
  if (ours === null && transactionId === null) return null
  const dispute = readDispute(data['dispute'], 'data.dispute')
  const about = { instituteId: ours?.instituteId ?? 0, paymentId: ours?.id ?? '' }
  return {
    ...aboutDispute(dispute, about, at),
    ...(ours === null && transactionId !== null ? { transactionId } : {}),
  }
}

export function aboutDispute(
  dispute: Dispute,
  ours: { instituteId: number; paymentId: string },
  at: Date,
): DisputeReport {
  const { id: providerRef, amountPaise, reasonCode, reason, respondBy } = dispute
  const state = stateOfDispute(dispute)
  return {
    about: 'dispute',
    ...ours,
    providerRef,
    state,
    amountPaise,
    deductedPaise: state === 'lost' ? amountPaise : ZERO,
    reasonCode,
    reason,
    phase: dispute.type.toLowerCase(),
    respondBy,
    at,
  }
}

function stateOfDispute({ status }: Dispute): DisputeState {
  if (status.endsWith('_WON')) return 'won'
  if (/_(LOST|ACCEPTED|INSUFFICIENT_EVIDENCE)$/.test(status)) return 'lost'
  return /_(DOCS_RECEIVED|UNDER_REVIEW)$/.test(status) ? 'under_review' : 'open'
}
