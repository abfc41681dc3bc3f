import { PAGE_PURPOSE } from '../payment-pages/page-payment-handler.ts'
import type { PaymentContext } from '../payments/context.ts'

/** Lets public pages know of the money that is paid on them. */
export function openPages(ctx: PaymentContext): void {
  ctx.paymentHandlers.set('page', PAGE_PURPOSE)
}
