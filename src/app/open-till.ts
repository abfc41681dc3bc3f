import type { Config } from './config.ts'
import type { OrderKind } from '../orders/orders.rules.ts'
import { takeCallback } from '../payments/callbacks.service.ts'
import type { MandateReport } from '../providers/mandate-port.ts'
import type { Provider, ProviderName } from '../providers/port.ts'
import type { Purpose } from '../payments/payment-handler.ts'
import { PAY } from '../payments/order-payment-handler.ts'
import { createRazorpay } from '../providers/razorpay/razorpay.client.ts'
import type { SandboxBank } from '../sandbox/bank/simulator.ts'
import { createSandboxBank } from '../sandbox/bank/simulator.client.ts'
import type { Till } from '../payments/context.ts'
import type { Ground } from '../platform/context.ts'

/** The providers that this configuration has. Razorpay goes first where it is set up; live mode knows no sandbox bank. */
export function openTill(
  config: Pick<Config, 'razorpay'>,
  ground: Ground,
): { till: Till; bank: SandboxBank | null } {
  const providers = new Map<ProviderName, Provider>()
  const bank =
    ground.mode === 'sandbox'
      ? createSandboxBank(ground, ground.vault.deriveKey('sandbox bank callbacks'))
      : null
  if (bank !== null) providers.set('sandbox', bank)
  if (config.razorpay !== null) providers.set('razorpay', createRazorpay(config.razorpay))
  const currentProvider = config.razorpay === null ? (bank?.name ?? null) : 'razorpay'
  const till: Till = Object.assign(ground, {
    providers,
    currentProvider,
    purposes: new Map<OrderKind, Purpose>([
      ['order', PAY],
      ['link', PAY],
    ]),
    onMandate: async ({ mandateId }: MandateReport) => {
      throw new Error(`nobody is there to be told of the mandate ${mandateId}`)
    },
  })
  if (bank !== null) bank.tell = callback => takeCallback(till, 'sandbox', callback)
  return { till, bank }
}
