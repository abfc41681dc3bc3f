import type { Rail } from '../port.ts'

/**
 * Razorpay's reasons for a failed debit as return codes of the rail, so that Flex reacts to what happened and not to who
 * told it. The reasons stand in the pages on errors of eNACH and of UPI Autopay; where a page asks for a new mandate the
 * code is one that ends it. A reason that is not here stays as it is, and a person looks at it.
 */
type Codes = Record<Rail, string>

const FUNDS: Codes = { enach: '04', upi_autopay: 'Z9' }
const BANK: Codes = { enach: '59', upi_autopay: 'U30' }
const LIMIT: Codes = { enach: '15', upi_autopay: 'U54' }
const REVOKED: Codes = { enach: '29', upi_autopay: 'QA' }
const ENDED: Codes = { enach: '08', upi_autopay: 'QB' }
const ACCOUNT: Codes = { enach: '02', upi_autopay: 'QB' }
const REPEATED: Codes = { enach: '13', upi_autopay: '13' }

const GROUPS: [reasons: string, codes: Codes][] = [
  ['insufficient_funds adequate_funds_not_available_blocked', FUNDS],
  [
    `bank_technical_error bank_not_available bank_account_validation_failed banks_hsm_is_down_remitter
     credit_to_beneficiary_failed gateway_technical_error invalid_response_from_gateway
     invalid_transaction_beneficiary issuer_dispatch_failed merchant_error_payee_psp no_original_request_found
     null_ack_processing_failure payment_declined payment_failed payment_mandate_not_active payment_timed_out
     psp_bank_not_available psp_not_available psp_timeout remitter_dispatch_failed server_error`,
    BANK,
  ],
  // The payer may let it run again, so it is not over.
  ['mandate_paused', BANK],
  [
    `amount_does_not_match_mandate_amount invalid_amount limit_exceeded_remitting_bank
     mandate_debit_beyond_psp_amount_cap per_transaction_limit_exceeded transaction_limit_exceeded`,
    LIMIT,
  ],
  ['mandate_cancelled', REVOKED],
  ['mandate_not_active mandate_expired invalid_token', ENDED],
  [
    `bank_account_invalid debit_declined debit_instrument_blocked debit_instrument_inactive incorrect_ifsc
     mobile_number_invalid nature_of_debit_not_allowed no_financial_address_record_found
     payer_account_has_changed remitter_account_dormant`,
    ACCOUNT,
  ],
  ['duplicate_request mandate_current_cycle_allowed_debit_exceeds', REPEATED],
]

const CODES = new Map(
  GROUPS.flatMap(([reasons, codes]) => reasons.split(/\s+/).map(reason => [reason, codes] as const)),
)

/** Whether the documentation names it as a reason for which debits fail. */
export function isReason(text: string): boolean {
  return CODES.has(text)
}

export function returnCodeOf(reason: string, rail: Rail): string {
  return CODES.get(reason)?.[rail] ?? reason
}

/** The method of a payment under a token. */
export function railOf(method: string): Rail | null {
  if (method === 'emandate' || method === 'nach') return 'enach'
  return method === 'upi' ? 'upi_autopay' : null
}
