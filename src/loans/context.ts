import type { PaymentContext } from '../payments/context.ts'
import type { Lender, LenderName } from './lender-port.ts'

/** New applications go to the current lender; null when loans are not set up. */
export type LoanContext = PaymentContext & {
  readonly lenders: ReadonlyMap<LenderName, Lender>
  readonly currentLender: LenderName | null
}

/** The name that parents know; falls back to the internal name for a lender that is no longer configured. */
export function lenderTitle({ lenders }: Pick<LoanContext, 'lenders'>, name: LenderName): string {
  return lenders.get(name)?.title ?? name
}

export function lenderOf({ lenders }: LoanContext, name: LenderName): Lender {
  const lender = lenders.get(name)
  if (lender === undefined) throw new Error(`the lender ${name} is not configured`)
  return lender
}
