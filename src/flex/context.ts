import type { PaymentContext } from '../payments/context.ts'
import type { ErpContext } from '../erp/context.ts'

/** What Flex stands on: money that moves, and ERPs that can be asked. */
export type FlexContext = PaymentContext & ErpContext
