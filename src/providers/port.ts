import { paiseOf, type Paise } from '../platform/money.ts'

/**
 * What a payment provider is to us: a real gateway is one file that implements this. A provider moves money and
 * reports; it decides nothing about orders. Every call may be repeated with the same ids and must then do nothing new.
 */
export type Provider = {
  readonly name: ProviderName
  /** What it takes from payers; nothing else is offered to them. */
  readonly accepts: Accepts
  /** Takes the payment up and says where to send the payer's browser. */
  start(request: StartRequest): Promise<StartedAtProvider>
  /** Reads what the provider posts to us of its own accord; null when the signature is not the provider's. */
  readCallback(callback: Callback): Promise<Report[] | null>
  /** What became of a payment, asked by us. */
  status(payment: PaymentAtProvider): Promise<PaymentReport>
  /**
   * Takes the page of a payment away, so that nothing more is paid there. Harmless where it is paid, over or unknown: then
   * it stays as it is, and a payment that is under way at that moment counts. Absent where pages cannot be closed.
   */
  closePage?(payment: PaymentAtProvider): Promise<void>
  refund(request: RefundRequest): Promise<RefundReport>
  /** What payers dispute of a payment, asked when a pay-out is less by a dispute that we have not heard of. */
  disputes?(payment: DisputedPayment): Promise<DisputeReport[]>
  /**
   * What the provider paid out on a day of Asia/Kolkata, batch by batch: to the account itself, and to these linked accounts.
   * Of a payment that was split, the account's own pay-out has what stayed with it, and the fee.
   */
  settlements(day: string, linkedIds?: readonly string[]): AsyncIterable<SettlementReport>
  /** One harmless call under our credentials; throws what is wrong with them. */
  checkConnection?(): Promise<void>
  /** Absent at a provider that does not debit under mandates. */
  readonly mandates?: MandatePort
  /** Absent at a provider that takes in no transfers of lenders. */
  readonly transfers?: TransferPort
  /** Absent at a provider that gives students no account numbers of their own. */
  readonly virtualAccounts?: VirtualAccountPort
  /** Absent at a provider that pays all of a payment out to one bank account. */
  readonly splits?: SplitPort
}

/** `sandbox`, or a name of the catalogue. */
export type ProviderName = string
export type PaymentMode = 'upi' | 'card' | 'netbanking'
export type Accepts = {
  methods: readonly PaymentMode[]
  minPaise: Paise
  maxPaise: Paise | null
  /** Where one way takes less than the others. */
  maxPaiseOf?: Readonly<Partial<Record<PaymentMode, Paise>>>
}

/** What NPCI lets one UPI payment of school fees be. */
export const UPI_MOST = paiseOf(50_000_000)

export type StartRequest = {
  instituteId: number
  collectorCode: string
  paymentId: string
  amountPaise: Paise
  mode: PaymentMode
  payer: Payer
  /** The provider's page takes nothing after it; at least 20 minutes ahead. */
  payableUntil: Date
  description: string
  /** Where the provider sends the payer's browser when it is done. */
  returnUrl: string
  /** What of it is settled to linked accounts; the rest stays with the account itself. Absent: all of it. */
  parts?: readonly LinkedPart[]
}

/** What of a payment or refund belongs to a linked account: another bank account of the school, as the provider knows it. */
export type LinkedPart = { linkedId: string; amountPaise: Paise }

/** What a provider that splits payments is to us. Parts are given with the start of a payment and with its refunds. */
export type SplitPort = {
  /** What it calls a linked account's id, and where a person finds it. */
  readonly idLabel: string
  readonly idHelp: string
  /** The form of the id. */
  readonly idPattern: RegExp
  /** Whether money can be settled to it. It fails as refused when the provider does not know it. */
  readLinked(linked: { instituteId: number; linkedId: string }): Promise<LinkedState>
}

/** `problem`: why it is not verified, in the provider's words or ours. */
export type LinkedState = { isVerified: true } | { isVerified: false; problem: string }

