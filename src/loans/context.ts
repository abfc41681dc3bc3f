import type { PaymentContext } from '../payments/context.ts'
import type { Lender } from './lender-port.ts'

/** The lenders of an installation are rows (lenders/lenders.service.ts); only the sandbox's is part of the process. */
export type LoanContext = PaymentContext & {
  /** Null in live mode. */
  readonly sandboxLender: Lender | null
}
