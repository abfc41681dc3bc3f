import { duesPaymentHandler } from '../dues/dues-payment-handler.ts'
import type { PaymentContext } from '../payments/context.ts'

/** Lets dues know of the money that parents pay of them. */
export function openDues(ctx: PaymentContext): void {
  ctx.paymentHandlers.set('student', duesPaymentHandler(ctx))
}
