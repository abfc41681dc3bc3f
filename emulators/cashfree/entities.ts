/**
 * What Cashfree answers with, as the published SDK types it (checked in test/providers/cashfree/sdk.test.ts). Money is
 * rupees, times are India's.
 */
export type Order = {
  cf_order_id: string
  order_id: string
  entity: string
  order_currency: string
  order_amount: number
  order_status: string
  payment_session_id: string
  order_expiry_time: string
  order_note: string
  created_at: string
  customer_details: {
    customer_id?: string
    customer_name?: string
    customer_email?: string
    customer_phone?: string
  }
  order_meta: { return_url?: string; payment_methods?: string }
  order_tags: Record<string, string>
  order_splits?: VendorSplit[]
}

export type VendorSplit = { vendor_id: string; amount: number }

/** What Easy Split says of a vendor's money. */
export type VendorRow = {
  amount: number
  settlement_eligibility_time: string
  merchant_order_id: string
  tx_time: string
  settlement_id?: number
  settled: boolean
  fee: string
  tax: string
  entity_id: string
  type: string
  merchant_vendor_id: string
  added_on_time: string
  settlement_time?: string
  settlement_utr?: string
  currency: string
  debit: string
  credit: string
}

export type Payment = {
  cf_payment_id: string
  order_id: string
  entity: string
  is_captured: boolean
  order_amount: number
  order_currency: string
  payment_group: string
  payment_currency: string
  payment_amount: number
  payment_time: string
  payment_completion_time: string
  payment_status: 'SUCCESS' | 'NOT_ATTEMPTED' | 'FAILED' | 'USER_DROPPED' | 'VOID' | 'CANCELLED' | 'PENDING'
  payment_message: string
  bank_reference: string
  auth_id?: string
  error_details?: {
    error_code: string
    error_description: string
    error_reason: string
    error_source: string
  }
}

export type Refund = {
  cf_payment_id: string
  cf_refund_id: string
  order_id: string
  refund_id: string
  entity: 'refund'
  refund_amount: number
  refund_currency: string
  refund_note: string
  refund_status: 'SUCCESS' | 'PENDING' | 'CANCELLED' | 'ONHOLD'
  refund_arn: string
  refund_charge: number
  status_description: string
  refund_type: 'PAYMENT_AUTO_REFUND' | 'MERCHANT_INITIATED' | 'UNRECONCILED_AUTO_REFUND'
  refund_mode: string
  created_at: string
  processed_at: string
  refund_splits?: VendorSplit[]
}

type Authorisation = {
  authorization_amount: number
  authorization_amount_refund: boolean
  authorization_reference?: string
  authorization_time?: string
  authorization_status?: string
  payment_id?: string
  payment_group?: string
}

export type Subscription = {
  cf_subscription_id: string
  subscription_id: string
  subscription_status: string
  subscription_session_id: string
  subscription_expiry_time: string
  subscription_note: string
  subscription_tags: Record<string, string>
  subscription_meta: { return_url?: string }
  customer_details: { customer_name?: string; customer_email: string; customer_phone: string }
  plan_details: {
    plan_name: string
    plan_type: string
    plan_currency: string
    plan_max_amount: number
  }
  authorisation_details: Authorisation
}

/** A charge of a subscription. */
export type Charge = {
  cf_payment_id: string
  cf_subscription_id: string
  cf_txn_id?: string
  cf_order_id?: string
  subscription_id: string
  payment_id: string
  payment_type: string
  payment_amount: number
  payment_status: string
  payment_initiated_date: string
  payment_schedule_date?: string
  payment_remarks: string
  retry_attempts: number
  authorization_details?: Authorisation
  failure_details: { failure_reason?: string }
}

/** That a payer was told of a debit, in the controlled flow. */
export type Notification = {
  cf_notification_id: string
  cf_payment_id: string
  notification_id: string
  notification_initiated_time: string
  notification_completed_time?: string
  notification_status: string
  payment_amount: number
  payment_id: string
  payment_status: string
  payment_remarks: string
  subscription_id: string
}

/** One try of a debit, in the controlled flow. */
export type Execution = {
  cf_execution_id: string
  cf_payment_id: string
  cf_txn_id: string
  cf_order_id: string
  cf_subscription_id: string
  execution_id: string
  execution_initiated_time: string
  execution_completed_time?: string
  execution_status: string
  payment_amount: number
  payment_id: string
  payment_status: string
  payment_remarks: string
  subscription_id: string
  failure_details: { failure_reason?: string }
}

export type ChargeRefund = {
  payment_id: string
  cf_payment_id: string
  refund_id: string
  cf_refund_id: string
  refund_amount: number
  refund_note: string
  refund_speed: string
  refund_status: string
}

export type Dispute = {
  dispute_id: number
  dispute_type: 'DISPUTE' | 'CHARGEBACK' | 'RETRIEVAL' | 'PRE_ARBITRATION' | 'ARBITRATION'
  reason_code: string
  reason_description: string
  dispute_amount: number
  dispute_amount_currency: string
  created_at: string
  updated_at: string
  respond_by: string
  resolved_at: string
  dispute_status: 'CHARGEBACK_CREATED' | 'CHARGEBACK_MERCHANT_WON' | 'CHARGEBACK_MERCHANT_LOST'
  cf_dispute_remarks: string
  order_details: { order_id: string; order_amount: number; cf_payment_id: string; payment_amount: number }
}

/** Of one bank; the id may have several. */
export type VirtualAccount = {
  vba_bank_code: string
  vba_account_number: string
  vba_ifsc: string
  vba_status: 'ACTIVE' | 'INACTIVE'
  vba_created_on: string
  vba_last_updated_on: string
  virtual_account_details: { virtual_account_id: string; virtual_account_name: string }
}

/** What came to one, as it is listed by its UTR. */
export type Transfer = {
  virtual_account_id: string
  utr: string
  remitter_account: string
  remitter_name: string
  amount: string
  reference_id: string
  credit_ref_number: string
  txtime: string
  is_settled: string
  txstatus: string
}

export type ReconEvent = {
  event_details: {
    event_id: string
    event_type: string
    event_settlement_amount: number
    event_amount: number
    sale_type: string
    event_status: string
    entity: string
    event_time: string
    event_currency: string
    event_service_charge: number
    event_service_tax: number
  }
  order_details: { order_id?: string; order_amount?: number; order_currency?: string; order_tags?: object }
  payment_details: {
    cf_payment_id?: string
    payment_amount?: number
    payment_currency?: string
    payment_group?: string
    bank_reference?: string
  }
  settlement_details: {
    cf_settlement_id: string
    settlement_date: string
    settlement_utr: string
    vendor_commission?: number
  }
  refund_details: { refund_id?: string; refund_arn?: string }[]
}
