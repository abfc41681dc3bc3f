import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { getOrder } from '../../orders/orders.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import type { Dispute } from '../../payments/disputes/disputes.rules.ts'
import { listDisputesOf } from '../../payments/disputes/disputes.service.ts'
import { listPaymentRecords, type PaymentRecord } from '../../payments/payments.service.ts'
import type { Refund } from '../../payments/refunds/refunds.rules.ts'
import { listRefunds } from '../../payments/refunds/refunds.service.ts'
import type { Context } from '../../platform/context.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { auditList } from '../audit/audit.list.ts'
import type { AuditRow } from '../audit/audit.service.ts'
import * as store from './detail.store.ts'
import { actsOn, hasCheckout, leftToRefund, type Acts } from './orders.rules.ts'

export type OrderDetail = Order &
  store.OrderOrigin &
  Acts & {
    branch: string
    /** Where it is paid. */
    url: string | null
    payments: PaymentRecord[]
    refunds: Refund[]
    disputes: Dispute[]
    refundablePaise: Paise
    receiptCancelledAt: Date | null
    receiptCancelReason: string | null
    messages: store.MessageRecord[]
    events: store.EventRecord[]
    audit: AuditRow[]
    paidTogether: store.PaidTogether[]
  }

const MOST_ACTS = 200

/** Everything of one order, whatever it is for. */
export async function readDetail(
  ctx: PaymentContext,
  institute: Institute,
  id: string,
): Promise<OrderDetail> {
  const { db } = ctx
  const order = await getOrder(ctx, institute, undefined, id)
  const [origin, paidTogether, payments, refunds, disputes, messages, events, { rows: audit }] =
    await Promise.all([
      store.readOrigin(db, institute.id, order),
      store.readPaidTogether(db, institute.id, id),
      listPaymentRecords(ctx, institute.id, id),
      listRefunds(ctx, institute.id, id),
      listDisputesOf(ctx, institute.id, id),
      store.readMessages(db, institute.id, id),
      store.readEvents(db, institute.id, order),
      auditList.page(ctx, institute, { about: id }, { limit: MOST_ACTS }),
    ])
  const handler = ctx.paymentHandlers[order.kind]
  const refundable = payments.filter(payment => (handler.refundRefusal?.(payment) ?? null) === null)
  const refundablePaise = leftToRefund(refundable, refunds)
  const branch = institute.branches.find(one => one.collectorCode === order.collectorCode)
  const paying = payments.find(payment => payment.receipt !== null)
  const acts = actsOn(order, { refundablePaise, now: ctx.clock.now() })
  return {
    ...order,
    ...origin,
    ...acts,
    branch: branch?.name ?? order.collectorCode,
    url: checkoutUrl(ctx, institute, order),
    payments,
    refunds,
    disputes,
    refundablePaise: acts.canRefund ? refundablePaise : ZERO,
    receiptCancelledAt: paying?.receiptCancelledAt ?? null,
    receiptCancelReason: paying?.receiptCancelReason ?? null,
    messages,
    events,
    audit: audit.toReversed(),
    paidTogether,
  }
}

/** Where its payer pays; null for what a bank debits or a lender pays. */
export function checkoutUrl(
  { publicUrl }: Context,
  institute: Institute,
  order: Pick<Order, 'id' | 'kind'>,
): string | null {
  return hasCheckout(order.kind) ? `${publicUrl}/pay/${institute.code}/${order.id}` : null
}
