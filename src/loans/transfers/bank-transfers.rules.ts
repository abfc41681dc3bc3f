/** The name of the account that lenders' direct transfers go through. */
export const BANK_TRANSFER = 'bank-transfer'
