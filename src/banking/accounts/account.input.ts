import { field, input } from '../../http/wire/input.ts'

export const BANK_ACCOUNT_ID = 'acct_01k9zq4m0ve8sbn6yt2hw3c5da'

export const bankAccountInput = input({
  name: field.text('What the office calls it.', 'HDFC current 4512', 80),
})
