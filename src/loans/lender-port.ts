import type { Callback } from '../providers/port.ts'
import type { Paise } from '../platform/money.ts'

/**
 * A lender integration is one file that implements this type. The lender's reports may arrive twice, late and in any
 * order. Every call must be idempotent for the same ids.
 */
export type Lender = {
  readonly name: LenderName
  /** The name that parents know. */
  readonly title: string
  readonly limits: LoanLimits
  /** Typical cost, shown before a parent applies; only the lender's offer is binding. */
  readonly terms: LoanTerms
  /**
   * Creates the application at the lender; returns the page where the borrower fills it in, and what is known at once,
   * such as that nothing is left to fill in.
   */
  start(request: LoanRequest): Promise<StartedLoan>
  /** The borrower accepted the lender's offer on our page. Absent at a lender whose offers are accepted on its own. */
  accept?(application: AtLender, acceptance: Acceptance): Promise<void>
  /** All reports about the application so far, in order; empty when the lender does not know it. */
  status(application: AtLender): Promise<LoanReport[]>
  /** Ends it, unless it is over or the agreement is signed; returns the same as `status`. */
  end(application: AtLender, how: 'canceled' | 'expired'): Promise<LoanReport[]>
  /** Parses a callback; null when the signature is not valid. */
  readCallback(callback: Callback): Promise<LoanReport[] | null>
}

/** `sandbox`, or the code of a lender that the operator added. */
export type LenderName = string

export type LoanLimits = { leastPaise: Paise; mostPaise: Paise }

export type LoanTerms = { yearlyRatePercent: number; months: number }

export type AtLender = { instituteId: number; applicationId: string; lenderRef: string | null }

type StartedLoan = { lenderRef: string; lenderUrl: string; reports?: LoanReport[] }

export type Acceptance = { offerRef: string; acceptedAt: Date }

export type LoanRequest = {
  instituteId: number
  institute: { code: string; name: string }
  applicationId: string
  amountPaise: Paise
  borrower: { name: string; phone: string; email: string }
  description: string
  /** When the borrower consented to our passing these data on. */
  consentedAt: Date
  /** Where the lender redirects the borrower's browser at the end. */
  returnUrl: string
  /** Where the lender reports what happens to this application. */
  reportUrl: string
}

export type LoanReport = {
  instituteId: number
  applicationId: string
  lenderRef: string
  update: LenderUpdate
}

/** What can happen to a loan at the lender, and when it happened. */
export type LenderUpdate =
  | { kind: 'filled'; at: Date }
  | { kind: 'approved'; at: Date; amountPaise: Paise; offer?: Offer | null }
  | { kind: 'rejected'; at: Date; reason: string }
  | { kind: 'signed'; at: Date; tranches: readonly PlannedTranche[] }
  | { kind: 'paid_out'; at: Date; payOut: PayOut }
  | { kind: 'emi_debited'; at: Date; emi: { ref: string; dueOn: string; amountPaise: Paise } }
  | { kind: 'canceled'; at: Date }
  | { kind: 'expired'; at: Date }

/** What the borrower is offered; accepted on our page, so it has to name every cost. */
export type Offer = {
  ref: string
  yearlyRatePercent: number
  months: number
  emiPaise: Paise
  /** Processing and other charges in all. */
  feesPaise: Paise
  /** The lender's key facts statement or terms. */
  termsUrl: string | null
}

export type PlannedTranche = { ref: string; plannedOn: string; amountPaise: Paise }

export type PayOut = {
  /** Sequence number within the loan, from 1: a gap shows that a report is missing. */
  number: number
  /** The lender's id of the tranche. */
  trancheRef: string
  day: string
  /** The amount transferred; less than the tranche when the lender deducts a charge. */
  amountPaise: Paise
  /** What the lender will still pay of this tranche, as a new tranche. */
  rest: PlannedTranche | null
  /** The lender's bank reference. */
  reference: string
}