export type Callback = { headers: Readonly<Record<string, string | undefined>>; rawBody: Buffer }

export type DisputeState = 'open' | 'under_review' | 'action_required' | 'won' | 'lost' | 'closed'

/** `transactionId`: of its capture, under which some providers know it. */
export type DisputedPayment = PaymentAtProvider & { transactionId: string | null }

/** A payer disputes a payment at the bank; what is lost is taken from a pay-out. */
export type DisputeReport = {
  about: 'dispute'
  instituteId: number
  paymentId: string
  /** Where the provider did not keep our ids, it names the debit's capture by this one. */
  transactionId?: string
  providerRef: string
  state: DisputeState
  amountPaise: Paise
  deductedPaise: Paise
  reasonCode: string
  /** The provider's own words. */
  reason: string
  phase: string
  /** The institute can answer until then. */
  respondBy: Date | null
  at: Date
}

/** Somebody refunded a payment of ours at the provider itself, in its dashboard. */
export type UnaskedRefund = {
  about: 'unasked_refund'
  instituteId: number
  paymentId: string
  /** The provider's name for the refund; the same in a pay-out. */
  providerRef: string
  amountPaise: Paise
  utr: string | null
  at: Date
}

export type Report =
  | PaymentReport
  | RefundReport
  | MandateReport
  | MandateChange
  | ReturnReport
  | DisputeReport
  | UnaskedRefund
  | CreditReport

export type PaymentReport = {
  about: 'payment'
  instituteId: number
  paymentId: string
  providerRef: string
  outcome: PaymentOutcome
}

export type PaymentOutcome =
  | { kind: 'open' }
  | { kind: 'pending' }
  | {
      kind: 'captured'
      amountPaise: Paise
      /** What the provider charges for it, where it tells; the payer may have paid it on top. */
      feePaise?: Paise | undefined
      mode: string
      transactionId: string
      /** The provider's own number of this money, where it has one: it counts once for an account. */
      providerPaymentId?: string | undefined
      capturedAt: Date
    }
  | { kind: 'failed'; code: string; message: string }

export type RefundRequest = {
  instituteId: number
  refundId: string
  payment: { paymentId: string; providerRef: string }
  amountPaise: Paise
  /** What of it comes back from linked accounts; the rest comes from the account itself. */
  parts?: readonly LinkedPart[]
}

export type RefundReport = {
  about: 'refund'
  instituteId: number
  refundId: string
  providerRef: string
  outcome: RefundOutcome
}

export type RefundOutcome =
  | { kind: 'pending' }
  | { kind: 'processed'; utr: string; processedAt: Date }
  | { kind: 'failed'; message: string }

/** One pay-out: a UTR over many payments and refunds of one institute, of whichever branches use the account. */
export type SettlementReport = {
  instituteId: number
  utr: string
  settledAt: Date
  items: readonly SettlementItem[]
  /** The linked account that it went to, with the items that belong to it. Absent: the account itself. */
  linkedId?: string
}

export type SettlementItem = {
  kind: 'payment' | 'refund'
  /** Our payment or refund id, as the provider kept it for us. */
  ourId: string
  providerRef: string
  /** The provider's own id of the pay-out, which stands for the UTR until that is told. */
  payOutId?: string | undefined
  amountPaise: Paise
  feePaise: Paise
  /** What it gives back, if somebody asked the provider itself for it; `providerRef` as in the report of that. */
  unasked?: { paymentId: string; providerRef: string }
  /** Taken because a dispute was lost: of which payment, and the provider's name for the dispute where it is told. */
  dispute?: { paymentId: string; providerRef: string | null }
  /** What a payer paid to register a mandate, or got back of that, unless it is a debit of ours: nobody's fee. */
  isRegistration?: boolean
  /** The transaction id of the debit that it is about, where the provider did not keep our id for us. */
  transactionId?: string
  /** The UTR of a transfer to an account number, where the provider tells it. */
  bankReference?: string
}

