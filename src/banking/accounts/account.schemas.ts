import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { BankAccount } from './accounts.service.ts'

export const BANK_ACCOUNT_ID = 'acct_01k9zq4m0ve8sbn6yt2hw3c5da'

export const bankAccountInput = input({
  name: field.text('What the office calls it.', 'HDFC current 4512', 80),
})

const out = outputOf<BankAccount>()
export const bankAccountOutput = out.object({
  id: out.text('Id of the bank account.', BANK_ACCOUNT_ID),
  name: out.text('What the office calls it.', 'HDFC current 4512'),
})
export type BankAccountAnswer = Shown<typeof bankAccountOutput>
