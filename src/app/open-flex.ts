import type { FlexContext } from '../flex/flex-ground.ts'
import { applyMandateReport } from '../flex/mandates/mandates.service.ts'
import { downpaymentPaymentHandler, instalmentPaymentHandler } from '../flex/engine/results.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import type { ErpContext } from '../erp/context.ts'

/** Lets Flex know of the money that is its own. */
export function openFlex(ctx: PaymentContext & ErpContext): FlexContext {
  ctx.paymentHandlers.set('instalment', instalmentPaymentHandler(ctx))
  ctx.paymentHandlers.set('downpayment', downpaymentPaymentHandler(ctx))
  ctx.onMandate = report => applyMandateReport(ctx, report)
  return ctx
}
