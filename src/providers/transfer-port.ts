import type { Paise } from '../platform/money.ts'

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
