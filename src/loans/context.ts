import type { PaymentContext } from '../payments/context.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { Lender } from './lender-port.ts'

/** The lenders of an installation are rows (lenders/lenders.service.ts); only the sandbox's is part of the process. */
export type LoanContext = PaymentContext & {
  /** Null in live mode. */
  readonly sandboxLender: Lender | null
  /** Addresses of the people who work in the console, for mails about what waits for them. */
  readonly people: {
    atLender(db: Queryable, lender: string): Promise<string[]>
    /** People of an institute who confirm what arrived. */
    handlingMoney(db: Queryable, instituteId: number): Promise<string[]>
  }
}
