import type { ErpContext } from '../erp/context.ts'
import type { PaymentContext } from '../payments/context.ts'

/** What the console's routes stand on: money that moves, and ERPs that can be asked. */
export type ConsoleContext = PaymentContext & ErpContext
