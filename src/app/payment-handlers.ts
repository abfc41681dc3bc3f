import { duesPaymentHandler } from '../dues/dues-payment-handler.ts'
import { withSurplus } from '../dues/excess.service.ts'
import { namedOrderHandler } from '../dues/named-order-handler.ts'
import { assertNobodyPays } from '../dues/on-the-way.service.ts'
import { downpaymentPaymentHandler, instalmentPaymentHandler } from '../flex/engine/results.service.ts'
import { disbursementPaymentHandler } from '../loans/transfers.service.ts'
import type { OrderKind } from '../orders/orders.rules.ts'
import { PAGE_PAYMENT_HANDLER } from '../payment-pages/page-payments.service.ts'
import type { PaymentHandler } from '../payments/context.ts'
import type { Context } from '../platform/context.ts'

/** What follows from money that moved, by the kind of its order. A kind without a handler does not compile. */
export function createPaymentHandlers(ctx: Context) {
  const mayStart: PaymentHandler['mayStart'] = (instituteId, order) =>
    assertNobodyPays(ctx, instituteId, order)
  return {
    order: namedOrderHandler(ctx),
    link: namedOrderHandler(ctx),
    student: duesPaymentHandler(ctx),
    page: PAGE_PAYMENT_HANDLER,
    downpayment: { ...withSurplus(downpaymentPaymentHandler(ctx)), mayStart },
    instalment: withSurplus(instalmentPaymentHandler(ctx)),
    loan: disbursementPaymentHandler(ctx),
  } satisfies Record<OrderKind, PaymentHandler>
}
