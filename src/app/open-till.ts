import type { Config } from './config.ts'
import type { OrderKind } from '../orders/orders.rules.ts'
import { takeCallback } from '../payments/callbacks.service.ts'
import type { MandateReport } from '../providers/mandate-port.ts'
import type { Provider, ProviderName } from '../providers/port.ts'
import type { PaymentHandler } from '../payments/payment-handler.ts'
import { ORDER_PAYMENT_HANDLER } from '../payments/order-payment-handler.ts'
import { createRazorpay } from '../providers/razorpay/razorpay.client.ts'
import type { SandboxBank } from '../sandbox/bank/simulator.ts'
import { createSandboxBank } from '../sandbox/bank/simulator.client.ts'
import type { PaymentContext } from '../payments/context.ts'
import type { Context } from '../platform/context.ts'

/** The providers that this configuration has. Razorpay goes first where it is set up; live mode knows no sandbox bank. */
export function createProviders(
  config: Pick<Config, 'razorpay'>,
  ctx: Context,
): { ctx: PaymentContext; bank: SandboxBank | null } {
  const providers = new Map<ProviderName, Provider>()
  const bank =
    ctx.mode === 'sandbox' ? createSandboxBank(ctx, ctx.vault.deriveKey('sandbox bank callbacks')) : null
  if (bank !== null) providers.set('sandbox', bank)
  if (config.razorpay !== null) providers.set('razorpay', createRazorpay(config.razorpay))
  const currentProvider = config.razorpay === null ? (bank?.name ?? null) : 'razorpay'
  const ctx: PaymentContext = Object.assign(ctx, {
    providers,
    currentProvider,
    paymentHandlers: new Map<OrderKind, PaymentHandler>([
      ['order', ORDER_PAYMENT_HANDLER],
      ['link', ORDER_PAYMENT_HANDLER],
    ]),
    onMandate: async ({ mandateId }: MandateReport) => {
      throw new Error(`nobody is there to be told of the mandate ${mandateId}`)
    },
  })
  if (bank !== null) bank.tell = callback => takeCallback(ctx, 'sandbox', callback)
  return { ctx, bank }
}
