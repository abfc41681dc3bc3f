import type { PaymentBlock } from '../events/blocks.ts'
import type { NewEvent } from '../events/events.service.ts'
import { toOrderJson } from '../orders/order.output.ts'
import type { Order, OrderKind } from '../orders/orders.rules.ts'
import { toRupees } from '../platform/money.ts'
import type { Payment, Refund } from './payments.rules.ts'
import { refundOutput } from './refund.output.ts'

const PRODUCTS: Record<OrderKind, PaymentBlock['product']> = {
  order: 'pay',
  link: 'pay',
  page: 'pay',
  student: 'pay',
  downpayment: 'flex',
  instalment: 'flex',
  disbursement: 'cred',
}

export function productOf(kind: OrderKind): PaymentBlock['product'] {
  return PRODUCTS[kind]
}

/** A payment as events carry it, split as its order is. A second one for it was never settled: the order's UTR is the first's. */
export function paymentBlock(
  payment: Payment,
  order: Order,
  product: PaymentBlock['product'] = 'pay',
): PaymentBlock {
  const settled = payment.isDuplicate ? { settlementUtr: null, settledAt: null } : {}
  const lines = order.lines.map(line => ({ ...line, ...settled }))
  return {
    id: payment.id,
    amount: toRupees(payment.amountPaise),
    product,
    mode: payment.mode,
    transaction_id: payment.transactionId ?? payment.id,
    paid_at: (payment.capturedAt ?? payment.createdAt).toISOString(),
    settlement_utr: lines[0]?.settlementUtr ?? undefined,
    details: lines.map(line => ({
      component_type: line.componentType,
      amount: toRupees(line.amountPaise),
      settlement_utr: line.settlementUtr ?? undefined,
      settled_at: line.settledAt?.toISOString(),
    })),
  }
}

/** `pay.payment.*` for every payment, and beside it the event of its kind. */
export function paymentEvents(
  payment: Payment,
  order: Order,
  what: { happened: 'debited' | 'settled'; at: Date },
): NewEvent[] {
  const kind = order.kind === 'link' ? 'payment_link' : 'order'
  const payload = {
    order_id: order.id,
    order: toOrderJson(order, what.at),
    payment: paymentBlock(payment, order),
  }
  return (['pay', kind] as const).map(prefix => ({
    code: `${prefix}.payment.${what.happened}` as const,
    instituteId: payment.instituteId,
    collectorCode: order.collectorCode,
    resourceId: order.id,
    occurredAt: what.at,
    payload,
  }))
}

/** Of an order that the ERP knows by its id; or of one that was made for a student, whom it knows instead. */
export function refundEvent(
  refund: Refund,
  payment: Payment,
  { order, studentId }: { order: Order; studentId: string | null },
  what: { happened: 'processed' | 'failed'; at: Date },
): NewEvent {
  return {
    code: `refund.${what.happened}`,
    instituteId: refund.instituteId,
    collectorCode: order.collectorCode,
    resourceId: studentId ?? order.id,
    occurredAt: what.at,
    payload: {
      ...(studentId === null ? { order_id: order.id } : { service_student_id: studentId }),
      payment: paymentBlock(payment, order, productOf(order.kind)),
      refund: refundOutput.toJson({ ...refund, state: what.happened }),
    },
  }
}
