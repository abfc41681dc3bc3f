import type { Fields } from '../server.ts'

/** Razorpay's entities as its API reference shows them. Empty notes are `[]` there, as empty objects are in PHP. */
export type Notes = Record<string, string> | []

export type Payment = {
  id: string
  entity: 'payment'
  amount: number
  currency: string
  status: string
  order_id: string | null
  invoice_id: string | null
  international: boolean
  method: string
  amount_refunded: number
  refund_status: string | null
  captured: boolean
  description: string | null
  card_id: string | null
  bank: string | null
  wallet: string | null
  vpa: string | null
  email: string
  contact: string
  customer_id: string | null
  token_id: string | null
  notes: Notes
  fee: number | null
  tax: number | null
  error_code: string | null
  error_description: string | null
  error_source: string | null
  error_step: string | null
  error_reason: string | null
  acquirer_data: Fields | []
  created_at: number
}

export type Link = Fields & {
  id: string
  status: string
  amount: number
  amount_paid: number
  reference_id: string
  expire_by: number
  cancelled_at: number
  expired_at: number
  customer: Fields
  user_id: string
  notes: Notes
  payments:
    | { payment_id: string; amount: number; method: string; status: string; created_at: number }[]
    | null
  created_at: number
  updated_at: number
  short_url: string
}

export type Refund = Fields & {
  id: string
  entity: 'refund'
  amount: number
  currency: string
  payment_id: string
  receipt: string | null
  notes: Notes
  acquirer_data: Fields | []
  created_at: number
  batch_id: string | null
  status: string
  speed_processed: string
  speed_requested: string
}

export type Order = {
  id: string
  entity: 'order'
  amount: number
  amount_paid: number
  amount_due: number
  currency: string
  receipt: string | null
  offer_id: null
  status: string
  attempts: number
  notes: Notes
  created_at: number
}

/** What a registration link is: an invoice that the payer pays by authorising a mandate. */
export type Invoice = {
  id: string
  entity: 'invoice'
  receipt: string | null
  invoice_number: string | null
  customer_id: string
  customer_details: Fields
  order_id: string
  line_items: []
  payment_id: string | null
  status: string
  expire_by: number | null
  issued_at: number
  paid_at: number | null
  cancelled_at: number | null
  expired_at: number | null
  sms_status: string | null
  email_status: string | null
  date: number
  terms: null
  partial_payment: false
  gross_amount: number
  tax_amount: number
  taxable_amount: number
  amount: number
  amount_paid: number
  amount_due: number
  currency: string
  currency_symbol: string
  description: string
  notes: Notes
  comment: null
  short_url: string
  view_less: true
  billing_start: null
  billing_end: null
  type: string
  group_taxes_discounts: false
  created_at: number
  idempotency_key: null
}

export type Token = {
  id: string
  entity: 'token'
  token: string
  bank: string | null
  wallet: null
  method: string
  vpa: { username: string; handle: string; name: null } | null
  recurring: boolean
  recurring_details: { status: string; failure_reason: string | null }
  auth_type: string | null
  mrn: string | null
  used_at: number
  created_at: number
  start_time: number
  expired_at: number
  max_amount: number
  dcc_enabled: false
}

export type Dispute = {
  id: string
  entity: 'dispute'
  payment_id: string
  amount: number
  currency: string
  amount_deducted: number
  reason_code: string
  respond_by: number
  status: string
  phase: string
  created_at: number
}

/** A `Customer Identifier`, as Razorpay calls it by now. */
export type VirtualAccount = {
  id: string
  name: string
  entity: 'virtual_account'
  status: 'active' | 'closed'
  description: string
  amount_expected: null
  notes: Notes
  amount_paid: number
  customer_id: null
  receivers: Fields[]
  close_by: null
  closed_at: number | null
  created_at: number
}

/** What a payer's bank sent to an account number, or a UPI app to its UPI id. */
export type Transfer = Fields & {
  id: string
  entity: 'bank_transfer' | 'upi_transfer'
  payment_id: string
  amount: number
  virtual_account_id: string
  virtual_account: VirtualAccount
}

export type RouteTransfer = Fields & {
  id: string
  source: string
  recipient: string
  amount: number
  amount_reversed: number
  notes: Notes
  created_at: number
  recipient_settlement_id: string | null
  recipient_settlement: Fields | null
}

export type Reversal = Fields & {
  id: string
  transfer_id: string
  amount: number
  notes: Notes
  created_at: number
}

export type ReconItem = Fields & { entity_id: string; type: string }
