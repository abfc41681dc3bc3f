/** The name of the account that lenders' direct transfers go through. */
export const BANK_TRANSFER = 'bank-transfer'

export const NOT_REFUNDABLE =
  'This money came from a lender to the bank account directly. Pay it back from there, and record that at the loan.'
