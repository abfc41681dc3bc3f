import type { Paise } from '../../platform/money.ts'
import { AnswerError, isObject, readObject, readOptionalText, readText } from '../answer.ts'
import { readId, readMoney, readOptionalId, readOptionalMoment } from './shapes.ts'

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

export function readDispute(value: unknown, at: string): Dispute {
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

/** Of the payment that a callback about a dispute names. */
export function readDisputed(value: unknown): { orderId: string | null; transactionId: string | null } {
  const order = isObject(value) ? value : {}
  return {
    orderId: readOptionalText(order, 'order_id', 'data.order_details'),
    transactionId: readOptionalId(order, 'cf_payment_id', 'data.order_details'),
  }
}
