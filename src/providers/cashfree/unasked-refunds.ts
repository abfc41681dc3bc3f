import { isObject, readObject } from '../answer.ts'
import type { Call } from '../http.ts'
import type { UnaskedRefund } from '../port.ts'
import { find } from './connection.ts'
import { readOurId } from './ids.ts'
import * as shapes from './shapes.ts'

/**
 * Refunds that somebody made at Cashfree itself, of payments of ours. Those that Cashfree makes by itself, of an attempt that
 * succeeded too late, give back what was never counted here.
 */
const BY_A_PERSON = 'MERCHANT_INITIATED'

/** Reads the callback about a refund; null when we asked for it, it was not made, or the payment is unknown. */
export function reportOfUnasked(event: shapes.Event): UnaskedRefund | null {
  if (event.type === 'REFUND_STATUS_WEBHOOK') {
    const data = readObject(event.data['refund'], 'data.refund')
    return isByPerson(data) ? toReport(data, data['order_id'], event.at) : null
  }
  return event.type === 'SUBSCRIPTION_REFUND_STATUS'
    ? toReport(event.data, event.data['payment_id'], event.at)
    : null
}

function isByPerson(data: unknown): boolean {
  return isObject(data) && data['refund_type'] === BY_A_PERSON
}

function toReport(data: shapes.Event['data'], paid: unknown, at: Date): UnaskedRefund | null {
  const ours = typeof paid === 'string' ? readOurId(paid, 'pay') : null
  if (ours === null || data['refund_status'] !== 'SUCCESS') return null
  const refund = shapes.readRefund(data, 'refund')
  if (readOurId(refund.refundId, 'rfd') !== null) return null
  return {
    about: 'unasked_refund',
    instituteId: ours.instituteId,
    paymentId: ours.id,
    providerRef: refund.refundId,
    amountPaise: refund.amountPaise,
    utr: refund.bankReference,
    at: refund.processedAt ?? at,
  }
}

/** The payment of ours that a refund in a pay-out gives back, if a person made it; null otherwise. */
export async function findRefunded(call: Call, { type, isCredit, orderId, refundId }: shapes.ReconEvent) {
  const ours = readOurId(orderId, 'pay')
  if (type !== 'REFUND' || isCredit || ours === null || refundId === null) return null
  if (readOurId(refundId, 'rfd') !== null) return null
  const path = `/orders/${encodeURIComponent(orderId ?? '')}/refunds/${encodeURIComponent(refundId)}`
  return (await find(call, path, isByPerson)) === true ? ours : null
}