/** How a payment is named between us and its provider. */
export type PaymentAtProvider = { instituteId: number; paymentId: string; providerRef: string | null }

type Payer = { name: string; phone: string; email: string }

/** What a provider answers when it has taken up a payment or a mandate: its name for it, and where the payer goes on. */
export type StartedAtProvider = { providerRef: string; redirectUrl: string }

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
  register(request: MandateRequest): Promise<StartedAtProvider>
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
  /** The reference that `announce` answered. */
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
  | {
      kind: 'active'
      umrn?: string | undefined
      upiReference?: string | undefined
      /** Whether the payer has it paused in the UPI app; absent where that is not told. */
      isPausedByPayer?: boolean | undefined
    }
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

/** How money comes that neither a payer at the checkout nor a mandate brings: a lender transfers it. */
export type TransferMode = 'loan'

/** What a provider that takes in such transfers is to us. A call may be repeated with the same ids. */
export type TransferPort = {
  /** Says which transfer is which payment. What becomes of it is told as of every payment. */
  expect(request: TransferRequest): Promise<{ providerRef: string }>
}

export type TransferRequest = {
  instituteId: number
  collectorCode: string
  paymentId: string
  amountPaise: Paise
  mode: TransferMode
  /** The sender's bank reference. */
  reference: string
}

/** How money comes that nobody asked for: by bank transfer to an account number that one student alone has. */
export const CREDIT_MODE = 'bank_transfer'

/** How money comes that pays a bill in an app of Bharat Connect: the network took it before we hear of it. */
export const BILL_MODE = 'bharat_connect'

/** What a provider that gives students account numbers of their own is to us. A call may be repeated with the same ids. */
export type VirtualAccountPort = {
  /** Opens the account under our id, or answers the one that it has under it already. */
  open(request: VirtualAccountRequest): Promise<OpenedVirtualAccount>
  /** No more money is taken on it. Harmless where that is so already. */
  close(account: { instituteId: number; providerRef: string }): Promise<void>
  /** The transfer behind money that a pay-out names and that we have not heard of; null where it is none to such an account. */
  findCredit(money: CreditAtProvider): Promise<CreditReport | null>
}

/** `utr`: where the pay-out tells it, or we know it; some providers find a transfer by it alone. */
export type CreditAtProvider = { instituteId: number; providerRef: string; utr: string | null }

export type VirtualAccountRequest = {
  instituteId: number
  collectorCode: string
  virtualAccountId: string
  /** Whom the payer's bank shows as the holder. */
  holderName: string
  /** When it was asked for before, so that the provider may have it; null the first time. */
  askedAt: Date | null
}

export type OpenedVirtualAccount = {
  providerRef: string
  accountNumber: string
  ifsc: string
  /** Null where the provider gives none. */
  upiId: string | null
}

/** Money that reached the account number of a student, or that an app of Bharat Connect took for a bill. */
export type CreditReport = {
  about: 'credit'
  instituteId: number
  /** A bank transfer unless it says otherwise. */
  mode?: typeof BILL_MODE
  /** The provider's name for that account. Our id beside it, where there is one, is text that people may change in a dashboard. */
  accountRef: string
  /** The provider's own number of the money, by which its pay-outs and refunds name it. */
  providerRef: string
  utr: string
  amountPaise: Paise
  remitterName: string | null
  remitterAccount: string | null
  creditedAt: Date
}

/** A provider answered, and the answer is no: nothing was done, and the same request will be refused again. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  /** The provider's own short code, where it has one. */
  readonly code: string | null
  /** The status of its answer; null when the refusal is our own reading of it. */
  readonly httpStatus: number | null

  constructor(description: string, code: string | null = null, httpStatus: number | null = null) {
    super(description)
    this.code = code
    this.httpStatus = httpStatus
  }
}

/** Ignores a refusal where there may be nothing left to do. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ProviderRefused)) throw error
}
