import type { Paise } from '../platform/money.ts'
import type { Payer, PaymentAtProvider, Started } from './payment-at-provider.ts'

/** How a provider debits an account by itself. */
export type Rail = 'enach' | 'upi_autopay'

/**
 * What a provider that debits under mandates is to us. As everywhere at a provider, every call may be repeated with the
 * same ids and does nothing new then.
 */
export type MandatePort = {
  readonly rails: readonly Rail[]
  /** What the payer pays to register a mandate on a rail, and gets back. */
  readonly registrationPaise?: Partial<Record<Rail, Paise>>
  /** Takes the mandate up and says where the payer authorises it. */
  register(request: MandateRequest): Promise<Started>
  /** What became of a mandate, asked by us. */
  status(mandate: MandateAtProvider): Promise<MandateReport>
  /**
   * The provider's reference of a debit where it is known before the debit is sent; it is kept first, for a provider that
   * does not find a debit by our id alone.
   */
  referenceOf?(request: DebitRequest): string
  /** The rails on which `announce` is needed. */
  readonly announcedRails?: readonly Rail[]
  /**
   * Has the payer's bank told of a debit ahead, where the rail's rules want it from the provider. Repeatable by the notice;
   * answers its name for the debit, under which it is presented and asked about.
   */
  announce?(request: Announcement): Promise<{ providerRef: string }>
  /** Hands a debit to the bank. What becomes of it is told as of every payment; it fails with the bank's return code. */
  present(request: DebitRequest): Promise<{ providerRef: string }>
  /** Whether the bank took a debit back that it had confirmed; asked when we find it gone from a pay-out. */
  returned(payment: PaymentAtProvider): Promise<ReturnReport | null>
  /**
   * Stops a mandate that is active at the provider until `resume`. Both absent where only the payer can: then nothing is
   * debited because we present nothing.
   */
  pause?(mandate: MandateAtProvider): Promise<void>
  resume?(mandate: MandateAtProvider): Promise<void>
  /** Nothing more is debited under it. */
  cancel(mandate: MandateAtProvider): Promise<void>
}

export type MandateRequest = {
  instituteId: number
  mandateId: string
  rail: Rail
  /** The most that one debit may take. */
  capPaise: Paise
  startOn: string
  endOn: string
  payer: Payer
  description: string
  /** Where the provider sends the payer's browser when it is done. */
  returnUrl: string
}

export type MandateAtProvider = { instituteId: number; mandateId: string; providerRef: string | null }

export type Announcement = {
  instituteId: number
  /** Our name for it, at most 40 characters. */
  noticeId: string
  mandateRef: string
  rail: Rail
  amountPaise: Paise
  /** It is presented then or later. */
  debitAt: Date
}

export type DebitRequest = {
  instituteId: number
  collectorCode: string
  paymentId: string
  /** The provider's name for the mandate. */
  mandateRef: string
  amountPaise: Paise
  rail: Rail
  /** As `announce` answered. */
  announcedRef: string | null
  payer: Payer
  description: string
}

export type MandateReport = {
  about: 'mandate'
  instituteId: number
  mandateId: string
  /** What debits are presented under; where the payer's yes gives it another name, it replaces the one before. */
  providerRef: string
  outcome: MandateOutcome
}

/** `active` includes `authorised`: where the payer's yes is enough, it is all that is told. */
export type MandateOutcome =
  | { kind: 'open' }
  | { kind: 'authorised'; umrn?: string | undefined; upiReference?: string | undefined }
  | { kind: 'active'; umrn?: string | undefined; upiReference?: string | undefined }
  | { kind: 'rejected'; code: string; message: string }
  | { kind: 'cancelled'; code: string; message: string }
  /** Past its end date at the bank. */
  | { kind: 'expired' }

/**
 * Something has happened to a mandate that the provider names by its own reference alone, or by the part before the
 * slash: ours is found by it and the provider is asked.
 */
export type MandateChange = { about: 'mandate_change'; providerRef: string }

/** A bank takes a debit back that it had confirmed. */
export type ReturnReport = {
  about: 'return'
  instituteId: number
  paymentId: string
  amountPaise: Paise
  code: string
  message: string
  returnedAt: Date
}

/** A debit is taken back once, so its refund is named after it, and the provider's pay-out can name it too. */
export function returnIdOf(paymentId: string): string {
  return paymentId.replace(/^pay_/, 'rfd_')
}
