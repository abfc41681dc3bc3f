import type { PaymentContext } from '../payments/context.ts'
import type { Lender, LenderName } from './lender-port.ts'

/** What Cred stands on: money that moves, and lenders. New applications go to the current one, if there is one. */
export type LoanContext = PaymentContext & {
  readonly lenders: ReadonlyMap<LenderName, Lender>
  readonly currentLender: LenderName | null
}

/** What parents know it as; its plain name where it is no longer set up. */
export function lenderTitle({ lenders }: Pick<LoanContext, 'lenders'>, name: LenderName): string {
  return lenders.get(name)?.title ?? name
}

export function lenderOf({ lenders }: LoanContext, name: LenderName): Lender {
  const lender = lenders.get(name)
  if (lender === undefined) throw new Error(`the lender ${name} is not configured`)
  return lender
}
