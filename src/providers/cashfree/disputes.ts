import { ZERO, type Paise } from '../../platform/money.ts'
import type { DisputeReport, DisputeState } from '../port.ts'
import { readOurId } from './ids.ts'
import type * as shapes from './shapes.ts'
import { readId, readMoney, readOptionalId, readOptionalMoment } from './shapes.ts'
import { AnswerError, isObject, readObject, readOptionalText, readText } from '../answer.ts'

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

export type Dispute = {
  id: string
  /** Such as CHARGEBACK. */
  type: string
  status: string
  amountPaise: Paise
  reasonCode: string
  reason: string
  respondBy: Date | null
  at: Date | null
}

export function readDisputes(value: unknown): Dispute[] {
  if (!Array.isArray(value)) throw new AnswerError('answer', 'a list')
  return value.map((dispute, index) => readDispute(dispute, `disputes[${index}]`))
}

function readDispute(value: unknown, at: string): Dispute {
  const dispute = readObject(value, at)
  return {
    id: readId(dispute, 'dispute_id', at),
    type: readText(dispute, 'dispute_type', at),
    status: readText(dispute, 'dispute_status', at),
    amountPaise: readMoney(dispute, 'dispute_amount', at),
    reasonCode: readOptionalId(dispute, 'reason_code', at) ?? 'disputed',
    reason: readOptionalText(dispute, 'reason_description', at) ?? 'The payer disputed the payment.',
    respondBy: readOptionalMoment(dispute, 'respond_by', at),
    at: readOptionalMoment(dispute, 'resolved_at', at) ?? readOptionalMoment(dispute, 'updated_at', at),
  }
}

/** Reads which payment a callback about a dispute names. */
function readDisputed(value: unknown): { orderId: string | null; transactionId: string | null } {
  const order = isObject(value) ? value : {}
  return {
    orderId: readOptionalText(order, 'order_id', 'data.order_details'),
    transactionId: readOptionalId(order, 'cf_payment_id', 'data.order_details'),
  }
}
