import type { Paise } from '../../platform/money.ts'
import type { DisputeState } from '../../providers/port.ts'

/** Those that a person has to answer at the provider. */
export type DisputesToAnswer = {
  count: number
  amountPaise: Paise
  /** Of the one whose day comes first. */
  orderId: string | null
  respondBy: Date | null
}

/** A payer's dispute of a payment, as the provider last told it. People answer it at the provider. */
export type Dispute = {
  instituteId: number
  paymentId: string
  providerRef: string
  state: DisputeState
  amountPaise: Paise
  deductedPaise: Paise
  reason: string
  phase: string
  respondBy: Date | null
  openedAt: Date
  changedAt: Date
}
