import type { Callback } from '../providers/port.ts'
import type { Paise } from '../platform/money.ts'

/**
 * What a lender is to us: a real one is one file that implements this. A lender decides about loans and tells; what it
 * tells may come twice, late and in any order. Every call may be repeated with the same ids and does nothing new then.
 */
export type Lender = {
  readonly name: LenderName
  /** What parents know it as. */
  readonly title: string
  readonly limits: LoanLimits
  /** What a loan usually costs, for parents who think about it. The lender's own offer counts. */
  readonly terms: LoanTerms
  /** Takes the application up and says where the borrower fills it in. */
  start(request: LoanRequest): Promise<{ lenderRef: string; lenderUrl: string }>
  /** All that the lender has ever had to tell of it, in order; nothing when it does not know it. */
  status(application: AtLender): Promise<LoanReport[]>
  /** Ends it, unless it is over or the agreement is signed; answers as `status` does. */
  end(application: AtLender, how: 'canceled' | 'expired'): Promise<LoanReport[]>
  /** Reads what the lender posts to us of its own accord; null when the signature is not the lender's. */
  readCallback(callback: Callback): Promise<LoanReport[] | null>
}

export type LenderName = 'sandbox'

export type LoanLimits = { leastPaise: Paise; mostPaise: Paise }

export type LoanTerms = { yearlyRatePercent: number; months: number }

type AtLender = { instituteId: number; applicationId: string; lenderRef: string | null }

export type LoanRequest = {
  instituteId: number
  applicationId: string
  amountPaise: Paise
  borrower: { name: string; phone: string; email: string }
  description: string
  /** Where the lender sends the borrower's browser when it is done. */
  returnUrl: string
}

export type LoanReport = {
  instituteId: number
  applicationId: string
  lenderRef: string
  news: LoanNews
}

/** What can happen to a loan at the lender, each with its moment. */
export type LoanNews =
  | { kind: 'filled'; at: Date }
  | { kind: 'approved'; at: Date; amountPaise: Paise }
  | { kind: 'rejected'; at: Date; reason: string }
  | { kind: 'signed'; at: Date; tranches: readonly PlannedTranche[] }
  | { kind: 'paid_out'; at: Date; payOut: PayOut }
  | { kind: 'emi_debited'; at: Date; emi: { ref: string; dueOn: string; amountPaise: Paise } }
  | { kind: 'canceled'; at: Date }
  | { kind: 'expired'; at: Date }

export type PlannedTranche = { ref: string; plannedOn: string; amountPaise: Paise }

export type PayOut = {
  /** Which pay-out of the loan it is, from 1 on: one that is missing is asked for. */
  number: number
  /** The lender's name of the tranche. */
  trancheRef: string
  day: string
  /** What was transferred; less than the tranche when the lender keeps something. */
  amountPaise: Paise
  /** What the lender will still pay of this tranche, as one of its own. */
  rest: PlannedTranche | null
  /** The lender's bank reference. */
  reference: string
}
